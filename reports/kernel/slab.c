/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab - one row per slab cache: its memory, the objects in it, and what of it is free or wasted.
 */
#include "model/kernel/slab/slab.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "reports/core/common.h"
#include "reports/kernel/slab_by.h"

struct row {
	const char *cache, *reclaimable;
	uint64_t memory, used, idle, waste;
	uint64_t objects, inuse, free, slabs, partial, cpu_partial, cpu_free, sheaves;
	uint64_t size, object_size, per_slab, slab, flags, listed;
};

#define P COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define COUNT(name, fl, about) COL(struct row, name, COL_UINT, fl, "", about)

static const struct column cols[] = {
	COL(struct row, cache, COL_STR, P, "", "name; [no cache]: slabs of no cache in the list"),
	BYTES(memory, P | COL_TOTAL, "pages of its slabs"),
	BYTES(used, P | COL_TOTAL, "objects in use, as they were asked for, without metadata"),
	BYTES(idle, P | COL_TOTAL, "free objects in its slabs, those of CPUs too"),
	BYTES(waste, P | COL_TOTAL, "the rest: metadata, alignment, ends of slabs"),
	COL(struct row, reclaimable, COL_STR, P, "", "yes: given back under pressure"),
	COUNT(inuse, P, "objects in use, with those that a CPU has taken over from a slab"),
	COUNT(objects, P, "objects that its slabs have room for"),
	COUNT(slabs, P, "slabs"),
	COUNT(partial, P, "of them, in the lists of partial slabs of nodes"),
	COUNT(free, 0, "free objects in these"),
	COUNT(cpu_partial, P, "slabs in the lists of partial slabs of CPUs (until 6.17)"),
	COUNT(cpu_free, 0, "free objects in these"),
	COUNT(sheaves, 0, "free objects in sheaves of CPUs and nodes (v6.18)"),
	COL(struct row, size, COL_UINT, P, "bytes", "of an object with metadata"),
	COL(struct row, object_size, COL_UINT, 0, "bytes", "of an object"),
	COUNT(per_slab, 0, "objects of a slab"),
	BYTES(slab, 0, "a slab"),
	COUNT(listed, 0, "slabs as the kernel counts them; slabs has those found in memory"),
	COL(struct row, flags, COL_HEX, 0, "", "SLAB_* as this kernel numbers them"),
};

static uint64_t known(uint64_t v)
{
	return v == SLAB_UNKNOWN ? COL_UNKNOWN : v;
}

/* Free objects of C that its counts of objects in use have in them; they are in use to the slab. */
static uint64_t in_sheaves(const struct slab_cache *c)
{
	return c->sheaves == SLAB_UNKNOWN ? 0 : min_u64(c->sheaves, c->found_inuse);
}

static void set_bytes(const struct snapshot *s, const struct slab_cache *c, struct row *r)
{
	uint64_t inuse, idle;

	if (c->found_pages == SLAB_UNKNOWN)
		return;
	r->memory = c->found_pages << s->k->page_shift;
	if ((!has(s->k, M_SLAB_INUSE) && !has(s->k, M_CACHE_NUM)) || c->size == SLAB_UNKNOWN ||
	    c->object_size == SLAB_UNKNOWN || c->found_inuse > c->found_objects ||
	    c->found_objects == SLAB_UNKNOWN)
		return;
	inuse = c->found_inuse - in_sheaves(c);
	idle = (c->found_objects - inuse) * c->size;
	r->inuse = inuse;
	r->objects = c->found_objects;
	r->used = min_u64(inuse * c->object_size, r->memory);
	r->idle = min_u64(idle, r->memory - r->used);
	r->waste = r->memory - r->used - r->idle;
}

static void set_row(const struct snapshot *s, const struct slab_cache *c, struct row *r)
{
	*r = (struct row){
		.cache = c->name,
		.reclaimable = slab_is_reclaimable(s->k, c) ? "yes" : "no",
		.memory = COL_UNKNOWN,
		.used = COL_UNKNOWN,
		.idle = COL_UNKNOWN,
		.waste = COL_UNKNOWN,
		.inuse = COL_UNKNOWN,
		.objects = known(c->objects),
		.slabs = known(c->found_slabs),
		.listed = known(c->slabs),
		.partial = known(c->partial),
		.free = known(c->partial_free),
		.cpu_partial = known(c->cpu_partial),
		.cpu_free = known(c->cpu_partial_free),
		.sheaves = known(c->sheaves),
		.size = known(c->size),
		.object_size = known(c->object_size),
		.per_slab = known(c->per_slab),
		.slab = (uint64_t)page_size(s) << c->order,
		.flags = known(c->flags),
	};
	set_bytes(s, c, r);
}

/* Slabs that name no cache of the list: it is damaged, or they are. */
static void set_strays(const struct snapshot *s, const struct slab_caches *sc, struct row *r)
{
	const struct slab_cache none = {
		.name = "[no cache]",
		.size = SLAB_UNKNOWN, .object_size = SLAB_UNKNOWN, .flags = SLAB_UNKNOWN,
		.per_slab = SLAB_UNKNOWN, .slabs = SLAB_UNKNOWN, .objects = SLAB_UNKNOWN,
		.partial = SLAB_UNKNOWN, .partial_free = SLAB_UNKNOWN,
		.cpu_partial = SLAB_UNKNOWN, .cpu_partial_free = SLAB_UNKNOWN,
		.sheaves = SLAB_UNKNOWN, .found_slabs = sc->stray_slabs,
		.found_pages = sc->stray_pages,
	};

	set_row(s, &none, r);
	r->reclaimable = NULL;
	r->slab = COL_UNKNOWN;
}

static const char *slab_note(const struct snapshot *s, const struct row *rows, size_t n,
			     struct arena *mem)
{
	uint64_t sum = 0, counted = machine_meminfo(&s->machine, "Slab");

	for (size_t i = 0; i < n; i++)
		sum += rows[i].memory == COL_UNKNOWN ? 0 : rows[i].memory;
	if (counted == UINT64_MAX)
		return NULL;
	return arena_printf(mem,
			    "in slabs %" PRIu64 " KiB, the kernel counts %" PRIu64
			    " KiB (Slab); difference %+" PRId64
			    " KiB: large allocations by kmalloc() count there too",
			    sum >> 10, counted >> 10,
			    (int64_t)(counted >> 10) - (int64_t)(sum >> 10));
}

static enum status slab_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	struct slab_caches sc;
	struct row *rows;
	size_t n = 0;

	if (slab_caches_build(s, &t->mem, true, &sc))
		return fail(diag, ST_ABSENT, "this image does not show its slab caches");
	rows = arena_array(&t->mem, struct row, sc.n + 1);
	for (uint32_t i = 0; i < sc.n; i++)
		if (o->all || sc.v[i].found_slabs)
			set_row(s, &sc.v[i], &rows[n++]);
	if (sc.stray_slabs)
		set_strays(s, &sc, &rows[n++]);
	t->rows = rows;
	t->nrows = n;
	t->row_size = sizeof(struct row);
	t->note = slab_note(s, rows, n, &t->mem);
	return ST_OK;
}

static const struct report_part parts[] = {
	{ OPT_BY, "by", &report_slab_by },
	{ 0 },
};

const struct report report_slab = {
	.name = "slab",
	.about = "slab caches: their memory, objects in use, free, wasted",
	.needs = NEED_MACHINE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-memory,cache",
	.run = slab_report,
	.parts = parts,
	.help = "One row for each slab cache that has a slab; --all adds empty ones. A pass over all\n"
		"struct pages finds the slabs, those in no list too. memory is used, idle and waste\n"
		"together. Free objects of the slab that a CPU takes from at the moment count as in\n"
		"use, as in /proc/slabinfo; those in lists of partial slabs and in sheaves do not.\n"
		"Caches that the kernel merged have the name of the first. SLAB (until 6.7) has no lists\n"
		"of CPUs; SLOB shows only its memory. The line below compares the sum with the kernel's counter.\n"
		"\n"
		"--by cgroup shows who is charged with the objects instead, one row for each cache and\n"
		"group, since 5.9. charged of a group and all below it is slab of its memory.stat, but for\n"
		"what CPUs keep in stock. Objects of a removed group are charged to the group above it.",
};
