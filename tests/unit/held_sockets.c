/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_sockets.c - the held machine, whose socket is of another family. */
#include "facts/layout/holder.h"
#include "tests/unit/held_objects.h"

enum { RETRANSMIT = 0x50, OUT_OF_ORDER = 0x58, READER = 0x60, ACCEPT = 0x78 };
enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_PACKET = 17, FAMILY_XDP = 44 };
enum { STREAM = 1, DGRAM = 2, TCP = 6, UDP = 17, LISTENS = 10 };

static void put_sock(struct held_machine *m, uint64_t sk, uint16_t family, uint16_t type, uint16_t protocol)
{
	hm_put(m, sk + SK_FAMILY, family, 2);
	hm_put(m, sk + SK_STATE, 1, 1);
	hm_put(m, sk + SK_TYPE, type, 2);
	hm_put(m, sk + SK_PROTOCOL, protocol, 2);
}

/* One with empty queues. */
static void put_queues(struct held_machine *m, uint64_t sk)
{
	hm_queue(m, sk + SK_RECEIVE, 0, 0);
	hm_queue(m, sk + SK_WRITE, 0, 0);
	hm_queue(m, sk + SK_ERROR, 0, 0);
}

/* ---- rings of packets -------------------------------------------------------------------------- */

/* On some machines areas lie below and above the linear memory (modules of 32-bit PowerPC): a block of a ring
   between them is in none. */
struct held_machine *hm_packet(void)
{
	static struct vmalloc_area areas[] = { { .start = 0x1000, .size = 0x2000 },
					       { .start = UINT64_MAX - 0x2fff, .size = 0x2000 } };
	enum { RX = SK + 0x50, TX = SK + 0x70 };
	struct held_machine *m = hm_new();

	m->areas = (struct vmalloc){ .v = areas, .n = 2 };
	fake_members(m->f, { M_PACKET_RX, RX - SK, 32 }, { M_PACKET_TX, TX - SK, 32 },
		     { M_PACKET_VEC, 0, 8 }, { M_PACKET_VEC_LEN, 8, 4 },
		     { M_PACKET_VEC_PAGES, 12, 4 });
	fake_size(m->f, S_PGV, 8);
	hm_put(m, SK + SK_FAMILY, FAMILY_PACKET, 2);
	hm_point(m, RX, ARRAY);
	hm_put(m, RX + 8, 1, 4);
	hm_put(m, RX + 12, 4, 4);
	hm_put(m, TX, 0, 8);
	hm_put(m, TX + 8, 0, 8);
	hm_point(m, ARRAY, MORE);
	return m;
}

/* A ring for what comes, and those of the pool of its memory. */
struct held_machine *hm_xdp(void)
{
	enum { RX = 0x50, TX = 0x58, FILL = 0x60, DONE = 0x68, POOL = 0x70 };
	struct held_machine *m = hm_new();

	fake_members(m->f, { M_XDP_RX, RX, 8 }, { M_XDP_TX, TX, 8 }, { M_XDP_FILL, FILL, 8 },
		     { M_XDP_DONE, DONE, 8 }, { M_XDP_POOL, POOL, 8 }, { M_XDP_RING, 0, 8 },
		     { M_XDP_POOL_FILL, 0, 8 }, { M_XDP_POOL_DONE, 8, 8 });
	hm_put(m, SK + SK_FAMILY, FAMILY_XDP, 2);
	hm_point(m, SK + RX, NODE1);
	hm_point(m, NODE1, MORE);
	for (uint64_t at = SK + TX; at < SK + POOL; at += 8)
		hm_put(m, at, 0, 8);
	hm_point(m, SK + POOL, ARRAY);
	hm_point(m, ARRAY, NODE2);
	hm_point(m, NODE2, MORE + 0x1000);
	hm_point(m, ARRAY + 8, NODE3);
	hm_point(m, NODE3, MORE + 0x2000);
	return m;
}

/* ---- INET ------------------------------------------------------------------------------------------ */

static struct held_machine *inet_machine(uint16_t type, uint16_t protocol)
{
	struct held_machine *m = hm_new();

	fake_members(m->f, { M_SK_RETRANSMIT, RETRANSMIT, 8 },
		     { M_TCP_OUT_OF_ORDER, OUT_OF_ORDER, 8 }, { M_UDP_READER, READER, 24 },
		     { M_ICSK_ACCEPT, ACCEPT, 8 }, { M_REQUEST_NEXT, 0, 8 }, { M_REQUEST_SK, 8, 8 },
		     { M_RB_LEFT, 0, 8 }, { M_RB_RIGHT, 8, 8 });
	put_sock(m, SK, FAMILY_INET, type, protocol);
	return m;
}

/* An sk_buff to be sent again has one behind it; another came too early. */
struct held_machine *hm_tcp(void)
{
	static const uint64_t skb[] = { 0x7000, 0x7100, 0x7200 };
	struct held_machine *m = inet_machine(STREAM, TCP);

	for (unsigned i = 0; i < 3; i++) {
		hm_skb(m, skb[i], 0x8000 + i * 0x400, hm_page(m, MORE + i * 0x1000));
		hm_put(m, skb[i], 0, 8);
		hm_put(m, skb[i] + 8, 0, 8);
	}
	hm_point(m, SK + RETRANSMIT, skb[0]);
	hm_point(m, skb[0] + 8, skb[1]);
	hm_point(m, SK + OUT_OF_ORDER, skb[2]);
	return m;
}

/* A connection that nobody has accepted has data. */
struct held_machine *hm_tcp_listens(void)
{
	enum { CHILD = 0x7000, REQUEST = 0x7100, DATA_OF_CHILD = 0x7200 };
	struct held_machine *m = inet_machine(STREAM, TCP);

	hm_put(m, SK + SK_STATE, LISTENS, 1);
	hm_point(m, SK + ACCEPT, REQUEST);
	hm_put(m, REQUEST, 0, 8);
	hm_point(m, REQUEST + 8, CHILD);
	put_sock(m, CHILD, FAMILY_INET, STREAM, TCP);
	put_queues(m, CHILD);
	hm_queue(m, CHILD + SK_RECEIVE, DATA_OF_CHILD, 0);
	hm_skb(m, DATA_OF_CHILD, 0x8000, hm_page(m, MORE));
	hm_put(m, CHILD + RETRANSMIT, 0, 8);
	hm_put(m, CHILD + OUT_OF_ORDER, 0, 8);
	hm_put(m, CHILD + SK_FRAG, hm_page(m, MORE + 0x1000), 8);
	return m;
}

struct held_machine *hm_udp(void)
{
	enum { LATE = 0x7000, NESTED = 0x7100, READ = 0x7200, HEAD_OF_LATE = 0x8000 };
	struct held_machine *m = inet_machine(DGRAM, UDP);

	hm_queue(m, SK + READER, READ, 0);
	hm_skb(m, READ, MORE + 0x3000, hm_page(m, MORE));
	hm_put(m, READ + SKB_HEAD_FRAG, 1, 1);
	/* one in the backlog, with another in its list of fragments */
	hm_point(m, SK + SK_BACKLOG, LATE);
	hm_skb(m, LATE, HEAD_OF_LATE, hm_page(m, MORE + 0x1000));
	hm_put(m, LATE, 0, 8);
	hm_point(m, HEAD_OF_LATE + HEAD_BYTES + INFO_LIST, NESTED);
	hm_skb(m, NESTED, HEAD_OF_LATE + 0x400, hm_page(m, MORE + 0x2000));
	hm_put(m, NESTED, 0, 8);
	return m;
}

/* Each connection that waits is an sk_buff with a socket. */
struct held_machine *hm_unix_listens(void)
{
	enum { CHILD = 0x7000, WAITS = 0x7100 };
	struct held_machine *m = hm_new();

	fake_member(m->f, M_SKB_SK, SKB_SK, 8);
	hm_put(m, SK + SK_STATE, LISTENS, 1);
	hm_queue(m, SK + SK_RECEIVE, WAITS, 0);
	hm_skb(m, WAITS, 0x8000, hm_page(m, MORE));
	hm_point(m, WAITS + SKB_SK, CHILD);
	put_sock(m, CHILD, FAMILY_UNIX, STREAM, 0);
	put_queues(m, CHILD);
	hm_queue(m, CHILD + SK_RECEIVE, SKB, SKB2);
	return m;
}
