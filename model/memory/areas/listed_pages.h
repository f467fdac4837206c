/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * listed_pages.h - the resident pages of a vma, each with the values that the collector of
 * the USENIX 2005 paper lists: bits of its entry, page.flags, its count.
 */
#ifndef VMCENSUS_LISTED_PAGES_H
#define VMCENSUS_LISTED_PAGES_H

#include "arch/ptebits.h"
#include "model/model.h"

/* Pages that are not counted resident (zero page, device memory) are not listed. */
struct listed_page {
	uint64_t va, pfn;
	uint64_t flags;			/* struct page.flags; 0: it cannot be read */
	unsigned bits;			/* low 12 bits of the entry: listed_pages_bits() */
	uint32_t count;			/* 2.4: page->count; later: mapcount */
	bool exec;			/* the entry has the bit, and is the machine's own */
};

struct listed_pages;

/*
 * Passes at most PASSES times as many pages as are believed for all mms together; reaching
 * that limit is an issue. Never NULL. For use by one thread; S must live as long.
 */
struct listed_pages *listed_pages_new(const struct snapshot *s, unsigned passes);
void listed_pages_free(struct listed_pages *x);

/* The form of the entries: the machine's own on x86, otherwise that of PowerPC 40x. */
const struct ptebits *listed_pages_bits(const struct listed_pages *x);

/* FN for each page of V, by address. False from FN stops. */
void listed_pages_each(struct listed_pages *x, const struct vma *v,
		       bool (*fn)(void *arg, const struct listed_page *p), void *arg);

#endif
