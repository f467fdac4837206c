/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_hidden.c - the held machine with memory that no counter of the kernel has. */
#include "tests/unit/held_hidden.h"
#include "facts/layout/census.h"
#include "facts/layout/holder.h"
#include "facts/layout/module.h"
#include "facts/layout/network.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"

/* ---- disks in memory ------------------------------------------------------------------------ */

struct held_machine *hm_ramdisk(void)
{
	struct held_machine *m = hm_block_class();
	const struct layout *l = &m->f->kernel.layout;

	hm_xarrays(m);
	fake_members(m->f, { M_BRD_DISK, B_DISK, 8 }, { M_BRD_COUNT, B_COUNT, 8 },
		     { M_BRD_PAGES, B_PAGES, 16 });
	fake_put(m->f, RAM_DISK + layout_offset(l, M_DISK_NAME), "ram7", 5);
	hm_point(m, RAM_DISK + layout_offset(l, M_DISK_PRIVATE), BRD);
	hm_point(m, BRD + B_DISK, RAM_DISK);
	hm_put(m, BRD + B_COUNT, 3, 8);
	hm_put(m, BRD + B_PAGES, fake_kva(m->f, BRD_NODE) | 2, 8);
	hm_put(m, BRD_NODE, 0, 1);
	for (unsigned i = 0; i < 64; i++)
		hm_put(m, BRD_NODE + BRD_SLOTS + 8 * i, 0, 8);
	hm_put(m, BRD_NODE + BRD_SLOTS, hm_page(m, HIDDEN), 8);
	hm_put(m, BRD_NODE + BRD_SLOTS + 8, hm_page(m, HIDDEN + 0x1000), 8);
	hm_put(m, BRD_NODE + BRD_SLOTS + 8 * 63, hm_page(m, HIDDEN + 0x8000), 8);
	return m;
}

/* ---- sockets of AF_ALG ---------------------------------------------------------------------- */

static void put_entry(struct held_machine *m, uint64_t table, unsigned i, uint64_t pa,
		      uint32_t bytes)
{
	uint64_t at = table + SG_FIRST + i * (uint64_t)SG_SIZE;

	hm_put(m, at, pa ? hm_page(m, pa) : 0, 8);
	hm_put(m, at + SG_BYTES, bytes, 4);
}

struct held_machine *hm_crypto(void)
{
	struct held_machine *m = hm_new();

	fake_members(m->f, { M_ALG_PARENT, ALG_PARENT, 8 }, { M_ALG_TYPE, ALG_TYPE, 8 },
		     { M_ALG_PRIVATE, ALG_PRIVATE, 8 }, { M_ALGTYPE_NAME, T_NAME, 14 },
		     { M_ALGCTX_TABLES, C_TABLES, 16 }, { M_ALGCTX_BYTES, C_BYTES, 8 },
		     { M_ALGSGL_LIST, SG_LIST, 16 }, { M_ALGSGL_USED, SG_USED, 4 },
		     { M_ALGSGL_SG, SG_FIRST, 0 }, { M_SG_LINK, 0, 8 },
		     { M_SG_LENGTH, SG_BYTES, 4 });
	fake_size(m->f, S_SCATTERLIST, SG_SIZE);
	hm_put(m, SK + SK_FAMILY, 38, 2);
	hm_point(m, SK + ALG_PARENT, OTHER);
	hm_point(m, SK + ALG_TYPE, CIPHER_TYPE);
	hm_point(m, SK + ALG_PRIVATE, CIPHER);
	fake_put(m->f, CIPHER_TYPE + T_NAME, "skcipher", 9);
	hm_queue(m, CIPHER + C_TABLES, TABLE1 + SG_LIST, TABLE2 + SG_LIST);
	hm_put(m, CIPHER + C_BYTES, 4096 + 100 + 50, 8);
	hm_put(m, TABLE1 + SG_USED, 3, 4);
	hm_put(m, TABLE2 + SG_USED, 1, 4);
	put_entry(m, TABLE1, 0, 0, 0);
	put_entry(m, TABLE1, 1, HIDDEN, 4096);
	put_entry(m, TABLE1, 2, HIDDEN + 0x1000, 100);
	put_entry(m, TABLE2, 0, HIDDEN + 0x4000, 50);
	return m;
}

/* ---- queues of network devices -------------------------------------------------------------- */

uint64_t hm_packet_at(unsigned i)
{
	return 0x9000 + 0x400 * (uint64_t)i;
}

/* NEXT and the links of a tree are the same words. */
static void put_packet(struct held_machine *m, unsigned i, unsigned next)
{
	uint64_t skb = hm_packet_at(i);

	hm_skb(m, skb, skb + 0x100, hm_page(m, HIDDEN + i * UINT64_C(0x1000)));
	hm_put(m, skb, next ? fake_kva(m->f, hm_packet_at(next)) : 0, 8);
	hm_put(m, skb + 8, 0, 8);
}

static void state_queues(struct fake *f)
{
	fake_symbol(f, Y_NETS, fake_kva(f, NETS));
	fake_symbol(f, Y_INIT_NET, fake_kva(f, NET1));
	fake_symbol(f, Y_IMAGE_START, fake_kva(f, NOOP));
	fake_symbol(f, Y_IMAGE_END, fake_kva(f, NOOP + 0x100));
	fake_members(f, { M_NET_LIST, N_LIST, 16 }, { M_NET_DEVICES, N_DEVICES, 16 },
		     { M_NET_INUM, N_INUM, 4 }, { M_NETDEV_LIST, D_LIST, 16 },
		     { M_NETDEV_NAME, D_NAME, 16 }, { M_NETDEV_TX, D_TX, 8 },
		     { M_NETDEV_NR_TX, D_NR_TX, 4 }, { M_NETDEV_QDISC, D_QDISC, 8 },
		     { M_TXQ_QDISC, 0, 8 }, { M_TXQ_SLEEPING, 8, 8 }, { M_QDISC_HASH, Q_NODE, 16 },
		     { M_QDISC_OPS, Q_OPS, 8 }, { M_QDISC_ID, OPS_ID, 16 },
		     { M_QDISC_FIRST, Q_FIRST, 8 }, { M_QDISC_LENGTH, Q_LENGTH, 4 },
		     { M_QDISC_GSO, Q_GSO, 16 }, { M_QDISC_BAD, Q_BAD, 16 },
		     { M_QDISC_PRIVATE, Q_PRIVATE, 0 }, { M_RB_LEFT, 0, 8 }, { M_RB_RIGHT, 8, 8 });
	fake_array(f, M_NETDEV_QDISCS, D_HASH, 8, 2);
	fake_size(f, S_TXQ, 16);
	fake_members(f, { M_PTRS, R_ENTRIES, 8 }, { M_PTRS_FIRST, R_FIRST, 4 },
		     { M_PTRS_SIZE, R_SIZE, 4 });
}

static void put_queue(struct held_machine *m, uint64_t at, uint64_t ops, const char *id,
		      uint32_t length)
{
	hm_put(m, at + Q_FIRST, 0, 8);
	hm_put(m, at + Q_LENGTH, length, 4);
	hm_queue(m, at + Q_GSO, 0, 0);
	hm_queue(m, at + Q_BAD, 0, 0);
	hm_point(m, at + Q_OPS, ops);
	hm_put(m, at + Q_NODE, 0, 8);
	fake_put(m->f, ops + OPS_ID, id, 12);
}

/* A device with one transmit queue, which does nothing until the device is up. */
static void put_device(struct held_machine *m, uint64_t at, const char *name, uint64_t tx,
		       uint64_t queue)
{
	fake_put(m->f, at + D_NAME, name, 6);
	hm_point(m, at + D_TX, tx);
	hm_put(m, at + D_NR_TX, 1, 4);
	hm_point(m, at + D_QDISC, queue);
	hm_put(m, at + D_HASH, 0, 8);
	hm_put(m, at + D_HASH + 8, 0, 8);
	hm_point(m, tx, NOOP);
	hm_point(m, tx + 8, queue);
}

static struct held_machine *queue_machine(const char *root, uint32_t of_root, const char *below,
					  uint32_t length)
{
	struct held_machine *m = hm_new();

	state_queues(m->f);
	hm_queue(m, NETS, NET1 + N_LIST, NET2 + N_LIST);
	hm_queue(m, NET1 + N_DEVICES, NETDEV1 + D_LIST, 0);
	hm_queue(m, NET2 + N_DEVICES, 0, 0);
	hm_put(m, NET2 + N_INUM, 7, 4);
	put_device(m, NETDEV1, "eth0\0", TX1, QUEUE1);
	hm_point(m, NETDEV1 + D_HASH + 8, QUEUE2 + Q_NODE);
	put_queue(m, QUEUE1, OPS1, root, of_root);
	put_queue(m, QUEUE2, OPS2, below, length);
	return m;
}

static void put_ring(struct held_machine *m, uint64_t at, unsigned first)
{
	hm_point(m, at + R_ENTRIES, RING);
	hm_put(m, at + R_FIRST, first, 4);
	hm_put(m, at + R_SIZE, RING_ENTRIES, 4);
	for (unsigned i = 0; i < RING_ENTRIES; i++)
		hm_put(m, RING + 8 * i, 0, 8);
}

struct held_machine *hm_queues(void)
{
	struct held_machine *m = queue_machine("netem\0\0\0\0\0\0", 3, "pfifo\0\0\0\0\0\0", 3);

	fake_members(m->f, { M_NETEM_TREE, NETEM_TREE, 8 }, { M_NETEM_FIRST, NETEM_FIRST, 8 },
		     { M_NETEM_CHILD, NETEM_CHILD, 8 });
	fake_array(m->f, M_PFIFO_RINGS, 0, 16, 1);
	put_packet(m, 0, 1); /* to its left */
	put_packet(m, 1, 0);
	put_packet(m, 2, 0);
	hm_point(m, QUEUE1 + Q_PRIVATE + NETEM_TREE, hm_packet_at(0));
	hm_point(m, QUEUE1 + Q_PRIVATE + NETEM_FIRST, hm_packet_at(2));
	hm_put(m, QUEUE1 + Q_PRIVATE + NETEM_CHILD, 0, 8);
	put_packet(m, 3, 4);
	put_packet(m, 4, 0);
	put_packet(m, 5, 0);
	hm_point(m, QUEUE2 + Q_FIRST, hm_packet_at(3));
	hm_queue(m, QUEUE2 + Q_GSO, hm_packet_at(5), 0);
	hm_queue(m, NET2 + N_DEVICES, NETDEV2 + D_LIST, 0);
	put_device(m, NETDEV2, "veth1", TX2, QUEUE3);
	put_queue(m, QUEUE3, OPS3, "pfifo_fast\0", 0);
	put_ring(m, QUEUE3 + Q_PRIVATE, 2);
	put_packet(m, 6, 0);
	put_packet(m, 7, 0);
	hm_put(m, RING + 8, 0x123456789abcdef0, 8); /* was taken: nothing is there any more */
	hm_point(m, RING + 16, hm_packet_at(6));
	hm_point(m, RING + 24, hm_packet_at(7));
	return m;
}

static void state_fair(struct fake *f)
{
	fake_members(f, { M_FQ_ROOTS, FQ_ROOTS, 8 }, { M_FQ_LOG, FQ_LOG, 1 },
		     { M_FQ_INTERNAL, FQ_INTERNAL, 40 }, { M_FQ_NODE, FQ_NODE, 24 },
		     { M_FQ_FIRST, FQ_FIRST, 8 }, { M_FQ_TREE, FQ_TREE, 8 },
		     { M_FQCODEL_FLOWS, 0, 8 }, { M_FQCODEL_NR, 8, 4 }, { M_FQCODEL_FIRST, 0, 8 });
	fake_size(f, S_FQCODEL_FLOW, FLOW_SIZE);
}

static void put_flow(struct held_machine *m, uint64_t at, int first, int tree)
{
	hm_put(m, at + FQ_NODE, 0, 8);
	hm_put(m, at + FQ_NODE + 8, 0, 8);
	hm_put(m, at + FQ_FIRST, first < 0 ? 0 : fake_kva(m->f, hm_packet_at((unsigned)first)), 8);
	hm_put(m, at + FQ_TREE, tree < 0 ? 0 : fake_kva(m->f, hm_packet_at((unsigned)tree)), 8);
}

struct held_machine *hm_fair_queues(void)
{
	struct held_machine *m = queue_machine("fq\0\0\0\0\0\0\0\0\0", 4, "fq_codel\0\0\0", 2);

	state_fair(m->f);
	for (unsigned i = 0; i < 6; i++)
		put_packet(m, i, i == 4 ? 5 : 0);
	put_flow(m, FLOW1, 0, 1);
	put_flow(m, FLOW2, -1, 2);
	hm_point(m, FLOW1 + FQ_NODE, FLOW2); /* to its left */
	put_flow(m, QUEUE1 + Q_PRIVATE + FQ_INTERNAL, 3, -1);
	hm_point(m, QUEUE1 + Q_PRIVATE + FQ_ROOTS, ROOTS);
	hm_put(m, QUEUE1 + Q_PRIVATE + FQ_LOG, 1, 1);
	hm_put(m, ROOTS, 0, 8);
	hm_point(m, ROOTS + 8, FLOW1);
	hm_point(m, QUEUE2 + Q_PRIVATE, FLOWS);
	hm_put(m, QUEUE2 + Q_PRIVATE + 8, 2, 4);
	hm_put(m, FLOWS, 0, 8);
	hm_point(m, FLOWS + FLOW_SIZE, hm_packet_at(4));
	return m;
}

struct held_machine *hm_tun(void)
{
	struct held_machine *m = hm_new();

	state_queues(m->f);
	m->f->kernel.layout.v[Y_NETS].alt = -1;
	fake_members(m->f, { M_INODE_RDEV, 32, 4 }, { M_TUN_STRUCT, TUN_STRUCT, 8 },
		     { M_TUN_RING, TUN_RING, 16 }, { M_TUN_DEVICE, 0, 8 });
	hm_point(m, FDS + 40, FILE_AT);
	hm_put(m, SB_AT, 0x1373, 8);
	hm_file(m, FILE_AT, INODE_AT, SB_AT, 0020600, 77);
	hm_put(m, INODE_AT + 32, 10u << 20 | 200, 4);
	hm_point(m, FILE_AT + 8, TUN_FILE);
	hm_point(m, TUN_FILE + TUN_STRUCT, TUN);
	hm_point(m, TUN, NETDEV1);
	fake_put(m->f, NETDEV1 + D_NAME, "tap0", 5);
	put_ring(m, TUN_FILE + TUN_RING, 3);
	put_packet(m, 0, 0);
	hm_point(m, RING + 24, hm_packet_at(0));
	hm_put(m, RING, fake_kva(m->f, HIDDEN + 0x9040) | 1, 8);
	return m;
}
