/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * task_text.h - the text files of /proc/PID, as the dumped kernel's version
 * prints them.
 */
#ifndef VMCENSUS_TASK_TEXT_H
#define VMCENSUS_TASK_TEXT_H

#include "model/memory/areas/process_shown.h"
#include "reports/core/report.h"

struct task_text {
	const struct snapshot *s;
	const struct proc *p;
	struct process_shown *shown;
	const struct mm *mm;		/* NULL: a kernel thread, or past exit_mm */
	struct details d;
	struct table rows;		/* its vmas: rows of vma_rows.h */
};

struct task_file {
	const char *name;
	bool (*has)(const struct task_text *x);	/* NULL: every process */
	void (*write)(const struct task_text *x, FILE *out);
};

extern const struct task_file task_files[];	/* name NULL ends it */

/* The file NAME of task_files[]. */
const struct task_file *task_file(const char *name);

/*
 * The vmas of all processes at once (vma_rows()), and those of each: the rows of one
 * process are adjacent. Release with arena_release(&all->mem).
 */
enum status task_rows(const struct snapshot *s, const struct report_opts *o,
		      struct table *all, struct diag *diag);
void task_text_set(struct task_text *x, const struct snapshot *s, struct process_shown *shown,
		   const struct proc *p, const struct table *all);

#endif
