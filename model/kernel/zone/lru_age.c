/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lru_age.c - lruvec.lrugen of each group and node, or where MGLRU is off lru_zone_size[].
 *
 * Read in 5.10, 6.1, 6.6, 6.12, 6.19, 7.2, 7.3: include/linux/mmzone.h, include/linux/mm_inline.h,
 * mm/vmscan.c. There are 4 generations at most; that of a sequence number is the number modulo 4. With
 * MGLRU lru_zone_size[] has the unevictable pages alone (__update_lru_size()).
 */
#include "model/kernel/zone/lru_age.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/cgroup.h"
#include "model/kernel/kobj.h"
#include "model/kernel/zone/zones.h"

#define GENS 4u			/* MAX_NR_GENS */
#define TYPES 2u		/* ANON_AND_FILE: anonymous, file */
#define LISTS 5u		/* NR_LRU_LISTS: inactive and active anon, the same of file, unevictable */
#define NODE_IDS 1024u		/* MAX_NUMNODES at most */
#define YOUNGEST 2u		/* generations that count as active: lru_gen_is_active() */

struct ages {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct zones zones;
	VEC(struct lru_age) v;
	uint64_t jiffies;
	unsigned hz;			/* 0: not known */
	bool generations;
};

unsigned lru_tick_rate(uint64_t jiffies, uint64_t uptime)
{
	static const unsigned rates[] = { 1000, 300, 250, 100, 1024, 512, 256, 128, 64, 48, 24 };
	unsigned best = 0;
	uint64_t error = uptime / 50; /* the clocks may differ by as much */

	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		uint64_t since = (uint32_t)(jiffies + 300ull * rates[i]), off;
		uint64_t ns = since * 1000000 / rates[i] * 1000;

		off = ns > uptime ? ns - uptime : uptime - ns;
		if (off < error) {
			error = off;
			best = rates[i];
		}
	}
	return best;
}

static void damaged(const struct ages *a, enum status st, const char *what, uint64_t at)
{
	issue_add(a->k->issues, st, "lruvec", 1, "%s at %#" PRIx64, what, at);
}

static enum status word(const struct ages *a, uint64_t at, uint64_t *v)
{
	return read_kva_word(a->r, at, v);
}

/* Pages of N zones, whose counts are STRIDE bytes apart from AT on; one below zero is 0, as the kernel prints it. */
static uint64_t sum_zones(const struct ages *a, uint64_t at, uint32_t n, uint32_t stride)
{
	uint64_t sum = 0, v;

	for (uint32_t i = 0; i < n; i++) {
		int64_t pages;

		if (word(a, at + (uint64_t)i * stride, &v))
			return LRU_UNKNOWN;
		pages = sign_extend(v, 8 * a->k->dump->word_size);
		if (pages > (int64_t)a->k->memmap.max_pfn)
			return LRU_UNKNOWN;
		sum += pages > 0 ? (uint64_t)pages : 0;
	}
	return sum;
}

static struct lru_age *add(struct ages *a, uint32_t cgroup, int32_t node, enum lru_kind kind)
{
	struct lru_age *row = vec_push(a->mem, &a->v);

	*row = (struct lru_age){ .cgroup = cgroup, .node = node, .kind = kind, .ms = LRU_UNKNOWN };
	return row;
}

static void told(const struct ages *a, const struct lru_age *row, uint64_t at)
{
	if (row->anon == LRU_UNKNOWN || row->file == LRU_UNKNOWN)
		damaged(a, ST_CORRUPT, "pages of a list", at);
}

static uint64_t age_of(const struct ages *a, uint64_t gen_at, uint64_t seq)
{
	const struct member *m = &a->k->layout.v[M_LRU_GEN_TIMES].m;
	uint64_t began, mask = a->k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX, ticks;

	if (!a->hz || !has(a->k, M_LRU_GEN_TIMES) ||
	    word(a, gen_at + m->offset + seq % GENS * m->stride, &began))
		return LRU_UNKNOWN;
	ticks = (a->jiffies - began) & mask;
	/* a group that was made after the clock's last tick */
	return ticks >> 48 ? 0 : ticks * 1000 / a->hz;
}

static void add_generations(struct ages *a, uint32_t cgroup, int32_t node, uint64_t gen_at)
{
	const struct member *mins = &a->k->layout.v[M_LRU_GEN_MIN_SEQ].m;
	const struct member *pages = &a->k->layout.v[M_LRU_GEN_PAGES].m;
	unsigned size = a->k->dump->word_size;
	uint32_t zones = pages->size / (GENS * TYPES * size);
	uint64_t max, first[TYPES], from;

	if (kmember_u64(a->k, a->r, gen_at, M_LRU_GEN_MAX_SEQ, &max) ||
	    word(a, gen_at + mins->offset, &first[0]) ||
	    word(a, gen_at + mins->offset + mins->stride, &first[1])) {
		damaged(a, ST_NODATA, "generations", gen_at);
		return;
	}
	from = min_u64(first[0], first[1]);
	if (!zones || zones > ZONES_OF_NODE || first[0] > max || first[1] > max ||
	    max - from >= GENS) {
		damaged(a, ST_CORRUPT, "generations", gen_at);
		return;
	}
	for (uint64_t i = 0; i <= max - from; i++) {
		uint64_t seq = from + i;
		struct lru_age *row = add(a, cgroup, node, LRU_GENERATION);
		uint64_t at = gen_at + pages->offset + seq % GENS * TYPES * zones * size;

		row->seq = seq;
		row->youngest = max - seq < YOUNGEST;
		row->ms = age_of(a, gen_at, seq);
		row->anon = seq < first[0] ? 0 : sum_zones(a, at, zones, size);
		row->file = seq < first[1] ? 0 : sum_zones(a, at + zones * size, zones, size);
		told(a, row, gen_at);
	}
}

static void add_lists(struct ages *a, uint32_t cgroup, int32_t node, uint64_t per_node)
{
	const struct member *m = &a->k->layout.v[M_MCPN_LRU_SIZE].m;
	uint32_t size = a->k->dump->word_size, stride = LISTS * size, zones = m->size / stride;
	uint64_t at = per_node + m->offset;
	struct lru_age *row;

	if (!zones || zones > ZONES_OF_NODE)
		return;
	for (unsigned active = 0; active < 2 && !a->generations; active++) {
		row = add(a, cgroup, node, active ? LRU_ACTIVE : LRU_INACTIVE);
		row->anon = sum_zones(a, at + active * size, zones, stride);
		row->file = sum_zones(a, at + (2 + active) * size, zones, stride);
		row->youngest = active;
		told(a, row, per_node);
	}
	row = add(a, cgroup, node, LRU_UNEVICTABLE);
	row->file = sum_zones(a, at + 4 * size, zones, stride);
	told(a, row, per_node);
}

/* The struct mem_cgroup_per_node of MEMCG on node ID. */
static enum status per_node(const struct ages *a, uint64_t memcg, int32_t id, uint64_t *ret)
{
	unsigned size = a->k->dump->word_size;
	enum status st;

	if (id < 0 || (uint32_t)id >= NODE_IDS)
		return ST_CORRUPT;
	st = word(a, memcg + layout_offset(&a->k->layout, M_MEMCG_NODEINFO) + (uint64_t)id * size,
		  ret);
	return !st && !kernel_ptr_ok(a->k, *ret, size) ? ST_CORRUPT : st;
}

/* Its lruvec.lrugen. */
static uint64_t generations_of(const struct ages *a, uint64_t node)
{
	const struct layout *l = &a->k->layout;

	return node + layout_offset(l, M_MCPN_LRUVEC) + layout_offset(l, M_LRUVEC_GEN);
}

static void add_group(struct ages *a, uint32_t g)
{
	uint64_t memcg = a->s->cgroups[g].css - layout_offset(&a->k->layout, M_MEMCG_CSS);

	for (uint32_t i = 0; i < a->zones.nnodes; i++) {
		int32_t id = a->zones.nodes[i].id;
		uint64_t at;
		enum status st = per_node(a, memcg, id, &at);

		if (st) {
			damaged(a, st, "a node of the group", memcg);
			continue;
		}
		if (a->generations)
			add_generations(a, g, id, generations_of(a, at));
		add_lists(a, g, id, at);
	}
}

/* Is MGLRU on? lru_gen_folio.enabled of the first group and node tells: all change together. */
static enum status uses_generations(struct ages *a, bool *ret)
{
	uint64_t memcg = 0, at, on = 0;
	enum status st;

	*ret = false;
	if (!has(a->k, M_LRUVEC_GEN) || !has(a->k, M_LRU_GEN_PAGES) ||
	    !has(a->k, M_LRU_GEN_MIN_SEQ) || !a->zones.nnodes)
		return ST_OK;
	st = kvar_u64(a->k, a->r, Y_ROOT_MEM_CGROUP, 0, &memcg);
	if (!st)
		st = per_node(a, memcg, a->zones.nodes[0].id, &at);
	if (!st)
		st = kmember_u64(a->k, a->r, generations_of(a, at), M_LRU_GEN_ENABLED, &on);
	if (st)
		damaged(a, st, "the switch of MGLRU", memcg);
	*ret = on;
	return st;
}

enum status lru_ages_build(const struct snapshot *s, struct arena *mem, struct lru_ages *ret)
{
	struct ages a = { .s = s, .k = s->k, .mem = mem };
	enum status st;

	*ret = (struct lru_ages){ 0 };
	if (!s->k->dump || !has(s->k, M_MEMCG_NODEINFO) || !has(s->k, M_MCPN_LRUVEC) ||
	    !has(s->k, M_MCPN_LRU_SIZE) || !has(s->k, M_MEMCG_CSS) ||
	    zones_build(s, mem, 0, &a.zones))
		return ST_ABSENT;
	a.r = kernel_reader(s->k);
	if (!kvar_u64(s->k, a.r, Y_JIFFIES, 8, &a.jiffies) && s->machine.uptime)
		a.hz = lru_tick_rate(a.jiffies, s->machine.uptime);
	/* the lists of a kernel that uses generations are empty: without the switch nothing is told */
	st = uses_generations(&a, &a.generations);
	ret->generations = a.generations;
	for (uint32_t g = 0; !st && g < s->ncgroups; g++)
		if (s->cgroups[g].memory)
			add_group(&a, g);
	reader_free(a.r);
	ret->v = a.v.v;
	ret->n = (uint32_t)a.v.n;
	return ST_OK;
}
