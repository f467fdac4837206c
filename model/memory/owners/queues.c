/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queues.c - packets that wait in queues of network devices, of which no socket knows any more (net/sched/, read in
 * 6.1, 6.12, 7.3). The queues of a device are those that its transmit queues and it name, which are roots, and those in
 * its hash table, which are all others. A queue has a list of packets, and what its kind keeps beside it.
 */
#include <inttypes.h>
#include <string.h>

#include "facts/layout/holder.h"
#include "facts/layout/network.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/walk/rbtree.h"
#include "model/memory/owners/holding.h"

#define NETS_MAX (1u << 20)
#define DEVICES_MAX (1u << 20)	/* of a namespace */
#define TX_MAX 65536u		/* transmit queues of a device */
#define CHAIN_MAX (1u << 20)	/* queues of one hash slot */
#define FLOWS_MAX (1u << 20)	/* of fq_codel 65536 */
#define LOG_MAX 18u		/* of the trees of fq: ilog2(256 * 1024) */
#define BANDS_MAX 16u
#define NAME_BYTES 16		/* IFNAMSIZ, and of a kind of queue */

struct device {
	struct holding *h;
	uint64_t addr;
	char name[NAME_BYTES + 1];
	const char *net;		/* the namespace, unless it is the first */
};

struct queue {
	struct holding *h;
	struct held *o;
	uint64_t addr, private;
	uint64_t found;			/* packets */
};

static uint64_t at(const struct holding *h, uint64_t object, enum layout_id id)
{
	return object + layout_offset(&h->k->layout, id);
}

/* ---- packets ------------------------------------------------------------------------------- */

/* False: no more of this list. A packet that was there before is in a list that comes back to it. */
static bool take_packet(struct queue *q, uint64_t skb)
{
	bool known = hash_get(&q->h->seen, skb) != HASH_NONE;

	q->o->incomplete |= known;
	if (known || !holding_budget(q->h, q->o, 1))
		return false;
	packet_read(q->h, q->o, skb);
	q->found++;
	return true;
}

/* Packets that name the next; the last, none. */
static void take_chain(struct queue *q, uint64_t skb)
{
	uint64_t left = q->h->k->memmap.max_pfn << q->h->k->page_shift >> 6;

	while (skb && left-- && take_packet(q, skb))
		skb = held_member(q->h, q->o, skb, M_SKB_NEXT);
	q->o->incomplete |= skb != 0;
}

/* Packets in a ring, with a head in QUEUE. */
static void take_list(struct queue *q, enum layout_id id)
{
	struct listwalk w;

	if (!has(q->h->k, id))
		return;
	w = listwalk_start(q->h->k, q->h->r, at(q->h, q->addr, id), UINT32_MAX);
	while (listwalk_next(&w) && take_packet(q, w.node))
		;
	q->o->incomplete |= w.st != ST_OK;
}

/* The links of a tree are the first member of a packet. */
static void take_tree(struct queue *q, uint64_t root)
{
	struct rbwalk w = rbwalk_start(q->h->k, q->h->r, root, UINT64_MAX);
	uint64_t skb;

	while (rbwalk_next(&w, &skb) && take_packet(q, skb))
		;
	q->o->incomplete |= w.st != ST_OK;
}

/* An entry of a ring: a packet, or a frame of XDP (TUN_XDP_FLAG), which begins in the page that has its data. */
static void take_entry(struct queue *q, uint64_t entry)
{
	if (entry & 1)
		held_linear(q->h, q->o, entry & ~UINT64_C(1), 1, CLASS_SOCKET);
	else
		take_packet(q, entry);
}

/*
 * Entries from the one that is taken next, up to an empty one: those before it are emptied late, and their packets
 * are gone (include/linux/ptr_ring.h).
 */
static void take_ring(struct queue *q, uint64_t ring)
{
	struct holding *h = q->h;
	uint64_t v = held_member(h, q->o, ring, M_PTRS),
		 n = held_member(h, q->o, ring, M_PTRS_SIZE),
		 i = held_member(h, q->o, ring, M_PTRS_FIRST), entry, left = n;
	uint32_t word = h->k->dump->word_size;

	if (!v || n > h->k->memmap.max_pfn << h->k->page_shift >> 3 || i >= n) {
		q->o->incomplete = true;
		return;
	}
	held_memory(h, q->o, v);
	for (; left-- && holding_budget(h, q->o, 1); i = (i + 1) % n) {
		if (read_kva_word(h->r, v + i * word, &entry)) {
			q->o->incomplete = true;
			return;
		}
		if (!entry)
			return;
		take_entry(q, entry);
	}
}

/* ---- kinds of queues --------------------------------------------------------------------------- */

static void take_pfifo_fast(struct queue *q)
{
	const struct member *bands = &q->h->k->layout.v[M_PFIFO_RINGS].m;

	for (uint32_t i = 0; i < bands->count && i < BANDS_MAX; i++)
		take_ring(q, q->private + bands->offset + (uint64_t)i * bands->stride);
}

static void take_netem(struct queue *q)
{
	take_tree(q, held_member(q->h, q->o, q->private, M_NETEM_TREE));
	take_chain(q, held_member(q->h, q->o, q->private, M_NETEM_FIRST));
}

static void take_fq_codel(struct queue *q)
{
	uint64_t flows = held_member(q->h, q->o, q->private, M_FQCODEL_FLOWS),
		 n = held_member(q->h, q->o, q->private, M_FQCODEL_NR);
	uint32_t size = layout_size(&q->h->k->layout, S_FQCODEL_FLOW);

	if (n > FLOWS_MAX || !size) {
		q->o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; flows && i < n; i++)
		take_chain(q, held_member(q->h, q->o, flows + i * size, M_FQCODEL_FIRST));
}

static void take_flow(struct queue *q, uint64_t flow)
{
	take_chain(q, held_member(q->h, q->o, flow, M_FQ_FIRST));
	take_tree(q, held_member(q->h, q->o, flow, M_FQ_TREE));
}

/* A table of trees of flows, and one more flow. */
static void take_fq(struct queue *q)
{
	uint64_t roots = held_member(q->h, q->o, q->private, M_FQ_ROOTS),
		 log = held_member(q->h, q->o, q->private, M_FQ_LOG), root, flow;
	uint32_t word = q->h->k->dump->word_size;

	take_flow(q, at(q->h, q->private, M_FQ_INTERNAL));
	if (log > LOG_MAX) {
		q->o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; roots && i < UINT64_C(1) << log; i++) {
		struct rbwalk w;

		if (read_kva_word(q->h->r, roots + i * word, &root)) {
			q->o->incomplete = true;
			return;
		}
		w = rbwalk_start(q->h->k, q->h->r, root, UINT64_MAX);
		while (holding_budget(q->h, q->o, 1) && rbwalk_next(&w, &flow))
			take_flow(q, flow - layout_offset(&q->h->k->layout, M_FQ_NODE));
		q->o->incomplete |= w.st != ST_OK;
	}
}

/* Packets of no class; those of its classes are in queues below it. */
static void take_htb(struct queue *q)
{
	take_chain(q, held_member(q->h, q->o, q->private, M_HTB_DIRECT));
}

static const struct kind {
	const char *id;
	void (*take)(struct queue *q);
	enum layout_id needs;
} kinds[] = {
	{ "pfifo_fast", take_pfifo_fast, M_PFIFO_RINGS },
	{ "netem", take_netem, M_NETEM_TREE },
	{ "fq_codel", take_fq_codel, M_FQCODEL_FLOWS },
	{ "fq", take_fq, M_FQ_ROOTS },
	{ "htb", take_htb, M_HTB_DIRECT },
};

/* Those whose packets are in queues below them, which are counted there, or that have none. */
static const char *const classful[] = {
	"mq", "mqprio", "prio", "multiq", "drr", "hfsc", "htb", "qfq", "ets", "taprio", "red", "tbf", "sfb",
	"cbq", "cbs", "dsmark", "noqueue", "ingress", "clsact",
};

static bool counts_others(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(classful); i++)
		if (!strcmp(classful[i], id))
			return true;
	return false;
}

/* ---- queues ------------------------------------------------------------------------------------- */

/*
 * Packets that a queue counts and that were not found wait in a structure that is not known. pfifo_fast counts on
 * each CPU; netem counts those of the queue below it as well.
 */
static void check_length(struct queue *q, const char *id)
{
	struct holding *h = q->h;
	uint64_t n = held_member(h, q->o, q->addr, M_QDISC_LENGTH), child = 0;

	if (!strcmp(id, "netem"))
		child = held_member(h, q->o, q->private, M_NETEM_CHILD);
	if (child && holding_allocated(h, child))
		n -= min_u64(n, held_member(h, q->o, child, M_QDISC_LENGTH));
	if (strcmp(id, "pfifo_fast") && !counts_others(id))
		q->o->incomplete |= n != q->found;
}

static void read_queue(struct queue *q, const char *id)
{
	take_chain(q, held_member(q->h, q->o, q->addr, M_QDISC_FIRST));
	take_list(q, M_QDISC_GSO);
	take_list(q, M_QDISC_BAD);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].id, id) && has(q->h->k, kinds[i].needs))
			kinds[i].take(q);
	check_length(q, id);
}

/* A queue of D: those that do nothing lie in the image of the kernel, and are no device's. */
static void take_queue(const struct device *d, uint64_t qdisc)
{
	struct queue q = { .h = d->h, .addr = qdisc, .private = at(d->h, qdisc, M_QDISC_PRIVATE) };
	uint64_t ops;
	char id[NAME_BYTES + 1] = "";
	bool fresh;

	if (!qdisc || !holding_allocated(d->h, qdisc))
		return;
	q.o = held_get(d->h, OWNER_QUEUE, qdisc, &fresh);
	if (!fresh)
		return;
	q.o->kernel = true;
	ops = held_member(d->h, q.o, qdisc, M_QDISC_OPS);
	if (!ops || read_kva_str(d->h->r, at(d->h, ops, M_QDISC_ID), id, sizeof(id)))
		q.o->incomplete = true;
	else
		read_queue(&q, id);
	q.o->what = arena_printf(d->h->mem, "%s: %s%s", d->name, id, d->net);
}

static void take_member(const struct device *d, uint64_t object, enum layout_id id)
{
	uint64_t qdisc;

	if (!has(d->h->k, id))
		return;
	if (kmember_u64(d->h->k, d->h->r, object, id, &qdisc))
		holding_damaged(d->h, "queue of the network device", object);
	else
		take_queue(d, qdisc);
}

/* All queues but roots: lists that end with NULL. */
static void take_hashed(const struct device *d)
{
	const struct member *m = &d->h->k->layout.v[M_NETDEV_QDISCS].m;
	uint64_t node;

	if (!has(d->h->k, M_NETDEV_QDISCS) || !has(d->h->k, M_QDISC_HASH))
		return;
	for (uint32_t i = 0; i < m->count; i++) {
		uint64_t slot = d->addr + m->offset + (uint64_t)i * m->stride;
		enum status st = read_kva_word(d->h->r, slot, &node);

		for (unsigned n = 0; !st && node && n < CHAIN_MAX; n++) {
			uint64_t qdisc = node - layout_offset(&d->h->k->layout, M_QDISC_HASH);

			st = read_kva_word(d->h->r, node, &node);
			if (!st)
				take_queue(d, qdisc);
		}
		if (st || node)
			holding_damaged(d->h, "queues of the network device", d->addr);
	}
}

static void take_device(const struct device *d)
{
	uint64_t tx, n;
	uint32_t size = layout_size(&d->h->k->layout, S_TXQ);

	if (kmember_u64(d->h->k, d->h->r, d->addr, M_NETDEV_TX, &tx) ||
	    kmember_u64(d->h->k, d->h->r, d->addr, M_NETDEV_NR_TX, &n) || n > TX_MAX || !tx != !n) {
		holding_damaged(d->h, "transmit queues of the network device", d->addr);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		take_member(d, tx + i * size, M_TXQ_SLEEPING);
		take_member(d, tx + i * size, M_TXQ_QDISC);
	}
	take_member(d, d->addr, M_NETDEV_QDISC);
	take_hashed(d);
}

static void take_net(struct holding *h, uint64_t net)
{
	struct device d = { .h = h, .net = "" };
	struct listwalk w = listwalk_start(h->k, h->r, at(h, net, M_NET_DEVICES), DEVICES_MAX);

	if (net != layout_symbol(&h->k->layout, Y_INIT_NET))
		d.net = arena_printf(h->mem, ", net:[%" PRIu64 "]",
				     holding_get(h, net, M_NET_INUM));
	while (listwalk_next(&w)) {
		d.addr = w.node - layout_offset(&h->k->layout, M_NETDEV_LIST);
		if (read_kva_str(h->r, at(h, d.addr, M_NETDEV_NAME), d.name, NAME_BYTES))
			snprintf(d.name, sizeof(d.name), "?");
		take_device(&d);
	}
	if (w.st)
		issue_add(h->k->issues, w.st, "owner", 1, "list of network devices");
}

void queues_walk(struct holding *h)
{
	static const enum layout_id needs[] = {
		Y_NETS,	       M_NET_LIST,     M_NET_DEVICES,	M_NETDEV_LIST, M_NETDEV_NAME,
		M_NETDEV_TX,   M_NETDEV_NR_TX, S_TXQ,		M_QDISC_OPS,   M_QDISC_ID,
		M_QDISC_FIRST, M_QDISC_LENGTH, M_QDISC_PRIVATE, M_SKB_NEXT,    M_RB_LEFT,
	};
	struct listwalk w;

	if (!holding_knows(h, needs, ARRAY_LEN(needs)) || !packets_known(h))
		return;
	w = listwalk_start(h->k, h->r, layout_symbol(&h->k->layout, Y_NETS), NETS_MAX);
	while (listwalk_next(&w))
		take_net(h, w.node - layout_offset(&h->k->layout, M_NET_LIST));
	if (w.st)
		issue_add(h->k->issues, w.st, "owner", 1, "list of network namespaces");
}

/* ---- tun and tap ------------------------------------------------------------------------------------ */

/* What a program that has a device of tun open has not read yet (drivers/net/tun.c). */
void tun_read(struct holding *h, struct held *o)
{
	static const enum layout_id needs[] = { M_TUN_RING, M_TUN_STRUCT, M_PTRS, M_PTRS_SIZE,
						M_PTRS_FIRST };
	struct queue q = { .h = h, .o = o, .addr = o->object };
	uint64_t tun, device;
	char name[NAME_BYTES + 1] = "";

	if (!holding_knows(h, needs, ARRAY_LEN(needs)) || !packets_known(h)) {
		o->incomplete = true;
		return;
	}
	tun = held_member(h, o, o->object, M_TUN_STRUCT);
	device = tun ? held_member(h, o, tun, M_TUN_DEVICE) : 0;
	if (device && has(h->k, M_NETDEV_NAME) &&
	    read_kva_str(h->r, at(h, device, M_NETDEV_NAME), name, NAME_BYTES))
		o->incomplete = true;
	o->what = arena_printf(h->mem, "%s: tun", name);
	held_memory(h, o, o->object);
	if (tun)
		take_ring(&q, at(h, o->object, M_TUN_RING));
}
