/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vma_rows.h - one row per vma: the rows of vmas, smaps and maps.
 */
#ifndef VMCENSUS_VMA_ROWS_H
#define VMCENSUS_VMA_ROWS_H

#include "reports/core/report.h"
#include "reports/core/usage_cols.h"

struct vma_row {
	int64_t pid;
	const char *comm, *perms, *dev, *name, *vmflags;
	const char *incomplete;		/* parts that could not be read; NULL: none */
	const char *class;		/* model/memory/areas/areas.h; NULL if not asked for */
	uint64_t start, end, offset, ino;
	uint64_t kernel_page, pkey;
	struct usage_cells u;
	bool thp;			/* for the text forms from here on */
	const struct proc *proc;	/* NULL: an mm without a process */
	const struct vma *vma;
};

enum vma_rows_flag {
	ROWS_EACH_PROC = 1,	/* a shared mm for each of its processes, as /proc has it */
	ROWS_GATE = 2,		/* with the [vsyscall] page */
};

/* Sizes of V, without what is unknown. A collector counts pages that it does not list: then only
   pss is a lower bound, and all is kept. */
void usage_cells_of_vma(struct usage_cells *c, const struct snapshot *s, const struct vma *v);

enum status vma_rows(const struct snapshot *s, const struct report_opts *o, unsigned flags,
		     struct table *t, struct diag *diag);

/* Text of /proc/PID/maps and smaps of the rows; headers between processes
   unless one was asked for. */
void maps_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
	       FILE *out);
void smaps_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		FILE *out);
/* Text of /proc/PID/smaps_rollup of MM, which 4.14 and later have. */
void smaps_rollup_text(const struct snapshot *s, const struct mm *mm, FILE *out);

/* Figure 4 of the paper: like --paper. */
void vmas_paper(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		FILE *out);

#endif
