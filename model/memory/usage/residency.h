/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * residency.h - which pages of a range are resident, and how often.
 *
 * A sparse array of small counts, by page number in the range. Page tables of a damaged
 * dump can describe any number of pages, so the array has a limit (residency.full), and so
 * has the number of pages that one pass reads (struct page_budget).
 */
#ifndef VMCENSUS_RESIDENCY_H
#define VMCENSUS_RESIDENCY_H

#include "dumpread/base/hash.h"
#include "model/memory/usage/account.h"

#define RESIDENCY_CHUNK 4096	/* pages; a count is one byte, and stays at 255 */

struct residency {
	struct hash chunks;		/* page / RESIDENCY_CHUNK + 1 -> index in v */
	VEC(uint8_t *) v;
	uint64_t pages;			/* pages with a count above 0 */
	size_t limit;			/* of chunks */
	bool full;			/* there was more */
	struct arena *mem;
};

void residency_init(struct residency *r, const struct snapshot *s, struct arena *mem);
/* Adds N to the count of PAGE. */
void residency_add(struct residency *r, uint64_t page, unsigned n);
/* The counts of [n * RESIDENCY_CHUNK ..), or NULL: all 0. */
const uint8_t *residency_chunk(const struct residency *r, uint64_t n);

struct page_budget { uint64_t left; };

void page_budget_init(struct page_budget *b, const struct snapshot *s);

/* Would resident_walk() find any page of V? Asks usage, not page tables. */
bool vma_has_pages(const struct vma *v);

/* A page of memory that V maps at VA. */
struct resident_page {
	uint64_t va, pfn;
	const struct frame *frame;
	const struct vma_page *leaf;	/* its entry: for a huge page the same for all of its
					   pages */
};

/*
 * Every page of memory mapped in V, page by page, in address order: pages that Rss counts,
 * and those of hugetlbfs; no zero page, no device. False from FN stops. R may be NULL for
 * a capture. If B is used up, the walk ends early, which is an issue.
 */
void resident_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
		   struct page_budget *b, bool (*fn)(void *arg, const struct resident_page *p),
		   void *arg);

#endif
