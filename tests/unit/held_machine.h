/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_machine.h - a machine made by hand, with a process that has a pipe and a socket: for tests of owners. */
#ifndef VMCENSUS_TESTS_HELD_MACHINE_H
#define VMCENSUS_TESTS_HELD_MACHINE_H

#include "model/memory/owners/holders.h"
#include "tests/unit/fake.h"

/* Physical addresses. Frames from DATA on have no class; those below are a slab. */
enum {
	PAGES = 0x400000, TASK = 0x1000, FILES = 0x1100, FDT = 0x1200, FDS = 0x1300,
	FILE_PIPE = 0x2000, FILE_SOCKET = 0x2100, FILE_SENT = 0x2200,
	INODE_PIPE = 0x3000, INODE_SOCKET = 0x3100, INODE_SENT = 0x3200, SB_PIPE = 0x3300,
	SB_SOCKET = 0x3400, PIPE = 0x4000, BUFS = 0x4100, SENT = 0x4200, SENT_BUFS = 0x4300,
	SOCKET = 0x5000, SK = 0x5100, SKB = 0x5200, SKB2 = 0x5300, HEAD = 0x5400, HEAD2 = 0x5800,
	RIGHTS = 0x5c00, CACHE = 0x6000, DATA = 0x200000,
};
/* The machine has as many; the last ones have the struct pages. */
enum { HELD_FRAMES = 0x480 };
enum { STRUCT_PAGE = 64, SLOTS = 4, OBJECT = 96, HEAD_BYTES = 0x100 };
/* A slab is a page; of its objects, struct page says how many there are and how many are in use. */
enum { PER_SLAB = 42, PAGE_INUSE = 32, PAGE_OBJECTS = 34 };
enum { PIPE_HEAD = 0, PIPE_TAIL = 4, PIPE_SLOTS = 8, PIPE_BUFS = 16, BUFFER = 40 };
enum { SK_FAMILY = 0, SK_STATE = 2, SK_TYPE = 4, SK_PROTOCOL = 6, SK_FRAG = 8, SK_BACKLOG = 16,
       SK_RECEIVE = 24, SK_WRITE = 40, SK_ERROR = 56 };
enum { SKB_SK = 16, SKB_CB = 24, SKB_HEAD = 72, SKB_END = 80, SKB_HEAD_FRAG = 84 };
enum { INFO_NR = 0, INFO_LIST = 8, INFO_FRAGS = 16 };

struct held_machine {
	struct fake *f;
	struct snapshot s;
	struct task task;
	struct proc proc;
	struct memmap_range range;
	struct page_classes c;
	struct vmalloc areas;
	uint8_t *chunk;
	struct arena mem;
	struct owners owners;
};

uint64_t hm_page(const struct held_machine *m, uint64_t pa);
void hm_put(struct held_machine *m, uint64_t pa, uint64_t v, unsigned size);
/* A pointer at PA. */
void hm_point(struct held_machine *m, uint64_t pa, uint64_t to);
void hm_file(struct held_machine *m, uint64_t file, uint64_t inode, uint64_t sb, uint64_t mode, uint64_t ino);
/* A pipe whose head and tail have wrapped: the pages of its N used slots begin at PA. */
void hm_pipe(struct held_machine *m, uint64_t pipe, uint64_t bufs, uint32_t tail, uint32_t n, uint64_t pa);
/* A list with its head at AT, of two nodes; SECOND 0: of one; FIRST 0: an empty one. */
void hm_queue(struct held_machine *m, uint64_t at, uint64_t first, uint64_t second);
/* An sk_buff with its data at HEAD, and a fragment in PAGE. */
void hm_skb(struct held_machine *m, uint64_t skb, uint64_t head, uint64_t page);
/* Two possible CPUs; the per-CPU data of the second lie CPU_BYTES higher. */
enum { CPU_BYTES = 0x80000 };
void hm_cpus(struct held_machine *m);
/* The types of xarrays: the head of one is its first word. */
void hm_xarrays(struct held_machine *m);

struct held_machine *hm_new(void);
/* Another machine, which it owns: nobody holds anything. */
struct held_machine *hm_of(struct fake *f);
void hm_build(struct held_machine *m);
void hm_free(struct held_machine *m);
/* What the object at PA has in CLASS; nothing: all 0. */
const struct owner *hm_owner(const struct held_machine *m, uint64_t pa, enum page_class class);

#endif
