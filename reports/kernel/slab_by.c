/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slab --by cgroup - the objects of each slab cache, by the control group that is charged with them. */
#include "reports/kernel/slab_by.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/slab/slab_charge.h"
#include "model/memory/census/spread.h"
#include "reports/core/common.h"

struct row {
	const char *cgroup, *cache, *reclaimable;
	uint64_t objects, size, charged;
};

struct rows {
	struct arena *mem;
	VEC(struct row) v;
};

#define P COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, cgroup, COL_STR, P | COL_WIDE, "",
	    "charged with them, itself; -: nobody; ?: not known which group"),
	COL(struct row, cache, COL_STR, P, "", "name; [large kmalloc]: pages of kmalloc() beyond the caches"),
	BYTES(size, P | COL_TOTAL, "objects in use, with metadata"),
	BYTES(charged, P | COL_TOTAL, "the same as memory.stat counts it: 8 more for each object"),
	COL(struct row, objects, COL_UINT, P | COL_TOTAL, "", "objects in use"),
	COL(struct row, reclaimable, COL_STR, P, "", "yes: given back under pressure (slab_reclaimable)"),
};

static void add(struct rows *r, const struct snapshot *s, const struct slab_cache *c,
		const char *cgroup, uint64_t objects, bool charged)
{
	uint64_t each = slab_charged_size(s->k, c);
	bool known = c->size != SLAB_UNKNOWN;

	*vec_push(r->mem, &r->v) = (struct row){
		.cgroup = cgroup,
		.cache = c->name,
		.objects = objects,
		.reclaimable = slab_is_reclaimable(s->k, c) ? "yes" : "no",
		.size = known && objects != COL_UNKNOWN ? objects * c->size : COL_UNKNOWN,
		.charged = !charged ? 0
			   : known  ? objects * each
				    : COL_UNKNOWN,
	};
}

/* Objects of C in use that nobody is charged with; COL_UNKNOWN: not known. */
static uint64_t nobodys(const struct slab_cache *c, uint64_t charged)
{
	uint64_t inuse = c->found_inuse;

	if (inuse == SLAB_UNKNOWN)
		return COL_UNKNOWN;
	if (c->sheaves != SLAB_UNKNOWN)
		inuse -= min_u64(inuse, c->sheaves);
	return inuse > charged ? inuse - charged : 0;
}

static void add_caches(struct rows *r, const struct snapshot *s, const struct slab_caches *sc,
		       const struct slab_charges *charges)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < sc->n; i++) {
		uint64_t charged = 0, rest;

		for (; at < charges->n && charges->v[at].cache == i; at++) {
			const struct slab_charge *c = &charges->v[at];

			charged += c->objects;
			add(r, s, &sc->v[i], c->cgroup == NONE ? "?" : s->cgroups[c->cgroup].path,
			    c->objects, true);
		}
		/* what was not readable may be anybody's */
		rest = charges->unread ? COL_UNKNOWN : nobodys(&sc->v[i], charged);
		if (rest && sc->v[i].found_slabs)
			add(r, s, &sc->v[i], NULL, rest, false);
	}
}

/* Pages of kmalloc() that are in no slab: charged as unreclaimable slab since v5.9. */
static void add_large(struct rows *r, const struct snapshot *s)
{
	struct spread spread;

	if (spread_build(s, census_of(s), SPREAD_CGROUP, r->mem, &spread))
		return;
	for (uint32_t i = 0; i < spread.n; i++) {
		uint64_t size = spread.v[i].pages[CLASS_KMALLOC] * page_size(s);

		if (size)
			*vec_push(r->mem, &r->v) = (struct row){
				.cgroup = spread.v[i].key,
				.cache = "[large kmalloc]",
				.size = size,
				.charged = spread.v[i].key ? size : 0,
				.objects = COL_UNKNOWN,
				.reclaimable = "no",
			};
	}
}

static enum status by_report(const struct snapshot *s, const struct report_opts *o, struct table *t,
			     struct diag *diag)
{
	struct rows rows = { .mem = &t->mem };
	struct slab_charges charges;
	struct slab_caches sc;

	(void)o;
	if (slab_caches_build(s, &t->mem, true, &sc))
		return fail(diag, ST_ABSENT, "this image does not show its slab caches");
	if (slab_charges_build(s, &sc, &t->mem, &charges))
		return fail(
			diag, ST_ABSENT,
			"this kernel does not charge single objects of a slab (5.9 and later do)");
	add_caches(&rows, s, &sc, &charges);
	add_large(&rows, s);
	t->rows = rows.v.v;
	t->nrows = rows.v.n;
	t->row_size = sizeof(struct row);
	return ST_OK;
}

static const char *const divisions[] = { "cgroup", NULL };

const struct report report_slab_by = {
	.name = "slab",
	.about = "objects of slab caches, by the control group that is charged with them",
	.needs = NEED_MACHINE | NEED_VMAS | NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_BY,
	.by = divisions,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-size,cgroup,cache",
	.run = by_report,
};
