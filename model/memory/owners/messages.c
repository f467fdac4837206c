/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * messages.c - messages by queue, of SysV and of POSIX, and semaphores of SysV: of all ipc namespaces
 * that a process is in (ipc/msg.c, ipc/msgutil.c, read in 5.10, 6.1, 6.12, 7.2; ipc/mqueue.c, ipc/sem.c in
 * 6.12). A message is an object of a slab, and more for what exceeds a page. No process holds a queue of
 * SysV.
 */
#include "facts/layout/file.h"
#include "facts/layout/holder.h"
#include "facts/layout/system.h"
#include "model/kernel/file/path.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/walk/xarray.h"
#include "model/memory/owners/holding.h"

#define IPC_SEM_IDS  0u /* ipc/util.h */
#define IPC_MSG_IDS  1u
#define S_IFMT	     0170000u
#define S_IFREG	     0100000u
#define MESSAGES_MAX (1u << 26)
#define SEGMENTS_MAX (1u << 20) /* of a message; msgmax is an int */

static void take_message(struct holding *h, struct held *o, uint64_t msg)
{
	uint64_t next = held_member(h, o, msg, M_MSG_NEXT);

	held_memory(h, o, msg);
	for (unsigned i = 0; next && i < SEGMENTS_MAX && holding_budget(h, o, 1); i++) {
		held_memory(h, o, next);
		next = held_member(h, o, next, M_MSGSEG_NEXT);
	}
}

static void take_list(struct holding *h, struct held *o, uint64_t head)
{
	struct listwalk w = listwalk_start(h->k, h->r, head, MESSAGES_MAX);

	while (listwalk_next(&w) && holding_budget(h, o, 1))
		take_message(h, o, w.node - layout_offset(&h->k->layout, M_MSG_LIST));
	o->incomplete |= w.st != ST_OK;
}

/* ---- POSIX: messages of one priority are a list in a node of a tree ---- */

static void take_priority(void *holding, struct held *o, uint64_t node)
{
	struct holding *h = holding;

	held_memory(h, o, node);
	take_list(h, o, node + layout_offset(&h->k->layout, M_MQNODE_LIST));
}

void mqueue_read(struct holding *h, struct held *o)
{
	uint64_t spare = held_member(h, o, o->object, M_MQUEUE_CACHE);

	if (!has(h->k, M_MQUEUE_TREE) || !has(h->k, M_MQNODE_LIST) || !has(h->k, M_MSG_LIST))
		return;
	held_memory(h, o, o->object);
	o->kernel = true; /* its file system has it, also when nobody has it open */
	held_tree(h, o, held_member(h, o, o->object, M_MQUEUE_TREE), 0, take_priority);
	if (spare)
		held_memory(h, o, spare);
}

/* All of a namespace, whether they are open or not. */
static void take_mqueues(struct holding *h, uint64_t ns)
{
	const struct layout *l = &h->k->layout;
	uint64_t mount = holding_get(h, ns, M_IPC_MQUEUES),
		 sb = holding_get(h, mount, M_VFSMOUNT_SB), mode;
	struct listwalk w;

	if (mount && !sb && has(h->k, M_VFSMOUNT_SB))
		holding_damaged(h, "mount of the POSIX queues", mount);
	if (!sb || !has(h->k, M_SB_INODES) || !has(h->k, M_INODE_SB_LIST) ||
	    !has(h->k, M_MQUEUE_INODE))
		return;
	w = listwalk_start(h->k, h->r, sb + layout_offset(l, M_SB_INODES), MESSAGES_MAX);
	while (listwalk_next(&w)) {
		uint64_t inode = w.node - layout_offset(l, M_INODE_SB_LIST);
		struct held *o;
		bool fresh;

		if (kmember_u64(h->k, h->r, inode, M_INODE_MODE, &mode) ||
		    (mode & S_IFMT) != S_IFREG)
			continue;
		o = held_get(h, OWNER_MESSAGES, inode - layout_offset(l, M_MQUEUE_INODE), &fresh);
		if (fresh) {
			o->what = arena_printf(h->mem, "POSIX:[%llu]",
					       (unsigned long long)holding_get(h, inode,
									       M_INODE_INO));
			mqueue_read(h, o);
		}
	}
	if (w.st)
		issue_add(h->k->issues, w.st, "message queue", 1, "a list of POSIX queues");
}

/* ---- SysV ---- */

/* The object of entry E, in which struct kern_ipc_perm is at PERM. NULL: there is none, or it is known. */
static struct held *take_id(struct holding *h, const struct xa_entry *e, enum owner_kind owner,
			    uint64_t perm, enum layout_id count, const char *unit)
{
	uint64_t object = e->value - perm;
	struct held *o;
	bool fresh;

	if (e->is_value || !kernel_ptr_ok(h->k, e->value, h->k->dump->word_size)) {
		holding_damaged(h, owner_kind_name(owner), e->value);
		return NULL;
	}
	o = held_get(h, owner, object, &fresh);
	if (!fresh)
		return NULL;
	o->kernel = true;
	o->what = arena_printf(h->mem, "id %llu key %#llx: %llu%s",
			       (unsigned long long)held_member(h, o, e->value, M_IPC_ID),
			       (unsigned long long)held_member(h, o, e->value, M_IPC_KEY),
			       (unsigned long long)held_member(h, o, object, count), unit);
	held_memory(h, o, object);
	return o;
}

static bool take_semaphores(void *arg, const struct xa_entry *e)
{
	take_id(arg, e, OWNER_SEMAPHORES, 0, M_SEM_COUNT, "");
	return true;
}

static bool take_queue(void *arg, const struct xa_entry *e)
{
	struct holding *h = arg;
	const struct layout *l = &h->k->layout;
	struct held *o = take_id(h, e, OWNER_MESSAGES, layout_offset(l, M_MSGQ_PERM), M_MSGQ_COUNT,
				 " messages");

	if (o)
		take_list(h, o, o->object + layout_offset(l, M_MSGQ_MESSAGES));
	return true;
}

static void take_ids(struct holding *h, uint64_t ns, unsigned kind,
		     bool (*fn)(void *arg, const struct xa_entry *e))
{
	const struct member *m = &h->k->layout.v[M_IPC_IDS].m;

	xarray_walk(h->k, h->r,
		    ns + m->offset + kind * m->stride + layout_offset(&h->k->layout, M_IPC_IDR) +
			    layout_offset(&h->k->layout, M_IDR_ROOT),
		    0, UINT32_MAX, fn, h);
}

static void take_namespace(struct holding *h, struct hash *seen, uint64_t ns)
{
	const struct member *m = &h->k->layout.v[M_IPC_IDS].m;

	if (!kernel_ptr_ok(h->k, ns, h->k->dump->word_size) || hash_get(seen, ns) != HASH_NONE ||
	    m->count <= IPC_MSG_IDS)
		return;
	hash_put(seen, ns, 0);
	take_ids(h, ns, IPC_MSG_IDS, take_queue);
	take_ids(h, ns, IPC_SEM_IDS, take_semaphores);
	take_mqueues(h, ns);
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
		const struct task *t = proc_leader(h->s, &h->s->procs[i]);

		if (t && !kmember_u64(h->k, h->r, t->addr, M_TASK_NSPROXY, &proxy) && proxy &&
		    !kmember_u64(h->k, h->r, proxy, M_NSPROXY_IPC, &ns))
			take_namespace(h, &seen, ns);
	}
}
