/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of logcat -b kernel: brief, time, threadtime, long; with -v year and uid. */
#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/source/logtext.h"
#include "model/model.h"

/* system/logging/logd/LogKlog.cpp takes what is before the first colon for a tag, and drops blanks behind it. */
struct logcat {
	struct slice tag;
	uint64_t pid;
	char level;
};

static bool is_level(const struct slice *s)
{
	return s->p < s->end && strchr("VDIWEFS", *s->p);
}

/* "W/TAG     (    0): " */
static bool take_brief(struct slice *s, struct logcat *l)
{
	struct slice at = *s;
	const char *close;

	if (slice_left(&at) < 8 || !is_level(&at) || at.p[1] != '/')
		return false;
	l->level = *at.p;
	at.p += 2;
	l->tag.p = at.p;
	while ((close = slice_find(&at, '('))) {
		l->tag.end = close;
		at.p = close + 1;
		slice_skip_blanks(&at);
		if (!slice_number(&at, 10, &l->pid) || !slice_skip(&at, "):"))
			continue;
		slice_skip(&at, " ");
		*s = at;
		return true;
	}
	return false;
}

/* "    0     0 W TAG     : ", with the name of the user before it by -v uid */
static bool take_threadtime(struct slice *s, struct logcat *l)
{
	struct slice at = *s;
	uint64_t tid;
	const char *colon;

	slice_skip_blanks(&at);
	if (at.p < at.end && islower((unsigned char)*at.p))
		slice_word(&at);
	slice_skip_blanks(&at);
	if (!slice_number(&at, 10, &l->pid) || !slice_skip(&at, " "))
		return false;
	slice_skip_blanks(&at);
	if (!slice_number(&at, 10, &tid) || !slice_skip(&at, " ") || !is_level(&at))
		return false;
	l->level = *at.p++;
	colon = slice_find(&at, ':');
	if (!colon || !slice_skip(&at, " "))
		return false;
	l->tag = (struct slice){ at.p, colon };
	s->p = colon + 1;
	slice_skip(s, " ");
	return true;
}

/* "[ 11-27 05:00:00.123     0:    0 W/TAG ]": the message is on the next line */
static bool take_long(struct slice *s, struct log_record *r, struct logcat *l)
{
	struct slice at = *s;
	uint64_t tid;

	slice_skip_blanks(&at);
	if (!slice_number(&at, 10, &l->pid) || !slice_skip(&at, ":"))
		return false;
	slice_skip_blanks(&at);
	if (!slice_number(&at, 10, &tid) || !slice_skip(&at, " ") || !is_level(&at) ||
	    slice_left(&at) < 4 || at.p[1] != '/' || memcmp(at.end - 2, " ]", 2))
		return false;
	l->level = *at.p;
	l->tag = (struct slice){ at.p + 2, at.end - 2 };
	r->on_next_line = true;
	s->p = s->end;
	return true;
}

/* "11-27 05:00:00.123", with the year by -v year */
static bool take_android_time(struct slice *s, struct log_record *r)
{
	struct slice at = *s;
	uint64_t year = 2000, month, day;

	if (slice_left(&at) > 5 && at.p[4] == '-' &&
	    (!slice_number(&at, 4, &year) || !slice_skip(&at, "-")))
		return false;
	if (!year_is_possible(year) || !slice_number(&at, 2, &month) || !slice_skip(&at, "-") ||
	    !month || month > 12 || !slice_number(&at, 2, &day) || !slice_skip(&at, " ") ||
	    !slice_day_time(&at, days_of(year, month, day), &r->clock))
		return false;
	r->stamp = (struct slice){ s->p, at.p };
	*s = at;
	return true;
}

static bool take_logcat(struct slice *s, struct log_record *r, struct logcat *l)
{
	struct slice at = *s;
	bool in = slice_skip(&at, "[ "), timed;

	if (at.p == at.end || (!is_level(&at) && !isdigit((unsigned char)*at.p)))
		return false;
	timed = take_android_time(&at, r);
	if (timed)
		slice_skip(&at, " ");
	if ((in && timed && take_long(&at, r, l)) || (!in && timed && take_threadtime(&at, l)) ||
	    (!in && take_brief(&at, l))) {
		*s = at;
		return true;
	}
	r->clock = NO_TIME;
	r->stamp = log_no_record.stamp;
	return false;
}

/* The kernel's have no pid, but on machines whose kernel prints one. */
static void set_logcat(struct log_record *r, struct logcat *l)
{
	static const struct { char letter; uint8_t level; } levels[] = {
		{ 'F', 2 }, { 'E', 3 }, { 'W', 4 }, { 'I', 6 }, { 'D', 7 }, { 'V', 7 },
	};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (levels[i].letter == l->level)
			r->level = levels[i].level;
	while (l->tag.end > l->tag.p && l->tag.end[-1] == ' ')
		l->tag.end--;
	r->android = true;
	r->tag = l->tag;
	r->of_kernel = !l->pid;
	r->foreign = l->pid;
}

bool logtext_logcat(struct slice *s, struct log_record *r)
{
	struct logcat l;

	if (!take_logcat(s, r, &l))
		return false;
	set_logcat(r, &l);
	return true;
}
