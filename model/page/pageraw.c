/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pageraw.c - reads the words of a single struct page.
 */
#include "model/page/pageraw.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "model/page/pagefmt.h"

void pageraw_init(struct pageraw *p, const struct snapshot *s, struct reader *r)
{
	*p = (struct pageraw){ .s = s, .r = r };
	if (!r || !s->k->memmap.n)
		return;
	p->f = heap_array(struct pagefmt, 1);
	pagefmt_init(p->f, s->k);
}

void pageraw_release(struct pageraw *p)
{
	free(p->f);
	*p = (struct pageraw){ 0 };
}

static uint64_t word_of(const struct pageraw *p, uint64_t pfn, uint32_t offset, unsigned size)
{
	uint64_t kva = p->f ? memmap_page_kva(&p->s->k->memmap, pfn) : 0, v;

	return kva && !read_kva_uint(p->r, kva + offset, size, &v) ? v : 0;
}

uint64_t pageraw_flags(const struct pageraw *p, uint64_t pfn)
{
	return p->f ? word_of(p, pfn, p->f->flags, p->f->flags_size) : 0;
}

uint32_t pageraw_references(const struct pageraw *p, uint64_t pfn)
{
	return p->f ? (uint32_t)word_of(p, pfn, p->f->refcount, 4) + p->f->count_bias : 0;
}
