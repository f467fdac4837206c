/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reach.c - marks what is reached. Slabs with objects that wait to be read are visited in the order of their addresses,
 * up and down, in groups of which each thread has one: a slab is loaded once for all of its objects that wait, also if
 * a list of millions of objects runs against the addresses.
 */
#include "model/memory/reach/scan.h"

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "facts/layout/origin.h"
#include "model/kernel/source.h"

#define GROUP	2048u /* units of one job */
#define REFUSED 20u   /* one root in so many is missing */

/* ---- hits ------------------------------------------------------------------------------------- */

static void mark(struct reach_scan *sc, uint64_t at, uint64_t word)
{
	struct reach *x = sc->arg;
	uint64_t unit, node = reach_target(sc, at, word, &unit);

	if (node == REACH_NONE || node == sc->from || reach_bit(x->freed, node) ||
	    reach_set(x->reached, node))
		return;
	reach_set(x->waits, node);
	reach_set(x->units_wait, unit);
}

/* ---- visits -------------------------------------------------------------------------------------- */

struct drain {
	struct reach *x;
	struct reach_scan *scans;
	uint64_t units; /* with areas */
	bool down;	/* groups are taken from the last one on */
	bool any;	/* something waited */
};

static void drain_group(void *ctx, unsigned worker, size_t item)
{
	struct drain *d = ctx;
	uint64_t groups = (d->units + GROUP - 1) / GROUP;
	uint64_t from = (d->down ? groups - 1 - item : item) * GROUP,
		 end = min_u64(from + GROUP, d->units);
	struct reach_scan *sc = reach_scan_of(d->scans, worker);
	bool down = d->down;

	while (reach_sweep(d->x, sc, from, end, down)) {
		down = !down;
		__atomic_store_n(&d->any, true, __ATOMIC_RELAXED);
	}
}

static void drain(struct reach *x, struct reach_scan *scans)
{
	struct drain d = { .x = x, .scans = scans, .units = x->units.n + x->nareas, .down = true };

	do {
		d.any = false;
		d.down = !d.down;
		jobs_run(x->k->jobs, (d.units + GROUP - 1) / GROUP, drain_group, &d);
	} while (d.any);
}

/* ---- what unreached nodes point to ------------------------------------------------------------- */

static void point(struct reach_scan *sc, uint64_t at, uint64_t word)
{
	struct reach *x = sc->arg;
	uint64_t unit, node = reach_target(sc, at, word, &unit);

	if (node != REACH_NONE && node != sc->from && !reach_bit(x->freed, node) &&
	    !reach_bit(x->reached, node))
		reach_set(x->waits, node);
}

static void point_group(void *ctx, unsigned worker, size_t item)
{
	struct drain *d = ctx;
	struct reach *x = d->x;
	uint64_t end = min_u64((item + 1) * GROUP, d->units);
	struct reach_scan *sc = reach_scan_of(d->scans, worker);

	for (uint64_t unit = item * GROUP; unit < end; unit++) {
		uint64_t n, first = reach_nodes_of(x, unit, &n);

		for (uint64_t i = first; i < first + n; i++)
			if (!reach_bit(x->freed, i) && !reach_bit(x->reached, i))
				reach_scan_node(sc, i, unit);
	}
}

static void find_heads(struct reach *x)
{
	struct drain d = { .x = x, .units = x->units.n + x->nareas };

	d.scans = reach_scans_new(x, point, x);
	jobs_run(x->k->jobs, (d.units + GROUP - 1) / GROUP, point_group, &d);
	reach_scans_free(d.scans, NULL, NULL, NULL);
}

/* ---- all -------------------------------------------------------------------------------------------- */

/* What is missing decides whether the rest can be believed. */
static enum reach_doubt judge(const struct reach *x)
{
	uint64_t unread = x->census->classes->count[CLASS_UNREAD].pages;

	if (x->root_unmapped * REFUSED > x->root_pages)
		return REACH_NO_TABLES;
	if (x->slab_unread * REACH_FEW > x->slab_pages)
		return REACH_SLABS_MISSING;
	if (x->root_unread * REACH_FEW > x->root_pages)
		return REACH_ROOTS_MISSING;
	return unread * REACH_FEW > x->census->ram ? REACH_FRAMES_MISSING : REACH_SOUND;
}

static enum reach_doubt build(struct reach *x)
{
	const struct kernel *k = x->k;
	struct reach_scan *scans;
	enum reach_doubt why;
	struct reader *r;
	uint64_t pa;

	if (source_has(k, SOURCE_CHANGES))
		return REACH_CHANGES;
	if (!k->dump || !k->memmap.n || k->memmap.partial)
		return REACH_NO_MEMMAP;
	if (!x->census)
		x->census = census_of(x->s);
	why = reach_units_build(x);
	if (why)
		return why;
	r = kernel_reader(k);
	if (!reader_kvtop(r, layout_symbol(&k->layout, Y_IMAGE_START), &pa, NULL))
		x->image_at = layout_symbol(&k->layout, Y_IMAGE_START) - pa;
	reader_free(r);
	reach_freed_build(x);
	scans = reach_scans_new(x, mark, x);
	reach_roots(x, scans);
	reach_scans_free(scans, &x->root_pages, &x->root_unread, &x->root_unmapped);
	scans = reach_scans_new(x, mark, x);
	drain(x, scans);
	reach_scans_free(scans, NULL, NULL, NULL);
	why = judge(x);
	if (why == REACH_NO_TABLES)
		return why;
	x->doubt = why;
	find_heads(x);
	return REACH_SOUND;
}

struct reach *reach_build(const struct snapshot *s, enum reach_doubt *why)
{
	return reach_over(s, NULL, why);
}

struct reach *reach_over(const struct snapshot *s, const struct census *c, enum reach_doubt *why)
{
	struct reach *x = heap_array(struct reach, 1);

	x->s = s;
	x->k = s->k;
	x->jobs = s->k->jobs;
	x->census = c;
	x->by_cache.mem = &x->mem;
	*why = build(x);
	if (!*why)
		return x;
	reach_free(x);
	return NULL;
}

void reach_free(struct reach *x)
{
	if (!x)
		return;
	arena_release(&x->mem);
	free(x);
}
