/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_hidden.h - the held machine with memory that no counter of the kernel has and no process maps: disks in
 * memory, data for ciphers. Physical addresses are for the tests that damage them.
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

#endif
