/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * account.h - page tables to numbers, by the rules of fs/proc/task_mmu.c.
 */
#ifndef VMCENSUS_ACCOUNT_H
#define VMCENSUS_ACCOUNT_H

#include "model/model.h"

/*
 * Walk the page tables of all mms (or of ONLY, an index in mms, if not NONE)
 * in parallel; fill vma.usage, mm.usage and, when all are walked, frame.found.
 * Work is split by mm, large mms by address; sums do not depend on the split.
 */
void account_build(struct snapshot *s, uint32_t only);

/* Frames of the shared page and huge page of zeroes, which are nobody's;
   UINT64_MAX: this kernel has none. */
void zero_frames(const struct kernel *k, struct reader *r, uint64_t *zero, uint64_t *huge);

/*
 * The entries of [start, end) of VMA, in runs as pgwalk() gives them: the one way
 * by which all but the accounting itself comes to mapped pages. Hooks may be left
 * out. False: a hook stopped it.
 */
bool vma_entries(const struct snapshot *s, struct reader *r, const struct vma *v,
		 uint64_t start, uint64_t end, const struct pgvisit *visit, void *arg);

/*
 * Pages mapped that who writes down each of them believes, all mms together:
 * hostile tables can describe pages without end. No machine is near it.
 */
uint64_t account_pages_max(const struct snapshot *s);

/* One leaf as a report sees it when it walks a VMA again. */
struct vma_page {
	uint64_t va;
	uint64_t pfn;			/* when present */
	unsigned shift;			/* log2 bytes mapped */
	struct pte pte;
	uint64_t table;			/* physical address of the table it stands in; 0: not told */
	const struct frame *frame;	/* NULL: no struct page (or not present) */
	const struct capture_page *captured;	/* of a capture: as it was written; else NULL */
};

/*
 * Pages [*first, *end) of P, counted from its first, that lie in V: an entry of
 * a higher level is handed over whole, wherever V begins and ends.
 */
void vma_page_clip(const struct snapshot *s, const struct vma *v, const struct vma_page *p,
		   uint64_t *first, uint64_t *end);

/* Do two mms use the table at PA? */
bool hugetlb_table_shared(const struct kernel *k, struct reader *r, uint64_t pa);

/* Does the kernel see that itself, in hugetlb_pmd_shared()? */
bool hugetlb_sharing_seen(const struct kernel *k);

/* Every non-empty entry of VMA in address order; false from FN stops. R: of
   kernel_reader(), unused where the source has no memory. */
void vma_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
	      bool (*fn)(void *arg, const struct vma_page *p), void *arg);

/* operation walk of the sources that have memory */
void account_revisit(const struct snapshot *s, struct reader *r, const struct vma *v,
		     bool (*fn)(void *arg, const struct vma_page *p), void *arg);

#endif
