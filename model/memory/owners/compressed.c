/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compressed.c - pools of zsmalloc, by the zram disk that stores into them. A pool has classes of
 * sizes, a class has lists of zspages by how full they are, and a zspage has a chain of pages
 * (mm/zsmalloc.c, drivers/block/zram/; read in 6.1, 6.12, 7.3).
 */
#include <inttypes.h>

#include "facts/layout/module.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define CLASSES_MAX 4096u	/* of sizes; 255 with pages of 4K */
#define LISTS_MAX 64u		/* of a class; 12 */
#define CHAIN_MAX 16u		/* pages of a zspage: ZSMALLOC_CHAIN_SIZE */

struct pool {
	struct holding *h;
	struct held *o;
	uint64_t addr, pages;		/* found */
	uint64_t last_class;
};

/* The page after PAGE in its zspage; a page of its own until struct zpdesc. */
static uint64_t next_page(const struct pool *p, uint64_t page)
{
	return held_member(p->h, p->o, page,
			   has(p->h->k, M_ZPDESC_NEXT) ? M_ZPDESC_NEXT : M_PAGE_INDEX);
}

static void take_zspage(struct pool *p, uint64_t zspage, uint64_t chain)
{
	uint64_t page = held_member(p->h, p->o, zspage, M_ZSPAGE_FIRST), pfn;

	if (held_member(p->h, p->o, zspage, M_ZSPAGE_POOL) != p->addr) {
		p->o->incomplete = true;
		return;
	}
	if (held_member(p->h, p->o, zspage, M_ZSPAGE_HUGE))
		chain = 1;
	for (uint64_t i = 0; i < chain; i++) {
		if (!memmap_page_pfn(&p->h->k->memmap, page, &pfn)) {
			p->o->incomplete = true;
			return;
		}
		held_frames(p->h, p->o, pfn, 1, CLASS_MOVABLE);
		p->pages++;
		page = i + 1 < chain ? next_page(p, page) : 0;
	}
}

static void take_list(struct pool *p, uint64_t head, uint64_t chain)
{
	const struct kernel *k = p->h->k;
	struct listwalk w = listwalk_start(k, p->h->r, head, k->memmap.max_pfn);

	while (listwalk_next(&w) && p->pages <= k->memmap.max_pfn)
		take_zspage(p, w.node - layout_offset(&k->layout, M_ZSPAGE_LIST), chain);
	p->o->incomplete |= w.st != ST_OK;
}

static void take_class(struct pool *p, uint64_t class)
{
	const struct member *lists = &p->h->k->layout.v[M_ZSCLASS_LISTS].m;
	uint64_t chain = held_member(p->h, p->o, class, M_ZSCLASS_PAGES);

	if (!chain || chain > CHAIN_MAX) {
		p->o->incomplete = true;
		return;
	}
	for (uint32_t i = 0; i < lists->count && i < LISTS_MAX; i++)
		take_list(p, class + lists->offset + (uint64_t)i * lists->stride, chain);
}

/* Sizes that would waste as much share a class: equal ones follow each other. */
static void take_classes(struct pool *p)
{
	const struct member *m = &p->h->k->layout.v[M_ZSPOOL_CLASSES].m;
	uint64_t class;

	for (uint32_t i = 0; i < m->count && i < CLASSES_MAX; i++) {
		if (read_kva_word(p->h->r, p->addr + m->offset + (uint64_t)i * m->stride, &class))
			p->o->incomplete = true;
		else if (class && class != p->last_class)
			take_class(p, class);
		p->last_class = class;
	}
}

/* Are the members of the types there that the walk needs? */
static bool pool_known(const struct kernel *k)
{
	return has(k, M_ZSPOOL_CLASSES) && has(k, M_ZSCLASS_LISTS) && has(k, M_ZSCLASS_PAGES) &&
	       has(k, M_ZSPAGE_LIST) && has(k, M_ZSPAGE_FIRST) && has(k, M_ZSPAGE_HUGE) &&
	       has(k, M_ZSPAGE_POOL) && (has(k, M_ZPDESC_NEXT) || has(k, M_PAGE_INDEX));
}

void zspool_read(struct holding *h, struct held *o, uint64_t pool)
{
	struct pool p = { .h = h, .o = o, .addr = pool };

	if (!pool || !pool_known(h->k)) {
		o->incomplete = true;
		return;
	}
	take_classes(&p);
	o->incomplete |= p.pages != held_member(h, o, pool, M_ZSPOOL_PAGES);
}

void zram_read(struct holding *h, uint64_t disk, const char *name)
{
	struct pool p = { .h = h };
	uint64_t zram;
	bool fresh;

	if (!has(h->k, M_DISK_PRIVATE) || !has(h->k, M_ZRAM_DISK) || !has(h->k, M_ZRAM_POOL) ||
	    !pool_known(h->k) || kmember_u64(h->k, h->r, disk, M_DISK_PRIVATE, &zram) || !zram)
		return;
	p.o = held_get(h, OWNER_ZRAM, zram, &fresh);
	if (!fresh)
		return;
	p.o->kernel = true;
	p.o->what = arena_strdup(h->mem, name);
	p.addr = held_member(h, p.o, zram, M_ZRAM_POOL);
	if (held_member(h, p.o, zram, M_ZRAM_DISK) != disk) {
		p.o->incomplete = true;
		return;
	}
	if (!p.addr) /* no size was set yet */
		return;
	held_memory(h, p.o, held_member(h, p.o, zram, M_ZRAM_TABLE));
	zspool_read(h, p.o, p.addr);
}
