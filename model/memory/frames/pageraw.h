/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pageraw.h - single struct pages, with their words as they are.
 *
 * For output of the kernel's own values; struct frame says what a page is. For use by one
 * thread.
 */
#ifndef VMCENSUS_PAGERAW_H
#define VMCENSUS_PAGERAW_H

#include "model/model.h"

struct pageraw {
	const struct snapshot *s;
	struct reader *r;
	struct pagefmt *f;		/* NULL: there are no struct pages */
};

void pageraw_init(struct pageraw *p, const struct snapshot *s, struct reader *r);
void pageraw_release(struct pageraw *p);

/* page->flags of PFN, 0 if it cannot be read. */
uint64_t pageraw_flags(const struct pageraw *p, uint64_t pfn);
/* page->_refcount (2.4: page->count) of PFN, 0 if it cannot be read. */
uint32_t pageraw_references(const struct pageraw *p, uint64_t pfn);

#endif
