/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kept.h - the pages of vmas as runs, which the walk for usage keeps, so that those who ask for
 * them later need not walk again.
 *
 * A vma is kept if all its entries map one page each, whose mapcount counts them. Whether the
 * references to a page are its mapcount is known after all frames were compared
 * (refs_beside_done()): if not, what was kept is given back. Vmas with other entries (swap, huge pages, the zero page), and
 * those that there was no room for, are walked again.
 */
#ifndef VMCENSUS_KEPT_H
#define VMCENSUS_KEPT_H

#include "model/model.h"

enum page_kind {
	PAGE_ABSENT, PAGE_ZERO, PAGE_SWAPPED, PAGE_ANON, PAGE_FILE, PAGE_SHMEM,
	PAGE_HUGETLB, PAGE_OTHER, PAGE_MIGRATING,
};

struct page_run {
	uint64_t pages;
	uint8_t kind;			/* enum page_kind */
	bool writable;			/* by its page-table entry */
	uint32_t count;			/* references to each (refs.h); 0: unknown */
};

/* The kind of a page that is in memory. */
enum page_kind frame_page_kind(const struct frame *f);

struct kept;
struct kept_writer;

/* BYTES: that all runs may take. GROUP[nvmas]: of each vma, a number; freed with the result. */
struct kept *kept_new(const struct snapshot *s, uint64_t bytes, uint32_t *group);
void kept_free(struct kept *k);

/*
 * For one thread:
 *     kept_begin()      a vma, or a range [start, end) of it
 *     kept_add()        N entries, that map pages like F from VA on, by address
 *     kept_spoil()      it has other entries
 *     kept_end()        the end of the range
 */
struct kept_writer *kept_writer_new(struct kept *k);
void kept_begin(struct kept_writer *w, const struct snapshot *s, uint32_t vma, uint64_t start,
		uint64_t end);
void kept_add(struct kept_writer *w, uint64_t va, const struct pte *pte, unsigned n,
	      const struct frame *f);
void kept_spoil(struct kept_writer *w);
void kept_end(struct kept_writer *w);
/* Hands over what was kept, and ends W. */
void kept_writer_close(struct kept_writer *w);

/* After all threads. */
void kept_close(struct kept *k, const struct snapshot *s);

/* Is VMA (an index) kept? K may be NULL. */
bool kept_has(const struct kept *k, uint32_t vma);
/* FN for the runs of a VMA that is kept, by address, those of absent pages before others too; two
   neighbours may be alike.
   False from FN stops. */
void kept_each(const struct kept *k, uint32_t vma,
	       bool (*fn)(void *arg, const struct page_run *run), void *arg);

/*
 * The first group (the lowest number) that maps a frame. Of frames with several mappings it is
 * kept for vmas that are kept; other frames of other vmas are added by kept_meet(), in one thread.
 */
void kept_meet(struct kept *k, uint64_t pfn, uint32_t group);
/* Adds to FRAMES[group] the frames of which it is the first. */
void kept_count_first(const struct kept *k, uint64_t *frames);

#endif
