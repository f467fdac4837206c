/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory, of each kind: what a machine made by hand has, and nothing is incomplete. */
#include "dumpread/base/bytes.h"
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"

static const struct {
	const char *name;
	struct held_machine *(*make)(void);
	uint64_t object;
	struct { enum page_class class; uint64_t pages, objects; } has[2];	/* objects: of 96 bytes */
} kinds[] = {
	/* the map, its buckets; elements in a page; 10 values of 16 bytes on two CPUs are in no slab */
	{ "percpu hash", hm_bpf_percpu, OBJECT_AT, { { CLASS_SLAB, 0, 2 }, { CLASS_KMALLOC, 1, 0 } } },
	{ "hash", hm_bpf_chains, OBJECT_AT, { { CLASS_SLAB, 0, 4 } } },
	{ "ringbuf", hm_bpf_ring, OBJECT_AT, { { CLASS_BPF, 3, 0 }, { CLASS_SLAB, 0, 2 } } },
	{ "stack trace", hm_bpf_stacks, OBJECT_AT, { { CLASS_KMALLOC, 1, 0 }, { CLASS_SLAB, 0, 1 } } },
	{ "arena", hm_bpf_arena, OBJECT_AT, { { CLASS_VMALLOC, 3, 0 }, { CLASS_SLAB, 0, 1 } } },
	{ "other map", hm_trie, OTHER, { { CLASS_SLAB, 0, 1 } } },
	{ "io_uring", hm_uring, OBJECT_AT, { { CLASS_URING, 4, 0 }, { CLASS_SLAB, 0, 2 } } },
	{ "io_uring, arrays", hm_uring_arrays, OBJECT_AT, { { CLASS_URING, 5, 0 }, { CLASS_SLAB, 0, 2 } } },
	{ "io_uring, regions", hm_uring_regions, OBJECT_AT, { { CLASS_URING, 5, 0 }, { CLASS_SLAB, 0, 2 } } },
	{ "perf", hm_perf, NODE1, { { CLASS_PERF, 4, 0 }, { CLASS_SLAB, 0, 1 } } },
	{ "perf, area", hm_perf_area, NODE1, { { CLASS_VMALLOC, 3, 0 }, { CLASS_PERF, 1, 0 } } },
	{ "dma-buf", hm_dmabuf, OBJECT_AT, { { CLASS_DMABUF, 4, 0 }, { CLASS_SLAB, 0, 1 } } },
	/* the queues and the pool, beside what the socket of this machine has */
	{ "XDP", hm_xdp, SK, { { CLASS_PACKET, 3, 0 }, { CLASS_SLAB, 0, 9 } } },
	{ "TCP", hm_tcp, SK, { { CLASS_SOCKET, 7, 0 }, { CLASS_SLAB, 0, 11 } } },
	{ "TCP, listens", hm_tcp_listens, SK, { { CLASS_SOCKET, 6, 0 }, { CLASS_SLAB, 0, 8 } } },
	{ "UDP", hm_udp, SK, { { CLASS_SOCKET, 8, 0 }, { CLASS_SLAB, 0, 10 } } },
	/* the socket, one that waits and its sk_buff, which has those of the socket of this machine */
	{ "unix, listens", hm_unix_listens, SK, { { CLASS_SOCKET, 5, 0 }, { CLASS_SLAB, 0, 9 } } },
	{ "ftrace", hm_trace, 0x7040, { { CLASS_TRACE, 3, 0 }, { CLASS_SLAB, 0, 3 } } },
	{ "functions", hm_trace, 0x7340, { { CLASS_TRACE, 2, 0 } } },
	{ "names of tasks", hm_trace, MORE + 0x8000, { { CLASS_TRACE, 1, 0 } } },
	{ "DMA pool", hm_pools, 0x7040, { { CLASS_DMA, 2, 0 } } },
	{ "swiotlb", hm_pools, 0x7100, { { CLASS_SWIOTLB, 2, 0 } } },
	{ "fragments", hm_pools, 0x7200, { { CLASS_FRAGS, 1, 0 } } },
	{ "fragments of NAPI", hm_pools, 0x7240, { { CLASS_FRAGS, 1, 0 } } },
	{ "fragments of a task", hm_pools, TASK, { { CLASS_FRAGS, 1, 0 } } },
	{ "zswap", hm_zswap, OBJECT_AT, { { CLASS_SLAB, 0, 1 }, { CLASS_MOVABLE, 3, 0 } } },
	{ "driver", hm_block, 0x7400, { { CLASS_BLOCK, 3, 0 } } },
	{ "scheduler", hm_block, 0x7380, { { CLASS_BLOCK, 3, 0 } } },
	{ "integrity", hm_block, 0x7580, { { CLASS_BLOCK, 2, 0 } } },
	{ "zram", hm_block, 0x7540, { { CLASS_KMALLOC, 1, 0 }, { CLASS_MOVABLE, 3, 0 } } },
	{ "scheduler, 5.10", hm_block_class, 0x7380, { { CLASS_BLOCK, 3, 0 } } },
	{ "balloon", hm_balloon, 0x7400, { { CLASS_OFFLINE, 2, 0 } } },
};

/* A pointer that cannot be one, or a number that is too large, is told: an issue, or a row that is incomplete. */
static const struct {
	struct held_machine *(*make)(void);
	uint64_t at, value;
	unsigned size;
} told[] = {
	{ hm_new, CACHE, 1u << 30, 4 },			/* the size of objects */
	{ hm_new, RIGHTS + 8, 0x1000, 8 },		/* a descriptor that a socket carries */
	{ hm_new, RIGHTS, 254, 2 },			/* their number */
	{ hm_epoll, FILE_AT + 24, 0x1000, 8 },		/* the name of a file */
	{ hm_epoll, DENTRY, 0x1000, 8 },
	{ hm_bpf_arena, NODE1 + 8, FAKE_BASE + MORE + 0x1000, 8 },	/* the middle of an area */
	{ hm_bpf_arena, NODE1 + 8, FAKE_BASE + MORE + 0x4000, 8 },	/* none */
	{ hm_trie, ARRAY2, 0x1000, 8 },			/* the kernel's list of maps */
	{ hm_ipc, IPC_NS + 0x20, 0x1000, 8 },		/* the list of semaphores, of queues, the mount of POSIX queues */
	{ hm_ipc, IPC_NS + 0x60, 0x1000, 8 },
	{ hm_ipc, IPC_NS + 0x110, 0x1000, 8 },
	{ hm_trace, 0x7308, 3, 8 },			/* pages of the tables of functions; no table */
	{ hm_trace, 0x7300, 0, 8 },
	{ hm_block, PAGES + ((MORE + 0x12000) >> 12) * STRUCT_PAGE + 40, 0, 8 },	/* the order of a block of requests */
	{ hm_block, 0x7640, DATA, 8 },			/* a request, their list, their number */
	{ hm_block, 0x7498, 0x1000, 8 },
	{ hm_block, 0x7490, UINT32_MAX, 4 },
	{ hm_block, 0x7390, 0x1000, 8 },		/* a queue of the hardware, the array of them, one of it */
	{ hm_block_class, 0x7390, 0x1000, 8 },
	{ hm_block_class, 0x74e0, 0x1000, 8 },
	{ hm_dmabuf, OBJECT_AT + 8, 0x1000, 8 },	/* its operations */
	{ hm_perf_area, MSG1, 0x1000, 8 },		/* a page of an area */
	{ hm_inotify, MSG1 + 16, 0x1000, 8 },		/* the first mark of a file */
	{ hm_uring, ARRAY, 0x1000, 8 },			/* a registered buffer; a node, and its buffer */
	{ hm_uring_regions, ARRAY, 0x1000, 8 },
	{ hm_uring_regions, NODE2, 0x1000, 8 },
	{ hm_balloon, 0x7100, 0x1000, 8 },		/* the bus, its name, the device, its driver, the name of that */
	{ hm_balloon, 0x7180, 0x1000, 8 },
	{ hm_balloon, 0x71e0, 0x1000, 8 },
	{ hm_balloon, 0x7248, 0x1000, 8 },
	{ hm_balloon, 0x7300, 0x1000, 8 },
};

static void test_told(struct held_machine *m)
{
	uint64_t bytes = 0, lost;

	hm_build(m);
	lost = issues_total(m->f->kernel.issues);
	for (uint32_t i = 0; i < m->owners.n; i++) {
		lost += m->owners.v[i].incomplete;
		bytes += m->owners.v[i].class == CLASS_SLAB ? m->owners.v[i].size : 0;
	}
	CHECK(lost);
	CHECK(bytes <= m->c.count[CLASS_SLAB].pages << 12);
	hm_free(m);
}

/* The page is not in the dump. */
static void test_lost(struct held_machine *m, uint64_t at)
{
	fake_drop(m->f, at);
	test_told(m);
}

static uint64_t hash_pages(const struct held_machine *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->owners.n; i++)
		n += m->owners.v[i].kind == OWNER_HASH ? m->owners.v[i].pages : 0;
	return n;
}

int main(void)
{
	struct held_machine *m;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		m = kinds[i].make();
		hm_build(m);
		for (unsigned j = 0; j < 2 && kinds[i].has[j].class; j++) {
			enum page_class class = kinds[i].has[j].class;
			const struct owner *o = hm_owner(m, kinds[i].object, class);
			bool right = CHECK_EQ(o->pages, kinds[i].has[j].pages) &&
				     CHECK(!kinds[i].has[j].objects ||
					   o->size == kinds[i].has[j].objects * OBJECT) &&
				     CHECK(!o->incomplete);

			if (!right)
				printf("%s: %s: %u bytes\n", kinds[i].name, page_class_name(class),
				       (unsigned)o->size);
		}
		if (!CHECK_EQ(issues_total(m->f->kernel.issues), 0))
			printf("%s\n", kinds[i].name);
		hm_free(m);
	}
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		m = told[i].make();
		hm_put(m, told[i].at, told[i].value, told[i].size);
		test_told(m);
	}
	test_lost(hm_swap_charges(), OBJECT_AT);
	test_lost(hm_balloon(), OBJECT_AT);
	m = hm_hashes();
	hm_build(m);
	/* a page, 8 KiB, 8 KiB and one of an area, of 64 entries a page */
	CHECK_EQ(hash_pages(m), 1 + 2 + 2 + 1);
	hm_free(m);
	return check_done();
}
