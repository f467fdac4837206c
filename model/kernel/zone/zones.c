/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zones.c - reads nodes and zones.
 *
 * Sources: mm/vmstat.c, include/linux/mmzone.h, read in 3.10, 4.4, 5.10, 6.1, 6.12, 7.2.
 * Counters of nodes came with 75ef71840539 (v4.8); before, zones have all.
 */
#include "model/kernel/zone/zones.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/census.h"
#include "facts/layout/kmem.h"
#include "facts/layout/proc.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"
#include "model/kernel/source.h"
#include "model/kernel/walk/list.h"

#define ZONE_NAME_BYTES 32

struct builder {
	struct system y;
	struct zones *zs;
	unsigned parts;
	VEC(struct node) nodes;
	VEC(struct zone) v;
	struct kobj zone;
};

/* ---- counters -------------------------------------------------------------------------- */

static unsigned items(const struct kernel *k, enum layout_id count, enum layout_id array)
{
	int64_t n = layout_enum(&k->layout, count, 0);
	const struct fact *f = &k->layout.v[array];

	return f->alt < 0 || n <= 0 || n > STAT_ITEMS_MAX || n > f->m.count ? 0 : (unsigned)n;
}

static const char **names(const struct system *y, unsigned first, unsigned n)
{
	const char **v = arena_array(y->mem, const char *, n);

	for (unsigned i = 0; i < n; i++) {
		v[i] = vmstat_name(y, first + i);
		if (!v[i])
			issue_add(y->k->issues, ST_NODATA, "vm counters", 1, "the name of line %u",
				  first + i);
	}
	return v;
}

static uint64_t not_negative(uint64_t raw, unsigned bytes)
{
	int64_t v = sign_extend(raw, 8 * bytes);

	return v > 0 ? (uint64_t)v : 0;
}

static void read_zone_stat(struct builder *b, struct zone *z)
{
	unsigned word = b->y.k->dump->word_size;

	z->stat = arena_array(b->y.mem, uint64_t, b->zs->nstat);
	for (unsigned i = 0; i < b->zs->nstat; i++)
		z->stat[i] = not_negative(kobj_elem(&b->zone, M_ZONE_VM_STAT, i), word);
}

static enum status read_node_stat(struct builder *b, uint64_t pgdat, struct node *n)
{
	unsigned word = b->y.k->dump->word_size;
	uint64_t at = pgdat + layout_offset(&b->y.k->layout, M_PGDAT_VM_STAT), v;

	n->stat = arena_array(b->y.mem, uint64_t, b->zs->nnode_stat);
	for (unsigned i = 0; i < b->zs->nnode_stat; i++) {
		enum status st = read_kva_word(b->y.r, at + (uint64_t)i * word, &v);

		if (st)
			return st;
		n->stat[i] = not_negative(v, word);
		if (counts_huge_pages(&b->y, i))
			n->stat[i] >>= b->y.k->paging->bits[0];
	}
	return ST_OK;
}

/* ---- what CPUs hold -------------------------------------------------------------------- */

static enum status read_int(struct builder *b, uint64_t object, enum layout_id id, int64_t *ret)
{
	const struct member *m = &b->y.k->layout.v[id].m;
	uint64_t v;
	enum status st = ST_OK;

	*ret = 0;
	if (!has(b->y.k, id))
		return st;
	st = kmember_u64(b->y.k, b->y.r, object, id, &v);
	*ret = sign_extend(v, 8 * m->size);
	return st;
}

/* The counts of placement that the CPU keeps: element sizes differ. */
static enum status add_cpu_numa(struct builder *b, struct zone *z, uint64_t stats)
{
	const struct fact *f = &b->y.k->layout.v[M_CPU_STAT_NUMA];
	uint64_t v;

	for (unsigned i = 0; f->alt >= 0 && i < b->zs->nnuma && i < f->m.count; i++) {
		enum status st = read_kva_uint(b->y.r,
					       stats + f->m.offset + (uint64_t)i * f->m.stride,
					       f->m.stride, &v);

		if (st)
			return st;
		z->numa[i] += v;
	}
	return ST_OK;
}

enum status zone_of_cpu(const struct kernel *k, struct reader *r, uint64_t addr, enum layout_id id,
			uint32_t i, uint64_t *ret)
{
	const struct member *m = &k->layout.v[id].m;
	unsigned word = k->dump->word_size;
	enum status st;

	if (!m->is_array) {
		st = kmember_u64(k, r, addr, id, ret);
		if (!st && !*ret)
			return ST_CORRUPT;
		*ret += k->percpu[i];
		if (word == 4)
			*ret = (uint32_t)*ret;
		return st;
	}
	if (k->possible[i] >= m->count)
		return ST_CORRUPT;
	*ret = addr + m->offset + (uint64_t)k->possible[i] * m->stride;
	if (m->stride != word)
		return ST_OK;
	st = read_kva_word(r, *ret, ret);
	return st || *ret ? st : ST_ABSENT;
}

/* Does COUNT say that the lists at PCP have pages, and do they have none, or the reverse? */
static bool contradicts_lists(struct builder *b, uint64_t pcp, int64_t count)
{
	const struct member *m = &b->y.k->layout.v[M_PCP_LISTS].m;
	bool any = false;

	if (!has(b->y.k, M_PCP_LISTS) || source_has(b->y.k, SOURCE_CHANGES))
		return false;
	for (uint32_t i = 0; i < m->count && i < CPU_LISTS_MAX && !any; i++) {
		uint64_t head = pcp + m->offset + (uint64_t)i * m->stride, next;

		if (read_kva_word(b->y.r, head, &next))
			return false;
		any = next != head;
	}
	return any != (count != 0);
}

static enum status read_cpu(struct builder *b, struct zone *z, uint32_t i, struct zone_cpu *c)
{
	const struct kernel *k = b->y.k;
	uint64_t pcp, stats = 0;
	enum status st = zone_of_cpu(k, b->y.r, z->addr, M_ZONE_PCP, i, &pcp);

	if (!st && has(k, M_ZONE_CPU_STATS))
		st = zone_of_cpu(k, b->y.r, z->addr, M_ZONE_CPU_STATS, i, &stats);
	if (st)
		return st;
	pcp += layout_offset(&k->layout, M_PAGESET_PCP);
	st = read_int(b, pcp, M_PCP_COUNT, &c->count);
	c->contradicts = !st && contradicts_lists(b, pcp, c->count);
	st = st ? st : read_int(b, pcp, M_PCP_HIGH, &c->high);
	st = st ? st : read_int(b, pcp, M_PCP_BATCH, &c->batch);
	st = st ? st : read_int(b, pcp, M_PCP_HIGH_MIN, &c->high_min);
	st = st ? st : read_int(b, pcp, M_PCP_HIGH_MAX, &c->high_max);
	c->threshold = INT64_MIN;
	if (!st && has(b->y.k, M_CPU_STAT_THRESHOLD))
		st = read_int(b, stats, M_CPU_STAT_THRESHOLD, &c->threshold);
	return st ? st : add_cpu_numa(b, z, stats);
}

static void read_cpus(struct builder *b, struct zone *z)
{
	const struct kernel *k = b->y.k;
	unsigned word = k->dump->word_size;

	z->numa = arena_array(b->y.mem, uint64_t, b->zs->nnuma);
	for (unsigned i = 0; i < b->zs->nnuma; i++)
		z->numa[i] = not_negative(kobj_elem(&b->zone, M_ZONE_NUMA, i), word);
	if (!has(k, M_ZONE_PCP) || !has(k, M_PCP_COUNT))
		return;
	z->cpu = arena_array(b->y.mem, struct zone_cpu, k->ncpus);
	for (uint32_t i = 0; i < k->ncpus; i++) {
		struct zone_cpu *c = &z->cpu[z->ncpus];
		enum status st;

		if (!cpu_was_online(&b->y, k->possible[i]))
			continue;
		c->cpu = k->possible[i];
		st = read_cpu(b, z, i, c);
		if (st == ST_ABSENT)
			continue;
		if (st)
			issue_add(k->issues, st, "zone", 1, "%s: the list of CPU %u", z->name,
				  c->cpu);
		else
			z->ncpus++;
	}
}

/* ---- free blocks ----------------------------------------------------------------------- */

static uint64_t list_length(struct builder *b, const struct zone *z, uint64_t head, unsigned order)
{
	struct listwalk w =
		listwalk_start(b->y.k, b->y.r, head, (b->y.k->memmap.max_pfn >> order) + 1);

	while (listwalk_next(&w))
		;
	if (!w.st)
		return w.seen;
	issue_add(b->y.k->issues, w.st, "free list", 1, "%s, order %u: after %" PRIu64 " blocks",
		  z->name, order, w.seen);
	return ZONE_UNKNOWN;
}

static void read_free(struct builder *b, struct zone *z)
{
	const struct layout *l = &b->y.k->layout;
	const struct member *area = &l->v[M_ZONE_FREE_AREA].m, *lists = &l->v[M_AREA_LISTS].m;
	struct zones *zs = b->zs;
	bool listed = b->parts & ZONES_LISTS && z->present;

	if (listed)
		z->listed = arena_array(b->y.mem, uint64_t, (size_t)zs->ntypes * zs->norders);
	for (unsigned o = 0; o < zs->norders; o++) {
		uint64_t at = z->addr + area->offset + (uint64_t)o * area->stride;

		if (kmember_u64(b->y.k, b->y.r, at, M_AREA_NR_FREE, &z->nr_free[o])) {
			issue_add(b->y.k->issues, ST_NODATA, "zone", 1, "%s: free blocks", z->name);
			z->nr_free[o] = ZONE_UNKNOWN;
		}
		for (unsigned t = 0; listed && t < zs->ntypes; t++)
			z->listed[t * zs->norders + o] =
				list_length(b, z, at + lists->offset + t * lists->stride, o);
	}
}

static void read_blocks(struct builder *b, struct zone *z)
{
	uint64_t *count = arena_array(b->y.mem, uint64_t, MIGRATE_MAX);
	enum status st;

	if (!(b->parts & ZONES_BLOCKS) || !z->present)
		return;
	st = pageblocks_count(b->y.k, b->y.r, b->zs, z, count);
	if (!st)
		z->blocks = count;
	else if (st != ST_ABSENT)
		issue_add(b->y.k->issues, st, "zone", 1, "%s: types of its pageblocks", z->name);
}

/* ---- zones ----------------------------------------------------------------------------- */

static const char *read_name(struct builder *b)
{
	uint64_t at = kobj_u64(&b->zone, M_ZONE_NAME);
	char buf[ZONE_NAME_BYTES];

	if (at && !read_kva_str(b->y.r, at, buf, sizeof(buf)))
		return arena_strdup(b->y.mem, buf);
	issue_add(b->y.k->issues, ST_NODATA, "zone", 1, "the name of the zone at %#" PRIx64,
		  b->zone.addr);
	return "?";
}

static void read_watermarks(struct builder *b, struct zone *z)
{
	const struct member *m = &b->y.k->layout.v[M_ZONE_WATERMARK].m;

	z->nwmarks = (unsigned)min_u64(m->count, WMARKS_MAX);
	for (unsigned i = 0; i < z->nwmarks; i++)
		z->wmark[i] = kobj_elem(&b->zone, M_ZONE_WATERMARK, i);
	z->boost = kobj_u64(&b->zone, M_ZONE_BOOST);
	z->nreserve = (unsigned)min_u64(b->y.k->layout.v[M_ZONE_RESERVE].m.count, ZONES_OF_NODE);
	for (unsigned i = 0; i < z->nreserve; i++)
		z->reserve[i] = sign_extend(kobj_elem(&b->zone, M_ZONE_RESERVE, i),
					    8 * b->y.k->dump->word_size);
}

/* Present pages are in the span, watermarks ascend, and no CPU has more free pages than there are. */
static void check_zone(const struct builder *b, const struct zone *z)
{
	uint64_t most = z->managed == ZONE_UNKNOWN ? z->present : z->managed;
	const char *what = z->present > z->spanned ? "present pages" : NULL;

	for (unsigned i = 0; i + 1 < z->nwmarks && i < 2; i++)
		if (z->wmark[i] > z->wmark[i + 1])
			what = "watermarks";
	for (uint32_t i = 0; i < z->ncpus; i++)
		if (z->cpu[i].count < 0 || (uint64_t)z->cpu[i].count > most ||
		    z->cpu[i].contradicts)
			what = "pages that a CPU has";
	if (what)
		issue_add(b->y.k->issues, ST_CORRUPT, "zone", 1, "%s: %s", z->name, what);
}

static void add_zone(struct builder *b, uint64_t addr, uint32_t node)
{
	struct zone *z;
	enum status st = kobj_read(&b->zone, b->y.r, addr);

	if (st) {
		issue_add(b->y.k->issues, st, "zone", 1, "at %#" PRIx64, addr);
		return;
	}
	z = vec_push(b->y.mem, &b->v);
	z->addr = addr;
	z->node = node;
	z->name = read_name(b);
	z->start_pfn = kobj_u64(&b->zone, M_ZONE_START_PFN);
	z->spanned = kobj_u64(&b->zone, M_ZONE_SPANNED);
	z->present = kobj_u64(&b->zone, M_ZONE_PRESENT);
	z->managed = has(b->y.k, M_ZONE_MANAGED) ? kobj_u64(&b->zone, M_ZONE_MANAGED)
						 : ZONE_UNKNOWN;
	z->cma = kobj_u64(&b->zone, M_ZONE_CMA);
	z->highatomic = kobj_u64(&b->zone, M_ZONE_HIGHATOMIC);
	z->free_highatomic = kobj_u64(&b->zone, M_ZONE_FREE_HIGHATOMIC);
	if (z->spanned > b->y.k->memmap.max_pfn || z->start_pfn > b->y.k->memmap.max_pfn) {
		issue_add(b->y.k->issues, ST_CORRUPT, "zone", 1,
			  "%s spans %" PRIu64 " frames from %" PRIu64 " on", z->name, z->spanned,
			  z->start_pfn);
		z->spanned = 0;
	}
	read_watermarks(b, z);
	read_zone_stat(b, z);
	if (z->present)
		read_cpus(b, z);
	check_zone(b, z);
	read_free(b, z);
	read_blocks(b, z);
}

static bool add_node(const struct system *y, uint64_t pgdat, void *arg)
{
	struct builder *b = arg;
	const struct member *m = &y->k->layout.v[M_PGDAT_ZONES].m;
	uint32_t index = (uint32_t)b->nodes.n;
	struct node *n = vec_push(y->mem, &b->nodes);
	enum status st = read_node_stat(b, pgdat, n);
	uint64_t id = 0;

	n->first_zone = (uint32_t)b->v.n;
	if (st)
		issue_add(y->k->issues, st, "node", 1, "counters of node %u", index);
	if (st || kmember_u64(y->k, y->r, pgdat, M_PGDAT_NODE_ID, &id))
		id = index;
	n->id = (int32_t)id;
	/* nodes come in the order of their numbers */
	if (id >= NODES_MAX || (index && n->id <= b->nodes.v[index - 1].id))
		issue_add(y->k->issues, ST_CORRUPT, "node", 1, "number of node %u", index);
	if (kmember_u64(y->k, y->r, pgdat, M_PGDAT_FAILURES, &n->failures))
		n->failures = ZONE_UNKNOWN;
	for (uint32_t i = 0; i < m->count && i < ZONES_OF_NODE; i++)
		add_zone(b, pgdat + m->offset + (uint64_t)i * m->stride, index);
	b->nodes.v[index].nzones = (uint32_t)b->v.n - b->nodes.v[index].first_zone;
	return true;
}

/* ---- all of them ----------------------------------------------------------------------- */

static bool known(const struct kernel *k)
{
	static const enum layout_id ids[] = {
		S_ZONE, M_ZONE_NAME, M_ZONE_START_PFN, M_ZONE_SPANNED, M_ZONE_PRESENT,
		M_ZONE_FREE_AREA, M_AREA_LISTS, M_AREA_NR_FREE, M_ZONE_WATERMARK, M_ZONE_VM_STAT,
		M_PGDAT_ZONES, E_NR_FREE_PAGES,
	};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		if (!has(k, ids[i]))
			return false;
	return true;
}

static void read_shape(struct builder *b)
{
	const struct kernel *k = b->y.k;
	struct zones *zs = b->zs;
	unsigned word = k->dump->word_size;

	zs->norders = (unsigned)min_u64(k->layout.v[M_ZONE_FREE_AREA].m.count, ORDERS_MAX);
	zs->ntypes = (unsigned)min_u64(k->layout.v[M_AREA_LISTS].m.count, MIGRATE_MAX);
	zs->block_order = pageblock_order(k, b->y.r, zs->norders);
	for (unsigned i = 0; i < zs->ntypes; i++) {
		char buf[ZONE_NAME_BYTES];
		uint64_t at;

		if (has(k, Y_MIGRATE_NAMES) &&
		    !read_kva_word(b->y.r, layout_symbol(&k->layout, Y_MIGRATE_NAMES) + i * word,
				   &at) &&
		    at && !read_kva_str(b->y.r, at, buf, sizeof(buf)))
			zs->type_name[i] = arena_strdup(b->y.mem, buf);
		else if (has(k, Y_MIGRATE_NAMES))
			issue_add(k->issues, ST_NODATA, "zone", 1, "the name of migrate type %u",
				  i);
	}
	zs->nstat = items(k, E_NR_VM_ZONE_STAT_ITEMS, M_ZONE_VM_STAT);
	zs->nnode_stat = items(k, E_NR_VM_NODE_STAT_ITEMS, M_PGDAT_VM_STAT);
	zs->nnuma = has(k, Y_VM_NUMA_EVENT) ? items(k, E_NR_VM_NUMA_EVENTS, M_ZONE_NUMA) : 0;
	zs->numa = zs->nnuma;
	zs->stat_name = names(&b->y, 0, zs->nstat);
	zs->numa_name = names(&b->y, zs->nstat, zs->nnuma);
	zs->node_stat_name = names(&b->y, zs->nstat + zs->nnuma, zs->nnode_stat);
	zs->free_item = (uint32_t)layout_enum(&k->layout, E_NR_FREE_PAGES, 0);
}

enum status zones_build(const struct snapshot *s, struct arena *mem, unsigned parts,
			struct zones *ret)
{
	struct builder b = { .y = { .k = s->k, .mem = mem }, .zs = ret, .parts = parts };
	bool whole;

	*ret = (struct zones){ 0 };
	if (!s->k->dump || !known(s->k))
		return ST_ABSENT;
	b.y.r = kernel_reader(s->k);
	kobj_init(&b.zone, s->k, S_ZONE);
	read_shape(&b);
	whole = nodes_each(&b.y, add_node, &b);
	kobj_release(&b.zone);
	reader_free((struct reader *)b.y.r);
	ret->nodes = b.nodes.v;
	ret->nnodes = (uint32_t)b.nodes.n;
	ret->v = b.v.v;
	ret->n = (uint32_t)b.v.n;
	if (!whole && !ret->n)
		issue_add(s->k->issues, ST_NODATA, "node", 1, "no node is readable");
	return ST_OK;
}

uint64_t zone_free(const struct zones *zs, const struct zone *z)
{
	return zs->free_item < zs->nstat ? z->stat[zs->free_item] : ZONE_UNKNOWN;
}

uint64_t zone_wmark(const struct zone *z, unsigned i)
{
	return i < z->nwmarks ? z->wmark[i] + z->boost : ZONE_UNKNOWN;
}
