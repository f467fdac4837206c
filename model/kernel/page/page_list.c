/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page_list.c - see page_list.h. */
#include "model/kernel/page/page_list.h"
#include "facts/layout/page.h"

uint64_t page_list_page(const struct listwalk *w)
{
	return w->node - layout_offset(&w->k->layout, M_PAGE_LRU);
}

bool page_list_next(struct listwalk *w, uint64_t *pfn)
{
	if (!listwalk_next(w))
		return false;
	if (memmap_page_pfn(&w->k->memmap, page_list_page(w), pfn))
		return true;
	w->st = ST_CORRUPT;
	return false;
}
