/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pageraw.c - reads the words of a single struct page.
 */
#include "model/memory/frames/pageraw.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "model/kernel/page/pagefmt.h"

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

static bool read_struct_page(const struct pageraw *p, uint64_t pfn, uint8_t *raw)
{
	uint64_t kva = p->f ? memmap_page_kva(&p->s->k->memmap, pfn) : 0;

	return kva && !read_kva(p->r, kva, raw, p->f->size);
}

uint64_t pageraw_flags(const struct pageraw *p, uint64_t pfn)
{
	uint8_t raw[STRUCT_PAGE_MAX];

	return read_struct_page(p, pfn, raw) ? page_flags(p->f, raw) : 0;
}

uint32_t pageraw_references(const struct pageraw *p, uint64_t pfn)
{
	uint8_t raw[STRUCT_PAGE_MAX];

	return read_struct_page(p, pfn, raw) ? page_refcount(p->f, raw) : 0;
}
