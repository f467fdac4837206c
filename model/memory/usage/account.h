/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * account.h - page tables to numbers, by the rules of fs/proc/task_mmu.c.
 */
#ifndef VMCENSUS_ACCOUNT_H
#define VMCENSUS_ACCOUNT_H

#include "model/model.h"

/*
 * Walks the page tables of all mms whose pages are asked for (snapshot_asks()) in parallel;
 * fills vma.usage and, if all are walked, frame_store.seen. Work is split by mm, large mms by
 * address; sums do not depend on the split, nor on the number of rounds (frames.h).
 */
void account_build(struct snapshot *s);

/* Walks all mms again and counts the mappings of each frame of CHUNKS[n]: frame_found(). */
void account_found(struct snapshot *s, const uint64_t *chunks, size_t n);

/*
 * The entries of [start, end) of VMA, in runs as from pgwalk(). All code except the
 * accounting itself reaches mapped pages this way. Hooks may be left out. False: a hook
 * stopped it.
 */
bool vma_entries(const struct snapshot *s, struct reader *r, const struct vma *v,
		 uint64_t start, uint64_t end, const struct pgvisit *visit, void *arg);

/*
 * Limit of mapped pages for code that records each of them, all mms together: hostile
 * tables can describe endless pages. No machine is near it.
 */
uint64_t account_pages_max(const struct snapshot *s);

/* One leaf, for a report that walks a VMA again. */
struct vma_page {
	uint64_t va;
	uint64_t pfn;			/* when present */
	unsigned shift;			/* log2 bytes mapped */
	struct pte pte;
	uint64_t table;			/* physical address of its table; 0: not known */
	const struct frame *frame;	/* NULL: no struct page (or not present) */
	const struct capture_page *captured;	/* in a capture: the page as written; otherwise
						   NULL */
};

/*
 * Pages [*first, *end) of P, counted from its first, that are in V: an entry of a higher
 * level is passed whole, even if V begins or ends inside it.
 */
void vma_page_clip(const struct snapshot *s, const struct vma *v, const struct vma_page *p,
		   uint64_t *first, uint64_t *end);

/* Do two mms use the table at PA? */
bool hugetlb_table_shared(const struct kernel *k, struct reader *r, uint64_t pa);

/* Does the kernel notice that in hugetlb_pmd_shared()? */
bool hugetlb_sharing_seen(const struct kernel *k);

/* Every non-empty entry of VMA in address order; false from FN stops. R: from kernel_reader(),
   unused if the source has no memory. */
void vma_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
	      bool (*fn)(void *arg, const struct vma_page *p), void *arg);

/* operation walk of the sources that have memory */
void account_revisit(const struct snapshot *s, struct reader *r, const struct vma *v,
		     bool (*fn)(void *arg, const struct vma_page *p), void *arg);

#endif
