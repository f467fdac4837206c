/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * logtext.c - the kernel's log as a text: dmesg (plain, -T, -x), /dev/kmsg and netconsole, a serial console,
 * the journal (short, short-iso, short-precise, short-monotonic) and syslog (RFC 3164, 5424).
 *
 * A line is any of these prefixes, in this order, and the record:
 *
 *	<PRI>			level and facility; RFC 5424 has "1 " and its header behind it
 *	TIME HOST kernel:	of a syslog; "HOST TAG:" is missing in logs of containers
 *	FACILITY:LEVEL:		dmesg -x
 *	PRI,SEQ,USEC,FLAGS;	/dev/kmsg (Documentation/ABI/testing/dev-kmsg)
 *	[SECONDS] or [TIME]	printk.time; dmesg -T
 *	[T123] or [C0]		printk_caller_id(), 15ff2069cb7f, v5.1
 *
 * If any line has a prefix of the kernel, lines without one are somebody else's. Else all lines are records.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/machine/machine.h"
#include "model/memory/source/capture.h"

#define SECOND UINT64_C(1000000000)
#define NO_TIME UINT64_MAX
#define LINES_MAX 50000000u

struct span {
	const char *p, *end;
};

struct record {
	struct span text;
	uint64_t boot;		/* ns after boot, or NO_TIME */
	uint64_t clock;		/* ns of a clock without time zone, or NO_TIME */
	struct span stamp;	/* that clock, as it stands there */
	struct span host;	/* of short-monotonic, where the time comes first */
	uint32_t caller;
	uint8_t level, facility;
	bool of_kernel;		/* a prefix says so */
	bool tagged;		/* the prefix is "HOST kernel:" */
	bool foreign;		/* a prefix names another program */
};

/* ---- words ----------------------------------------------------------------------------------- */

static size_t left(const struct span *s)
{
	return (size_t)(s->end - s->p);
}

static const char *find(const struct span *s, char c)
{
	return s->p < s->end ? memchr(s->p, c, left(s)) : NULL;
}

static bool skip(struct span *s, const char *word)
{
	size_t n = strlen(word);

	if (left(s) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

static void skip_blanks(struct span *s)
{
	while (s->p < s->end && *s->p == ' ')
		s->p++;
}

/* At most DIGITS of them. */
static bool take_number(struct span *s, unsigned digits, uint64_t *ret)
{
	unsigned n = 0;

	for (*ret = 0; n < digits && s->p < s->end && isdigit((unsigned char)*s->p); n++)
		*ret = *ret * 10 + (uint64_t)(*s->p++ - '0');
	return n;
}

/* What is behind "." in the ninth power of ten; 0 if nothing is. */
static uint64_t take_fraction(struct span *s)
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

/* The bytes before the next blank, which is passed. */
static struct span take_word(struct span *s)
{
	const char *blank = find(s, ' ');
	struct span word = { s->p, blank ? blank : s->end };

	s->p = blank ? blank + 1 : s->end;
	return word;
}

static bool word_is(struct span w, const char *text)
{
	return left(&w) == strlen(text) && !memcmp(w.p, text, left(&w));
}

/* ---- times ------------------------------------------------------------------------------------- */

/* So that times are less than 2^64 ns. */
static bool year_is_possible(uint64_t year)
{
	return year >= 1970 && year < 2400;
}

/* Days from 1 March 1969. */
static uint64_t days_of(uint64_t year, uint64_t month, uint64_t day)
{
	uint64_t y = (month <= 2 ? year - 1 : year), m = (month + 9) % 12;

	return 365 * (y - 1969) + y / 4 - 492 - (y / 100 - 19) + y / 400 - 4 + (153 * m + 2) / 5 +
	       day;
}

static bool take_day_time(struct span *s, uint64_t days, uint64_t *ret)
{
	uint64_t h, m, sec;

	if (!take_number(s, 2, &h) || !skip(s, ":") || !take_number(s, 2, &m) || !skip(s, ":") ||
	    !take_number(s, 2, &sec))
		return false;
	*ret = (((days * 24 + h) * 60 + m) * 60 + sec) * SECOND + take_fraction(s);
	return true;
}

static bool take_month(struct span *s, uint64_t *ret)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (*ret = 1; left(s) > 3 && *ret <= 12; ++*ret)
		if (!memcmp(s->p, names + 3 * (*ret - 1), 3) && s->p[3] == ' ') {
			s->p += 4;
			return true;
		}
	return false;
}

/* "Nov 27 05:00:00" has no year: it is taken for one with a 29 February. */
static bool take_month_time(struct span *s, uint64_t *ret)
{
	uint64_t month, day;

	if (!take_month(s, &month))
		return false;
	skip_blanks(s);
	return take_number(s, 2, &day) && skip(s, " ") &&
	       take_day_time(s, days_of(2000, month, day), ret);
}

/* "2026-11-27T05:00:00.123456+00:00" */
static bool take_iso(struct span *s, uint64_t *ret)
{
	uint64_t year, month, day;

	if (!take_number(s, 4, &year) || !skip(s, "-") || !take_number(s, 2, &month) ||
	    !skip(s, "-") || !take_number(s, 2, &day) || !year_is_possible(year) ||
	    !(skip(s, "T") || skip(s, " ")) || !take_day_time(s, days_of(year, month, day), ret))
		return false;
	while (s->p < s->end && (isdigit((unsigned char)*s->p) || strchr("+-:Z", *s->p)))
		s->p++;
	return true;
}

/* One of the two, and a blank. *TEXT is what stands there. */
static bool take_clock(struct span *s, uint64_t *ret, struct span *text)
{
	struct span at = *s;

	if (!take_iso(&at, ret)) {
		at = *s;
		if (!take_month_time(&at, ret))
			return false;
	}
	*text = (struct span){ s->p, at.p };
	if (!skip(&at, " "))
		return false;
	*s = at;
	return true;
}

/* ---- prefixes ---------------------------------------------------------------------------------- */

static void set_priority(struct record *r, uint64_t pri)
{
	r->level = pri & 7;
	r->facility = (uint8_t)min_u64(pri >> 3, UINT8_MAX);
}

static bool take_priority(struct span *s, struct record *r)
{
	struct span at = *s;
	uint64_t pri;

	if (!skip(&at, "<") || !take_number(&at, 3, &pri) || !skip(&at, ">"))
		return false;
	set_priority(r, pri);
	*s = at;
	return true;
}

/* Behind the time of RFC 5424: HOST APP PROCID MSGID and structured data. */
static void take_5424(struct span *s, struct record *r)
{
	take_word(s);
	r->tagged = word_is(take_word(s), "kernel");
	r->foreign = !r->tagged;
	take_word(s);
	take_word(s);
	if (!skip(s, "- ") && skip(s, "[")) {
		const char *end = find(s, ']');

		s->p = end ? end + 1 : s->end;
		skip_blanks(s);
	}
}

/* "HOST kernel: " */
static bool take_tag(struct span *s, struct record *r)
{
	struct span at = *s, tag;

	take_word(&at);
	tag = take_word(&at);
	if (!left(&tag) || tag.end[-1] != ':')
		return false;
	r->tagged = word_is(tag, "kernel:");
	r->foreign = !r->tagged;
	*s = at;
	return true;
}

static void take_syslog(struct span *s, struct record *r)
{
	bool rfc5424 = left(s) > 2 && s->p[0] == '1' && s->p[1] == ' ';
	struct span at = *s;

	if (rfc5424)
		at.p += 2;
	if (!take_clock(&at, &r->clock, &r->stamp))
		return;
	*s = at;
	if (rfc5424)
		take_5424(s, r);
	else if (s->p == s->end || (*s->p != '[' && *s->p != '<'))
		r->foreign = !take_tag(s, r) || r->foreign;
}

/* "kern  :warn  : ", each filled up to six */
static bool take_names(struct span *s, struct record *r)
{
	static const char *const levels[] = { "emerg", "alert",	 "crit", "err",
					      "warn",  "notice", "info", "debug" };
	struct span at = *s;

	if (!skip(&at, "kern"))
		return false;
	skip_blanks(&at);
	if (!skip(&at, ":"))
		return false;
	for (unsigned i = 0; i < ARRAY_LEN(levels); i++) {
		struct span word = at;

		if (!skip(&word, levels[i]))
			continue;
		skip_blanks(&word);
		if (!skip(&word, ": "))
			continue;
		r->level = (uint8_t)i;
		r->facility = 0;
		*s = word;
		return true;
	}
	return false;
}

/* "6,416,1758426,-,caller=T1;" */
static bool take_kmsg(struct span *s, struct record *r)
{
	struct span at = *s;
	uint64_t pri, sequence, usec;
	const char *end;

	if (!take_number(&at, 5, &pri) || !skip(&at, ",") || !take_number(&at, 19, &sequence) ||
	    !skip(&at, ",") || !take_number(&at, 16, &usec) || !skip(&at, ","))
		return false;
	end = find(&at, ';');
	if (!end)
		return false;
	set_priority(r, pri);
	r->boot = usec * 1000;
	s->p = end + 1;
	return true;
}

/* The highest bit of a caller is set for a CPU. */
static void take_caller(struct span *s, struct record *r)
{
	struct span at = *s;
	uint64_t n;
	bool cpu;

	if (!skip(&at, "["))
		return;
	skip_blanks(&at);
	cpu = skip(&at, "C");
	if ((!cpu && !skip(&at, "T")) || !take_number(&at, 9, &n) || !skip(&at, "]"))
		return;
	r->caller = (uint32_t)n | (cpu ? UINT32_C(1) << 31 : 0);
	*s = at;
}

static bool take_seconds(struct span *s, struct record *r)
{
	struct span at = *s;
	uint64_t seconds;

	if (!skip(&at, "["))
		return false;
	skip_blanks(&at);
	if (!take_number(&at, 10, &seconds) || at.p == at.end || *at.p != '.')
		return false;
	r->boot = seconds * SECOND + take_fraction(&at);
	if (!skip(&at, "]")) {
		r->boot = NO_TIME;
		return false;
	}
	take_caller(&at, r);
	skip(&at, " ");
	*s = at;
	return true;
}

/* "[Fri Nov 27 05:00:00 2026] " */
static bool take_date(struct span *s, struct record *r)
{
	struct span at = *s, year;
	uint64_t month, day, y;

	if (left(&at) < 27 || !skip(&at, "["))
		return false;
	at.p += 4;
	if (!take_month(&at, &month))
		return false;
	skip_blanks(&at);
	if (!take_number(&at, 2, &day) || !skip(&at, " "))
		return false;
	year = (struct span){ s->p + 21, s->end };
	if (!take_number(&year, 4, &y) || !year_is_possible(y) || !skip(&year, "]") ||
	    !take_day_time(&at, days_of(y, month, day), &r->clock))
		return false;
	r->stamp = (struct span){ s->p + 1, s->p + 25 };
	take_caller(&year, r);
	skip(&year, " ");
	*s = year;
	return true;
}

/* "HOST kernel: " behind the time */
static void take_host(struct span *s, struct record *r)
{
	struct span at = *s, host = take_word(&at);

	if (r->tagged || r->boot == NO_TIME || !left(&host) || !skip(&at, "kernel: "))
		return;
	r->host = host;
	r->tagged = true;
	*s = at;
}

static struct record parse(struct span line)
{
	struct record r = { .boot = NO_TIME, .clock = NO_TIME, .level = LOG_LEVEL_UNKNOWN };
	struct span *s = &line;

	r.of_kernel = take_priority(s, &r);
	take_syslog(s, &r);
	r.of_kernel |= take_priority(s, &r);
	r.of_kernel |= take_names(s, &r);
	r.of_kernel |= take_kmsg(s, &r);
	r.of_kernel |= take_seconds(s, &r) || take_date(s, &r);
	take_host(s, &r);
	r.of_kernel |= r.tagged;
	r.text = line;
	return r;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* The next line, without what a terminal makes of it: carriage returns, escape sequences. */
static bool next_line(struct arena *mem, struct span *rest, struct span *ret)
{
	const char *nl = find(rest, '\n');
	struct span line = { rest->p, nl ? nl : rest->end };
	size_t n = 0;
	char *to;

	if (rest->p == rest->end)
		return false;
	rest->p = nl ? nl + 1 : rest->end;
	*ret = line;
	if (!find(&line, '\r') && !find(&line, '\033'))
		return true;
	to = arena_array(mem, char, left(&line) + 1);
	for (const char *p = line.p; p < line.end; p++) {
		if (*p == '\033' && p + 1 < line.end && p[1] == '[')
			for (p += 2; p < line.end && !isalpha((unsigned char)*p);)
				p++;
		else if (*p != '\r' && *p != '\033')
			to[n++] = *p;
	}
	*ret = (struct span){ to, to + n };
	return true;
}

/* What the lines of the file are like. */
struct habits {
	uint64_t of_kernel;			/* lines */
	bool boot, callers;
	struct span host;			/* short-monotonic: of its first line */
};

static struct habits look(struct capture *c, struct span all)
{
	struct arena mem = { 0 };
	struct habits h = { 0 };
	struct span line;

	while (next_line(&mem, &all, &line)) {
		struct record r = parse(line);

		if (r.foreign)
			continue;
		h.of_kernel += r.of_kernel;
		h.boot |= r.boot != NO_TIME;
		h.callers |= r.caller != 0;
		if (!left(&h.host) && left(&r.host)) {
			h.host.p = arena_strndup(&c->mem, r.host.p, left(&r.host));
			h.host.end = h.host.p + left(&r.host);
		}
	}
	arena_release(&mem);
	return h;
}

/* Is it the kernel's? With "HOST kernel:" on some lines, lines with HOST and another word are other programs'. */
static bool is_record(const struct habits *h, const struct record *r)
{
	struct span text = r->text, word = take_word(&text);

	if (r->foreign)
		return false;
	if (left(&h->host) && !r->tagged && left(&word) == left(&h->host) &&
	    !memcmp(word.p, h->host.p, left(&word)))
		return false;
	return r->of_kernel || !h->of_kernel;
}

/* Words of which a file without any prefix must have one. */
static bool is_sign(const char *text)
{
	static const char *const signs[] = {
		"Linux version ",  "invoked oom-killer",	 "Out of memory",
		"out of memory: ", "Kernel panic - not syncing", "page allocation failure"
	};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (strstr(text, signs[i]))
			return true;
	return false;
}

/* "Linux version 6.1.0 (...)"; "... Not tainted 3.10.0-1127.el7.x86_64 #1" */
static void find_release(struct capture *c, const char *text)
{
	const char *at = strstr(text, "Linux version "), *end;

	if (at) {
		at += strlen("Linux version ");
		end = at + strcspn(at, " ");
	} else {
		text = strstr(text, "ainted");
		end = text ? strstr(text, " #") : NULL;
		for (at = end; at && at > text && at[-1] != ' ';)
			at--;
	}
	if (at && end > at && isdigit((unsigned char)*at) && !c->release)
		c->release = arena_strndup(&c->mem, at, (size_t)(end - at));
}

static void add(struct capture *c, const struct habits *h, const struct record *r, uint64_t first)
{
	const char *stamp = left(&r->stamp) ? arena_strndup(&c->mem, r->stamp.p, left(&r->stamp))
					    : NULL;
	uint64_t clock = r->clock == NO_TIME ? NO_TIME : r->clock - first;
	struct log_line l = {
		.ts = h->boot ? r->boot : clock,
		.level = r->level,
		.facility = r->facility,
		.caller = r->caller,
		.printed = h->boot ? NULL : stamp,
		.text = arena_strndup(&c->mem, r->text.p, left(&r->text)),
		.len = (uint32_t)left(&r->text),
	};

	/* a record of several lines has its time on the first */
	if (l.ts == NO_TIME && c->log.n)
		l.ts = c->log.v[c->log.n - 1].ts;
	find_release(c, l.text);
	*vec_push(&c->mem, &c->log) = l;
}

static bool logtext_parse(struct capture *c, const uint8_t *data, size_t len)
{
	struct span all = { (const char *)data, (const char *)data + len }, line;
	struct habits h = look(c, all);
	uint64_t first = NO_TIME;
	bool sign = false;

	c->callers = h.callers;
	c->by_clock = !h.boot;
	while (next_line(&c->mem, &all, &line) && c->log.n < LINES_MAX) {
		struct record r = parse(line);

		if (!is_record(&h, &r))
			continue;
		/* a clock that was set back: no time is before the first */
		if (r.clock != NO_TIME) {
			first = first == NO_TIME ? r.clock : first;
			r.clock = max_u64(r.clock, first);
		}
		add(c, &h, &r, first);
		sign |= is_sign(c->log.v[c->log.n - 1].text);
	}
	return c->log.n && (sign || h.of_kernel >= 3);
}

/* Text: no bytes that only data has. What it says is looked at when it is read. */
static bool logtext_probe(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (head[i] < ' ' && !strchr("\t\n\r\f\033", head[i]))
			return false;
	return len;
}

const struct capture_format capture_log = {
	.name = "kernel log", .source = &source_log, .probe = logtext_probe, .parse = logtext_parse,
};

/* ---- the source ------------------------------------------------------------------------------ */

static void build(struct snapshot *s, unsigned needs, const struct snapshot_opts *o)
{
	struct capture *c = s->k->capture;

	(void)needs;
	(void)o;
	s->machine.oom_kills = UINT64_MAX;
	s->machine.panic_pid = -1;
	memset(s->machine.load, 0xff, sizeof(s->machine.load));
	s->machine.log_alone = true;
	s->machine.log_callers = c->callers;
	s->machine.log_by_clock = c->by_clock;
	machine_log_lines(s, c->log.v, (uint32_t)c->log.n);
}

static void about(const struct kernel *k, struct source_about *ret)
{
	ret->kind = "log";
	ret->format = k->capture->format;
}

const struct source source_log = {
	.name = "log",
	.offers = NEED_LOG | NEED_MACHINE,
	.build = build,
	.about = about,
};
