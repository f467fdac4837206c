/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * incomplete.h - which address spaces were not all read, and what is missing.
 *
 * The one decision of this kind: every report that adds up usage asks here. What
 * it has of an incomplete address space is a lower bound; where that is 0, it is
 * not known.
 */
#ifndef VMCENSUS_INCOMPLETE_H
#define VMCENSUS_INCOMPLETE_H

#include "model/model.h"

enum incomplete {
	INCOMPLETE_MM = 1,	/* its mm_struct could not be read */
	INCOMPLETE_VMAS = 2,	/* some of its mappings are missing */
	INCOMPLETE_TABLES = 4,	/* some of its page tables */
	INCOMPLETE_PAGES = 8,	/* some struct pages of what it maps */
};

/* enum incomplete, 0: all was read. */
unsigned mm_incomplete(const struct snapshot *s, const struct mm *m);
/* The same of one vma: its page tables, its struct pages. */
unsigned vma_incomplete(const struct snapshot *s, const struct vma *v);
/* The same of a process, which may have an mm that is in no snapshot. */
unsigned proc_incomplete(const struct snapshot *s, const struct proc *p);
/* What is missing, in words; NULL for 0. */
const char *incomplete_text(unsigned what);

/* Bytes resident by the kernel's own counters of M; UINT64_MAX: they are not known. */
uint64_t mm_counted_rss(const struct snapshot *s, const struct mm *m);

#endif
