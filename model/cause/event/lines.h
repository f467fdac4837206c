/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lines.h - which line of an OOM report a line of the log is. lines.def has one row for
 * each form, with the releases that print it.
 */
#ifndef VMCENSUS_OOM_LINES_H
#define VMCENSUS_OOM_LINES_H

#include "facts/release.h"
#include "model/cause/event/text.h"

enum oom_line {
	LINE_NONE,
	/* what begins an event */
	LINE_INVOKED, LINE_FAILURE, LINE_STALL,
	/* about the request */
	LINE_CPUSET, LINE_SUMMARY, LINE_WHO,
	/* about a control group */
	LINE_TASK_IN, LINE_LIMIT_OF, LINE_USAGE, LINE_STATS, LINE_PROTECTION,
	/* about memory */
	LINE_MEMINFO, LINE_NODE, LINE_ZONE, LINE_RESERVE, LINE_BUDDY, LINE_HUGE, LINE_TOTAL,
	LINE_SLABS, LINE_ALLOCATIONS,
	/* about tasks */
	LINE_TASKS, LINE_COLUMNS,
	/* about the outcome */
	LINE_CHOSEN, LINE_KILLED, LINE_REAPED, LINE_UNREAPED, LINE_PINNED, LINE_EXITING,
	LINE_GROUP, LINE_LEAKED, LINE_NO_TASK, LINE_PANIC,
	/* not the kernel's OOM killer */
	LINE_LOWMEMORYKILLER, LINE_USER_KILLER,
};

struct oom_form {
	enum oom_line line;
	struct era era;
	const char *pattern;
	/* Printed in pieces, which may become records of their own: a text that does not match
	   WHOLE lacks some. NULL: in one piece. */
	const char *whole;
};

extern const struct oom_form oom_forms[];	/* LINE_NONE ends it */

struct oom_match {
	const struct oom_form *form;	/* NULL: no line of an OOM report */
	struct span field[TEXT_FIELDS];
};

/* Forms of release V go before others: distributions take some early. */
void oom_line_read(struct span text, const struct release *v, struct oom_match *ret);
/*
 * False: no report begins or ends with such a line. Asked of each line of the log: it looks at few bytes.
 */
bool oom_line_may_begin(struct span text);
/* oom_line_read() for lines that programs wrote into the log. */
void oom_user_line_read(struct span text, struct oom_match *ret);

/* Are pieces of the line missing? */
bool oom_line_partial(const struct oom_match *m, struct span text);

#endif
