/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - sizes without a counter: sums over zones, inodes and pools.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/page.h"
#include "facts/layout/swap.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/zone/zones.h"

#define ZONES_MAX 8u
#define INODES_MAX 1000000u	/* block devices; a machine has some dozens */
#define SWAPFILES_MAX 32u
#define PENDING_MAX 126		/* one step above the threshold: calculate_normal_threshold(), mm/vmstat.c */
#define SPACES_MAX (1u << 16)	/* 64 MiB each: 4 TiB of swap in one area */
#define POOLS_MAX 1024u

uint64_t word_var(const struct system *y, enum layout_id symbol)
{
	uint64_t v;

	if (kvar_u64(y->k, y->r, symbol, 0, &v))
		return UNKNOWN;
	if (v == UNKNOWN)
		issue_add(y->k->issues, ST_CORRUPT, "counter", 1, "of all ones: %s",
			  fact_specs[symbol].id);
	return v;
}

uint64_t int_var(const struct system *y, enum layout_id symbol)
{
	uint64_t v;

	return kvar_u64(y->k, y->r, symbol, 4, &v) ? UNKNOWN : v;
}

/* ---- zones ----------------------------------------------------------------------- */

/* Element I of the array member at OBJECT; 0 if the kernel has none. False: it cannot be read. */
static bool elem(const struct system *y, uint64_t object, enum layout_id id, int64_t i,
		 uint64_t *ret)
{
	const struct fact *f = &y->k->layout.v[id];

	*ret = 0;
	if (f->alt < 0)
		return !layout_lost(&y->k->layout, id);
	if (i < 0 || i >= f->m.count)
		return false;
	return !read_kva_uint(y->r, object + f->m.offset + (uint64_t)i * f->m.stride, f->m.stride,
			      ret);
}

static bool zone_add(const struct system *y, uint64_t zone, bool high, struct zone_sums *z)
{
	const struct layout *l = &y->k->layout;
	uint64_t low, boost = 0, free_pages, managed;

	if (has(y->k, M_ZONE_FREE)) {
		if (kmember_u64(y->k, y->r, zone, M_ZONE_FREE, &free_pages))
			return false;
		z->free += free_pages;
		z->free_high += high ? free_pages : 0;
		return true;
	}

	if (!elem(y, zone, M_ZONE_WATERMARK, layout_enum(l, E_WMARK_LOW, 1), &low))
		return false;
	if (has(y->k, M_ZONE_BOOST) && kmember_u64(y->k, y->r, zone, M_ZONE_BOOST, &boost))
		return false;
	z->wmark_low += low + boost;
	if (has(y->k, M_ZONE_MANAGED)) {
		if (kmember_u64(y->k, y->r, zone, M_ZONE_MANAGED, &managed))
			return false;
		z->managed += managed;
	}
	if (high && elem(y, zone, M_ZONE_VM_STAT, layout_enum(l, E_NR_FREE_PAGES, 0), &free_pages))
		z->free_high += free_pages;
	return true;
}

static bool node_add(const struct system *y, uint64_t pgdat, void *arg)
{
	struct zone_sums *z = arg;
	const struct member *m = &y->k->layout.v[M_PGDAT_ZONES].m;
	int64_t high = layout_enum(&y->k->layout, E_ZONE_HIGHMEM, has(y->k, M_ZONE_FREE) ? 2 : -1);

	for (uint32_t i = 0; i < m->count && i < ZONES_MAX; i++)
		if (!zone_add(y, pgdat + m->offset + (uint64_t)i * m->stride, i == high, z))
			return false;
	return true;
}

/*
 * In node_states[N_ONLINE]. If that is not readable, the nodes with data are taken: those that are not online
 * (since 09f49dca570a, v5.18) have no memory, and add nothing.
 */
static bool node_online(const struct system *y, uint32_t node)
{
	unsigned bits = 8 * y->k->dump->word_size;
	uint64_t mask = layout_symbol(&y->k->layout, Y_NODE_STATES), word;

	mask += (uint64_t)layout_enum(&y->k->layout, E_N_ONLINE, 0) *
		layout_size(&y->k->layout, S_NODEMASK);
	mask += node / bits * (bits / 8);
	if (!read_kva_word(y->r, mask, &word))
		return word >> node % bits & 1;
	if (!node)
		issue_add(y->k->issues, ST_NODATA, "node", 1,
			  "node_states is not readable: all nodes with data are taken");
	mask = layout_symbol(&y->k->layout, Y_PGDATS) + (uint64_t)node * (bits / 8);
	return !read_kva_word(y->r, mask, &word) && word;
}

/* 2.4: all nodes are in a list. */
static bool nodes_of_list(const struct system *y,
			  bool (*fn)(const struct system *y, uint64_t pgdat, void *arg), void *arg)
{
	uint64_t pgdat;
	uint32_t n = 0;

	if (kvar_u64(y->k, y->r, Y_PGDAT_LIST, 0, &pgdat))
		return false;
	for (; pgdat && n < NODES_MAX; n++)
		if (!kernel_ptr_ok(y->k, pgdat, y->k->dump->word_size) || !fn(y, pgdat, arg) ||
		    kmember_u64(y->k, y->r, pgdat, M_PGDAT_NEXT, &pgdat))
			return false;
	return n && n < NODES_MAX;
}

bool nodes_each(const struct system *y,
		bool (*fn)(const struct system *y, uint64_t pgdat, void *arg), void *arg)
{
	unsigned word = y->k->dump->word_size;
	uint64_t nodes = layout_symbol(&y->k->layout, Y_PGDATS), pgdat;
	uint32_t max = (uint32_t)min_u64(8ull * layout_size(&y->k->layout, S_NODEMASK), NODES_MAX);
	bool any = false;

	if (has(y->k, M_ZONE_FREE))
		return nodes_of_list(y, fn, arg);
	if (has(y->k, Y_ONE_PGDAT))
		return fn(y, layout_symbol(&y->k->layout, Y_ONE_PGDAT), arg);
	if (!nodes || !has(y->k, Y_NODE_STATES))
		return false;
	for (uint32_t i = 0; i < max; i++) {
		if (!node_online(y, i))
			continue;
		any = !read_kva_word(y->r, nodes + (uint64_t)i * word, &pgdat) &&
		      kernel_ptr_ok(y->k, pgdat, word) && fn(y, pgdat, arg);
		if (!any) {
			issue_add(y->k->issues, ST_CORRUPT, "node", 1,
				  "data of node %u, which is online, are not readable", i);
			return false;
		}
	}
	return any;
}

void zones_read(const struct system *y, struct zone_sums *z)
{
	*z = (struct zone_sums){ 0 };
	z->known = has(y->k, M_PGDAT_ZONES) && nodes_each(y, node_add, z);
}

static bool present_add(const struct system *y, uint64_t pgdat, void *arg)
{
	uint64_t *sum = arg, n;

	if (kmember_u64(y->k, y->r, pgdat, M_PGDAT_PRESENT, &n))
		return false;
	*sum += n;
	return true;
}

uint64_t nodes_present(const struct system *y)
{
	uint64_t sum = 0;

	return has(y->k, M_PGDAT_PRESENT) && nodes_each(y, present_add, &sum) ? sum : 0;
}

/* ---- counts that CPUs have not folded in --------------------------------------------- */

struct pending {
	enum layout_id item;
	int64_t sum;
};

/* Adds element I of the array STATS at AT, signed bytes (include/linux/mmzone.h). */
static bool add_pending(const struct system *y, uint64_t at, enum layout_id stats, int64_t i,
			int64_t *sum)
{
	uint64_t v;

	if (!elem(y, at, stats, i, &v))
		return false;
	if ((int8_t)v > PENDING_MAX || (int8_t)v < -PENDING_MAX) {
		issue_add(y->k->issues, ST_CORRUPT, "vm counters", 1,
			  "what a CPU holds back is more than a CPU may: %d pages", (int8_t)v);
		return false;
	}
	*sum += (int8_t)v;
	return true;
}

static bool pending_of_zone(const struct system *y, uint64_t zone, int64_t i, int64_t *sum)
{
	uint64_t at;

	for (uint32_t cpu = 0; cpu < y->k->ncpus; cpu++) {
		enum status st = zone_of_cpu(y->k, y->r, zone, M_ZONE_CPU_STATS, cpu, &at);

		if (st != ST_ABSENT && (st || !add_pending(y, at, M_ZONE_STAT_DIFF, i, sum)))
			return false;
	}
	return true;
}

static bool pending_of_node(const struct system *y, uint64_t pgdat, void *arg)
{
	struct pending *p = arg;
	int64_t i = layout_enum(&y->k->layout, p->item, -1);
	uint64_t stats;

	if (kmember_u64(y->k, y->r, pgdat, M_PGDAT_CPU_STATS, &stats) || !stats)
		return false;
	for (uint32_t cpu = 0; cpu < y->k->ncpus; cpu++)
		if (!add_pending(y, stats + y->k->percpu[cpu], M_NODE_STAT_DIFF, i, &p->sum))
			return false;
	return true;
}

static bool pending_of_zones(const struct system *y, uint64_t pgdat, void *arg)
{
	struct pending *p = arg;
	const struct member *m = &y->k->layout.v[M_PGDAT_ZONES].m;
	uint64_t present;

	for (uint32_t i = 0; i < m->count && i < ZONES_MAX; i++) {
		uint64_t zone = pgdat + m->offset + (uint64_t)i * m->stride;

		/* empty zones share one set of counters */
		if (kmember_u64(y->k, y->r, zone, M_ZONE_PRESENT, &present) ||
		    (present &&
		     !pending_of_zone(y, zone, layout_enum(&y->k->layout, p->item, -1), &p->sum)))
			return false;
	}
	return true;
}

bool counter_is_held_back(const struct system *y, enum layout_id item)
{
	bool zone = counter_is_of_zones(y, item);

	return has(y->k, item) && has(y->k, zone ? M_ZONE_CPU_STATS : M_PGDAT_CPU_STATS) &&
	       has(y->k, zone ? M_ZONE_STAT_DIFF : M_NODE_STAT_DIFF);
}

int64_t counter_pending(const struct system *y, enum layout_id item)
{
	struct pending p = { .item = item };
	bool zone = counter_is_of_zones(y, item);

	if (!counter_is_held_back(y, item) ||
	    !nodes_each(y, zone ? pending_of_zones : pending_of_node, &p))
		return INT64_MIN;
	return p.sum;
}

int64_t anon_pending(const struct system *y)
{
	int64_t pages = counter_pending(y, E_NR_ANON_MAPPED), huge = 0;

	if (kernel_rule(y->k, RULE_ANON_WITHOUT_THP) && has(y->k, E_NR_ANON_THPS))
		huge = counter_pending(y, E_NR_ANON_THPS);
	if (pages == INT64_MIN || huge == INT64_MIN)
		return INT64_MIN;
	return pages + huge * (INT64_C(1) << y->k->paging->bits[0]);
}

/* ---- Buffers ------------------------------------------------------------------------- */

static uint64_t inode_pages(const struct system *y, uint64_t inode)
{
	uint64_t mapping, n;

	if (kmember_u64(y->k, y->r, inode, M_INODE_I_MAPPING, &mapping) ||
	    kmember_u64(y->k, y->r, mapping, M_MAPPING_NRPAGES, &n))
		return UNKNOWN;
	return n;
}

/* The inode that node W.node of the list belongs to. */
static bool bdev_inode(const struct system *y, uint64_t node, bool bdevs, uint64_t *inode)
{
	if (!bdevs) {
		*inode = node - layout_offset(&y->k->layout, M_INODE_SB_LIST);
		return true;
	}
	return !kmember_u64(y->k, y->r, node - layout_offset(&y->k->layout, M_BDEV_LIST),
			    M_BDEV_INODE, inode);
}

uint64_t blockdev_pages(const struct system *y)
{
	bool bdevs = has(y->k, Y_ALL_BDEVS);
	uint64_t head = layout_symbol(&y->k->layout, Y_ALL_BDEVS), sum = 0, inode, n;
	struct listwalk w;

	if (!has(y->k, M_MAPPING_NRPAGES) || !has(y->k, M_INODE_I_MAPPING))
		return UNKNOWN;
	if (!bdevs) {
		if (kvar_u64(y->k, y->r, Y_BLOCKDEV_SB, 0, &head) || !has(y->k, M_SB_INODES))
			return UNKNOWN;
		if (!kernel_ptr_ok(y->k, head, y->k->dump->word_size)) {
			issue_add(y->k->issues, ST_CORRUPT, "file system", 1,
				  "that of block devices");
			return UNKNOWN;
		}
		head += layout_offset(&y->k->layout, M_SB_INODES);
	}
	w = listwalk_start(y->k, y->r, head, INODES_MAX);
	while (listwalk_next(&w)) {
		n = bdev_inode(y, w.node, bdevs, &inode) ? inode_pages(y, inode) : UNKNOWN;
		if (n == UNKNOWN) {
			issue_add(y->k->issues, ST_NODATA, "block device inode", 1,
				  "page cache size of the inode on list node %#llx",
				  (unsigned long long)w.node);
			return UNKNOWN;
		}
		sum += n;
	}
	if (w.st)
		issue_add(y->k->issues, w.st, "block device list", 1, "ends after %llu inodes",
			  (unsigned long long)w.seen);
	return w.st ? UNKNOWN : sum;
}

/* ---- the swap cache --------------------------------------------------------------------- */

static uint64_t spaces_pages(const struct system *y, uint64_t space, uint64_t n)
{
	uint32_t size = layout_size(&y->k->layout, S_ADDRESS_SPACE);
	uint64_t sum = 0, pages;

	for (uint64_t i = 0; i < n; i++) {
		if (kmember_u64(y->k, y->r, space + i * size, M_MAPPING_NRPAGES, &pages))
			return UNKNOWN;
		sum += pages;
	}
	return sum;
}

uint64_t swapcache_pages(const struct system *y, const struct counters *c)
{
	unsigned word = y->k->dump->word_size;
	uint64_t spaces = layout_symbol(&y->k->layout, Y_SWAPPER_SPACES);
	uint64_t counts = layout_symbol(&y->k->layout, Y_NR_SWAPPER_SPACES);
	uint64_t areas = min_u64(int_var(y, Y_SWAP_AREA_COUNT), SWAPFILES_MAX), sum = 0;

	if (has(y->k, E_NR_SWAPCACHE))
		return counter(y, c, E_NR_SWAPCACHE);
	if (!has(y->k, Y_SWAP_AREAS))
		return 0; /* no CONFIG_SWAP */
	/* one for all areas until 33806f06da65 (v3.9) */
	if (has(y->k, Y_SWAPPER_SPACE))
		return spaces_pages(y, layout_symbol(&y->k->layout, Y_SWAPPER_SPACE), 1);
	/* one per area until 4b3ef9daa4fc (v4.11) */
	if (spaces && !counts)
		return areas == UNKNOWN ? UNKNOWN : spaces_pages(y, spaces, areas);
	if (!spaces)
		return UNKNOWN;
	for (uint64_t i = 0; i < areas; i++) {
		uint64_t n, space, pages;

		if (read_kva_uint(y->r, counts + 4 * i, 4, &n) || n > SPACES_MAX)
			return UNKNOWN;
		if (!n)
			continue; /* this area is off */
		if (read_kva_word(y->r, spaces + i * word, &space))
			return UNKNOWN;
		pages = spaces_pages(y, space, n);
		if (pages == UNKNOWN)
			return UNKNOWN;
		sum += pages;
	}
	return sum;
}

/* ---- zswap ---------------------------------------------------------------------------------- */

/* Pages of the zsmalloc pool of a zpool; other allocators are not known. */
static uint64_t zpool_pages(const struct system *y, uint64_t zpool)
{
	uint64_t driver, type, pool, n;
	char name[16];

	if (kmember_u64(y->k, y->r, zpool, M_ZPOOL_DRIVER, &driver) ||
	    kmember_u64(y->k, y->r, driver, M_ZPOOL_DRIVER_TYPE, &type) ||
	    read_kva_str(y->r, type, name, sizeof(name)) || strcmp(name, "zsmalloc") ||
	    kmember_u64(y->k, y->r, zpool, M_ZPOOL_POOL, &pool) ||
	    kmember_u64(y->k, y->r, pool, M_ZS_PAGES, &n))
		return UNKNOWN;
	return n;
}

static uint64_t zswap_pool_pages(const struct system *y, uint64_t pool)
{
	const struct member *m = &y->k->layout.v[M_ZSWAP_ZPOOL].m;
	unsigned word = y->k->dump->word_size;
	uint64_t sum = 0, p, n;

	if (has(y->k, M_ZSWAP_ZS_POOL))
		return kmember_u64(y->k, y->r, pool, M_ZSWAP_ZS_POOL, &p) ||
				       kmember_u64(y->k, y->r, p, M_ZS_PAGES, &n)
			       ? UNKNOWN
			       : n;
	if (!has(y->k, M_ZSWAP_ZPOOL))
		return UNKNOWN;
	for (uint32_t i = 0; i < (m->is_array ? min_u64(m->count, POOLS_MAX) : 1); i++) {
		if (read_kva_word(y->r, pool + m->offset + (uint64_t)i * word, &p))
			return UNKNOWN;
		n = zpool_pages(y, p);
		if (n == UNKNOWN)
			return UNKNOWN;
		sum += n;
	}
	return sum;
}

uint64_t zswap_bytes(const struct system *y)
{
	uint64_t sum = 0, n;
	struct listwalk w;

	/* u64 on every machine */
	if (has(y->k, Y_ZSWAP_SIZE))
		return kvar_u64(y->k, y->r, Y_ZSWAP_SIZE, 8, &n) ? UNKNOWN : n;
	if (!has(y->k, Y_ZSWAP_POOLS) || !has(y->k, M_ZSWAP_LIST))
		return UNKNOWN;
	w = listwalk_start(y->k, y->r, layout_symbol(&y->k->layout, Y_ZSWAP_POOLS), POOLS_MAX);
	while (listwalk_next(&w)) {
		n = zswap_pool_pages(y, w.node - layout_offset(&y->k->layout, M_ZSWAP_LIST));
		if (n == UNKNOWN)
			return UNKNOWN;
		sum += n;
	}
	return w.st ? UNKNOWN : sum << y->k->dump->page_shift;
}
