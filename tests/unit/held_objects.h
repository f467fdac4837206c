/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_objects.h - the held machine (held_machine.h) with one object more, of each kind that can own
 * memory of the kernel. Unit tests read and damage them; tests/fuzz/fuzz_held.c does both at random.
 */
#ifndef VMCENSUS_TESTS_HELD_OBJECTS_H
#define VMCENSUS_TESTS_HELD_OBJECTS_H

#include "tests/unit/held_machine.h"

/* Physical addresses: a further file of the process, its object, and what that leads to. */
enum {
	FILE_AT = 0x2300, INODE_AT = 0x3500, SB_AT = 0x3600, DENTRY = 0x3700, NAME_AT = 0x3740,
	OBJECT_AT = 0x7000, NODE1 = 0x7100, NODE2 = 0x7180, NODE3 = 0x7200, WAIT = 0x7280,
	MSG1 = 0x7300, MSG2 = 0x7380, SEGMENT = 0x7400, ARRAY = 0x7500, ARRAY2 = 0x7580,
	TEXT = 0x7600, OTHER = 0x7700, IPC_NS = 0x8000, IPC_SB = 0x8300,
};
/* Frames of an object: those from MORE on. */
enum { MORE = DATA + 0x20000 };

/* ---- held_files.c: behind a file of the process ---- */

struct held_machine *hm_epoll(void);
struct held_machine *hm_epoll_list(void);	/* until 5.10: waits of an item are a list */
struct held_machine *hm_inotify(void);
struct held_machine *hm_mqueue(void);
struct held_machine *hm_trie(void);
struct held_machine *hm_bpf_percpu(void);	/* a hash whose elements are made in advance */
struct held_machine *hm_bpf_chains(void);	/* one by one */
struct held_machine *hm_bpf_ring(void);
struct held_machine *hm_bpf_stacks(void);
struct held_machine *hm_bpf_arena(void);
struct held_machine *hm_uring(void);		/* as in 6.1 */
struct held_machine *hm_uring_arrays(void);	/* 6.5 */
struct held_machine *hm_uring_regions(void);	/* 6.14 */
struct held_machine *hm_perf(void);
struct held_machine *hm_perf_area(void);	/* its pages are an area of vmalloc() */
struct held_machine *hm_dmabuf(void);

/* ---- held_sockets.c ---- */

struct held_machine *hm_packet(void);
struct held_machine *hm_xdp(void);
struct held_machine *hm_tcp(void);
struct held_machine *hm_tcp_listens(void);
struct held_machine *hm_udp(void);
struct held_machine *hm_unix_listens(void);

/* ---- held_lists.c: in lists of the kernel ---- */

struct held_machine *hm_ipc(void);		/* messages and semaphores */
struct held_machine *hm_trace(void);
struct held_machine *hm_pools(void);		/* for DMA, swiotlb, fragments of packets */
struct held_machine *hm_hashes(void);
struct held_machine *hm_page_pool(void);	/* three pages; the class of each is theirs */
struct held_machine *hm_zbud(void);
struct held_machine *hm_zbud_lru(void);		/* as in 6.1 */
struct held_machine *hm_zswap(void);		/* in zsmalloc, as in 6.18 */
struct held_machine *hm_swap_charges(void);

/* A pool of zsmalloc at AT, which takes 0x200 bytes: a zspage of two pages, and a huge one. */
void hm_zspool(struct held_machine *m, uint64_t at);

/* ---- held_devices.c ---- */

struct held_machine *hm_block(void);		/* a disk of zram, as in 6.12 */
struct held_machine *hm_block_class(void);	/* as in 5.10 */
struct held_machine *hm_balloon(void);

/* ---- held_xfs.c ---- */

enum { XFS_SUPERS = 0x7000, XFS_SUPER = 0x7100, XFS_MOUNT = 0x7200, XFS_DEVICE = 0x7300, XFS_TABLE = 0x7400,
       XFS_BUF1 = 0x7800, XFS_BUF2 = 0x7900, XFS_BUF3 = 0x7a00, XFS_GROUP = 0x7b00 };
enum { XFS_HASH = 24, XFS_HASH_COUNT = 8, XFS_NEST = 4, XFS_FUTURE = 8, XFS_BUF_MOUNT = 16 };

struct held_machine *hm_xfs(void);		/* one hash for each device, folios: 7.3 */
struct held_machine *hm_xfs_groups(void);	/* a hash for each group, arrays of pages: 6.1 */

/* ---- of all memory ---- */

/* held_slub.c, as in 6.18: one slab of a node is partial, and one of a CPU. */
struct held_machine *hm_slub(void);
/* held_pages.c: page_owner knows who allocated some frames (6.1). */
struct held_machine *hm_page_owner(void);
struct held_machine *hm_page_owner_new(void);	/* pools are counted from 1, and found by a pointer: 7.1 */
/* The same of allocation tags, in page_ext (6.12) and in the flags of pages (6.14). */
struct held_machine *hm_tags(void);
struct held_machine *hm_tags_in_flags(void);

#endif
