/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagepools.c - pools of pages that network drivers receive into (net/core/page_pool.c, read in 6.12; types of
 * 6.1 and 7.3). A page that has its mark names its pool, also while a packet has it.
 */
#include <string.h>

#include "facts/layout/holder.h"
#include "model/memory/owners/holding.h"

#define NAME_BYTES 64

/* The device's name: of the network device where the pool knows it, else of the bus. */
static const char *name_of(struct holding *h, uint64_t pool)
{
	uint64_t netdev = holding_get(h, pool, M_POOL_NETDEV), at = 0;
	uint64_t dev = holding_get(h, pool, M_POOL_DEVICE);
	char name[NAME_BYTES];

	if (netdev && has(h->k, M_NETDEV_NAME))
		at = netdev + layout_offset(&h->k->layout, M_NETDEV_NAME);
	else if (dev)
		at = holding_get(h, dev, M_DEVICE_NAME);
	if (!at || read_kva_str(h->r, at, name, sizeof(name)) || !*name)
		return "of no device";
	return arena_printf(h->mem, "of %s", name);
}

/* The pool whose mark the frame at PFN has; NULL: not readable. */
static struct held *pool_of(struct holding *h, uint64_t pfn)
{
	uint64_t kva = memmap_page_kva(&h->k->memmap, pfn), head, pool;
	size_t len = page_role_size(&h->fmt, kva);
	uint8_t raw[2 * STRUCT_PAGE_MAX];
	struct held *o;
	bool fresh;

	if (!kva || read_kva(h->r, kva, raw, len))
		return NULL;
	if (page_role(&h->fmt, raw, kva, len, &head) == PAGE_TAIL)
		kva = head;
	if (kmember_u64(h->k, h->r, kva, M_PP_POOL, &pool) ||
	    !kernel_ptr_ok(h->k, pool, h->k->dump->word_size))
		return NULL;
	o = held_get(h, OWNER_PAGE_POOL, pool, &fresh);
	if (fresh) {
		o->kernel = true;
		o->what = name_of(h, pool);
		held_memory(h, o, pool);
	}
	return o;
}

/* LOST has the frames whose pool is not known. */
static void take_page(struct holding *h, struct held *lost, uint64_t pfn)
{
	struct held *o = holding_budget(h, lost, 1) ? pool_of(h, pfn) : NULL;

	if (!o) {
		o = lost;
		o->incomplete = true;
	}
	if (page_classes_own(h->c, pfn))
		held_bytes(o, CLASS_PAGE_POOL, UINT64_C(1) << h->k->page_shift, 1);
}

void page_pools_walk(struct holding *h)
{
	const struct memmap *m = &h->k->memmap;
	struct held *lost;
	bool fresh;

	if (!h->c->count[CLASS_PAGE_POOL].pages || !has(h->k, M_PP_POOL))
		return;
	lost = held_get(h, OWNER_PAGE_POOL, 0, &fresh);
	lost->kernel = true;
	lost->what = "not readable";
	for (uint32_t i = 0; i < m->n; i++)
		for (uint64_t pfn = m->v[i].pfn; pfn < m->v[i].end; pfn++)
			if (page_class_at(h->c, pfn) == CLASS_PAGE_POOL)
				take_page(h, lost, pfn);
}
