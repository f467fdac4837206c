/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands before the text of a line of a log: logtext.h lists the prefixes. */
#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/source/logtext.h"
#include "model/model.h"

#define SECOND UINT64_C(1000000000)

/* ---- times ------------------------------------------------------------------------------------- */

/* "Nov 27 05:00:00" has no year: it is taken for one with a 29 February. */
static bool take_month_time(struct slice *s, uint64_t *ret)
{
	uint64_t month, day;

	if (!slice_month(s, &month))
		return false;
	slice_skip_blanks(s);
	return slice_number(s, 2, &day) && slice_skip(s, " ") &&
	       slice_day_time(s, days_of(2000, month, day), ret);
}

/* "2026-11-27T05:00:00.123456+00:00" */
static bool take_iso(struct slice *s, uint64_t *ret)
{
	uint64_t year, month, day;

	if (!slice_number(s, 4, &year) || !slice_skip(s, "-") || !slice_number(s, 2, &month) ||
	    !slice_skip(s, "-") || !slice_number(s, 2, &day) || !year_is_possible(year) ||
	    !(slice_skip(s, "T") || slice_skip(s, " ")) ||
	    !slice_day_time(s, days_of(year, month, day), ret))
		return false;
	while (s->p < s->end && (isdigit((unsigned char)*s->p) || strchr("+-:Z", *s->p)))
		s->p++;
	return true;
}

/* One of the two, and a blank. *TEXT is what stands there. */
static bool take_clock(struct slice *s, uint64_t *ret, struct slice *text)
{
	struct slice at = *s;

	if (!take_iso(&at, ret)) {
		at = *s;
		if (!take_month_time(&at, ret))
			return false;
	}
	*text = (struct slice){ s->p, at.p };
	if (!slice_skip(&at, " "))
		return false;
	*s = at;
	return true;
}

/* ---- prefixes ---------------------------------------------------------------------------------- */

static void set_priority(struct log_record *r, uint64_t pri)
{
	r->level = pri & 7;
	r->facility = (uint8_t)min_u64(pri >> 3, UINT8_MAX);
}

static bool take_priority(struct slice *s, struct log_record *r)
{
	struct slice at = *s;
	uint64_t pri;

	if (!slice_skip(&at, "<") || !slice_number(&at, 3, &pri) || !slice_skip(&at, ">"))
		return false;
	set_priority(r, pri);
	*s = at;
	return true;
}

/* Behind the time of RFC 5424: HOST APP PROCID MSGID and structured data. */
static void take_5424(struct slice *s, struct log_record *r)
{
	slice_word(s);
	r->tagged = slice_is(slice_word(s), "kernel");
	r->foreign = !r->tagged;
	slice_word(s);
	slice_word(s);
	if (!slice_skip(s, "- ") && slice_skip(s, "[")) {
		const char *end = slice_find(s, ']');

		s->p = end ? end + 1 : s->end;
		slice_skip_blanks(s);
	}
}

/* "HOST kernel: " */
static bool take_tag(struct slice *s, struct log_record *r)
{
	struct slice at = *s, tag;

	slice_word(&at);
	tag = slice_word(&at);
	if (!slice_left(&tag) || tag.end[-1] != ':')
		return false;
	r->tagged = slice_is(tag, "kernel:");
	r->foreign = !r->tagged;
	*s = at;
	return true;
}

/* dmesg --time-format iso: a comma before the fraction, and no name of a host. */
static bool is_of_dmesg(const struct slice *stamp)
{
	return slice_left(stamp) > 19 && stamp->p[19] == ',';
}

static void take_syslog(struct slice *s, struct log_record *r)
{
	bool rfc5424 = slice_left(s) > 2 && s->p[0] == '1' && s->p[1] == ' ';
	struct slice at = *s;

	if (rfc5424)
		at.p += 2;
	if (!take_clock(&at, &r->clock, &r->stamp))
		return;
	*s = at;
	if (rfc5424)
		take_5424(s, r);
	else if (is_of_dmesg(&r->stamp))
		r->of_kernel = true;
	else if (s->p == s->end || (*s->p != '[' && *s->p != '<'))
		r->foreign = !take_tag(s, r) || r->foreign;
}

/* "kern  :warn  : ", each filled up to six */
static bool take_names(struct slice *s, struct log_record *r)
{
	static const char *const levels[] = { "emerg", "alert",	 "crit", "err",
					      "warn",  "notice", "info", "debug" };
	struct slice at = *s;

	if (!slice_skip(&at, "kern"))
		return false;
	slice_skip_blanks(&at);
	if (!slice_skip(&at, ":"))
		return false;
	for (unsigned i = 0; i < ARRAY_LEN(levels); i++) {
		struct slice word = at;

		if (!slice_skip(&word, levels[i]))
			continue;
		slice_skip_blanks(&word);
		if (!slice_skip(&word, ": "))
			continue;
		r->level = (uint8_t)i;
		r->facility = 0;
		*s = word;
		return true;
	}
	return false;
}

/* Behind the bracket: "T123]" or "C0]". The highest bit of a caller is set for a CPU. */
static bool take_caller_id(struct slice *s, struct log_record *r)
{
	struct slice at = *s;
	uint64_t n;
	bool cpu = slice_skip(&at, "C");

	if ((!cpu && !slice_skip(&at, "T")) || !slice_number(&at, 9, &n))
		return false;
	r->caller = (uint32_t)n | (cpu ? UINT32_C(1) << 31 : 0);
	*s = at;
	return true;
}

/* dmesg of util-linux 2.40 and later puts a blank before it. */
static void take_caller(struct slice *s, struct log_record *r)
{
	struct slice at = *s;

	slice_skip(&at, " ");
	if (!slice_skip(&at, "["))
		return;
	slice_skip_blanks(&at);
	if (take_caller_id(&at, r) && slice_skip(&at, "]"))
		*s = at;
}

/* "ncfrag=0/33" */
static void take_fragment(struct slice s, struct log_record *r)
{
	r->fragment = slice_number(&s, 9, &r->at) && slice_skip(&s, "/") &&
		      slice_number(&s, 9, &r->of) && r->at < r->of;
}

/* "-,caller=T1,ncfrag=0/33" */
static void take_flags(struct slice s, struct log_record *r)
{
	while (s.p < s.end) {
		const char *comma = slice_find(&s, ',');
		struct slice flag = { s.p, comma ? comma : s.end };

		s.p = comma ? comma + 1 : s.end;
		if (slice_skip(&flag, "caller="))
			take_caller_id(&flag, r);
		else if (slice_skip(&flag, "ncfrag="))
			take_fragment(flag, r);
	}
}

/* "6,416,1758426,-,caller=T1;" */
static bool take_kmsg_header(struct slice *s, struct log_record *r)
{
	struct slice at = *s;
	uint64_t pri, usec;
	const char *end;

	if (!slice_number(&at, 5, &pri) || !slice_skip(&at, ",") ||
	    !slice_number(&at, 19, &r->sequence) || !slice_skip(&at, ",") ||
	    !slice_number(&at, 16, &usec) || !slice_skip(&at, ","))
		return false;
	end = slice_find(&at, ';');
	if (!end)
		return false;
	set_priority(r, pri);
	r->boot = usec * 1000;
	r->kmsg = true;
	take_flags((struct slice){ at.p, end }, r);
	s->p = end + 1;
	return true;
}

/* The same, or with the release before it: CONFIG_NETCONSOLE_PREPEND_RELEASE, v6.6. */
static bool take_kmsg(struct slice *s, struct log_record *r)
{
	struct slice at = *s;
	const char *comma;

	if (at.p == at.end || !isdigit((unsigned char)*at.p))
		return false;
	if (take_kmsg_header(s, r))
		return true;
	comma = slice_find(&at, ',');
	if (!comma || !memchr(at.p, '.', (size_t)(comma - at.p)) ||
	    memchr(at.p, ' ', (size_t)(comma - at.p)))
		return false;
	at.p = comma + 1;
	if (!take_kmsg_header(&at, r))
		return false;
	*s = at;
	return true;
}

/* dmesg -d: " <    0.000123>" */
static void take_delta(struct slice *s)
{
	struct slice at = *s;
	const char *end = slice_skip(&at, " <") ? slice_find(&at, '>') : NULL;

	if (end && end - at.p < 24)
		s->p = end + 1;
}

bool logtext_seconds(struct slice *s, struct log_record *r)
{
	struct slice at = *s;
	uint64_t seconds;

	if (!slice_skip(&at, "["))
		return false;
	slice_skip_blanks(&at);
	if (!slice_number(&at, 10, &seconds) || at.p == at.end || *at.p != '.')
		return false;
	r->boot = seconds * SECOND + slice_fraction(&at);
	take_delta(&at);
	if (!slice_skip(&at, "]")) {
		r->boot = NO_TIME;
		return false;
	}
	take_caller(&at, r);
	slice_skip(&at, " ");
	*s = at;
	return true;
}

/* dmesg -H: "[Nov27 05:00] " at a new minute, then "[  +0.000123] "; no time is taken of it. */
static bool take_human(struct slice *s)
{
	struct slice at = *s;
	const char *end = slice_skip(&at, "[") ? slice_find(&at, ']') : NULL;
	struct slice in = { at.p, end };
	uint64_t n;

	if (!end || end - at.p > 14)
		return false;
	slice_skip_blanks(&in);
	if (!slice_skip(&in, "+") || !slice_number(&in, 9, &n)) {
		in.p = at.p;
		if (slice_left(&in) != 11 || !isupper((unsigned char)*in.p) || in.p[5] != ' ' ||
		    in.p[8] != ':')
			return false;
	}
	s->p = end + 1;
	slice_skip(s, " ");
	return true;
}

/* "[Fri Nov 27 05:00:00 2026] " */
static bool take_date(struct slice *s, struct log_record *r)
{
	struct slice at = *s, year;
	uint64_t month, day, y;

	if (slice_left(&at) < 27 || !slice_skip(&at, "["))
		return false;
	at.p += 4;
	if (!slice_month(&at, &month))
		return false;
	slice_skip_blanks(&at);
	if (!slice_number(&at, 2, &day) || !slice_skip(&at, " "))
		return false;
	year = (struct slice){ s->p + 21, s->end };
	if (!slice_number(&year, 4, &y) || !year_is_possible(y))
		return false;
	take_delta(&year);
	if (!slice_skip(&year, "]") || !slice_day_time(&at, days_of(y, month, day), &r->clock))
		return false;
	r->stamp = (struct slice){ s->p + 1, s->p + 25 };
	take_caller(&year, r);
	slice_skip(&year, " ");
	*s = year;
	return true;
}

/* "HOST kernel: " behind the time */
static void take_host(struct slice *s, struct log_record *r)
{
	struct slice at = *s, host = slice_word(&at);

	if (r->tagged || r->boot == NO_TIME || !slice_left(&host) || !slice_skip(&at, "kernel: "))
		return;
	r->host = host;
	r->tagged = true;
	*s = at;
}

/* ---- a line ---------------------------------------------------------------------------------- */

const struct log_record log_no_record = {
	.boot = NO_TIME, .clock = NO_TIME, .level = LOG_LEVEL_UNKNOWN,
};

struct log_record log_parse(struct slice line)
{
	struct log_record r = log_no_record;
	struct slice *s = &line;

	/* most logs have nothing else */
	if (s->p < s->end && *s->p == '[' && logtext_seconds(s, &r)) {
		r.of_kernel = true;
		take_host(s, &r);
		r.text = line;
		return r;
	}
	if (logtext_logcat(s, &r)) {
		r.text = line;
		return r;
	}
	r.of_kernel = take_priority(s, &r);
	take_syslog(s, &r);
	r.of_kernel |= take_priority(s, &r);
	r.of_kernel |= take_names(s, &r);
	r.of_kernel |= take_kmsg(s, &r);
	r.of_kernel |= logtext_seconds(s, &r) || take_date(s, &r) || take_human(s);
	take_host(s, &r);
	r.of_kernel |= r.tagged;
	r.text = line;
	return r;
}
