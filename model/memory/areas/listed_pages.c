/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * listed_pages.c - walks a vma and reads the struct page of each resident page.
 */
#include "model/memory/areas/listed_pages.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "facts/layout/page.h"
#include "model/kernel/page/zero.h"
#include "model/memory/frames/pageraw.h"
#include "model/memory/source/capture.h"
#include "model/memory/usage/account.h"

struct listed_pages {
	const struct snapshot *s;
	const struct ptebits *bits;
	struct reader *r;		/* NULL: the source has no memory */
	struct pageraw raw;
	uint64_t zero, huge_zero;	/* frames that belong to nobody */
	uint64_t left;			/* pages that may still be passed */
	/* of the current walk */
	const struct vma *v;
	bool (*fn)(void *arg, const struct listed_page *p);
	void *arg;
};

struct listed_pages *listed_pages_new(const struct snapshot *s, unsigned passes)
{
	struct listed_pages *x = heap_array(struct listed_pages, 1);

	x->s = s;
	x->bits = ptebits_of_arch(s->k->arch);
	x->r = kernel_reader(s->k);
	pageraw_init(&x->raw, s, x->r);
	x->zero = x->huge_zero = UINT64_MAX;
	x->left = passes * account_pages_max(s);
	if (x->r)
		zero_frames(s->k, x->r, &x->zero, &x->huge_zero);
	return x;
}

void listed_pages_free(struct listed_pages *x)
{
	pageraw_release(&x->raw);
	reader_free(x->r);
	free(x);
}

const struct ptebits *listed_pages_bits(const struct listed_pages *x)
{
	return x->bits;
}

static uint32_t listed_count(struct listed_pages *x, uint64_t pfn)
{
	const struct frame *f = frame_at(&x->s->frames, pfn);

	/* 2.4 counts only references */
	if (x->raw.f && !has(x->s->k, M_PAGE_MAPCOUNT))
		return pageraw_references(&x->raw, pfn);
	return f ? f->mapcount : 0;
}

static struct listed_page page_at(struct listed_pages *x, const struct vma_page *p, uint64_t va,
				  uint64_t pfn)
{
	const struct capture_page *given = p->captured;

	if (given)
		return (struct listed_page){ .va = va,
					     .pfn = pfn,
					     .flags = given->flags,
					     .bits = given->bits,
					     .count = given->count };
	return (struct listed_page){
		.va = va,
		.pfn = pfn,
		.flags = pageraw_flags(&x->raw, pfn),
		.bits = ptebits_encode(x->bits, p->pte.flags),
		.count = listed_count(x, pfn),
		.exec = (p->pte.flags & PTE_EXEC) != 0,
	};
}

/* Is it a page, and counted as resident? */
static bool resident(const struct listed_pages *x, const struct vma_page *p, uint64_t pfn)
{
	const struct frame *f = frame_at(&x->s->frames, pfn);

	if (p->captured)
		return true;
	return !(p->pte.flags & PTE_SPECIAL) && p->pfn != x->zero && p->pfn != x->huge_zero && f &&
	       (f->flags & (FR_EXISTS | FR_UNREAD)) == FR_EXISTS;
}

static bool list_leaf(void *arg, const struct vma_page *p)
{
	struct listed_pages *x = arg;
	uint64_t i, end;

	if (p->pte.kind != PTE_PAGE)
		return true;
	for (vma_page_clip(x->s, x->v, p, &i, &end); i < end; i++) {
		struct listed_page page;

		if (!resident(x, p, p->pfn + i))
			continue;
		if (!x->left)
			return false;
		if (!--x->left)
			issue_add(x->s->k->issues, ST_LIMIT, "page table", 1,
				  "more pages mapped than is believed");
		page = page_at(x, p, p->va + (i << x->s->k->page_shift), p->pfn + i);
		if (!x->fn(x->arg, &page))
			return false;
	}
	return true;
}

void listed_pages_each(struct listed_pages *x, const struct vma *v,
		       bool (*fn)(void *arg, const struct listed_page *p), void *arg)
{
	x->v = v;
	x->fn = fn;
	x->arg = arg;
	vma_walk(x->s, x->r, v, list_leaf, x);
}
