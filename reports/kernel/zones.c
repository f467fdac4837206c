/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zones - one row per zone of memory: watermarks, free blocks by order, what lower zones keep;
 * with --all also rows of each migrate type and each CPU's list.
 */
#include "model/kernel/zone/zones.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"

#define ORDERS_SHOWN 16

struct row {
	int64_t node;
	const char *zone, *kind, *type, *state;
	int64_t cpu;
	uint64_t free, min, low, high, promo, boost, cached;
	uint64_t managed, present, spanned, cma, start_pfn, blocks;
	int64_t batch;
	double unusable;
	const char *reserve;
	uint64_t order[ORDERS_SHOWN];
};

#define P COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define ORDER(n, fl) \
	{ "o" #n, COL_UINT, fl, offsetof(struct row, order) + (n) * sizeof(uint64_t), "", \
	  "free blocks of 2^" #n " pages", 0, 0 }

static const struct column cols[] = {
	COL(struct row, node, COL_INT, P, "", "number of the node"),
	COL(struct row, zone, COL_STR, P, "", "name of the zone"),
	COL(struct row, kind, COL_STR, 0, "",
	    "zone; with --all also type (of one migrate type), cpu (pages of a CPU)"),
	COL(struct row, type, COL_STR, 0, "", "of type: the migrate type"),
	COL(struct row, cpu, COL_INT, 0, "", "of cpu: its number"),
	COL(struct row, state, COL_STR, P, "",
	    "the lowest mark that free memory is below: min, low, high; else ok"),
	BYTES(free, P, "free memory: by the counter of the zone; of type: in its blocks"),
	BYTES(cached, P, "free pages that CPUs keep in their own lists, not part of free"),
	BYTES(min, P, "watermark: below it only the kernel's own reserves give memory"),
	BYTES(low, P, "watermark: below it kswapd is woken"),
	BYTES(high, P, "watermark: above it kswapd sleeps; of cpu: the limit of its list"),
	BYTES(promo, 0, "watermark for promotion between nodes (v5.18)"),
	BYTES(boost, P, "added to each watermark after fragmentation; part of min, low, high"),
	BYTES(managed, P, "pages that the buddy allocator was given"),
	BYTES(present, 0, "pages that exist"),
	BYTES(spanned, 0, "frames from the first to the last, with holes"),
	BYTES(cma, 0, "pages of contiguous areas (CMA)"),
	COL(struct row, start_pfn, COL_UINT, 0, "", "first frame"),
	COL(struct row, batch, COL_INT, 0, "pages", "of cpu: pages that it takes or gives at once"),
	COL(struct row, blocks, COL_UINT, 0, "", "of type: pageblocks of this type"),
	COL(struct row, unusable, COL_RATIO, P, "",
	    "fragmentation: share of free memory in blocks smaller than a pageblock"),
	COL(struct row, reserve, COL_STR, 0, "pages",
	    "kept back from allocations that could use higher zones, for each of them"),
	ORDER(0, P), ORDER(1, P), ORDER(2, P), ORDER(3, P), ORDER(4, P), ORDER(5, P), ORDER(6, P),
	ORDER(7, P), ORDER(8, P), ORDER(9, P), ORDER(10, P), ORDER(11, 0), ORDER(12, 0),
	ORDER(13, 0), ORDER(14, 0), ORDER(15, 0),
};

struct maker {
	const struct snapshot *s;
	struct table *t;
	struct zones zs;
	VEC(struct row) rows;
};

static uint64_t bytes(const struct maker *m, uint64_t pages)
{
	return pages == ZONE_UNKNOWN ? COL_UNKNOWN : pages << m->s->k->page_shift;
}

static struct row *add_zone_row(struct maker *m, const struct zone *z, const char *kind)
{
	struct row *r = vec_push(&m->t->mem, &m->rows);

	memset(r, 0xff, sizeof(*r)); /* each number COL_UNKNOWN */
	r->node = m->zs.nodes[z->node].id;
	r->zone = z->name;
	r->kind = kind;
	r->type = r->state = r->reserve = NULL;
	r->cpu = r->batch = COL_UNKNOWN_INT;
	r->unusable = NAN;
	return r;
}

static const char *state(const struct zones *zs, const struct zone *z)
{
	static const char *const marks[] = { "min", "low", "high" };
	uint64_t n = zone_free(zs, z);

	if (!z->present || n == ZONE_UNKNOWN)
		return NULL;
	for (unsigned i = 0; i < ARRAY_LEN(marks); i++)
		if (zone_wmark(z, i) != ZONE_UNKNOWN && n < zone_wmark(z, i))
			return marks[i];
	return "ok";
}

static const char *reserve(const struct zone *z, struct arena *mem)
{
	const char *text = "";

	for (unsigned i = 0; i < z->nreserve; i++)
		text = arena_printf(mem, "%s%s%" PRId64, text, i ? " " : "", z->reserve[i]);
	return text;
}

/* N[order] blocks: *free in pages; the share of them in blocks below ORDER. */
static double unusable(const uint64_t *n, unsigned norders, unsigned order, uint64_t *free)
{
	uint64_t small = 0;

	*free = 0;
	for (unsigned i = 0; i < norders; i++) {
		if (n[i] == ZONE_UNKNOWN) {
			*free = ZONE_UNKNOWN;
			return NAN;
		}
		*free += n[i] << i;
		small += i < order ? n[i] << i : 0;
	}
	return *free ? (double)small / (double)*free : NAN;
}

static void set_orders(const struct maker *m, struct row *r, const uint64_t *n)
{
	for (unsigned i = 0; i < m->zs.norders && i < ORDERS_SHOWN; i++)
		r->order[i] = n[i];
}

static void add_types(struct maker *m, const struct zone *z)
{
	for (unsigned t = 0; z->listed && t < m->zs.ntypes; t++) {
		const uint64_t *n = z->listed + t * m->zs.norders;
		struct row *r = add_zone_row(m, z, "type");
		uint64_t free;

		r->type = m->zs.type_name[t];
		r->unusable = unusable(n, m->zs.norders, m->zs.block_order, &free);
		r->free = bytes(m, free);
		if (z->blocks)
			r->blocks = z->blocks[t];
		set_orders(m, r, n);
	}
}

static void add_cpus(struct maker *m, const struct zone *z)
{
	for (uint32_t i = 0; i < z->ncpus; i++) {
		struct row *r = add_zone_row(m, z, "cpu");

		r->cpu = z->cpu[i].cpu;
		r->cached = pages_bytes(m->s, z->cpu[i].count);
		r->high = pages_bytes(m->s, z->cpu[i].high);
		r->batch = z->cpu[i].batch;
	}
}

static void add_zone(struct maker *m, const struct zone *z, bool all)
{
	struct row *r = add_zone_row(m, z, "zone");
	uint64_t in_blocks;

	r->state = state(&m->zs, z);
	r->free = bytes(m, zone_free(&m->zs, z));
	r->min = bytes(m, zone_wmark(z, WMARK_OF_MIN));
	r->low = bytes(m, zone_wmark(z, WMARK_OF_LOW));
	r->high = bytes(m, zone_wmark(z, WMARK_OF_HIGH));
	r->promo = bytes(m, zone_wmark(z, WMARK_OF_PROMO));
	r->boost = bytes(m, z->boost);
	r->managed = bytes(m, z->managed);
	r->present = bytes(m, z->present);
	r->spanned = bytes(m, z->spanned);
	r->cma = bytes(m, z->cma);
	r->start_pfn = z->start_pfn;
	r->reserve = reserve(z, &m->t->mem);
	r->cached = 0;
	for (uint32_t i = 0; i < z->ncpus; i++)
		r->cached += pages_bytes(m->s, z->cpu[i].count);
	r->unusable = unusable(z->nr_free, m->zs.norders, m->zs.block_order, &in_blocks);
	set_orders(m, r, z->nr_free);
	if (!all)
		return;
	add_types(m, z);
	add_cpus(m, z);
}

static enum status zones_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .t = t };
	unsigned parts = o->all ? ZONES_LISTS | ZONES_BLOCKS : 0;

	if (zones_build(s, &t->mem, parts, &m.zs))
		return fail(diag, ST_ABSENT, "this image does not show its zones");
	for (uint32_t i = 0; i < m.zs.n; i++)
		if (m.zs.v[i].present || o->all)
			add_zone(&m, &m.zs.v[i], o->all);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	return ST_OK;
}

const struct report report_zones = {
	.name = "zones",
	.about = "zones of memory: watermarks, free blocks, fragmentation",
	.needs = NEED_KERNEL,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = zones_report,
	.help = "One row for each zone that has pages. An allocation may fail while free memory is\n"
		"plenty: if free is below a watermark (state), if the watermark is boosted, if the\n"
		"blocks are too small for its order (o0, o1 ... count free blocks by order), or if the\n"
		"zone keeps its pages back from it (reserve). Free pages that CPUs keep in their own\n"
		"lists are not part of free. --all adds zones without pages, and for each zone a row of\n"
		"each migrate type and of the list of each CPU; blocks are then counted in the lists\n"
		"themselves, and the types of pageblocks are read. The columns of watermarks have the\n"
		"boost in them, as the kernel uses them.",
};
