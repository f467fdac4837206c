/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.h - rows of the report diff, and its text. */
#ifndef VMCENSUS_REPORTS_DIFF_H
#define VMCENSUS_REPORTS_DIFF_H

#include "reports/core/report.h"

/* In the order of the text. Those from DIFF_MEMORY on are lines of meminfo, but for DIFF_CLASSES: those of the
   census. */
enum diff_group {
	DIFF_PROCESSES, DIFF_PROGRAMS, DIFF_OBJECTS, DIFF_MEMORY, DIFF_USER, DIFF_CACHE,
	DIFF_SWAP, DIFF_KERNEL, DIFF_HUGE, DIFF_CLASSES, DIFF_OTHER, DIFF_GROUPS
};

/* One thing in one dump, and its cost: a row of the report costs. */
struct diff_thing {
	enum diff_group of;
	unsigned line;		/* of a group of meminfo */
	const char *group, *what, *name;
	int64_t pid;
	uint64_t start;		/* of a process: ns since boot */
	uint64_t key;		/* equal in both dumps when it is the same thing */
	uint64_t size, rss, uss, swap;	/* bytes */
};

/* One of two dumps. */
struct diff_side {
	const struct table *costs;	/* rows of the report costs; members without a column
					   may be missing */
	int64_t crash_time;		/* seconds since 1970; 0: not known */
	uint64_t uptime;		/* ns */
	const char *nodename, *release;
};

struct diff_row {
	enum diff_group of;
	unsigned line;		/* of meminfo: its place in the group */
	const char *group, *what, *change, *name;
	int64_t pid;
	uint64_t before, after;	/* bytes: pss, or the line's value */
	int64_t delta;
	double percent;		/* of BEFORE; NAN: that is 0 */
	uint64_t rss_before, rss_after;
	int64_t rss_delta;
	uint64_t uss_before, uss_after;
	int64_t uss_delta;
	uint64_t swap_before, swap_after;
	int64_t swap_delta;
};

/* The group of a line of meminfo, and its place there. */
enum diff_group diff_line(const char *name, unsigned *line);
/* The word for GROUP in the column of that name. */
const char *diff_group_name(enum diff_group group);
/* The side of S, with its costs in COSTS, whose rows are in MEM. */
void diff_side_of(const struct snapshot *s, struct diff_side *ret, struct table *costs,
		  struct arena *mem);
/* Fills T with the rows of diff; names are those of the sides. */
void diff_compare(const struct diff_side *before, const struct diff_side *after,
		  const struct report_opts *o, struct table *t);
void diff_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
	       FILE *out);

#endif
