/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * numa.c - the node of a frame; distances of nodes, as __node_distance() of x86 and of the CPUs
 * with mm/numa_memblks.c has them (read in 6.1, 7.1): outside of the table, 10 of a node to itself
 * and 20 to others.
 */
#include <inttypes.h>
#include <string.h>

#include "facts/layout/kmem.h"
#include "model/kernel/kobj.h"
#include "model/kernel/zone/zones.h"

#define DISTANCE_LOCAL 10u
#define DISTANCE_REMOTE 20u

const char *node_distances(const struct snapshot *s, const struct zones *zs, const struct node *n,
			   struct arena *mem)
{
	const struct kernel *k = s->k;
	struct reader *r = kernel_reader(k);
	uint64_t cnt = 0, table = 0, from = (uint32_t)n->id;
	const char *text = "";
	bool known = has(k, Y_NUMA_DISTANCE) && has(k, Y_NUMA_DISTANCE_CNT) &&
		     !kvar_u64(k, r, Y_NUMA_DISTANCE_CNT, 4, &cnt) &&
		     !kvar_u64(k, r, Y_NUMA_DISTANCE, 0, &table) && cnt <= NODES_MAX;

	for (uint32_t i = 0; known && i < zs->nnodes; i++) {
		uint64_t to = (uint32_t)zs->nodes[i].id;
		uint64_t v = to == from ? DISTANCE_LOCAL : DISTANCE_REMOTE;

		if (from < cnt && to < cnt)
			known = !read_kva_uint(r, table + from * cnt + to, 1, &v);
		text = arena_printf(mem, "%s%s%" PRIu64, text, i ? " " : "", v);
	}
	reader_free(r);
	return known ? text : NULL;
}

uint32_t zones_node_of(const struct zones *zs, uint64_t pfn)
{
	uint32_t found = NONE;

	for (uint32_t i = 0; i < zs->n; i++) {
		const struct zone *z = &zs->v[i];

		if (pfn < z->start_pfn || pfn - z->start_pfn >= z->spanned)
			continue;
		if (found != NONE && found != z->node)
			return NONE;
		found = z->node;
	}
	return found;
}

/* Value of the counter NAME of NAMES; ZONE_UNKNOWN: this kernel has none. */
static uint64_t named(const char *const *names, const uint64_t *v, unsigned n, const char *name)
{
	for (unsigned i = 0; v && i < n; i++)
		if (names[i] && !strcmp(names[i], name))
			return v[i];
	return ZONE_UNKNOWN;
}

uint64_t node_count(const struct zones *zs, const struct node *n, const char *name)
{
	uint64_t all = named(zs->node_stat_name, n->stat, zs->nnode_stat, name);

	for (uint32_t i = n->first_zone; i < n->first_zone + n->nzones; i++) {
		const struct zone *z = &zs->v[i];
		uint64_t v = z->present ? named(zs->stat_name, z->stat, zs->nstat, name) : 0;

		if (v == ZONE_UNKNOWN)
			v = named(zs->numa_name, z->numa, zs->nnuma, name);
		if (v != ZONE_UNKNOWN && z->present)
			all = (all == ZONE_UNKNOWN ? 0 : all) + v;
	}
	return all;
}
