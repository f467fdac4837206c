/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_servers.h - the held machine with what servers and tools have made the kernel take: threads of RPC
 * servers, stripes of md arrays, a kernel loaded by kexec. Physical addresses are for the tests that damage them.
 */
#ifndef VMCENSUS_TESTS_HELD_SERVERS_H
#define VMCENSUS_TESTS_HELD_SERVERS_H

#include "tests/unit/held_objects.h"

/* Frames from here on have no other owner. */
enum { FREE = DATA + 0x100000 };

/* ---- threads of RPC servers ---- */

enum { KTHREAD = 0x7000, SERVER = 0x7100, POOL = 0x7200, NAME = 0x7300, RQST1 = 0x7400, RQST2 = 0x7800,
       ARGUMENTS = 0x7c00, CALL1 = 0x8000, CALL2 = 0x8100, REPLY1 = 0x8200, REPLY2 = 0x8300,
       BVEC = 0x8400 };
enum { R_SERVER = 16, R_POOL = 24, R_TASK = 32, R_ARGUMENTS = 40, R_SCRATCH = 48, R_MAXPAGES = 56,
       R_REPLY = 64, R_BVEC = 72, R_PAGES = 80, RPC_ARRAY = 5, POOL_COUNT = 16 };

/* Two threads, of which the list of tasks has one. */
struct held_machine *hm_rpc(void);		/* an array in each, the end of which has the pages of the reply: 6.12 */
struct held_machine *hm_rpc_arrays(void);	/* two arrays for each thread: 7.3 */

/* ---- stripes of md ---- */

enum { MD_DISK = 0x7300, MDDEV = 0x8100, CONF = 0x8200, TABLE = 0x9000, STRIPE1 = 0x8400, STRIPE2 = 0x8600,
       STRIPE3 = 0x8800, CPU_VAR = 0x8a00, SCRIBBLE = 0x8b00 };
enum { MD_LEVEL = 8, MD_CONF = 16, C_MDDEV = 0, C_HASH = 8, C_LISTS = 16, LISTS = 2, C_STRIPES = 48,
       C_DEVICES = 52, C_CPUS = 56 };
enum { S_LRU = 16, S_CONF = 32, S_DEVICES = 40, R5_DEVICE = 24, D_OWN = 8, D_FLAGS = 16, DEVICES = 3 };
enum { SKIP_COPY = 5 };

/* The first two are in the hash table, the second and third are not in use. */
struct held_machine *hm_raid(void);
/* The physical address of device I of a stripe. */
uint64_t hm_stripe_device(uint64_t stripe, unsigned i);

/* ---- kexec ---- */

enum { KEXEC_VAR = 0x7000, IMAGE = 0x7100, I_CONTROL = 16, I_CMA = 32, P_LRU = 8, P_PRIVATE = 40 };
enum { DESTINATION = 1, NEXT = 2, DONE = 4, SOURCE = 8 };
enum { LIST1 = FREE, LIST2 = FREE + 0x1000, CONTROL1 = FREE + 0x10000, CONTROL2 = FREE + 0x14000 };

struct held_machine *hm_kexec(void);
/* The physical address of page->lru of the frame at PA. */
uint64_t hm_lru(uint64_t pa);

#endif
