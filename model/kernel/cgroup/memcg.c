/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memcg.c - the counts of memory.stat (mm/memcontrol.c), as a reader of the file would get
 * them: reading first flushes the counts that CPUs still hold.
 *
 * Since 5.13 (rstat): vmstats.state[] has the counts that were flushed into a group;
 * vmstats.state_pending[] those that its children flushed and it has not taken yet;
 * vmstats_percpu.state[] less .state_prev[] those of one CPU since then. The value of a
 * group includes the pending counts of the group and of all groups below it. From 5.2 to
 * 5.12: vmstats[] are atomic and include the groups below, and vmstats_percpu.stat[] has
 * batches not yet added.
 */
#include "model/kernel/cgroup/memcg.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/source.h"

#define ITEMS_MAX 256		/* elements of state[]: indexes are bytes since 6.11 */

static const struct item {
	enum layout_id id;
	enum { PAGES, BYTES, KIB } unit;
} items[MEMCG_STATS] = {
	[MEMCG_STAT_ANON] = { E_NR_ANON_MAPPED, PAGES },
	[MEMCG_STAT_FILE] = { E_NR_FILE_PAGES, PAGES },
	[MEMCG_STAT_KERNEL] = { E_MEMCG_KMEM, PAGES },
	[MEMCG_STAT_KERNEL_STACK] = { E_NR_KERNEL_STACK, KIB },
	[MEMCG_STAT_PAGETABLES] = { E_NR_PAGETABLE, PAGES },
	[MEMCG_STAT_SEC_PAGETABLES] = { E_NR_SECONDARY_PAGETABLE, PAGES },
	[MEMCG_STAT_PERCPU] = { E_MEMCG_PERCPU, BYTES },
	[MEMCG_STAT_SOCK] = { E_MEMCG_SOCK, PAGES },
	[MEMCG_STAT_VMALLOC] = { E_MEMCG_VMALLOC, PAGES },
	[MEMCG_STAT_SHMEM] = { E_NR_SHMEM, PAGES },
	[MEMCG_STAT_ZSWAP] = { E_MEMCG_ZSWAP, BYTES },
	[MEMCG_STAT_ZSWAPPED] = { E_MEMCG_ZSWAPPED, PAGES },
	[MEMCG_STAT_FILE_MAPPED] = { E_NR_FILE_MAPPED, PAGES },
	[MEMCG_STAT_FILE_DIRTY] = { E_NR_FILE_DIRTY, PAGES },
	[MEMCG_STAT_FILE_WRITEBACK] = { E_NR_WRITEBACK, PAGES },
	[MEMCG_STAT_SWAPCACHED] = { E_NR_SWAPCACHE, PAGES },
	/* "_B", since v5.9: charged by the byte; pages before */
	[MEMCG_STAT_SLAB_RECLAIMABLE] = { E_NR_SLAB_RECLAIMABLE, BYTES },
	[MEMCG_STAT_SLAB_UNRECLAIMABLE] = { E_NR_SLAB_UNRECLAIMABLE, BYTES },
	/* with MGLRU the youngest two generations count as active (lru_gen_is_active()) */
	[MEMCG_STAT_INACTIVE_ANON] = { E_NR_INACTIVE_ANON, PAGES },
	[MEMCG_STAT_ACTIVE_ANON] = { E_NR_ACTIVE_ANON, PAGES },
	[MEMCG_STAT_INACTIVE_FILE] = { E_NR_INACTIVE_FILE, PAGES },
	[MEMCG_STAT_ACTIVE_FILE] = { E_NR_ACTIVE_FILE, PAGES },
	[MEMCG_STAT_UNEVICTABLE] = { E_NR_UNEVICTABLE, PAGES },
};

/* What older releases print in its place: counters of nodes stay 0 in a group. */
static const enum layout_id older[MEMCG_STATS] = {
	[MEMCG_STAT_ANON] = E_MEMCG_RSS,
	[MEMCG_STAT_FILE] = E_MEMCG_CACHE,
	[MEMCG_STAT_KERNEL_STACK] = E_MEMCG_STACK,
};

static const enum layout_id events[MEMCG_EVENTS] = {
	E_MEMCG_LOW, E_MEMCG_HIGH, E_MEMCG_MAX, E_MEMCG_OOM, E_MEMCG_OOM_KILL,
};

struct reading {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct kobj stats, cpu;		/* memcg_vmstats, memcg_vmstats_percpu */
	int at[MEMCG_STATS];		/* index in state[]; -1: not counted */
	bool rstat;
	int64_t (*pending)[MEMCG_STATS];
	struct hash seen;		/* memcg_vmstats */
};

/* Counters of a zone, not of a node, before v5.11 and v5.9 moved them. */
static bool is_zone_item(const struct kernel *k, enum layout_id id, int64_t value)
{
	switch ((unsigned)id) {
	case E_NR_PAGETABLE:
	case E_NR_KERNEL_STACK: return value < layout_enum(&k->layout, E_NR_VM_ZONE_STAT_ITEMS, 0);
	default: return false;
	}
}

/* mem_cgroup_stats_index[]: from 1 on to 6.12, 0 unused; then from 0 on, 255 unused. */
static void map_items(struct reading *rd)
{
	const struct kernel *k = rd->k;
	uint8_t map[ITEMS_MAX];
	int64_t n = layout_enum(&k->layout, E_MEMCG_NR_STAT, 0);
	uint64_t table = layout_symbol(&k->layout, Y_MEMCG_STATS_INDEX);
	bool mapped = table && n > 0 && n <= ITEMS_MAX, from0 = false;

	if (mapped && read_kva(rd->r, table, map, (size_t)n)) {
		issue_add(k->issues, ST_NODATA, "cgroup", 1, "mem_cgroup_stats_index");
		n = 0;
	}
	for (int64_t i = 0; mapped && i < n; i++)
		from0 |= map[i] == UINT8_MAX;
	for (unsigned i = 0; i < MEMCG_STATS; i++) {
		bool own = older[i] && has(k, older[i]);
		enum layout_id id = own ? older[i] : items[i].id;
		int64_t v = layout_enum(&k->layout, id, -1);

		rd->at[i] = -1;
		if (v < 0 || v >= n || is_zone_item(k, id, v))
			continue;
		rd->at[i] = !mapped ? (int)v : map[v] == UINT8_MAX ? -1 : map[v] - !from0;
	}
}

static void add_counter(const struct reading *rd, const struct kobj *o, enum layout_id array,
			int sign, int64_t *sum)
{
	const struct member *m = &rd->k->layout.v[array].m;

	for (unsigned i = 0; has(rd->k, array) && i < MEMCG_STATS; i++)
		if (rd->at[i] >= 0 && (uint32_t)rd->at[i] < m->count)
			sum[i] += sign * sign_extend(kobj_elem(o, array, (uint32_t)rd->at[i]),
						     8 * rd->k->dump->word_size);
}

/* Where the group's own counts are. */
static enum status read_flushed(struct reading *rd, uint64_t memcg, int64_t *sum)
{
	const struct member *m = &rd->k->layout.v[M_MEMCG_VMSTATS].m;
	uint64_t at = memcg + m->offset;
	unsigned word = rd->k->dump->word_size;
	enum status st = ST_OK;

	if (!rd->rstat) {
		for (unsigned i = 0; !st && i < MEMCG_STATS; i++)
			if (rd->at[i] >= 0 && (uint32_t)rd->at[i] * word < m->size) {
				uint64_t v = 0;

				st = read_kva_word(rd->r, at + (uint64_t)rd->at[i] * word, &v);
				sum[i] = sign_extend(v, 8 * word);
			}
		return st;
	}
	if (m->is_pointer)
		st = read_kva_word(rd->r, at, &at);
	/* each group has its own, outside of its mem_cgroup if it is a pointer */
	if (!st && (!kernel_ptr_ok(rd->k, at, word) || hash_get(&rd->seen, at) != HASH_NONE ||
		    (m->is_pointer && at - memcg <= m->offset)))
		st = ST_CORRUPT;
	hash_put(&rd->seen, at, 1);
	if (!st)
		st = kobj_read(&rd->stats, rd->r, at);
	if (!st)
		add_counter(rd, &rd->stats, M_VMSTATS_STATE, 1, sum);
	return st;
}

static enum status read_pending(struct reading *rd, uint64_t memcg, int64_t *sum)
{
	uint64_t base;
	enum status st = kmember_u64(rd->k, rd->r, memcg, M_MEMCG_VMSTATS_PERCPU, &base);

	if (rd->rstat)
		add_counter(rd, &rd->stats, M_VMSTATS_PENDING, 1, sum);
	if (!st && !base)
		st = ST_CORRUPT;
	for (uint32_t i = 0; !st && i < rd->k->ncpus; i++) {
		st = kobj_read(&rd->cpu, rd->r, base + rd->k->percpu[i]);
		if (st)
			break;
		add_counter(rd, &rd->cpu, M_VMSTATS_CPU_STATE, 1, sum);
		add_counter(rd, &rd->cpu, M_VMSTATS_CPU_PREV, -1, sum);
	}
	return st;
}

static uint64_t in_bytes(const struct reading *rd, unsigned i, int64_t v)
{
	uint64_t n = v > 0 ? (uint64_t)v : 0; /* negative: CPUs caught in between */
	bool slab = items[i].id == E_NR_SLAB_RECLAIMABLE || items[i].id == E_NR_SLAB_UNRECLAIMABLE;
	bool pages = items[i].unit == PAGES || (slab && rd->k->layout.v[items[i].id].alt != 0);

	return pages ? n << rd->k->dump->page_shift : items[i].unit == KIB ? n << 10 : n;
}

static void damaged(const struct reading *rd, const char *what, uint64_t memcg)
{
	issue_add(rd->k->issues, ST_CORRUPT, "cgroup", 1, "%s of the mem_cgroup at %#" PRIx64, what,
		  memcg);
}

/* Without a limit the counter has the largest value: PAGE_COUNTER_MAX. */
static uint64_t limit(const struct reading *rd, uint64_t memcg, enum layout_id id)
{
	uint64_t v, none = rd->k->dump->word_size == 8
				   ? (uint64_t)INT64_MAX >> rd->k->dump->page_shift
				   : INT32_MAX;

	if (!has(rd->k, id) || kmember_u64(rd->k, rd->r, memcg, id, &v))
		return UINT64_MAX;
	if (v > none)
		damaged(rd, "a limit", memcg);
	return v >= none ? UINT64_MAX : v;
}

static void read_events(struct reading *rd, uint64_t memcg, struct memcg *m)
{
	const struct member *a = &rd->k->layout.v[M_MEMCG_EVENTS].m;
	unsigned word = rd->k->dump->word_size;

	for (unsigned i = 0; i < MEMCG_EVENTS; i++) {
		int64_t e = layout_enum(&rd->k->layout, events[i], -1);
		uint64_t v;

		if (!has(rd->k, M_MEMCG_EVENTS) || e < 0 || e >= a->count ||
		    read_kva_uint(rd->r, memcg + a->offset + (uint64_t)e * a->stride, word, &v))
			continue;
		if (v >> (8 * word - 1) & 1)
			damaged(rd, "a count of events", memcg);
		else
			m->event[i] = v;
	}
}

static void set_unknown(struct memcg *m)
{
	for (unsigned i = 0; i < MEMCG_STATS; i++)
		m->stat[i] = UINT64_MAX;
	for (unsigned i = 0; i < MEMCG_EVENTS; i++)
		m->event[i] = UINT64_MAX;
	m->low = m->high = m->swap_max = m->peak = UINT64_MAX;
}

void memcg_read_bounds(const struct snapshot *s, struct reader *r, uint32_t g, struct memcg *ret)
{
	struct reading rd = { .s = s, .k = s->k, .r = r };
	uint64_t memcg = s->cgroups[g].css - layout_offset(&s->k->layout, M_MEMCG_CSS);

	set_unknown(ret);
	ret->low = limit(&rd, memcg, M_MEMCG_LOW);
	ret->high = limit(&rd, memcg, M_MEMCG_HIGH);
	ret->swap_max = limit(&rd, memcg, M_MEMCG_SWAP_MAX);
	read_events(&rd, memcg, ret);
}

static void read_one(struct reading *rd, uint32_t g, struct memcg *m)
{
	const struct cgroup *c = &rd->s->cgroups[g];
	uint64_t memcg = c->css - layout_offset(&rd->k->layout, M_MEMCG_CSS);
	int64_t flushed[MEMCG_STATS] = { 0 };
	enum status st;

	m->low = limit(rd, memcg, M_MEMCG_LOW);
	m->high = limit(rd, memcg, M_MEMCG_HIGH);
	m->swap_max = limit(rd, memcg, M_MEMCG_SWAP_MAX);
	m->peak = limit(rd, memcg, M_MEMCG_PEAK);
	if (m->peak != UINT64_MAX &&
	    (m->peak > rd->k->memmap.max_pfn || m->peak + memcg_slack(rd->k) < c->usage))
		damaged(rd, "peak", memcg);
	read_events(rd, memcg, m);
	if (!has(rd->k, M_MEMCG_VMSTATS) || !has(rd->k, M_VMSTATS_CPU_STATE))
		return;
	st = read_flushed(rd, memcg, flushed);
	if (!st)
		st = read_pending(rd, memcg, rd->pending[g]);
	if (st)
		issue_add(rd->k->issues, st, "cgroup", 1, "memory.stat at %#" PRIx64, memcg);
	for (unsigned i = 0; !st && i < MEMCG_STATS; i++)
		if (rd->at[i] >= 0)
			m->stat[i] = (uint64_t)flushed[i];
}

/* Parents come before their children: from the end, pending counts go upwards. */
static void add_pending(struct reading *rd, struct memcg *v)
{
	const struct snapshot *s = rd->s;

	for (uint32_t g = s->ncgroups; g-- > 0;) {
		uint32_t up = s->cgroups[g].parent;

		for (unsigned i = 0; i < MEMCG_STATS; i++) {
			if (up < g)
				rd->pending[up][i] += rd->pending[g][i];
			if (v[g].stat[i] != UINT64_MAX)
				v[g].stat[i] =
					in_bytes(rd, i, (int64_t)v[g].stat[i] + rd->pending[g][i]);
		}
	}
}

/* Anonymous memory of a group is charged to it; that of the root is not. */
static void check_usage(const struct reading *rd, const struct cgroup *g, const struct memcg *m)
{
	uint64_t anon = m->stat[MEMCG_STAT_ANON];

	if (g->memory && !g->dying && g->parent != NONE && anon != UINT64_MAX &&
	    anon >> rd->k->dump->page_shift > g->usage + memcg_slack(rd->k))
		damaged(rd, "more anonymous memory than all memory", g->css);
}

struct memcg *memcgs_read(const struct snapshot *s, struct arena *mem)
{
	struct memcg *v = arena_array(mem, struct memcg, s->ncgroups);
	struct reading rd = { .s = s, .k = s->k };
	struct arena scratch = { 0 };

	for (uint32_t g = 0; g < s->ncgroups; g++)
		set_unknown(&v[g]);
	if (!source_has(s->k, SOURCE_MEMORY))
		return v;
	rd.r = reader_new(s->k->dump);
	rd.seen.mem = &scratch;
	rd.pending = arena_calloc(mem, s->ncgroups, sizeof(*rd.pending));
	rd.rstat = has(s->k, M_VMSTATS_STATE);
	kobj_init(&rd.stats, s->k, S_VMSTATS);
	kobj_init(&rd.cpu, s->k, S_VMSTATS_CPU);
	map_items(&rd);
	for (uint32_t g = 0; g < s->ncgroups; g++)
		if (s->cgroups[g].memory)
			read_one(&rd, g, &v[g]);
	add_pending(&rd, v);
	for (uint32_t g = 0; g < s->ncgroups; g++)
		check_usage(&rd, &s->cgroups[g], &v[g]);
	arena_release(&scratch);
	kobj_release(&rd.stats);
	kobj_release(&rd.cpu);
	reader_free(rd.r);
	return v;
}
