/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters.c - the counters of vmstat: global, per node, per zone, per CPU.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

/* N words, a counter each, of RAW are added to V. */
static void add_words(const struct system *y, const uint8_t *raw, unsigned n, int64_t *v)
{
	unsigned word = y->k->dump->word_size;

	for (unsigned i = 0; i < n; i++)
		v[i] += sign_extend(load_uint(raw + i * word, word, y->k->dump->big_endian),
				    8 * word);
}

static bool add_array(const struct system *y, uint64_t at, unsigned n, int64_t *v)
{
	uint8_t raw[STAT_ITEMS_MAX * 8];

	if (read_kva(y->r, at, raw, (size_t)n * y->k->dump->word_size))
		return false;
	add_words(y, raw, n, v);
	return true;
}

/* The global array SYMBOL, which is what those of all zones or nodes add up to. */
struct array {
	enum layout_id symbol, items, member;
	unsigned n;
	int64_t v[STAT_ITEMS_MAX];
};

static bool add_node(const struct system *y, uint64_t pgdat, void *arg)
{
	struct array *a = arg;

	return add_array(y, pgdat + layout_offset(&y->k->layout, a->member), a->n, a->v);
}

static bool add_zones(const struct system *y, uint64_t pgdat, void *arg)
{
	const struct member *m = &y->k->layout.v[M_PGDAT_ZONES].m;

	for (uint32_t i = 0; i < m->count; i++)
		if (!add_node(y, pgdat + m->offset + (uint64_t)i * m->stride, arg))
			return false;
	return true;
}

/*
 * Whatever is added to a zone or node is added to the global array in the next line (zone_page_state_add() and
 * node_page_state_add(), include/linux/vmstat.h, since 2244b95a7bcf, v2.6.18).
 */
static bool sum_array(const struct system *y, struct array *a)
{
	bool zones = a->member == M_ZONE_VM_STAT;

	return has(y->k, a->member) && (!zones || has(y->k, M_PGDAT_ZONES)) &&
	       nodes_each(y, zones ? add_zones : add_node, a);
}

static unsigned read_array(const struct system *y, struct array *a, uint64_t *ret)
{
	int64_t n = layout_enum(&y->k->layout, a->items, 0);

	if (n <= 0 || n > STAT_ITEMS_MAX)
		return 0;
	a->n = (unsigned)n;
	if (!has(y->k, a->symbol) ||
	    !add_array(y, layout_symbol(&y->k->layout, a->symbol), a->n, a->v)) {
		if (has(y->k, a->symbol))
			issue_add(y->k->issues, ST_NODATA, "vm counters", 1, "cannot read %s",
				  fact_specs[a->symbol].alt[y->k->layout.v[a->symbol].alt]);
		if (!sum_array(y, a))
			return 0;
	}
	for (unsigned i = 0; i < a->n; i++)
		ret[i] = a->v[i] > 0 ? (uint64_t)a->v[i] : 0;
	return a->n;
}

void counters_read(const struct system *y, struct counters *c)
{
	struct array zone = { Y_VM_ZONE_STAT, E_NR_VM_ZONE_STAT_ITEMS, M_ZONE_VM_STAT, 0, { 0 } };
	struct array node = { Y_VM_NODE_STAT, E_NR_VM_NODE_STAT_ITEMS, M_PGDAT_VM_STAT, 0, { 0 } };

	c->nzone = read_array(y, &zone, c->zone);
	c->nnode = read_array(y, &node, c->node);
}

/*
 * Enumerators do not say which enum they belong to, and some moved from zone to node: slab
 * in 385386cff4c6 (v4.13), kernel stacks in 991e7673859e (v5.9), page tables in
 * f0c0c115fb81 (v5.11). In the node's enum slab directly follows the LRU lists, and the
 * other two come far after all counters of a zone.
 */
bool counter_is_of_zones(const struct system *y, enum layout_id item)
{
	const struct layout *l = &y->k->layout;
	int64_t i = layout_enum(l, item, 0);

	if (!has(y->k, Y_VM_NODE_STAT) && !has(y->k, M_PGDAT_VM_STAT))
		return true; /* one enum for all until v4.8 */
	switch ((unsigned)item) {
	case E_NR_FREE_PAGES:
	case E_NR_MLOCK:
	case E_NR_BOUNCE:
	case E_NR_FREE_CMA_PAGES:
	case E_NR_UNACCEPTED: return true;
	case E_NR_SLAB_RECLAIMABLE: return i != layout_enum(l, E_NR_UNEVICTABLE, 0) + 1;
	case E_NR_SLAB_UNRECLAIMABLE: return i != layout_enum(l, E_NR_UNEVICTABLE, 0) + 2;
	case E_NR_KERNEL_STACK:
	case E_NR_KERNEL_SCS:
	case E_NR_PAGETABLE: return i < layout_enum(l, E_NR_VM_ZONE_STAT_ITEMS, 0);
	default: return false;
	}
}

uint64_t counter(const struct system *y, const struct counters *c, enum layout_id item)
{
	uint64_t i = (uint64_t)layout_enum(&y->k->layout, item, 0);
	bool zone = counter_is_of_zones(y, item);

	if (!has(y->k, item))
		return 0;
	if (i >= (zone ? c->nzone : c->nnode))
		return UNKNOWN;
	return zone ? c->zone[i] : c->node[i];
}
