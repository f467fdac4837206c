/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slab_page.h - the first struct page of a slab; private to model/kernel/slab/. */
#ifndef VMCENSUS_KMEM_SLAB_PAGE_H
#define VMCENSUS_KMEM_SLAB_PAGE_H

#include "model/kernel/page/pagefmt.h"

/* Is the struct page RAW, with address KVA and LEN readable bytes, the first one of a slab? */
bool slab_page_is_first(const struct pagefmt *f, const uint8_t *raw, uint64_t kva, size_t len);

/* A member of struct slab, or of struct page; 0: this kernel has no such member. */
uint64_t slab_page_u64(const struct pagefmt *f, const uint8_t *raw, enum layout_id id);

#endif
