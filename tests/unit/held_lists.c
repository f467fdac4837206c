/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_lists.c - the held machine with objects of which the kernel has lists. */
#include "facts/layout/file.h"
#include "facts/layout/holder.h"
#include "facts/layout/module.h"
#include "facts/layout/swap.h"
#include "facts/layout/system.h"
#include "tests/unit/held_objects.h"

/* ---- messages and semaphores --------------------------------------------------------------------- */

enum { IDS = 0x20, ID_BYTES = 0x40, MOUNT = 0x8200, PROXY = 0x8400, IPC_NS2 = 0x8800 };
enum { QUEUE_PERM = 0x10, QUEUE_LIST = 0x20, QUEUE_COUNT = 0x30 };
enum { SEMAPHORES = OBJECT_AT, QUEUE = OTHER };

static void state_ipc(struct fake *f)
{
	fake_symbol(f, Y_INIT_IPC_NS, fake_kva(f, IPC_NS));
	fake_array(f, M_IPC_IDS, IDS, ID_BYTES, 3);
	fake_members(f, { M_IPC_IDR, 0, 16 }, { M_IDR_ROOT, 0, 16 }, { M_IPC_ID, 0, 4 },
		     { M_IPC_KEY, 4, 4 }, { M_SEM_COUNT, 8, 4 }, { M_MSGQ_PERM, QUEUE_PERM, 16 },
		     { M_MSGQ_MESSAGES, QUEUE_LIST, 16 }, { M_MSGQ_COUNT, QUEUE_COUNT, 4 },
		     { M_MSG_LIST, 0, 16 }, { M_MSG_NEXT, 16, 8 }, { M_MSGSEG_NEXT, 0, 8 },
		     { M_TASK_NSPROXY, 8, 8 }, { M_NSPROXY_IPC, 0, 8 });
}

/* The POSIX queues of the namespace: one, which nobody has open. */
static void put_mqueues(struct held_machine *m)
{
	enum { TREE = 0x80, SPARE = 0x88, OF_SB = 0x28 };
	uint64_t queue = INODE_AT - 0x10;

	fake_members(m->f, { M_IPC_MQUEUES, 0x110, 8 }, { M_VFSMOUNT_SB, 8, 8 },
		     { M_SB_INODES, 16, 16 }, { M_INODE_SB_LIST, OF_SB, 16 },
		     { M_MQUEUE_INODE, 0x10, 64 }, { M_MQUEUE_TREE, TREE, 8 },
		     { M_MQUEUE_CACHE, SPARE, 8 }, { M_MQNODE_LIST, 24, 16 }, { M_RB_LEFT, 0, 8 },
		     { M_RB_RIGHT, 8, 8 });
	hm_point(m, IPC_NS + 0x110, MOUNT);
	hm_point(m, MOUNT + 8, IPC_SB);
	hm_queue(m, IPC_SB + 16, INODE_AT + OF_SB, 0);
	hm_put(m, INODE_AT, 0100600, 2);
	hm_put(m, queue + TREE, 0, 8);
	hm_point(m, queue + SPARE, WAIT);
}

/* A set of semaphores, a queue with two messages, a POSIX queue; the process is in a namespace without any. */
struct held_machine *hm_ipc(void)
{
	struct held_machine *m = hm_new();

	state_ipc(m->f);
	hm_xarrays(m);
	hm_point(m, IPC_NS + IDS, SEMAPHORES);
	hm_put(m, SEMAPHORES, 5, 4);
	hm_put(m, SEMAPHORES + 4, 0xabc, 4);
	hm_put(m, SEMAPHORES + 8, 250, 4);
	hm_point(m, IPC_NS + IDS + ID_BYTES, QUEUE + QUEUE_PERM);
	hm_put(m, QUEUE + QUEUE_PERM, 6, 4);
	hm_put(m, QUEUE + QUEUE_PERM + 4, 0, 4);
	hm_queue(m, QUEUE + QUEUE_LIST, MSG1, MSG2);
	hm_put(m, QUEUE + QUEUE_COUNT, 2, 4);
	hm_put(m, MSG1 + 16, 0, 8);
	hm_point(m, MSG2 + 16, SEGMENT);
	hm_put(m, SEGMENT, 0, 8);
	put_mqueues(m);
	hm_point(m, TASK + 8, PROXY);
	hm_point(m, PROXY, IPC_NS2);
	for (unsigned i = 0; i < 3; i++)
		hm_put(m, IPC_NS2 + IDS + i * ID_BYTES, 0, 8);
	hm_put(m, IPC_NS2 + 0x110, 0, 8);
	return m;
}

/* ---- ftrace ---------------------------------------------------------------------------------------- */

enum { INSTANCES = 0x7000, INSTANCE = 0x7040, BUFFER_AT = 0x7100, CPUS = 0x7140, CPU0 = 0x7180,
       BPAGE = 0x7200, TABLES = 0x7300, TABLE = 0x7340, NAMES = 0x7380, NAME_OF = 0x73c0 };

static void state_trace(struct fake *f)
{
	fake_symbol(f, Y_TRACE_ARRAYS, fake_kva(f, INSTANCES));
	fake_members(f, { M_TRACE_LIST, 0, 16 }, { M_TRACE_NAME, 16, 8 }, { M_TRACE_BUFFER, 24, 8 },
		     { M_TRACE_OF_BUFFER, 32, 8 }, { M_TRACE_SNAPSHOT, 40, 8 },
		     { M_RING_BUFFERS, 0, 8 }, { M_RING_BUFFER, 0, 8 }, { M_RING_NR_PAGES, 8, 8 },
		     { M_RING_PAGES, 16, 8 }, { M_RING_READER, 24, 8 }, { M_RING_PAGE_LIST, 0, 16 },
		     { M_RING_PAGE_DATA, 16, 8 }, { M_RING_PAGE_ORDER, 24, 4 });
	fake_symbol(f, Y_FTRACE_PAGES, fake_kva(f, TABLES));
	fake_symbol(f, Y_FTRACE_NR_PAGES, fake_kva(f, TABLES + 8));
	fake_members(f, { M_FTRACE_NEXT, 0, 8 }, { M_FTRACE_RECORDS, 8, 8 },
		     { M_FTRACE_ORDER, 16, 4 });
	fake_symbol(f, Y_SAVED_CMDLINES, fake_kva(f, NAMES));
	fake_size(f, S_SAVED_CMDLINES, 64);
	fake_member(f, M_SAVED_CMDLINES_NUM, 0, 4);
}

/* An instance whose second CPU has no buffer; two pages in a ring, one that is read. */
struct held_machine *hm_trace(void)
{
	struct held_machine *m = hm_new();

	hm_cpus(m);
	state_trace(m->f);
	hm_queue(m, INSTANCES, INSTANCE, 0);
	hm_point(m, INSTANCE + 16, NAME_OF);
	fake_put(m->f, NAME_OF, "mine", 5);
	hm_point(m, INSTANCE + 24, BUFFER_AT);
	hm_point(m, INSTANCE + 32, INSTANCE);
	hm_put(m, INSTANCE + 40, 0, 8);
	hm_point(m, BUFFER_AT, CPUS);
	hm_point(m, CPUS, CPU0);
	hm_put(m, CPUS + 8, 0, 8);
	hm_point(m, CPU0, BUFFER_AT);
	hm_put(m, CPU0 + 8, 2, 8);
	hm_point(m, CPU0 + 16, BPAGE);
	hm_point(m, CPU0 + 24, BPAGE + 0x80);
	for (unsigned i = 0; i < 3; i++) {
		hm_point(m, BPAGE + 0x40 * i + 16, MORE + 0x1000 * i);
		hm_put(m, BPAGE + 0x40 * i + 24, 0, 4);
	}
	/* the low bits of links are flags */
	hm_put(m, BPAGE, fake_kva(m->f, BPAGE + 0x40) | 1, 8);
	hm_point(m, BPAGE + 0x40, BPAGE);
	hm_point(m, TABLES, TABLE);
	hm_put(m, TABLES + 8, 2, 8);
	hm_put(m, TABLE, 0, 8);
	hm_point(m, TABLE + 8, MORE + 0x4000);
	hm_put(m, TABLE + 16, 1, 4);
	hm_point(m, NAMES, MORE + 0x8000);
	hm_put(m, MORE + 0x8000, 128, 4);
	return m;
}

/* ---- memory that is kept ready ----------------------------------------------------------------------- */

static void put_frags(struct held_machine *m)
{
	enum { NETDEV = 0x7200, NAPI = 0x7240 };

	hm_cpus(m);
	fake_symbol(m->f, Y_NETDEV_FRAGS, fake_kva(m->f, NETDEV));
	fake_symbol(m->f, Y_NAPI_FRAGS, fake_kva(m->f, NAPI));
	fake_members(m->f, { M_NAPI_FRAGS_PAGE, 8, 8 }, { M_FRAGS_MEMORY, 0, 8 },
		     { M_TASK_FRAG, 16, 8 });
	hm_put(m, NETDEV, fake_kva(m->f, MORE + 0x8000) | 3, 8);
	hm_put(m, NETDEV + CPU_BYTES, 0, 8);
	hm_put(m, NAPI + 8, 0, 8);
	hm_point(m, NAPI + 8 + CPU_BYTES, MORE + 0x9000);
	hm_put(m, TASK + 16, hm_page(m, MORE + 0xa000), 8);
}

struct held_machine *hm_pools(void)
{
	enum { POOL = 0x7040, CHUNK = 0x7080, VAR = 0x7000, SWIOTLB = 0x7100 };
	struct held_machine *m = hm_new();

	fake_symbol(m->f, Y_DMA_POOL_NORMAL, fake_kva(m->f, VAR));
	fake_members(m->f, { M_GENPOOL_CHUNKS, 8, 16 }, { M_GENCHUNK_LIST, 0, 16 },
		     { M_GENCHUNK_PHYS, 16, 8 }, { M_GENCHUNK_START, 24, 8 },
		     { M_GENCHUNK_END, 32, 8 });
	hm_point(m, VAR, POOL);
	hm_queue(m, POOL + 8, CHUNK, 0);
	hm_put(m, CHUNK + 16, MORE, 8);
	hm_point(m, CHUNK + 24, MORE);
	hm_point(m, CHUNK + 32, MORE + 0x1fff);
	fake_symbol(m->f, Y_SWIOTLB, fake_kva(m->f, SWIOTLB));
	fake_member(m->f, M_SWIOTLB_START, 0, 8);
	fake_member(m->f, M_SWIOTLB_END, 8, 8);
	hm_put(m, SWIOTLB, MORE + 0x4000, 8);
	hm_put(m, SWIOTLB + 8, MORE + 0x6000, 8);
	put_frags(m);
	return m;
}

/* Mounts (a page), ports (two tables in two pages), connections (an area), UDP (two slots and another). */
struct held_machine *hm_hashes(void)
{
	enum { MOUNTS = 0x7000, MASK = 0x7010, TCP = 0x7100, UDP = 0x7200 };
	static struct vmalloc_area area = { .start = 0xffffc90000000000, .size = 0x3000, .flags = AREA_ALLOC,
					    .npages = 2 };
	struct held_machine *m = hm_new();

	area.pages = fake_kva(m->f, ARRAY);
	m->areas = (struct vmalloc){ .v = &area, .n = 1 };
	hm_put(m, ARRAY, hm_page(m, MORE + 0x8000), 8);
	hm_put(m, ARRAY + 8, hm_page(m, MORE + 0xa000), 8);
	fake_symbol(m->f, Y_MOUNT_HASH, fake_kva(m->f, MOUNTS));
	fake_symbol(m->f, Y_MOUNT_HASH_MASK, fake_kva(m->f, MASK));
	hm_point(m, MOUNTS, MORE);
	hm_put(m, MASK, 511, 4);
	fake_symbol(m->f, Y_TCP_HASH, fake_kva(m->f, TCP));
	fake_member(m->f, M_TCP_EHASH, 0, 8);
	fake_member(m->f, M_TCP_EHASH_MASK, 8, 4);
	fake_size(m->f, S_TCP_EHASH, 8);
	fake_members(m->f, { M_TCP_BHASH, 16, 8 }, { M_TCP_BHASH2, 32, 8 },
		     { M_TCP_BHASH_SIZE, 24, 4 });
	fake_size(m->f, S_TCP_BHASH, 16);
	hm_put(m, TCP, area.start, 8);
	hm_put(m, TCP + 8, 1023, 4);
	hm_point(m, TCP + 16, MORE + 0x2000);
	hm_put(m, TCP + 24, 256, 4);
	fake_symbol(m->f, Y_UDP_TABLE, fake_kva(m->f, UDP));
	fake_member(m->f, M_UDP_HASH, 0, 8);
	fake_member(m->f, M_UDP_MASK, 8, 4);
	fake_size(m->f, S_UDP_SLOT, 16);
	fake_size(m->f, S_UDP_MAIN_SLOT, 32);
	hm_point(m, UDP, MORE + 0x4000);
	hm_put(m, UDP + 8, 63, 4);
	return m;
}

/* ---- pages of network drivers --------------------------------------------------------------------- */

/* include/linux/poison.h: the mark of a page of a pool */
#define POOL_MARK UINT64_C(0xdead000000000040)

struct held_machine *hm_page_pool(void)
{
	struct held_machine *m = hm_new();

	fake_members(m->f, { M_PP_MAGIC, 8, 8 }, { M_PP_POOL, 40, 8 }, { M_POOL_NETDEV, 8, 8 },
		     { M_NETDEV_NAME, 16, 16 });
	hm_point(m, OBJECT_AT + 8, NODE1);
	fake_put(m->f, NODE1 + 16, "eth7", 5);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t at = PAGES + ((MORE >> 12) + i) * STRUCT_PAGE;

		m->chunk[(MORE >> 12) + i] = CLASS_PAGE_POOL;
		hm_put(m, at + 8, POOL_MARK, 8);
		hm_point(m, at + 40, OBJECT_AT);
	}
	m->c.count[CLASS_PAGE_POOL].pages = 3;
	return m;
}

/* ---- swap -------------------------------------------------------------------------------------------- */

static struct held_machine *zswap_machine(const char *type)
{
	struct held_machine *m = hm_new();

	fake_symbol(m->f, Y_ZSWAP_POOLS, fake_kva(m->f, ARRAY));
	fake_member(m->f, M_ZSWAP_LIST, 24, 16);
	hm_queue(m, ARRAY, OBJECT_AT + 24, 0);
	if (!type)
		return m;
	fake_members(m->f, { M_ZSWAP_ZPOOL, 0, 8 }, { M_ZPOOL_DRIVER, 0, 8 },
		     { M_ZPOOL_POOL, 8, 8 }, { M_ZPOOL_DRIVER_TYPE, 0, 8 });
	hm_point(m, OBJECT_AT, NODE1);
	hm_point(m, NODE1, NODE2);
	hm_point(m, NODE1 + 8, OTHER);
	hm_point(m, NODE2, TEXT);
	fake_put(m->f, TEXT, type, 5);
	return m;
}

static struct held_machine *zbud_machine(bool lru)
{
	struct held_machine *m = zswap_machine("zbud");
	uint64_t first = MORE, second = MORE + 0x1000;

	fake_member(m->f, M_ZBUD_PAGES, 0, 8);
	fake_array(m->f, M_ZBUD_LISTS, 32, 16, 3);
	fake_member(m->f, M_ZBUD_BUDDY, 0, 16);
	fake_member(m->f, M_ZBUD_HEADER_LRU, 16, 16);
	if (lru)
		fake_member(m->f, M_ZBUD_LRU, 16, 16);
	hm_put(m, OTHER, 2, 8);
	hm_queue(m, OTHER + 16, first + 16, second + 16);
	hm_queue(m, OTHER + 32, 0, 0);
	hm_queue(m, OTHER + 48, first, second);
	hm_queue(m, OTHER + 64, 0, 0);
	return m;
}

struct held_machine *hm_zbud(void)
{
	return zbud_machine(false);
}

struct held_machine *hm_zbud_lru(void)
{
	return zbud_machine(true);
}

void hm_zspool(struct held_machine *m, uint64_t at)
{
	enum { CLASS = 0x80, ZSPAGE = 0x100, HUGE_ONE = 0x180, NEXT = 32, CHAIN = 40 };

	fake_array(m->f, M_ZSPOOL_CLASSES, 0, 8, 3);
	fake_member(m->f, M_ZSPOOL_PAGES, 0x20, 8);
	fake_array(m->f, M_ZSCLASS_LISTS, 0, 16, 2);
	fake_members(m->f, { M_ZSCLASS_PAGES, CHAIN, 4 }, { M_ZSPAGE_LIST, 0, 16 },
		     { M_ZSPAGE_FIRST, 16, 8 }, { M_ZSPAGE_POOL, 24, 8 }, { M_ZSPAGE_HUGE, 32, 1 },
		     { M_ZPDESC_NEXT, NEXT, 8 });
	/* two sizes share a class */
	hm_point(m, at, at + CLASS);
	hm_point(m, at + 8, at + CLASS);
	hm_put(m, at + 16, 0, 8);
	hm_put(m, at + 0x20, 3, 8);
	hm_queue(m, at + CLASS, at + ZSPAGE, 0);
	hm_queue(m, at + CLASS + 16, at + HUGE_ONE, 0);
	hm_put(m, at + CLASS + CHAIN, 2, 4);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t zspage = at + (i ? HUGE_ONE : ZSPAGE);

		hm_put(m, zspage + 16, hm_page(m, MORE + i * 0x4000), 8);
		hm_point(m, zspage + 24, at);
		hm_put(m, zspage + 32, i, 1);
	}
	hm_put(m, PAGES + (MORE >> 12) * STRUCT_PAGE + NEXT, hm_page(m, MORE + 0x2000), 8);
}

struct held_machine *hm_zswap(void)
{
	struct held_machine *m = zswap_machine(NULL);

	fake_member(m->f, M_ZSWAP_ZS_POOL, 0, 8);
	hm_point(m, OBJECT_AT, OTHER);
	hm_zspool(m, OTHER);
	return m;
}

struct held_machine *hm_swap_charges(void)
{
	enum { SLOTS_OF = OBJECT_AT, NUMBER = OBJECT_AT + 0x80 };
	struct held_machine *m = hm_new();

	fake_symbol(m->f, Y_SWAP_CHARGES, fake_kva(m->f, SLOTS_OF));
	fake_symbol(m->f, Y_NR_SWAPFILES, fake_kva(m->f, NUMBER));
	hm_put(m, NUMBER, 2, 4);
	fake_size(m->f, S_SWAP_CHARGES, 24);
	fake_member(m->f, M_SWAP_CHARGES_MAP, 0, 8);
	fake_member(m->f, M_SWAP_CHARGES_LENGTH, 8, 8);
	hm_put(m, SLOTS_OF, 0, 8); /* of an area that is gone */
	hm_point(m, SLOTS_OF + 24, ARRAY);
	hm_put(m, SLOTS_OF + 32, 2, 8);
	hm_put(m, ARRAY, hm_page(m, MORE), 8);
	hm_put(m, ARRAY + 8, hm_page(m, MORE + 0x1000), 8);
	return m;
}
