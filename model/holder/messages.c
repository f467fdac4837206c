/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * messages.c - messages of SysV by queue, of all ipc namespaces that a process is in (ipc/msg.c,
 * ipc/msgutil.c, read in 5.10, 6.1, 6.12, 7.2). A message is an object of a slab, and more for
 * what exceeds a page. No process holds a queue.
 */
#include "model/holder/holding.h"
#include "model/walk/list.h"
#include "model/walk/xarray.h"

#define IPC_MSG_IDS 1u		/* ipc/util.h */
#define MESSAGES_MAX (1u << 26)
#define SEGMENTS_MAX (1u << 20)	/* of a message; msgmax is an int */

static void take_message(struct holding *h, struct held *o, uint64_t msg)
{
	uint64_t next = held_member(h, o, msg, M_MSG_NEXT);

	held_memory(h, o, msg);
	for (unsigned i = 0; next && i < SEGMENTS_MAX && holding_budget(h, o, 1); i++) {
		held_memory(h, o, next);
		next = held_member(h, o, next, M_MSGSEG_NEXT);
	}
}

static bool take_queue(void *arg, const struct xa_entry *e)
{
	struct holding *h = arg;
	const struct layout *l = &h->k->layout;
	uint64_t queue = e->value - layout_offset(l, M_MSGQ_PERM);
	struct listwalk w;
	struct held *o;
	bool fresh;

	if (e->is_value || !kernel_ptr_ok(h->k, e->value, h->k->dump->word_size))
		return true;
	o = held_get(h, OWNER_MESSAGES, queue, &fresh);
	if (!fresh)
		return true;
	o->kernel = true;
	o->what = arena_printf(h->mem, "id %llu key %#llx: %llu messages",
			       (unsigned long long)held_member(h, o, e->value, M_IPC_ID),
			       (unsigned long long)held_member(h, o, e->value, M_IPC_KEY),
			       (unsigned long long)held_member(h, o, queue, M_MSGQ_COUNT));
	held_memory(h, o, queue);
	w = listwalk_start(h->k, h->r, queue + layout_offset(l, M_MSGQ_MESSAGES), MESSAGES_MAX);
	while (listwalk_next(&w) && holding_budget(h, o, 1))
		take_message(h, o, w.node - layout_offset(l, M_MSG_LIST));
	o->incomplete |= w.st != ST_OK;
	return true;
}

static void take_namespace(struct holding *h, struct hash *seen, uint64_t ns)
{
	const struct member *m = &h->k->layout.v[M_IPC_IDS].m;

	if (!kernel_ptr_ok(h->k, ns, h->k->dump->word_size) || hash_get(seen, ns) != HASH_NONE ||
	    m->count <= IPC_MSG_IDS)
		return;
	hash_put(seen, ns, 0);
	xarray_walk(h->k, h->r,
		    ns + m->offset + IPC_MSG_IDS * m->stride +
			    layout_offset(&h->k->layout, M_IPC_IDR) +
			    layout_offset(&h->k->layout, M_IDR_ROOT),
		    0, UINT32_MAX, take_queue, h);
}

void messages_walk(struct holding *h)
{
	struct hash seen = { .mem = h->mem };
	uint64_t proxy, ns;

	if (!has(h->k, M_IPC_IDS) || !has(h->k, M_IPC_IDR) || !has(h->k, M_IDR_ROOT) ||
	    !has(h->k, M_MSGQ_MESSAGES))
		return;
	take_namespace(h, &seen, layout_symbol(&h->k->layout, Y_INIT_IPC_NS));
	for (uint32_t i = 0; i < h->s->nprocs && has(h->k, M_NSPROXY_IPC); i++) {
		uint32_t leader = h->s->procs[i].leader;

		if (leader < h->s->ntasks &&
		    !kmember_u64(h->k, h->r, h->s->tasks[leader].addr, M_TASK_NSPROXY, &proxy) &&
		    proxy && !kmember_u64(h->k, h->r, proxy, M_NSPROXY_IPC, &ns))
			take_namespace(h, &seen, ns);
	}
}
