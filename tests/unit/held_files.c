/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_files.c - the held machine with one more file, whose object owns memory. */
#include "facts/layout/file.h"
#include "facts/layout/holder.h"
#include "facts/layout/kmem.h"
#include "model/kernel/file/path.h"
#include "tests/unit/held_objects.h"

/* The process has one more file, of the file system MAGIC, whose name is NAME (16 bytes). */
static struct held_machine *machine(uint64_t magic, const char *name)
{
	struct held_machine *m = hm_new();

	fake_members(m->f, { M_FILE_DENTRY, 24, 8 }, { M_DENTRY_NAME, 0, 8 }, { M_RB_LEFT, 0, 8 },
		     { M_RB_RIGHT, 8, 8 });
	hm_point(m, FDS + 40, FILE_AT);
	hm_put(m, SB_AT, magic, 8);
	hm_file(m, FILE_AT, INODE_AT, SB_AT, 0100600, 77);
	hm_point(m, FILE_AT + 8, OBJECT_AT);
	hm_point(m, FILE_AT + 24, DENTRY);
	hm_point(m, DENTRY, NAME_AT);
	fake_put(m->f, NAME_AT, name, 16);
	return m;
}

/* A node, and one to its left and its right. */
static void put_tree(struct held_machine *m)
{
	hm_point(m, NODE1, NODE2);
	hm_point(m, NODE1 + 8, NODE3);
	for (unsigned i = 0; i < 16; i += 8) {
		hm_put(m, NODE2 + i, 0, 8);
		hm_put(m, NODE3 + i, 0, 8);
	}
}

/* ---- epoll, watches, messages ---------------------------------------------------------------- */

/* Three items, one of which waits. */
struct held_machine *hm_epoll(void)
{
	struct held_machine *m = machine(MAGIC_ANON_INODE, "[eventpoll]\0\0\0\0");

	fake_members(m->f, { M_EPOLL_TREE, 16, 8 }, { M_EPITEM_NODE, 0, 24 },
		     { M_EPITEM_WAITS, 64, 8 }, { M_EPWAIT_NEXT, 0, 8 });
	hm_point(m, OBJECT_AT + 16, NODE1);
	put_tree(m);
	hm_put(m, NODE1 + 64, 0, 8);
	hm_put(m, NODE2 + 64, 0, 8);
	hm_point(m, NODE3 + 64, WAIT);
	hm_put(m, WAIT, 0, 8);
	return m;
}

/* Two of which wait. */
struct held_machine *hm_epoll_list(void)
{
	struct held_machine *m = machine(MAGIC_ANON_INODE, "[eventpoll]\0\0\0\0");

	fake_members(m->f, { M_EPOLL_TREE, 16, 8 }, { M_EPITEM_NODE, 0, 24 },
		     { M_EPITEM_WAITS, 64, 16 }, { M_EPWAIT_LINK, 8, 16 });
	hm_point(m, OBJECT_AT + 16, NODE1);
	put_tree(m);
	hm_queue(m, NODE1 + 64, 0, 0);
	hm_queue(m, NODE2 + 64, WAIT + 8, MSG1 + 8);
	hm_queue(m, NODE3 + 64, 0, 0);
	return m;
}

/* Two marks. The file of the second has a mark of somebody else too. */
struct held_machine *hm_inotify(void)
{
	struct held_machine *m = machine(MAGIC_ANON_INODE, "inotify\0\0\0\0\0\0\0\0");

	fake_members(m->f, { M_FSN_MARKS, 16, 16 }, { M_FSN_MARK_LIST, 8, 16 },
		     { M_FSN_MARK_NEXT, 24, 8 }, { M_FSN_CONNECTOR, 32, 8 },
		     { M_FSN_CONNECTOR_FIRST, 16, 8 });
	hm_queue(m, OBJECT_AT + 16, NODE1 + 8, NODE2 + 8);
	hm_put(m, NODE1 + 24, 0, 8);
	hm_point(m, NODE1 + 32, MSG1);
	hm_point(m, MSG1 + 16, NODE1 + 24);
	hm_put(m, NODE2 + 24, 0, 8);
	hm_point(m, NODE2 + 32, MSG2);
	hm_point(m, MSG2 + 16, NODE3 + 24);
	return m;
}

/* Messages of one priority, of which one has more than a page. */
struct held_machine *hm_mqueue(void)
{
	struct held_machine *m = machine(MAGIC_MQUEUE, "q\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
	uint64_t queue = INODE_AT - 0x10;

	fake_members(m->f, { M_MQUEUE_INODE, 0x10, 64 }, { M_MQUEUE_TREE, 0x80, 8 },
		     { M_MQUEUE_CACHE, 0x88, 8 }, { M_MQNODE_LIST, 24, 16 }, { M_MSG_LIST, 0, 16 },
		     { M_MSG_NEXT, 16, 8 }, { M_MSGSEG_NEXT, 0, 8 });
	hm_point(m, queue + 0x80, NODE1);
	hm_put(m, queue + 0x88, 0, 8);
	hm_put(m, NODE1, 0, 8);
	hm_put(m, NODE1 + 8, 0, 8);
	hm_queue(m, NODE1 + 24, MSG1, MSG2);
	hm_put(m, MSG1 + 16, 0, 8);
	hm_point(m, MSG2 + 16, SEGMENT);
	hm_put(m, SEGMENT, 0, 8);
	return m;
}

/* ---- maps of BPF ------------------------------------------------------------------------------- */

enum { BPF_TYPE = 0, BPF_KEY = 4, BPF_VALUE = 8, BPF_ENTRIES = 12, BPF_FLAGS = 16, BPF_ID = 20,
       BPF_NAME = 24, BPF_REFS = 40, BPF_ROOT = 48, BPF_ELEMS = 56, BPF_BUCKETS = 64 };

/* A map of TYPE with 8 entries of 12 bytes; another of which only the kernel's list tells. */
static struct held_machine *bpf_machine(unsigned type, uint32_t flags)
{
	struct held_machine *m = machine(MAGIC_ANON_INODE, "bpf-map\0\0\0\0\0\0\0\0");

	fake_members(m->f, { M_BPF_TYPE, BPF_TYPE, 4 }, { M_BPF_KEY_SIZE, BPF_KEY, 4 },
		     { M_BPF_VALUE_SIZE, BPF_VALUE, 4 }, { M_BPF_MAX_ENTRIES, BPF_ENTRIES, 4 },
		     { M_BPF_FLAGS, BPF_FLAGS, 4 }, { M_BPF_ID, BPF_ID, 4 },
		     { M_BPF_NAME, BPF_NAME, 16 }, { M_BPF_REFS, BPF_REFS, 8 });
	fake_symbol(m->f, Y_MAP_IDR, fake_kva(m->f, ARRAY2));
	hm_xarrays(m);
	fake_member(m->f, M_IDR_ROOT, 0, 16);
	hm_point(m, ARRAY2, OTHER);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = i ? OTHER : OBJECT_AT;

		hm_put(m, at + BPF_TYPE, i ? 2 : type, 4);
		hm_put(m, at + BPF_VALUE, 12, 4);
		hm_put(m, at + BPF_ENTRIES, 8, 4);
		hm_put(m, at + BPF_FLAGS, flags, 4);
		hm_put(m, at + BPF_ID, 3 + i, 4);
		fake_put(m->f, at + BPF_NAME, i ? "other" : "map\0\0", 6);
		hm_put(m, at + BPF_REFS, 1, 8);
	}
	return m;
}

/* A root and two nodes below it. */
struct held_machine *hm_trie(void)
{
	struct held_machine *m = bpf_machine(11, 0);

	fake_member(m->f, M_LPM_ROOT, BPF_ROOT, 8);
	fake_array(m->f, M_LPM_CHILD, 0, 8, 2);
	hm_point(m, OBJECT_AT + BPF_ROOT, NODE1);
	put_tree(m);
	return m;
}

static void state_hash(struct held_machine *m)
{
	fake_members(m->f, { M_BPF_BUCKETS, BPF_BUCKETS, 8 }, { M_BPF_ELEMS, BPF_ELEMS, 8 },
		     { M_BPF_NR_BUCKETS, BPF_ROOT, 4 });
	fake_size(m->f, S_BPF_BUCKET, 16);
	hm_point(m, OBJECT_AT + BPF_BUCKETS, ARRAY);
	hm_put(m, OBJECT_AT + BPF_ROOT, 2, 4);
}

/* Its elements are a page. */
struct held_machine *hm_bpf_percpu(void)
{
	struct held_machine *m = bpf_machine(5, 0);

	hm_cpus(m);
	state_hash(m);
	hm_point(m, OBJECT_AT + BPF_ELEMS, MORE);
	return m;
}

/* Two elements in the first of two buckets. A chain ends in an odd number. */
struct held_machine *hm_bpf_chains(void)
{
	struct held_machine *m = bpf_machine(1, 1);

	state_hash(m);
	hm_put(m, OBJECT_AT + BPF_ELEMS, 0, 8);
	hm_point(m, ARRAY, NODE1);
	hm_put(m, ARRAY + 16, 3, 8);
	hm_point(m, NODE1, NODE2);
	hm_put(m, NODE2, 1, 8);
	return m;
}

struct held_machine *hm_bpf_ring(void)
{
	struct held_machine *m = bpf_machine(27, 0);

	fake_members(m->f, { M_BPF_RING, BPF_ROOT, 8 }, { M_BPF_RING_PAGES, 0, 8 },
		     { M_BPF_RING_NR_PAGES, 8, 4 });
	hm_point(m, OBJECT_AT + BPF_ROOT, NODE1);
	hm_point(m, NODE1, ARRAY);
	hm_put(m, NODE1 + 8, 3, 4);
	for (unsigned i = 0; i < 3; i++)
		hm_put(m, ARRAY + 8 * i, hm_page(m, MORE + 0x1000 * i), 8);
	return m;
}

/* Three pages of its area; one more area is not its own. */
struct held_machine *hm_bpf_arena(void)
{
	static struct vmalloc_area areas[2];
	struct held_machine *m = bpf_machine(33, 0);

	for (unsigned i = 0; i < 2; i++)
		areas[i] = (struct vmalloc_area){ .kind = AREA_OF_VM,
						  .flags = AREA_SPARSE,
						  .start = fake_kva(m->f, MORE + i * 0x8000),
						  .size = 3 << 12 };
	m->areas = (struct vmalloc){ .v = areas, .n = 2 };
	fake_members(m->f, { M_ARENA_AREA, BPF_ROOT, 8 }, { M_VM_ADDR, 8, 8 });
	hm_point(m, OBJECT_AT + BPF_ROOT, NODE1);
	hm_point(m, NODE1 + 8, MORE);
	return m;
}

struct held_machine *hm_bpf_stacks(void)
{
	struct held_machine *m = bpf_machine(7, 0);

	fake_member(m->f, M_BPF_STACK_ELEMS, BPF_ELEMS, 8);
	hm_point(m, OBJECT_AT + BPF_ELEMS, MORE);
	return m;
}

/* ---- io_uring ------------------------------------------------------------------------------------ */

enum { URING_RING = 8, URING_SQ = 24, URING_PARAM = 40, URING_BUFS = 56, URING_RING_ARRAY = 80,
       URING_NR_RING = 88, URING_SQ_ARRAY = 96, URING_NR_SQ = 104 };

/* A registered buffer of two pages. */
static void put_buffer(struct held_machine *m, uint64_t at)
{
	fake_member(m->f, M_UBUF_NR, 0, 4);
	fake_member(m->f, M_UBUF_BVEC, 16, 0);
	fake_size(m->f, S_BIO_VEC, 16);
	fake_member(m->f, M_BVEC_PAGE, 0, 8);
	hm_put(m, at, 2, 4);
	hm_put(m, at + 16, hm_page(m, MORE + 0x8000), 8);
	hm_put(m, at + 32, hm_page(m, MORE + 0x9000), 8);
}

static struct held_machine *uring_machine(void)
{
	struct held_machine *m = machine(MAGIC_ANON_INODE, "[io_uring]\0\0\0\0\0");

	fake_members(m->f, { M_URING_RINGS, URING_RING, 8 }, { M_URING_SQES, URING_SQ, 8 },
		     { M_URING_BUFS, URING_BUFS, 8 }, { M_URING_NR_BUFS, URING_BUFS + 8, 4 });
	hm_point(m, OBJECT_AT + URING_RING, MORE);
	hm_point(m, OBJECT_AT + URING_SQ, MORE + 0x1000);
	hm_point(m, OBJECT_AT + URING_BUFS, ARRAY);
	hm_put(m, OBJECT_AT + URING_BUFS + 8, 1, 4);
	hm_point(m, ARRAY, NODE1);
	put_buffer(m, NODE1);
	return m;
}

struct held_machine *hm_uring(void)
{
	return uring_machine();
}

static void put_array(struct held_machine *m, uint64_t at, uint64_t n, uint64_t first)
{
	for (unsigned i = 0; i < n; i++)
		hm_put(m, at + 8 * i, hm_page(m, first + 0x1000 * i), 8);
}

struct held_machine *hm_uring_arrays(void)
{
	struct held_machine *m = uring_machine();

	fake_member(m->f, M_URING_RING_PAGES, URING_RING_ARRAY, 8);
	fake_member(m->f, M_URING_NR_RING_PAGES, URING_NR_RING, 2);
	fake_member(m->f, M_URING_SQE_PAGES, URING_SQ_ARRAY, 8);
	fake_member(m->f, M_URING_NR_SQE_PAGES, URING_NR_SQ, 2);
	hm_point(m, OBJECT_AT + URING_RING_ARRAY, MSG1);
	hm_put(m, OBJECT_AT + URING_NR_RING, 2, 2);
	put_array(m, MSG1, 2, MORE);
	hm_put(m, OBJECT_AT + URING_SQ_ARRAY, 0, 8);
	hm_put(m, OBJECT_AT + URING_NR_SQ, 0, 2);
	hm_point(m, OBJECT_AT + URING_SQ, MORE + 0x2000);
	return m;
}

/* The regions of the rings, of the queue, and none for parameters. */
struct held_machine *hm_uring_regions(void)
{
	struct held_machine *m = machine(MAGIC_ANON_INODE, "[io_uring]\0\0\0\0\0");

	fake_members(m->f, { M_URING_RING_REGION, URING_RING, 16 },
		     { M_URING_SQ_REGION, URING_SQ, 16 }, { M_URING_PARAM_REGION, URING_PARAM, 16 },
		     { M_REGION_PAGES, 0, 8 }, { M_REGION_NR_PAGES, 8, 4 },
		     { M_URING_BUF_TABLE, URING_BUFS, 16 }, { M_RSRC_NR, 0, 4 },
		     { M_RSRC_NODES, 8, 8 }, { M_RSRC_BUF, 0, 8 });
	hm_point(m, OBJECT_AT + URING_RING, MSG1);
	hm_put(m, OBJECT_AT + URING_RING + 8, 2, 4);
	put_array(m, MSG1, 2, MORE);
	hm_point(m, OBJECT_AT + URING_SQ, MSG2);
	hm_put(m, OBJECT_AT + URING_SQ + 8, 1, 4);
	put_array(m, MSG2, 1, MORE + 0x2000);
	hm_put(m, OBJECT_AT + URING_PARAM, 0, 8);
	hm_put(m, OBJECT_AT + URING_PARAM + 8, 0, 4);
	hm_put(m, OBJECT_AT + URING_BUFS, 1, 4);
	hm_point(m, OBJECT_AT + URING_BUFS + 8, ARRAY);
	hm_point(m, ARRAY, NODE2);
	hm_point(m, NODE2, NODE1);
	put_buffer(m, NODE1);
	return m;
}

/* ---- perf, dma-buf -------------------------------------------------------------------------------- */

/* A ring of two pages, and one of AUX. */
struct held_machine *hm_perf(void)
{
	struct held_machine *m = machine(MAGIC_ANON_INODE, "[perf_event]\0\0\0");

	fake_members(m->f, { M_PERF_EVENT_RB, 8, 8 }, { M_PERF_NR_PAGES, 0, 4 },
		     { M_PERF_USER_PAGE, 8, 8 }, { M_PERF_NR_AUX, 16, 4 },
		     { M_PERF_AUX_PAGES, 24, 8 }, { M_PERF_DATA_PAGES, 32, 0 });
	hm_point(m, OBJECT_AT + 8, NODE1);
	hm_put(m, NODE1, 2, 4);
	hm_point(m, NODE1 + 8, MORE);
	hm_put(m, NODE1 + 16, 1, 4);
	hm_point(m, NODE1 + 24, ARRAY);
	hm_point(m, NODE1 + 32, MORE + 0x1000);
	hm_point(m, NODE1 + 40, MORE + 0x2000);
	hm_point(m, ARRAY, MORE + 0x3000);
	return m;
}

struct held_machine *hm_perf_area(void)
{
	static struct vmalloc_area area = { .start = 0xffffc90000000000, .size = 0x4000,
					    .flags = AREA_ALLOC | AREA_USER, .npages = 3 };
	struct held_machine *m = hm_perf();

	area.pages = fake_kva(m->f, MSG1);
	m->areas = (struct vmalloc){ .v = &area, .n = 1 };
	hm_put(m, NODE1 + 8, area.start, 8);
	put_array(m, MSG1, 3, MORE);
	return m;
}

/* Of the system heap: two entries, a link to where the table goes on, and a third. */
struct held_machine *hm_dmabuf(void)
{
	struct held_machine *m = machine(MAGIC_DMABUF, "b\0\0\0\0\0\0\0\0\0\0\0\0\0\0");

	fake_members(m->f, { M_DMABUF_SIZE, 0, 8 }, { M_DMABUF_OPS, 8, 8 },
		     { M_DMABUF_PRIVATE, 16, 8 }, { M_DMABUF_EXPORTER, 24, 8 },
		     { M_DMABUF_NAME, 32, 8 }, { M_HEAP_TABLE, 16, 16 }, { M_SGT_LIST, 0, 8 },
		     { M_SGT_COUNT, 8, 4 }, { M_SG_LINK, 0, 8 }, { M_SG_LENGTH, 8, 4 });
	fake_size(m->f, S_SCATTERLIST, 32);
	fake_symbol(m->f, Y_SYSTEM_HEAP_OPS, fake_kva(m->f, TEXT));
	hm_put(m, OBJECT_AT, 0x4000, 8);
	hm_point(m, OBJECT_AT + 8, TEXT);
	hm_point(m, OBJECT_AT + 16, NODE1);
	hm_point(m, OBJECT_AT + 24, NAME_AT);
	hm_put(m, OBJECT_AT + 32, 0, 8);
	hm_point(m, NODE1 + 16, ARRAY);
	hm_put(m, NODE1 + 24, 3, 4);
	hm_put(m, ARRAY, hm_page(m, MORE), 8);
	hm_put(m, ARRAY + 8, 0x2000, 4);
	hm_put(m, ARRAY + 32, hm_page(m, MORE + 0x4000), 8);
	hm_put(m, ARRAY + 40, 0x1000, 4);
	hm_put(m, ARRAY + 64, fake_kva(m->f, MSG1) | 1, 8);
	hm_put(m, MSG1, hm_page(m, MORE + 0x6000) | 2, 8);
	hm_put(m, MSG1 + 8, 0x1000, 4);
	return m;
}
