/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cut.h - work over page tables, cut into items that threads take one by one.
 *
 * An item is a few neighbouring VMAs of one mm, or one piece of a large VMA. If sums are
 * integers, neither the cut nor the order in which threads take the items changes a
 * result.
 */
#ifndef VMCENSUS_CUT_H
#define VMCENSUS_CUT_H

#include "model/model.h"

struct cut_item {
	uint32_t vma, nvmas;		/* vmas[vma ..) */
	uint64_t start, end;		/* a piece of the one VMA; 0, 0: whole VMAs */
};

struct cut {
	const struct snapshot *s;
	bool whole_shmem;		/* vmas of shmem objects are not cut into pieces */
	struct cut_item *v;
	size_t n, cap;
};

/* Adds the items of M. */
void cut_mm(struct cut *c, const struct mm *m);
void cut_release(struct cut *c);

/*
 * Page tables that one pass over all mms may enter. Hostile tables can describe endless
 * work; no sane machine comes near this.
 */
uint64_t cut_budget(const struct snapshot *s);

#endif
