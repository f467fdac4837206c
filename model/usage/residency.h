/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * residency.h - which pages of a range are resident, and how often.
 *
 * A sparse array of small counts, by page number in the range. Page tables of a
 * damaged dump can describe any number of pages, so that there is a bound on
 * what is kept (residency.full) and on the pages that one pass looks at
 * (struct page_budget).
 */
#ifndef VMCENSUS_RESIDENCY_H
#define VMCENSUS_RESIDENCY_H

#include "dumpread/base/hash.h"
#include "model/usage/account.h"

#define RESIDENCY_CHUNK 4096	/* pages; a count is one byte, and stays at 255 */

struct residency {
	struct hash chunks;		/* page / RESIDENCY_CHUNK + 1 -> index in v */
	VEC(uint8_t *) v;
	uint64_t pages;			/* that are not 0 */
	size_t limit;			/* of chunks */
	bool full;			/* there was more */
	struct arena *mem;
};

void residency_init(struct residency *r, const struct snapshot *s, struct arena *mem);
/* PAGE has N more. */
void residency_add(struct residency *r, uint64_t page, unsigned n);
/* The counts of [n * RESIDENCY_CHUNK ..), or NULL: all 0. */
const uint8_t *residency_chunk(const struct residency *r, uint64_t n);

struct page_budget { uint64_t left; };

void page_budget_init(struct page_budget *b, const struct snapshot *s);

/* Has V any page that resident_walk() would find? Asks usage, not page tables. */
bool vma_has_pages(const struct vma *v);

/* A page of memory that V maps at VA. */
struct resident_page {
	uint64_t va, pfn;
	struct frame *frame;
	const struct vma_page *leaf;	/* the entry: of a huge page for all of its pages */
};

/*
 * Every page of memory mapped in V, page by page, in address order: those that Rss
 * counts, and those of hugetlbfs; no zero page, no device. False from FN stops.
 * R may be NULL for a capture. Ends early when B is used up, which is an issue.
 */
void resident_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
		   struct page_budget *b, bool (*fn)(void *arg, const struct resident_page *p),
		   void *arg);

#endif
