/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * oom --zones: zones as the kernel printed them for each event, and why each failed the
 * request: the test of __zone_watermark_ok() (mm/page_alloc.c), done again. Then the zones of
 * the dump, with the last of these requests.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/event/zonetest.h"
#include "model/kernel/zone/zones.h"
#include "reports/core/common.h"
#include "reports/oom/oom.h"

struct row {
	uint64_t event, free, min, low, high, boost, present, managed, highatomic, cma, reserve,
		usable, largest;
	int64_t node, order, lacking;
	const char *source, *zone, *blocks, *why;
};

#define S COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, event, COL_UINT, S, "", "number of the event in oom"),
	COL(struct row, source, COL_STR, S, "", "log: as printed then; dump: as it is, for the same request"),
	COL(struct row, node, COL_INT, S, "", "node"),
	COL(struct row, zone, COL_STR, S, "", "zone"),
	BYTES(free, S, "free pages"),
	BYTES(min, S, "watermark that only the needy may go below; with boost"),
	BYTES(low, S, "watermark that wakes kswapd"),
	BYTES(high, S, "watermark at which kswapd rests; a last attempt before a kill needs it"),
	BYTES(boost, 0, "of the watermarks: added for a while against fragmentation (5.0)"),
	BYTES(reserve, S, "kept from this request, which could use higher zones (lowmem_reserve)"),
	BYTES(highatomic, 0, "reserved for urgent requests of more than one page"),
	BYTES(cma, 0, "of free: in areas of CMA, for movable pages"),
	BYTES(usable, 0, "free, without what this request may not use"),
	COL(struct row, order, COL_INT, S, "", "of the request"),
	BYTES(largest, S, "largest free block"),
	BYTES(present, 0, "memory of the zone"),
	BYTES(managed, 0, "of it, what the page allocator has"),
	COL(struct row, lacking, COL_INT, 0, "pages", "pages below min and reserve; 0: enough"),
	COL(struct row, why, COL_STR, S | COL_WIDE, "", "why the zone could not serve the request"),
	COL(struct row, blocks, COL_STR, COL_WIDE, "", "free blocks of order 0, 1, 2 ..."),
};

/* Why; NULL: not known. */
static const char *why(const struct oom_event *e, const struct zone_test *t, struct arena *mem)
{
	switch (t->result) {
	case ZONE_NOT_KNOWN: return NULL;
	case ZONE_NOT_ALLOWED: return "not for this request";
	case ZONE_BELOW_MIN:
		return arena_printf(mem, "%" PRId64 " pages below min%s", t->lacking,
				    t->reserve ? " and reserve" : "");
	case ZONE_NO_BLOCK: return arena_printf(mem, "no free block of order %" PRId64, e->order);
	case ZONE_BELOW_HIGH: return "above min, below high";
	case ZONE_ENOUGH: break;
	}
	return "had enough";
}

static const char *blocks_text(const struct oom_zone *z, struct arena *mem)
{
	const char *text = NULL;

	for (unsigned i = 0; i < z->norders; i++)
		text = arena_printf(mem, "%s%s%" PRId64, text ? text : "", text ? " " : "",
				    z->blocks[i]);
	return text;
}

static void set_row(const struct snapshot *s, const struct oom_event *e, size_t number,
		    const struct oom_zone *z, struct row *r, struct arena *mem)
{
	struct zone_test test;

	zone_test(e, z, s->k->page_shift, &test);
	*r = (struct row){
		.event = number,
		.source = "log",
		.node = oom_cell_int(z->node),
		.zone = z->name,
		.free = oom_cell_bytes(oom_pair(&z->pairs, "free"), 10),
		.min = oom_cell_bytes(oom_pair(&z->pairs, "min"), 10),
		.low = oom_cell_bytes(oom_pair(&z->pairs, "low"), 10),
		.high = oom_cell_bytes(oom_pair(&z->pairs, "high"), 10),
		.boost = oom_cell_bytes(oom_pair(&z->pairs, "boost"), 10),
		.present = oom_cell_bytes(oom_pair(&z->pairs, "present"), 10),
		.managed = oom_cell_bytes(oom_pair(&z->pairs, "managed"), 10),
		.highatomic = oom_cell_bytes(oom_pair(&z->pairs, "reserved_highatomic"), 10),
		.cma = oom_cell_bytes(oom_pair(&z->pairs, "free_cma"), 10),
		.usable = oom_cell_bytes(test.usable, 10),
		.reserve = z->nreserve ? oom_cell_bytes(test.reserve, s->k->page_shift)
				       : COL_UNKNOWN,
		.order = oom_cell_int(e->order),
		.largest = test.largest < -1  ? COL_UNKNOWN
			   : test.largest < 0 ? 0
					      : (uint64_t)page_size(s) << test.largest,
		.blocks = blocks_text(z, mem),
	};
	r->lacking = oom_cell_int(test.lacking);
	r->why = why(e, &test, mem);
}

/* ---- the zones of the dump, as if they had been printed ---------------------------- */

static void put_pair(const struct snapshot *s, struct oom_zone *to, const char *key, uint64_t pages,
		     struct arena *mem)
{
	if (pages != ZONE_UNKNOWN && !(pages >> 48))
		*vec_push(mem, &to->pairs) =
			(struct oom_pair){ key, (int64_t)(pages << (s->k->page_shift - 10)), true };
}

static uint64_t stat_of(const struct zones *zs, const struct zone *z, const char *name)
{
	for (unsigned i = 0; z->stat && i < zs->nstat; i++)
		if (zs->stat_name[i] && !strcmp(zs->stat_name[i], name))
			return z->stat[i];
	return ZONE_UNKNOWN;
}

static void as_printed(const struct snapshot *s, const struct zones *zs, const struct zone *z,
		       struct oom_zone *to, struct arena *mem)
{
	*to = (struct oom_zone){
		.node = z->node < zs->nnodes ? zs->nodes[z->node].id : OOM_UNKNOWN,
		.name = z->name,
		.nreserve = (unsigned)min_u64(z->nreserve, ARRAY_LEN(to->reserve)),
		.norders = (unsigned)min_u64(zs->norders, OOM_ORDERS),
	};
	put_pair(s, to, "free", zone_free(zs, z), mem);
	put_pair(s, to, "min", zone_wmark(z, WMARK_OF_MIN), mem);
	put_pair(s, to, "low", zone_wmark(z, WMARK_OF_LOW), mem);
	put_pair(s, to, "high", zone_wmark(z, WMARK_OF_HIGH), mem);
	put_pair(s, to, "boost", z->boost, mem);
	put_pair(s, to, "present", z->present, mem);
	put_pair(s, to, "managed", z->managed, mem);
	put_pair(s, to, "reserved_highatomic", z->highatomic, mem);
	put_pair(s, to, "free_cma", stat_of(zs, z, "nr_free_cma"), mem);
	for (unsigned i = 0; i < to->nreserve; i++)
		to->reserve[i] = z->reserve[i];
	for (unsigned i = 0; i < to->norders; i++)
		to->blocks[i] = z->nr_free[i] >> 48 ? 0 : (int64_t)z->nr_free[i];
}

/* Rows of the zones in the dump that have pages, for the request of event E. */
static size_t dump_rows(const struct snapshot *s, const struct oom_event *e, size_t number,
			const struct zones *zs, struct row *rows, struct arena *mem)
{
	size_t n = 0;

	for (uint32_t i = 0; i < zs->n; i++) {
		struct oom_zone z;

		if (!zs->v[i].present)
			continue;
		as_printed(s, zs, &zs->v[i], &z, mem);
		set_row(s, e, number, &z, &rows[n], mem);
		rows[n++].source = "dump";
	}
	return n;
}

static enum status zones_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct oom_log log;
	struct zones zs = { .n = 0 };
	struct row *rows;
	size_t n = 0, last = 0;
	enum status st = oom_events(s, &log, diag);

	(void)o;
	if (st)
		return st;
	for (size_t i = 0; i < log.n; i++) {
		n += log.v[i].zones.n;
		last = log.v[i].zones.n ? i : last;
	}
	/* what the source does not show is left out */
	if (n && zones_build(s, &t->mem, 0, &zs))
		zs.n = 0;
	rows = arena_array(&t->mem, struct row, n + zs.n);
	for (size_t i = 0; i < log.n; i++)
		for (size_t j = 0; j < log.v[i].zones.n; j++)
			set_row(s, &log.v[i], i + 1, &log.v[i].zones.v[j], &rows[t->nrows++],
				&t->mem);
	if (zs.n)
		t->nrows += dump_rows(s, &log.v[last], last + 1, &zs, &rows[t->nrows], &t->mem);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = n ? NULL : log.n ? "No event in the log has zones." : oom_note(s, &log, &t->mem);
	return ST_OK;
}

const struct report report_oom_zones = {
	.name = "oom",
	.about = "zones at each event, and why they failed the request",
	.needs = NEED_LOG | NEED_MACHINE,
	.opts = OPT_ZONES,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = zones_report,
};
