/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page_list.h - lists of struct pages through page->lru. */
#ifndef VMCENSUS_PAGE_LIST_H
#define VMCENSUS_PAGE_LIST_H

#include "model/kernel/walk/list.h"

/* listwalk_next() for such a list. PFN: of the next page. What is no struct page ends it with ST_CORRUPT. */
bool page_list_next(struct listwalk *w, uint64_t *pfn);
/* The address of the struct page that W is at. */
uint64_t page_list_page(const struct listwalk *w);

#endif
