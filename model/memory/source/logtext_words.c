/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words, numbers and times of a line of a log. */
#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/source/logtext.h"

#define SECOND UINT64_C(1000000000)

/* ---- words ----------------------------------------------------------------------------------- */

void slice_skip_blanks(struct slice *s)
{
	while (s->p < s->end && *s->p == ' ')
		s->p++;
}

bool slice_number(struct slice *s, unsigned digits, uint64_t *ret)
{
	unsigned n = 0;

	for (*ret = 0; n < digits && s->p < s->end && isdigit((unsigned char)*s->p); n++)
		*ret = *ret * 10 + (uint64_t)(*s->p++ - '0');
	return n;
}

uint64_t slice_fraction(struct slice *s)
{
	uint64_t v = 0, unit = SECOND;

	if (s->p == s->end || (*s->p != '.' && *s->p != ','))
		return 0;
	for (s->p++; s->p < s->end && isdigit((unsigned char)*s->p); s->p++) {
		unit /= 10;
		v += unit * (uint64_t)(*s->p - '0');
	}
	return v;
}

struct slice slice_word(struct slice *s)
{
	const char *blank = slice_find(s, ' ');
	struct slice word = { s->p, blank ? blank : s->end };

	s->p = blank ? blank + 1 : s->end;
	return word;
}

bool slice_is(struct slice s, const char *text)
{
	return slice_left(&s) == strlen(text) && !memcmp(s.p, text, slice_left(&s));
}

/* ---- times ------------------------------------------------------------------------------------- */

bool year_is_possible(uint64_t year)
{
	return year >= 1970 && year < 2400;
}

uint64_t days_of(uint64_t year, uint64_t month, uint64_t day)
{
	uint64_t y = (month <= 2 ? year - 1 : year), m = (month + 9) % 12;

	return 365 * (y - 1969) + y / 4 - 492 - (y / 100 - 19) + y / 400 - 4 + (153 * m + 2) / 5 +
	       day;
}

bool slice_day_time(struct slice *s, uint64_t days, uint64_t *ret)
{
	uint64_t h, m, sec;

	if (!slice_number(s, 2, &h) || !slice_skip(s, ":") || !slice_number(s, 2, &m) ||
	    !slice_skip(s, ":") || !slice_number(s, 2, &sec))
		return false;
	*ret = (((days * 24 + h) * 60 + m) * 60 + sec) * SECOND + slice_fraction(s);
	return true;
}

bool slice_month(struct slice *s, uint64_t *ret)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (*ret = 1; slice_left(s) > 3 && *ret <= 12; ++*ret)
		if (!memcmp(s->p, names + 3 * (*ret - 1), 3) && s->p[3] == ' ') {
			s->p += 4;
			return true;
		}
	return false;
}
