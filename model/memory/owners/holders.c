/* SPDX-License-Identifier: GPL-3.0-or-later */
/* holders.c - the walkers, one after the other. */
#include "model/memory/owners/holders.h"

#include "model/memory/owners/holding.h"

/* Owners that are not complete are one issue for each kind. */
static void tell(const struct holding *h)
{
	enum status st = kernel_contradicts(h->k);
	uint64_t lost[OWNER_KINDS] = { 0 };

	for (size_t i = 0; i < h->v.n; i++)
		lost[h->v.v[i].o->kind] += h->v.v[i].o->incomplete;
	for (unsigned i = 0; i < OWNER_KINDS; i++)
		if (lost[i])
			issue_add(h->k->issues, st, "owner", lost[i],
				  "of kind %s: not all of their memory is readable",
				  owner_kind_name((enum owner_kind)i));
	if (h->lost_files)
		issue_add(h->k->issues, st, "open file", h->lost_files,
			  "not readable, or what it leads to");
}

void holders_build(const struct snapshot *s, struct reader *r, struct arena *mem,
		   struct page_classes *c, const struct vmalloc *areas, struct owners *ret)
{
	struct arena scratch = { 0 };
	struct holding h;

	*ret = (struct owners){ 0 };
	if (!s->k->memmap.n)
		return;
	holding_init(&h, s, r, &scratch, c, areas);
	descriptors_walk(&h);
	bpf_maps_walk(&h);
	messages_walk(&h);
	trace_walk(&h);
	block_walk(&h);
	pools_walk(&h);
	hashes_walk(&h);
	balloons_walk(&h);
	page_pools_walk(&h);
	swapping_walk(&h);
	xfs_buffers_walk(&h);
	rpc_servers_walk(&h);
	queues_walk(&h);
	kexec_walk(&h);
	if (s->k->module_types)
		issue_add(s->k->issues, s->k->module_types, "types of modules", 1,
			  "not readable: their objects have no owner");
	tell(&h);
	holding_finish(&h, mem, ret);
	arena_release(&scratch);
}
