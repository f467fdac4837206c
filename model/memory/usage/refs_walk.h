/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refs_walk.h - what the count of references and the sizes that are made of it share; private to
 * refs.c and refs_sizes.c.
 */
#ifndef VMCENSUS_REFS_WALK_H
#define VMCENSUS_REFS_WALK_H

#include "model/kernel/page/refcounts.h"
#include "model/kernel/page/swap.h"
#include "model/memory/usage/refs.h"

#define TALLY 128		/* pages with fewer references than this are tallied */

struct refs {
	const struct snapshot *s;
	const struct kernel *k;
	uint8_t kind[SWAP_TYPES];	/* enum swap_kind */
	uint64_t pfn_mask;
	bool parallel;
	bool beside;			/* counts only what frame_found() does not: refs_begin() */
	bool odd;			/* of these: a walk met what cannot be counted so */
	struct refcounts frames;
	struct refcounts huge[PAGING_LEVELS];	/* leaves of that level, each once */
	bool huge_used[PAGING_LEVELS];
	struct refcounts slots[SWAP_TYPES];
	struct refcount_pool ram, device, swap;
	int64_t tables_left;
};

/* Of one thread, for the count and for the sizes. */
struct refs_walker {
	struct refs *f;
	struct reader *r;
	const struct vma *v;
	uint64_t start, end;		/* only pages of this range */
	unsigned page_shift;
	uint32_t weight;		/* count: processes that use the mm */
	uint64_t bytes;			/* sizes: bytes that a page counts for */
	uint32_t free_tables;
	bool over;
	struct sizes z;
	uint64_t writable;		/* pages */
	uint64_t tally[TALLY];		/* pages in memory, by their references */
};

/* One more table, or a piece of a huge page. False: there were too many. */
bool refs_spend(struct refs_walker *w);
/* A visitor's .table: refs_spend() */
bool refs_table(void *arg, uint64_t pa, unsigned level);
/* Does the non-present entry E refer to a frame, or to a swap slot? */
bool refs_to_frame(const struct refs *f, const struct pte *e, uint64_t *pfn);
bool refs_to_slot(const struct refs *f, const struct pte *e);
/*
 * The part of the walk that a leaf above the lowest level maps: pages [*pfn, + *n).
 * Returns its level; 0 if the pages must be taken one by one.
 */
unsigned refs_clip_leaf(const struct refs_walker *w, uint64_t va, unsigned shift, uint64_t *pfn,
			uint64_t *n);
void refs_walker_init(struct refs_walker *w, struct refs *f, struct reader *r);

/* W has the VMA, and the range of it that is walked. */
typedef void refs_vma_fn(void *arg, struct refs_walker *w);

/* DO_VMA for the VMAs of the mms whose pages are asked for, or of ALL. A large one comes in
   several ranges. */
void refs_run(struct refs *f, bool all, refs_vma_fn *do_vma, void *arg);

#endif
