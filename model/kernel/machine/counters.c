/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters.c - the counters of vmstat: global, per node, per zone, per CPU.
 */
#include "dumpread/base/bytes.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

static unsigned read_array(const struct system *y, enum layout_id symbol, int64_t n, uint64_t *v)
{
	unsigned word = y->k->dump->word_size;
	uint8_t raw[STAT_ITEMS_MAX * 8];
	enum status st;

	if (!has(y->k, symbol) || n <= 0 || n > STAT_ITEMS_MAX)
		return 0;
	st = read_kva(y->r, layout_symbol(&y->k->layout, symbol), raw, (size_t)n * word);
	if (st) {
		issue_add(y->k->issues, st, "vm counters", 1, "cannot read %s",
			  fact_specs[symbol].alt[y->k->layout.v[symbol].alt]);
		return 0;
	}
	for (int64_t i = 0; i < n; i++) {
		int64_t x = sign_extend(load_uint(raw + i * word, word, y->k->dump->big_endian),
					8 * word);

		v[i] = x > 0 ? (uint64_t)x : 0;
	}
	return (unsigned)n;
}

void counters_read(const struct system *y, struct counters *c)
{
	const struct layout *l = &y->k->layout;

	c->nzone =
		read_array(y, Y_VM_ZONE_STAT, layout_enum(l, E_NR_VM_ZONE_STAT_ITEMS, 0), c->zone);
	c->nnode =
		read_array(y, Y_VM_NODE_STAT, layout_enum(l, E_NR_VM_NODE_STAT_ITEMS, 0), c->node);
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

	if (!has(y->k, Y_VM_NODE_STAT))
		return true; /* one enum for all until v4.8 */
	switch (item) {
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
