/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misplaced.h - frames that are in two places at once, free lists that contradict their counts or
 * their pages, counts of single pages that cannot be.
 */
#ifndef VMCENSUS_CENSUS_MISPLACED_H
#define VMCENSUS_CENSUS_MISPLACED_H

#include "model/memory/census/census.h"

struct misplaced {
	const char *what;		/* "on a free list, and slab" */
	const char *means;		/* a sentence; a literal */
	uint64_t pfn, frames;		/* UINT64_MAX: of no frames */
	uint64_t kernel, found;		/* UINT64_MAX: of no count */
	bool explained;
};

struct misplaced_list {
	VEC(struct misplaced) v;
	uint64_t blocks;		/* on free lists, that were compared */
	uint64_t pages;			/* single pages whose counts were compared */
};

/* Compares C, of census_of(), with the free lists, and the counts of all single pages. In MEM.
   Nothing for sources without memory. */
void misplaced_find(const struct snapshot *s, const struct census *c, struct arena *mem,
		    struct misplaced_list *ret);

/* Frames of C that were claimed for what they cannot be, of which misplaced_find() tells where. */
uint64_t misplaced_claims(const struct page_classes *c);

/* bad_pages.c: the second part. */
void bad_pages_find(const struct snapshot *s, struct arena *mem, struct misplaced_list *ret);

#endif
