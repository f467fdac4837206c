/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freed.c - which objects are free. A slab whose list contradicts it is not judged: all of its objects count as
 * reached, and are read.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/jobs.h"
#include "facts/layout/kmem.h"
#include "model/memory/reach/scan.h"

#define CHUNK 4096u /* units of one job */
#define TRIED 64u   /* lists that show how links are written */

struct pass {
	struct reach *x;
	struct reach_scan *scans;
	_Atomic uint64_t unsure, missing;	/* slabs; pages of slabs */
};

/* An object that a list has. */
struct listed {
	struct reach *x;
	uint64_t first, n;
};

static struct slab_place place_of(const struct reach *x, const struct reach_unit *u)
{
	return (struct slab_place){ .kva = reach_slab(x, u), .cache = u->cache, .n = u->n };
}

static void set_freed(void *arg, uint32_t object)
{
	struct listed *l = arg;

	reach_set(l->x->freed, l->first + object);
	l->n++;
}

/* So far no other unit waits. */
static bool is_unsure(const struct reach *x, uint64_t unit)
{
	return reach_bit(x->units_wait, unit);
}

static void set_unsure(struct pass *p, uint64_t unit)
{
	const struct reach_unit *u = &p->x->units.v[unit];

	if (reach_set(p->x->units_wait, unit))
		return;
	p->unsure++;
	for (uint32_t i = 0; i < u->n; i++) {
		reach_take(p->x->freed, u->first + i);
		reach_set(p->x->reached, u->first + i);
		reach_set(p->x->waits, u->first + i);
	}
}

/* ---- how links are written ------------------------------------------------------------------- */

/* One list may look right by chance: of one object, whose link leads nowhere. */
static void find_link(struct reach *x, struct reader *r)
{
	static const enum slab_link links[] = { LINK_XOR_SWAPPED, LINK_XOR, LINK_PLAIN };
	uint32_t right[ARRAY_LEN(links)] = { 0 }, tried = 0, len, best = 0;
	uint64_t first;

	for (uint64_t i = 0; i < x->units.n && tried < TRIED && has(x->k, M_CACHE_RANDOM); i++) {
		const struct reach_unit *u = &x->units.v[i];
		struct slab_place p;
		bool any = false;

		if (u->cache == REACH_BLOCK ||
		    kmember_u64(x->k, r, memmap_page_kva(&x->k->memmap, u->pfn), M_SLAB_FREELIST,
				&first) ||
		    !first)
			continue;
		p = place_of(x, u);
		for (size_t j = 0; j < ARRAY_LEN(links); j++)
			if (slab_free_fits(&x->free_lists, r, &p, first, links[j], &len) &&
			    len > 1) {
				right[j]++;
				any = true;
			}
		tried += any;
	}
	for (uint32_t j = 1; j < ARRAY_LEN(links); j++)
		best = right[j] > right[best] ? j : best;
	if (tried)
		x->free_lists.link = links[best];
}

/* ---- lists of slabs ----------------------------------------------------------------------------- */

static void count_missing(struct pass *p, struct reader *r, const struct reach_unit *u)
{
	const struct reach *x = p->x;
	uint64_t bytes = x->free_lists.form[u->cache].left + u->n * x->caches.v[u->cache].size;

	for (uint64_t i = 0; i << x->k->page_shift < bytes; i++)
		if (!reader_present(r, u->pfn + i))
			p->missing++;
}

static void read_slab(struct pass *p, struct reader *r, uint64_t unit)
{
	struct reach *x = p->x;
	const struct reach_unit *u = &x->units.v[unit];
	struct listed l = { x, u->first, 0 };
	uint64_t kva = memmap_page_kva(&x->k->memmap, u->pfn), first, inuse = 0;
	struct slab_place place = place_of(x, u);

	if (kmember_u64(x->k, r, kva, M_SLAB_FREELIST, &first) ||
	    (has(x->k, M_SLAB_INUSE) && kmember_u64(x->k, r, kva, M_SLAB_INUSE, &inuse)) ||
	    slab_free_each(&x->free_lists, r, &place, first, set_freed, &l) || inuse > u->n ||
	    (first && has(x->k, M_SLAB_INUSE) && l.n != u->n - inuse))
		set_unsure(p, unit);
	count_missing(p, r, u);
}

static void read_chunk(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	struct reach_scan *sc = reach_scan_of(p->scans, worker);

	for (uint64_t i = item * CHUNK; i < min_u64((item + 1) * CHUNK, p->x->units.n); i++)
		if (p->x->units.v[i].cache != REACH_BLOCK)
			read_slab(p, sc->r, i);
}

/* ---- what CPUs and nodes have ---------------------------------------------------------------------- */

static void see_list(void *arg, uint64_t kva)
{
	struct pass *p = arg;
	struct reach *x = p->x;
	uint64_t unit, node = reach_at(x, kva, &unit);
	struct listed l = { .x = x };
	struct slab_place place;

	if (node >= x->unit_nodes || x->units.v[unit].cache == REACH_BLOCK || is_unsure(x, unit))
		return;
	place = place_of(x, &x->units.v[unit]);
	l.first = x->units.v[unit].first;
	if (slab_free_each(&x->free_lists, p->scans[0].r, &place, kva, set_freed, &l))
		set_unsure(p, unit);
}

static void see_object(void *arg, uint64_t kva)
{
	struct pass *p = arg;
	uint64_t unit, node = reach_at(p->x, kva, &unit);

	if (node < p->x->unit_nodes && p->x->units.v[unit].cache != REACH_BLOCK &&
	    !is_unsure(p->x, unit))
		reach_set(p->x->freed, node);
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void count_used(struct reach *x)
{
	x->used = arena_array(&x->mem, uint64_t, x->caches.n);
	for (uint64_t i = 0; i < x->units.n; i++) {
		const struct reach_unit *u = &x->units.v[i];

		for (uint32_t j = 0; u->cache != REACH_BLOCK && j < u->n; j++)
			x->used[u->cache] += !reach_bit(x->freed, u->first + j);
	}
	for (uint32_t i = 0; i < x->caches.n; i++)
		x->in_use += x->used[i];
}

void reach_freed_build(struct reach *x)
{
	struct pass p = { .x = x, .scans = reach_scans_new(x, NULL, NULL) };
	const struct slab_free_ops ops = { .list = see_list, .object = see_object, .arg = &p };
	struct reader *r = reach_scan_of(p.scans, 0)->r;

	find_link(x, r);
	jobs_run(x->k->jobs, (x->units.n + CHUNK - 1) / CHUNK, read_chunk, &p);
	slab_free_outside(&x->free_lists, r, &ops);
	x->unsure = p.unsure;
	x->slab_unread += p.missing;
	if (x->unsure)
		issue_add(x->k->issues, ST_CORRUPT, "slab", x->unsure,
			  "which of its objects are free");
	reach_scans_free(p.scans, NULL, NULL, NULL);
	count_used(x);
}
