/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * incomplete.h - which mms were not read completely, and what is missing.
 *
 * Every report that adds up usage asks here. The sizes of an incomplete mm are lower
 * bounds; a size of 0 is then unknown.
 */
#ifndef VMCENSUS_INCOMPLETE_H
#define VMCENSUS_INCOMPLETE_H

#include "model/model.h"

enum incomplete {
	INCOMPLETE_MM = 1,	/* its mm_struct could not be read */
	INCOMPLETE_VMAS = 2,	/* some of its vmas are missing */
	INCOMPLETE_TABLES = 4,	/* some of its page tables */
	INCOMPLETE_PAGES = 8,	/* struct pages of some of its pages */
	INCOMPLETE_SLOTS = 16,	/* counts of some of its slots of swap */
	INCOMPLETE_TYPES = 32,	/* types of the kernel could not be read: any figure may lack something */
};

/* enum incomplete, 0: all was read. */
unsigned mm_incomplete(const struct snapshot *s, const struct mm *m);
/* The same for one vma: its page tables, its struct pages. */
unsigned vma_incomplete(const struct snapshot *s, const struct vma *v);
/* The same for a process, whose mm may be missing in the snapshot. */
unsigned proc_incomplete(const struct snapshot *s, const struct proc *p);
/* The missing parts, in words; NULL for 0. */
const char *incomplete_text(unsigned what);

/* Resident bytes by the kernel's own counters of M; UINT64_MAX: not known. */
uint64_t mm_counted_rss(const struct snapshot *s, const struct mm *m);
/* Does this kernel count the swapped pages of an mm? The same in bytes; UINT64_MAX: not known. */
bool mm_counts_swap(const struct kernel *k);
uint64_t mm_counted_swap(const struct snapshot *s, const struct mm *m);

#endif
