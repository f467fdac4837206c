/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * logtext.h - inside: a text of the kernel's log, record by record.
 *
 * A line is any of these prefixes, in this order, and the record:
 *
 *	<PRI>			level and facility; RFC 5424 has "1 " and its header behind it
 *	TIME HOST kernel:	of a syslog; "HOST TAG:" is missing in logs of containers
 *	TIME PID TID L TAG:	logcat -v threadtime; "TIME L/TAG(PID):" time, "L/TAG(PID):" brief
 *	FACILITY:LEVEL:		dmesg -x
 *	PRI,SEQ,USEC,FLAGS;	/dev/kmsg (Documentation/ABI/testing/dev-kmsg); netconsole may have the release before
 *				it, and ",ncfrag=AT/OF" in FLAGS (Documentation/networking/netconsole.rst)
 *	[SECONDS] or [TIME]	printk.time; dmesg -T, -d, -H
 *	[T123] or [C0]		printk_caller_id(), 15ff2069cb7f, v5.1
 *
 * If any line has a prefix of the kernel, lines without one are somebody else's. Else all lines are records.
 * Other forms are records of fields: dmesg --json, journalctl -o json, export, verbose.
 */
#ifndef VMCENSUS_LOGTEXT_H
#define VMCENSUS_LOGTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dumpread/base/arena.h"

#define NO_TIME UINT64_MAX

/* Bytes from P to before END. */
struct slice {
	const char *p, *end;
};

static inline size_t slice_left(const struct slice *s)
{
	return (size_t)(s->end - s->p);
}

/* The next C; NULL: there is none. */
static inline const char *slice_find(const struct slice *s, char c)
{
	return s->p < s->end ? memchr(s->p, c, slice_left(s)) : NULL;
}

/* Passes WORD, if it is the next. */
static inline bool slice_skip(struct slice *s, const char *word)
{
	size_t n = strlen(word);

	if (slice_left(s) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

void slice_skip_blanks(struct slice *s);
/* A number of at most DIGITS digits, which is passed. */
bool slice_number(struct slice *s, unsigned digits, uint64_t *ret);
/* What is behind "." or "," in units of 1/10^9; 0 if nothing is. */
uint64_t slice_fraction(struct slice *s);
/* The bytes before the next blank, which is passed too. */
struct slice slice_word(struct slice *s);
bool slice_is(struct slice s, const char *text);

/* So that times are less than 2^64 ns. */
bool year_is_possible(uint64_t year);
/* Days from 1 March 1969. */
uint64_t days_of(uint64_t year, uint64_t month, uint64_t day);
/* "05:00:00.123" of the day DAYS, ns. */
bool slice_day_time(struct slice *s, uint64_t days, uint64_t *ret);
/* "Nov " is 11. */
bool slice_month(struct slice *s, uint64_t *ret);

struct log_record {
	struct slice text;
	uint64_t boot;		/* ns after boot, or NO_TIME */
	uint64_t clock;		/* ns of a clock without time zone, or NO_TIME */
	struct slice stamp;	/* that clock, as it stands there */
	struct slice host;	/* of short-monotonic, where the time comes first */
	uint32_t caller;	/* as log_line.caller */
	uint8_t level, facility;
	bool of_kernel;		/* a prefix says so */
	bool tagged;		/* the prefix is "HOST kernel:" */
	bool foreign;		/* a prefix names another program */
	bool kmsg;		/* of /dev/kmsg: some bytes stand there as \\xNN */
	bool android;		/* of logcat: TAG was the text before the first colon */
	bool on_next_line;	/* of logcat: the text is */
	struct slice tag;
	bool fragment;		/* the text is that from byte AT of OF bytes, of the message SEQUENCE */
	uint64_t sequence, at, of;
};

extern const struct log_record log_no_record;	/* nothing is known */

/* A line of logcat: passes its prefix. */
bool logtext_logcat(struct slice *s, struct log_record *r);
/* "[    1.500000] ", and a caller behind it. */
bool logtext_seconds(struct slice *s, struct log_record *r);
/* The record in a line. */
struct log_record log_parse(struct slice line);

/* What was read of a text, so far. */
struct log_reader {
	struct slice rest;
	bool no_clock;			/* there are times after boot: clocks need not be read */
	struct slice stamp, tag;	/* of a line "STAMP HOST kernel: [", the first and the rest: most lines are alike */
	struct slice lines;		/* of a message of several lines: what is left of it, */
	struct log_record of;		/* what is known of that message, */
	unsigned indent;		/* and the blanks before its lines but the first */
	struct arena *mem;		/* for texts that do not stand there as they were */
	uint64_t unread;		/* messages that the tool left out ("[1.2K blob data]", null) */
	uint64_t cut;			/* messages of netconsole of which fragments are missing */
	struct log_fragments *fragments;
};

/* The next record. False: the text is at its end. */
typedef bool log_next(struct log_reader *r, struct log_record *ret);

/* How the text ALL is to be read. */
log_next *log_form(struct slice all);
/* A line for each record (logtext_lines.c). */
log_next log_next_line;
/* The next line without what a terminal makes of it: carriage returns, escape sequences. */
bool log_take_line(struct log_reader *r, struct slice *ret);
/* The next line of a message of several; false: there is none. */
bool log_next_of_message(struct log_reader *r, struct log_record *ret);
/* "\\xNN" of S as bytes; S itself if there are none. */
struct slice log_unescape(struct slice s, struct arena *mem);
/* "[1.2K blob data]": what journalctl writes in place of a message. */
bool log_is_blob(struct slice text);
/*
 * Files of pstore begin with "Panic#1 Part2", and part 1 is the last that was written (kmsg_dump, fs/pstore/platform.c).
 * ALL with the parts in the order of time, in MEM; ALL itself if it has no such lines.
 */
struct slice log_order_parts(struct slice all, struct arena *mem);

#endif
