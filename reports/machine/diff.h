/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.h - rows of the report diff, and its text. */
#ifndef VMCENSUS_REPORTS_DIFF_H
#define VMCENSUS_REPORTS_DIFF_H

#include "reports/core/report.h"

/* In the order of the text. Those from DIFF_MEMORY on are lines of meminfo. */
enum diff_group {
	DIFF_PROCESSES, DIFF_PROGRAMS, DIFF_OBJECTS, DIFF_MEMORY, DIFF_USER, DIFF_CACHE,
	DIFF_SWAP, DIFF_KERNEL, DIFF_HUGE, DIFF_OTHER, DIFF_GROUPS
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
void diff_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
	       FILE *out);

#endif
