/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagemap.h - which pages of a VMA are resident, and how often each is mapped: runs
 * of equal pages, as bytes.
 *
 * A run is two LEB128 numbers: its pages, and the state they are in (an index in
 * states). What lies behind the last run is not there. The maps of all VMAs are one
 * blob of at most PAGEMAP_BYTES; the largest mms come first, and VMAs
 * that do not fit any more are left out whole, and counted.
 */
#ifndef VMCENSUS_HTML_PAGEMAP_H
#define VMCENSUS_HTML_PAGEMAP_H

#include "dumpread/base/hash.h"
#include "model/model.h"

#define PAGEMAP_BYTES (8u << 20)

enum page_kind {
	PAGE_ABSENT, PAGE_ZERO, PAGE_SWAPPED, PAGE_ANON, PAGE_FILE, PAGE_SHMEM,
	PAGE_HUGETLB, PAGE_OTHER, PAGE_MIGRATING,
};

struct page_state {
	uint8_t kind;			/* enum page_kind */
	bool writable;			/* by its page-table entry */
	uint32_t count;			/* references to it (refs.h), 0 unknown */
};

struct pagemap {
	uint8_t *bytes;
	size_t n, cap;
	struct { uint32_t at, len; } *of_vma;	/* [nvmas]; len 0: nothing there */
	VEC(struct page_state) states;
	uint64_t left_out;		/* VMAs, and their at is UINT32_MAX */
	struct hash known;		/* state -> index */
	struct arena mem;
};

void pagemap_build(const struct snapshot *s, struct pagemap *ret);
void pagemap_release(struct pagemap *m);

#endif
