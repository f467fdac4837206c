/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * socket.c - the data that wait in the queues of a socket: sk_buffs, the memory that their heads
 * and fragments are in, and the rings of packet sockets.
 *
 * A fragment keeps its whole folio, of which other fragments may use the rest. Sources: net/core/
 * skbuff.c, include/linux/skbuff.h, net/ipv4/tcp.c, net/unix/af_unix.c, net/packet/af_packet.c,
 * read in 5.10, 6.1, 6.12, 7.2.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/holder.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define QUEUE_MAX (1u << 24)	/* sk_buffs of one queue */
#define TREE_DEPTH 128u		/* of a red-black tree of 2^64 nodes */
#define LISTEN_MAX 65536u	/* connections that wait to be accepted */
#define NESTED_MAX 4u		/* sk_buffs in lists of fragments */
#define FRAGS_MAX 64u		/* MAX_SKB_FRAGS: 17, to 45 by configuration */
#define RING_BLOCKS (1u << 24)
#define FAMILIES_MAX 64u	/* AF_MAX is less */

enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10, FAMILY_PACKET = 17, FAMILY_ALG = 38, FAMILY_XDP = 44 };
enum { TYPE_STREAM = 1, TYPE_DGRAM = 2, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, STATE_LISTEN = 10 };

/* ---- sk_buffs ------------------------------------------------------------------------------ */

static void take_skb(struct holding *h, struct held *o, uint64_t skb, unsigned depth);

static void take_frags(struct holding *h, struct held *o, uint64_t info, unsigned depth)
{
	const struct member *m = &h->k->layout.v[M_SHINFO_FRAGS].m;
	uint64_t n = held_member(h, o, info, M_SHINFO_NR_FRAGS), page;
	uint64_t list = held_member(h, o, info, M_SHINFO_LIST);

	if (n > FRAGS_MAX || n > m->count) {
		o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		/* bit 0: no page, but memory of a device (netmem_ref, v6.10 or near) */
		if (read_kva_word(h->r, info + m->offset + i * m->stride, &page))
			o->incomplete = true;
		else if (page && !(page & 1))
			held_folio(h, o, page, CLASS_SOCKET);
	}
	for (; list && depth < NESTED_MAX && hash_get(&h->seen, list) == HASH_NONE &&
	       holding_budget(h, o, 1);
	     list = held_member(h, o, list, M_SKB_NEXT))
		take_skb(h, o, list, depth + 1);
	o->incomplete |= list != 0;
}

static void take_skb(struct holding *h, struct held *o, uint64_t skb, unsigned depth)
{
	uint64_t head, end;

	/* in two places only in a damaged list, perhaps one without an end */
	if (hash_get(&h->seen, skb) != HASH_NONE) {
		o->incomplete = true;
		return;
	}
	head = held_member(h, o, skb, M_SKB_HEAD);
	end = held_member(h, o, skb, M_SKB_END);
	held_memory(h, o, skb);
	if (!head)
		return;
	if (held_member(h, o, skb, M_SKB_HEAD_FRAG))
		held_linear(h, o, head, 1, CLASS_SOCKET);
	else
		held_memory(h, o, head);
	if (!h->k->layout.v[M_SKB_END].m.is_pointer)
		end += head;
	take_frags(h, o, end, depth);
}

bool packets_known(const struct holding *h)
{
	return has(h->k, M_SKB_HEAD) && has(h->k, M_SHINFO_FRAGS);
}

void packet_read(struct holding *h, struct held *o, uint64_t skb)
{
	take_skb(h, o, skb, 0);
}

/* Descriptors that a message carries and nobody has received (SCM_RIGHTS). */
static void take_rights(struct holding *h, struct held *o, uint64_t skb)
{
	const struct member *m = &h->k->layout.v[M_SCM_FILES].m;
	uint64_t list, n, file;

	if (!has(h->k, M_SCM_FILES) || !has(h->k, M_UNIX_FILES) || !has(h->k, M_SKB_CB))
		return;
	list = held_member(h, o, skb + layout_offset(&h->k->layout, M_SKB_CB), M_UNIX_FILES);
	n = list ? held_member(h, o, list, M_SCM_COUNT) : 0;
	if (n)
		held_memory(h, o, list);
	o->incomplete |= n > m->count;
	for (uint64_t i = 0; i < n && i < m->count; i++)
		if (read_kva_word(h->r, list + m->offset + i * m->stride, &file) ||
		    !kernel_ptr_ok(h->k, file, h->k->dump->word_size))
			o->incomplete = true;
		else
			*vec_push(h->mem, &h->in_flight) =
				(struct in_flight){ .file = file, .carrier = o };
}

static void read_sock(struct holding *h, struct held *o, uint64_t sk, bool nested);

enum queue { QUEUE_DATA, QUEUE_UNIX, QUEUE_LISTEN };

/* A queue of sk_buffs, or of connections that wait: they begin with the links of a list. */
static void take_queue(struct holding *h, struct held *o, uint64_t queue, enum queue kind)
{
	struct listwalk w = listwalk_start(h->k, h->r, queue, QUEUE_MAX);

	while (listwalk_next(&w) && holding_budget(h, o, 1)) {
		uint64_t sk = kind == QUEUE_LISTEN ? held_member(h, o, w.node, M_SKB_SK) : 0;

		take_skb(h, o, w.node, 0);
		if (kind == QUEUE_UNIX)
			take_rights(h, o, w.node);
		if (sk)
			read_sock(h, o, sk, true);
	}
	o->incomplete |= w.st != ST_OK;
}

/* rbnode is the first member of an sk_buff. */
static void take_tree_skb(void *holding, struct held *o, uint64_t skb)
{
	take_skb(holding, o, skb, 0);
}

static void take_tree(struct holding *h, struct held *o, uint64_t root)
{
	held_tree(h, o, root, 0, take_tree_skb);
}

/* ---- packet sockets -------------------------------------------------------------------------- */

/* A block is a folio, or an area of vmalloc() (alloc_one_pg_vec_page()). */
static void take_ring(struct holding *h, struct held *o, uint64_t ring)
{
	uint64_t vec = held_member(h, o, ring, M_PACKET_VEC),
		 n = held_member(h, o, ring, M_PACKET_VEC_LEN),
		 pages = held_member(h, o, ring, M_PACKET_VEC_PAGES), block;
	uint32_t size = layout_size(&h->k->layout, S_PGV);

	o->incomplete |= !vec != !n;
	if (!vec || !size)
		return;
	if (n > RING_BLOCKS || pages > h->k->memmap.max_pfn) {
		o->incomplete = true;
		return;
	}
	held_memory(h, o, vec);
	for (uint64_t i = 0; i < n; i++) {
		if (read_kva_word(h->r, vec + i * size, &block))
			o->incomplete = true;
		else if (holding_area(h, block))
			held_memory(h, o, block);
		else if (block)
			held_linear(h, o, block, pages, CLASS_PACKET);
	}
}

/* ---- sockets of AF_XDP ------------------------------------------------------------------------- */

/* A ring is a folio, or an area of vmalloc() (9f78bf330a66, v6.4 or near). */
static void take_xdp_ring(struct holding *h, struct held *o, uint64_t queue)
{
	uint64_t ring = queue ? held_member(h, o, queue, M_XDP_RING) : 0;

	if (!ring)
		return;
	held_memory(h, o, queue);
	if (holding_area(h, ring))
		held_memory(h, o, ring);
	else
		held_linear(h, o, ring, 1, CLASS_PACKET);
}

/* The rings of the packets' memory are the socket's until it is bound, and then of a pool. */
static void take_xdp(struct holding *h, struct held *o, uint64_t sk)
{
	uint64_t pool = held_member(h, o, sk, M_XDP_POOL);

	take_xdp_ring(h, o, held_member(h, o, sk, M_XDP_RX));
	take_xdp_ring(h, o, held_member(h, o, sk, M_XDP_TX));
	take_xdp_ring(h, o, held_member(h, o, sk, M_XDP_FILL));
	take_xdp_ring(h, o, held_member(h, o, sk, M_XDP_DONE));
	if (!pool || !has(h->k, M_XDP_POOL_FILL) || hash_get(&h->seen, pool) != HASH_NONE)
		return;
	held_memory(h, o, pool);
	take_xdp_ring(h, o, held_member(h, o, pool, M_XDP_POOL_FILL));
	take_xdp_ring(h, o, held_member(h, o, pool, M_XDP_POOL_DONE));
}

/* ---- sockets ----------------------------------------------------------------------------------- */

static uint64_t at(const struct holding *h, uint64_t object, enum layout_id id)
{
	return object + layout_offset(&h->k->layout, id);
}

/* Connections that are ready and nobody has accepted yet. */
static void take_unaccepted(struct holding *h, struct held *o, uint64_t sk)
{
	uint64_t request = held_member(h, o, sk, M_ICSK_ACCEPT);

	for (unsigned i = 0; request && i < LISTEN_MAX && holding_budget(h, o, 1); i++) {
		uint64_t child = held_member(h, o, request, M_REQUEST_SK);

		if (child)
			read_sock(h, o, child, true);
		request = held_member(h, o, request, M_REQUEST_NEXT);
	}
}

static void read_inet(struct holding *h, struct held *o, uint64_t sk, uint64_t type,
		      uint64_t protocol, bool nested)
{
	if (type == TYPE_STREAM && protocol == PROTOCOL_TCP) {
		bool listens = held_member(h, o, sk, M_SK_STATE) == STATE_LISTEN;

		if (listens && !nested)
			take_unaccepted(h, o, sk);
		if (listens)
			return;
		take_tree(h, o, held_member(h, o, sk, M_SK_RETRANSMIT));
		take_tree(h, o, held_member(h, o, sk, M_TCP_OUT_OF_ORDER));
	}
	if (type == TYPE_DGRAM && protocol == PROTOCOL_UDP && has(h->k, M_UDP_READER))
		take_queue(h, o, at(h, sk, M_UDP_READER), QUEUE_DATA);
}

/* NESTED: one that waits to be accepted by another. */
static void read_sock(struct holding *h, struct held *o, uint64_t sk, bool nested)
{
	uint64_t family = held_member(h, o, sk, M_SK_FAMILY),
		 type = held_member(h, o, sk, M_SK_TYPE),
		 protocol = held_member(h, o, sk, M_SK_PROTOCOL),
		 frag = held_member(h, o, sk, M_SK_FRAG),
		 late = held_member(h, o, sk, M_SK_BACKLOG);
	bool listens = family == FAMILY_UNIX && held_member(h, o, sk, M_SK_STATE) == STATE_LISTEN;

	o->incomplete |= !family || family >= FAMILIES_MAX;
	held_memory(h, o, sk);
	if (!listens)
		take_queue(h, o, at(h, sk, M_SK_RECEIVE),
			   family == FAMILY_UNIX ? QUEUE_UNIX : QUEUE_DATA);
	else if (!nested)
		take_queue(h, o, at(h, sk, M_SK_RECEIVE), QUEUE_LISTEN);
	take_queue(h, o, at(h, sk, M_SK_WRITE), QUEUE_DATA);
	take_queue(h, o, at(h, sk, M_SK_ERROR), QUEUE_DATA);
	for (; late && holding_budget(h, o, 1); late = held_member(h, o, late, M_SKB_NEXT))
		take_skb(h, o, late, 0);
	if (frag)
		held_folio(h, o, frag, CLASS_SOCKET);
	if (family == FAMILY_INET || family == FAMILY_INET6)
		read_inet(h, o, sk, type, protocol, nested);
	if (family == FAMILY_ALG)
		crypto_read(h, o, sk);
	if (family == FAMILY_XDP && has(h->k, M_XDP_RING))
		take_xdp(h, o, sk);
	if (family == FAMILY_PACKET && has(h->k, M_PACKET_RX)) {
		take_ring(h, o, at(h, sk, M_PACKET_RX));
		take_ring(h, o, at(h, sk, M_PACKET_TX));
	}
}

void socket_read(struct holding *h, struct held *o)
{
	if (!has(h->k, M_SK_RECEIVE) || !packets_known(h)) {
		o->incomplete = true;
		return;
	}
	read_sock(h, o, o->object, false);
}
