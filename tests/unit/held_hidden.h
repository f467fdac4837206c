/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_hidden.h - the held machine with memory that no counter of the kernel has and no process maps: disks in
 * memory, data for ciphers, packets. Physical addresses are for the tests that damage them.
 */
#ifndef VMCENSUS_TESTS_HELD_HIDDEN_H
#define VMCENSUS_TESTS_HELD_HIDDEN_H

#include "tests/unit/held_objects.h"

/* Frames from here on have no other owner. */
enum { HIDDEN = DATA + 0x100000 };

/* ---- disks in memory ---- */

enum { RAM_DISK = 0x7300, BRD = 0x8100, BRD_NODE = 0x8400 };
enum { B_DISK = 0, B_COUNT = 8, B_PAGES = 16, BRD_SLOTS = 16 };

/* ram7, of which pages 0, 1 and 63 were written: frames HIDDEN, + 1 and + 8. */
struct held_machine *hm_ramdisk(void);

/* ---- sockets of AF_ALG ---- */

enum { ALG_PARENT = 0x50, ALG_TYPE = 0x58, ALG_PRIVATE = 0x60 };	/* of the socket */
enum { CIPHER = 0x7000, C_TABLES = 0, C_BYTES = 16, CIPHER_TYPE = 0x7100, T_NAME = 8 };
enum { TABLE1 = 0x7200, TABLE2 = 0x7300, SG_LIST = 0, SG_USED = 16, SG_FIRST = 24, SG_SIZE = 32, SG_BYTES = 12 };

/* The socket has two tables: of three entries, the first of which is done with, and of one. */
struct held_machine *hm_crypto(void);

/* ---- queues of network devices ---- */

enum { NETS = 0x7000, NET1 = 0x7040, NET2 = 0x70a0, NETDEV1 = 0x7100, NETDEV2 = 0x7200, TX1 = 0x7300, TX2 = 0x7340,
       NOOP = 0x6900 };
enum { N_LIST = 0x10, N_DEVICES = 0x20, N_INUM = 0x30 };
enum { D_LIST = 0, D_NAME = 0x10, D_TX = 0x20, D_NR_TX = 0x28, D_QDISC = 0x30, D_HASH = 0x40 };
enum { QUEUE1 = 0x7400, QUEUE2 = 0x7500, QUEUE3 = 0x7600, OPS1 = 0x7700, OPS2 = 0x7740, OPS3 = 0x7780 };
enum { Q_FIRST = 0, Q_LENGTH = 8, Q_GSO = 16, Q_BAD = 32, Q_OPS = 48, Q_NODE = 56, Q_PRIVATE = 72, OPS_ID = 8 };
enum { R_ENTRIES = 0, R_FIRST = 8, R_SIZE = 12, RING = 0x7800, RING_ENTRIES = 4 };
enum { NETEM_TREE = 0, NETEM_FIRST = 8, NETEM_CHILD = 16 };
enum { FLOWS = 0x7900, FLOW_SIZE = 16, FLOW1 = 0x7a00, FLOW2 = 0x7a40, ROOTS = 0x7a80 };
enum { FQ_ROOTS = 0, FQ_LOG = 8, FQ_INTERNAL = 16, FQ_NODE = 0, FQ_FIRST = 24, FQ_TREE = 32 };

/* An sk_buff, whose head lies behind it and whose fragment is the page HIDDEN + I. */
uint64_t hm_packet_at(unsigned i);
/*
 * eth0 has netem with packets 0 and 1 in its tree and 2 in its list, and below it a queue with 3, 4 and, segmented, 5. veth1,
 * of another namespace, has a ring of four entries: the third is taken next, packets 6 and 7.
 */
struct held_machine *hm_queues(void);
/* eth0 has fq, with packets 0 and 1 in one flow, 2 in another and 3 in that of its own; fq_codel below it has 4 and 5. */
struct held_machine *hm_fair_queues(void);

enum { TUN_FILE = OBJECT_AT, TUN_STRUCT = 8, TUN_RING = 16, TUN = 0x7b00 };

/* The process has a tun open, whose ring has packet 0 and, in the page HIDDEN + 9, a frame of XDP. */
struct held_machine *hm_tun(void);

#endif
