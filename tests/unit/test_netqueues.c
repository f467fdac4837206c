/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: packets in queues of network devices. */
#include "facts/layout/network.h"
#include "model/memory/owners/owners.h"
#include "tests/unit/check.h"
#include "tests/unit/held_hidden.h"

static void check_queue(const struct held_machine *m, uint64_t at, unsigned packets, unsigned more)
{
	const struct owner *o = hm_owner(m, at, CLASS_SOCKET);

	CHECK_EQ(o->kind, OWNER_QUEUE);
	CHECK_EQ(o->pages, packets);
	CHECK(!o->incomplete);
	/* an sk_buff and its head */
	CHECK_EQ(hm_owner(m, at, CLASS_SLAB)->size, (2 * packets + more) * (uint64_t)OBJECT);
}

TEST(queues)
{
	struct held_machine *m = hm_queues();

	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	check_queue(m, QUEUE1, 3, 0);
	check_queue(m, QUEUE2, 3, 0);
	check_queue(m, QUEUE3, 2, 1);
	CHECK_STR(hm_owner(m, QUEUE1, CLASS_SOCKET)->what, "eth0: netem");
	CHECK_STR(hm_owner(m, QUEUE2, CLASS_SOCKET)->what, "eth0: pfifo");
	CHECK_STR(hm_owner(m, QUEUE3, CLASS_SOCKET)->what, "veth1: pfifo_fast, net:[7]");
	CHECK(hm_owner(m, QUEUE1, CLASS_SOCKET)->kernel &&
	      !hm_owner(m, QUEUE1, CLASS_SOCKET)->nholders);
	CHECK_EQ(hm_owner(m, NOOP, CLASS_SLAB)->size, 0);
	hm_free(m);
}

TEST(fair)
{
	struct held_machine *m = hm_fair_queues();

	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	check_queue(m, QUEUE1, 4, 0);
	check_queue(m, QUEUE2, 2, 0);
	hm_free(m);
}

/* Of a kind that is not known the packets are not found, and it is told, unless queues below it have them. */
TEST(kinds)
{
	static const char *const kinds[] = { "sfq\0\0\0\0", "skbprio", "etf\0\0\0\0", "hfsc\0\0\0", "mq\0\0\0\0\0" };

	for (unsigned i = 0; i < 5; i++) {
		struct held_machine *m = hm_queues();

		fake_put(m->f, OPS1 + OPS_ID, kinds[i], 8);
		hm_build(m);
		CHECK_EQ(hm_owner(m, QUEUE1, CLASS_SOCKET)->pages, 0);
		CHECK_EQ(fake_issues(m->f, "owner"), i < 3);
		hm_free(m);
	}
}

/* What htb sends past its classes is in no queue below it. */
TEST(direct)
{
	struct held_machine *m = hm_queues();

	fake_member(m->f, M_HTB_DIRECT, NETEM_FIRST, 8);
	fake_put(m->f, OPS1 + OPS_ID, "htb", 4);
	hm_build(m);
	check_queue(m, QUEUE1, 1, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

/* Packets of the queue below netem are in its own count. */
TEST(child)
{
	struct held_machine *m = hm_queues();

	hm_point(m, QUEUE1 + Q_PRIVATE + NETEM_CHILD, QUEUE2);
	hm_put(m, QUEUE1 + Q_LENGTH, 6, 4);
	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	check_queue(m, QUEUE1, 3, 0);
	hm_free(m);
}

/* An empty queue has no row. */
TEST(empty)
{
	struct held_machine *m = hm_queues();

	hm_put(m, QUEUE2 + Q_FIRST, 0, 8);
	hm_queue(m, QUEUE2 + Q_GSO, 0, 0);
	hm_put(m, QUEUE2 + Q_LENGTH, 0, 4);
	hm_build(m);
	CHECK_EQ(hm_owner(m, QUEUE2, CLASS_SLAB)->object, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

static void check_damaged(struct held_machine *(*make)(void), void (*alter)(struct held_machine *m))
{
	struct held_machine *m = make();

	alter(m);
	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void length(struct held_machine *m) { hm_put(m, QUEUE1 + Q_LENGTH, 4, 4); }
static void no_list(struct held_machine *m) { hm_put(m, NETS, 0x123456789abcdef0, 8); }
static void no_devices(struct held_machine *m) { hm_put(m, NET2 + N_DEVICES, 0x123456789abcdef0, 8); }
static void many(struct held_machine *m) { hm_put(m, NETDEV1 + D_NR_TX, 65537, 4); }
static void no_tx(struct held_machine *m) { hm_put(m, NETDEV1 + D_TX, 0, 8); }
static void bad_hash(struct held_machine *m) { hm_put(m, NETDEV1 + D_HASH, 0xffff888012345678, 8); }
static void cycle(struct held_machine *m) { hm_point(m, hm_packet_at(4), hm_packet_at(3)); }
static void bad_tree(struct held_machine *m) { hm_put(m, hm_packet_at(1), 0x123456789abcdef0, 8); }
static void no_ops(struct held_machine *m) { hm_put(m, QUEUE3 + Q_OPS, 0, 8); }
static void bad_gso(struct held_machine *m) { hm_put(m, QUEUE1 + Q_GSO, 0x123456789abcdef0, 8); }
static void ring_place(struct held_machine *m) { hm_put(m, QUEUE3 + Q_PRIVATE + R_FIRST, RING_ENTRIES, 4); }
static void ring_size(struct held_machine *m) { hm_put(m, QUEUE3 + Q_PRIVATE + R_SIZE, UINT32_MAX, 4); }
static void ring_lost(struct held_machine *m) { hm_put(m, QUEUE3 + Q_PRIVATE, 0xffff888012345000, 8); }
static void ring_entry(struct held_machine *m) { hm_put(m, RING + 16, 0xffff888012345000, 8); }

static void logarithm(struct held_machine *m) { hm_put(m, QUEUE1 + Q_PRIVATE + FQ_LOG, 63, 1); }
static void flows(struct held_machine *m) { hm_put(m, QUEUE2 + Q_PRIVATE + 8, UINT32_MAX, 4); }
static void bad_flow(struct held_machine *m) { hm_put(m, FLOW1, 0x123456789abcdef0, 8); }
static void bad_roots(struct held_machine *m) { hm_put(m, QUEUE1 + Q_PRIVATE + FQ_ROOTS, 0xffff888012345000, 8); }

TEST(damaged)
{
	check_damaged(hm_queues, length);
	check_damaged(hm_queues, no_list);
	check_damaged(hm_queues, no_devices);
	check_damaged(hm_queues, many);
	check_damaged(hm_queues, no_tx);
	check_damaged(hm_queues, bad_hash);
	check_damaged(hm_queues, cycle);
	check_damaged(hm_queues, bad_tree);
	check_damaged(hm_queues, no_ops);
	check_damaged(hm_queues, bad_gso);
	check_damaged(hm_queues, ring_place);
	check_damaged(hm_queues, ring_size);
	check_damaged(hm_queues, ring_lost);
	check_damaged(hm_queues, ring_entry);
	check_damaged(hm_fair_queues, logarithm);
	check_damaged(hm_fair_queues, flows);
	check_damaged(hm_fair_queues, bad_flow);
	check_damaged(hm_fair_queues, bad_roots);
}

TEST(tun)
{
	struct held_machine *m = hm_tun();
	const struct owner *o;

	hm_build(m);
	o = hm_owner(m, TUN_FILE, CLASS_SOCKET);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	CHECK_EQ(o->pages, 2);
	CHECK_EQ(o->nholders, 1);
	CHECK(!o->kernel);
	CHECK_STR(o->what, "tap0: tun");
	/* what is open, the ring, the packet and its head */
	CHECK_EQ(hm_owner(m, TUN_FILE, CLASS_SLAB)->size, 4 * OBJECT);
	hm_free(m);
	/* not bound to a device yet: it has no ring */
	m = hm_tun();
	hm_put(m, TUN_FILE + TUN_STRUCT, 0, 8);
	hm_put(m, TUN_FILE + TUN_RING, 0, 8);
	hm_build(m);
	CHECK_EQ(hm_owner(m, TUN_FILE, CLASS_SLAB)->size, OBJECT);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
	/* another device of that driver */
	m = hm_tun();
	hm_put(m, INODE_AT + 32, 10u << 20 | 201, 4);
	hm_build(m);
	CHECK_EQ(hm_owner(m, TUN_FILE, CLASS_SLAB)->size, 0);
	hm_free(m);
	/* types of its module are missing */
	m = hm_tun();
	m->f->kernel.layout.v[M_TUN_RING].alt = -1;
	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}
