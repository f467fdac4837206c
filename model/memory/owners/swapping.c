/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swapping.c - what stands between memory and swap: the pools of zswap (mm/zswap.c; in zbud, mm/zbud.c, or
 * zsmalloc), and whom each slot is charged to (mm/swap_cgroup.c). Types read in 6.1 and 7.3, sources in 6.12.
 */
#include <string.h>

#include "facts/layout/holder.h"
#include "facts/layout/swap.h"
#include "facts/layout/system.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define POOLS_MAX 4096u
#define ZPOOLS_MAX 64u		/* of a pool: ZSWAP_NR_ZPOOLS is 32 */
#define LISTS_MAX 128u		/* of zbud: NCHUNKS is 63 with pages of 4K */
#define NAME_BYTES 16

/* ---- zbud ----------------------------------------------------------------------------------- */

/* The head of a list is of a page that has two parts, or one. It is at the beginning of the page. */
static uint64_t take_zbud_list(struct holding *h, struct held *o, uint64_t head,
			       enum layout_id link)
{
	const struct kernel *k = h->k;
	struct listwalk w = listwalk_start(k, h->r, head, k->memmap.max_pfn);
	uint64_t n = 0;

	for (; listwalk_next(&w) && holding_budget(h, o, 1); n++)
		held_linear(h, o, w.node - layout_offset(&k->layout, link), 1, CLASS_ZBUD);
	o->incomplete |= w.st != ST_OK;
	return n;
}

static void zbud_read(struct holding *h, struct held *o, uint64_t pool)
{
	const struct member *lists = &h->k->layout.v[M_ZBUD_LISTS].m;
	uint64_t n = 0;

	held_memory(h, o, pool);
	if (has(h->k, M_ZBUD_LRU) && has(h->k, M_ZBUD_HEADER_LRU)) {
		n = take_zbud_list(h, o, pool + layout_offset(&h->k->layout, M_ZBUD_LRU),
				   M_ZBUD_HEADER_LRU);
	} else if (has(h->k, M_ZBUD_LISTS) && has(h->k, M_ZBUD_BUDDY)) {
		/* that of full pages may lie where the first of these does */
		for (uint32_t i = 0; i < lists->count && i < LISTS_MAX; i++)
			n += take_zbud_list(h, o,
					    pool + lists->offset + (uint64_t)i * lists->stride,
					    M_ZBUD_BUDDY);
		if (has(h->k, M_ZBUD_BUDDIED) &&
		    layout_offset(&h->k->layout, M_ZBUD_BUDDIED) != lists->offset)
			n += take_zbud_list(h, o,
					    pool + layout_offset(&h->k->layout, M_ZBUD_BUDDIED),
					    M_ZBUD_BUDDY);
	}
	o->incomplete |= n != held_member(h, o, pool, M_ZBUD_PAGES);
}

/* ---- pools ---------------------------------------------------------------------------------- */

static void take_zpool(struct holding *h, struct held *o, uint64_t zpool)
{
	uint64_t driver = held_member(h, o, zpool, M_ZPOOL_DRIVER),
		 pool = held_member(h, o, zpool, M_ZPOOL_POOL),
		 type = holding_get(h, driver, M_ZPOOL_DRIVER_TYPE);
	char name[NAME_BYTES];
	bool known = type && !read_kva_str(h->r, type, name, sizeof(name));

	if (known && !strcmp(name, "zsmalloc"))
		zspool_read(h, o, pool);
	else if (known && !strcmp(name, "zbud"))
		zbud_read(h, o, pool);
	else
		o->incomplete = true;
}

static void take_zswap_pool(struct holding *h, uint64_t at)
{
	const struct member *zpools = &h->k->layout.v[M_ZSWAP_ZPOOL].m;
	struct held *o;
	uint64_t zpool;
	uint32_t n;
	bool fresh;

	o = held_get(h, OWNER_ZSWAP, at, &fresh);
	if (!fresh)
		return;
	o->kernel = true;
	o->what = "compressed pages on their way to swap";
	held_memory(h, o, at);
	if (has(h->k, M_ZSWAP_ZS_POOL)) {
		zspool_read(h, o, held_member(h, o, at, M_ZSWAP_ZS_POOL));
		return;
	}
	n = zpools->is_array ? zpools->count : 1;
	for (uint32_t i = 0; i < n && i < ZPOOLS_MAX; i++)
		if (read_kva_word(h->r, at + zpools->offset + (uint64_t)i * zpools->stride, &zpool))
			o->incomplete = true;
		else if (zpool)
			take_zpool(h, o, zpool);
}

static void take_zswap(struct holding *h)
{
	const struct layout *l = &h->k->layout;
	uint64_t head = layout_symbol(l, Y_ZSWAP_POOLS);
	struct listwalk w;

	if (!head || !has(h->k, M_ZSWAP_LIST) ||
	    (!has(h->k, M_ZSWAP_ZS_POOL) &&
	     (!has(h->k, M_ZSWAP_ZPOOL) || !has(h->k, M_ZPOOL_POOL))))
		return;
	w = listwalk_start(h->k, h->r, head, POOLS_MAX);
	while (listwalk_next(&w))
		take_zswap_pool(h, w.node - layout_offset(l, M_ZSWAP_LIST));
	if (w.st)
		issue_add(h->k->issues, w.st, "zswap pool", 1, "not readable");
}

/* ---- charges of slots ------------------------------------------------------------------------ */

static void take_charges(struct holding *h)
{
	uint32_t size = layout_size(&h->k->layout, S_SWAP_CHARGES);
	uint64_t at = layout_symbol(&h->k->layout, Y_SWAP_CHARGES), map, areas, length;

	if (!at || !size || !has(h->k, M_SWAP_CHARGES_MAP) || !has(h->k, M_SWAP_CHARGES_LENGTH) ||
	    !has(h->k, Y_NR_SWAPFILES))
		return;
	if (kvar_u64(h->k, h->r, Y_NR_SWAPFILES, 4, &areas)) {
		holding_damaged(h, "number of swap areas", at);
		return;
	}
	for (uint64_t i = 0; i < areas && i < LISTS_MAX; i++, at += size) {
		struct held *o;
		bool fresh;

		if (kmember_u64(h->k, h->r, at, M_SWAP_CHARGES_MAP, &map)) {
			holding_damaged(h, "control groups of slots", at);
			continue;
		}
		/* swap_cgroup_swapoff() clears both */
		if (!kmember_u64(h->k, h->r, at, M_SWAP_CHARGES_LENGTH, &length) && !map != !length)
			holding_damaged(h, "control groups of slots", at);
		if (!map)
			continue;
		o = held_get(h, OWNER_SWAP, at, &fresh);
		o->kernel = true;
		o->what = arena_printf(h->mem, "area %llu: control groups of its slots",
				       (unsigned long long)i);
		held_memory(h, o, map);
		held_page_array(h, o, map, held_member(h, o, at, M_SWAP_CHARGES_LENGTH),
				CLASS_SWAP_MAP);
	}
}

void swapping_walk(struct holding *h)
{
	take_zswap(h);
	take_charges(h);
}
