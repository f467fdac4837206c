/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pageraw.h - single struct pages, with their words as they are.
 *
 * For output of the kernel's own values; struct frame says what a page is. For use by one
 * thread. What was read is kept, in 2 bytes for each frame of a chunk, where frames leave room: entries
 * map frames in any order, and each would read its page of struct pages again.
 */
#ifndef VMCENSUS_PAGERAW_H
#define VMCENSUS_PAGERAW_H

#include "model/model.h"

struct pageraw_words { uint64_t flags; uint32_t references; };

struct pageraw {
	const struct snapshot *s;
	struct reader *r;
	struct pagefmt *f;		/* NULL: there are no struct pages */
	uint16_t **chunk;		/* of each frame: its index in WORDS, + 1; 0: not read yet */
	uint64_t nchunks, nkept;
	struct pageraw_words *words;	/* distinct ones */
	uint32_t nwords;
	uint16_t *by_value;		/* hash table: index in WORDS, + 1 */
};

void pageraw_init(struct pageraw *p, const struct snapshot *s, struct reader *r);
void pageraw_release(struct pageraw *p);

/* page->flags of PFN, 0 if it cannot be read. */
uint64_t pageraw_flags(struct pageraw *p, uint64_t pfn);
/* page->_refcount (2.4: page->count) of PFN, 0 if it cannot be read. */
uint32_t pageraw_references(struct pageraw *p, uint64_t pfn);

#endif
