/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc_shown.c - reads vmalloc areas, the key of printed pointers, and the nodes of pages.
 */
#include "model/memory/areas/vmalloc_shown.h"

static void read_nodes(const struct snapshot *s, struct reader *r, struct arena *mem,
		       struct vmalloc_shown *x)
{
	struct zones zs;
	uint64_t unknown = 0;

	if (zones_build(s, mem, 0, &zs) || !zs.numa)
		return;
	x->numa = true;
	x->nnodes = zs.nnodes;
	x->node_id = arena_array(mem, int32_t, zs.nnodes);
	x->by_node = arena_array(mem, uint64_t *, x->areas.n);
	for (uint32_t i = 0; i < zs.nnodes; i++)
		x->node_id[i] = zs.nodes[i].id;
	for (uint32_t i = 0; i < x->areas.n; i++) {
		uint64_t *count = arena_array(mem, uint64_t, zs.nnodes);

		if (vmalloc_nodes(s->k, r, &zs, &x->areas.v[i], count))
			x->by_node[i] = count;
		else
			unknown++;
	}
	if (unknown)
		issue_add(s->k->issues, ST_NODATA, "vmalloc area", unknown,
			  "nodes of its pages are not known");
}

enum status vmalloc_shown(const struct snapshot *s, struct arena *mem, struct vmalloc_shown *ret)
{
	struct reader *r;
	enum status st;

	*ret = (struct vmalloc_shown){ .numa = false };
	st = vmalloc_build(s, mem, &ret->areas);
	if (st)
		return st;
	r = kernel_reader(s->k);
	pointer_print_init(&ret->pointers, s->k, r);
	read_nodes(s, r, mem, ret);
	reader_free(r);
	return ST_OK;
}
