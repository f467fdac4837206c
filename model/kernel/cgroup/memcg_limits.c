/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memcg_limits.c - the values behind the files of a control group: memory.max, memory.events ...
 * (mm/memcontrol.c, read in 3.10, 5.10, 6.1, 7.2).
 */
#include "model/kernel/cgroup/memcg_limits.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/cgroup.h"
#include "model/kernel/kobj.h"
#include "model/kernel/source.h"

enum hierarchy { V1 = 1, V2 = 2 };

/* Where each value is, and in which hierarchy it has a meaning. */
static const struct place {
	enum layout_id id;
	unsigned in;
} places[MEMCG_VALUES] = {
	[MEMCG_MIN] = { M_MEMCG_MIN, V2 },
	[MEMCG_LOW] = { M_MEMCG_LOW, V2 },
	[MEMCG_HIGH] = { M_MEMCG_HIGH, V2 },
	[MEMCG_MAX] = { M_MEMCG_MAX, V1 | V2 },
	[MEMCG_SWAP_HIGH] = { M_MEMCG_SWAP_HIGH, V2 },
	[MEMCG_SWAP_MAX] = { M_MEMCG_SWAP_MAX, V2 },
	[MEMCG_ZSWAP_MAX] = { M_MEMCG_ZSWAP_MAX, V2 },
	[MEMCG_SOFT] = { M_MEMCG_SOFT, V1 },
	[MEMCG_MEMSW_MAX] = { M_MEMCG_MEMSW_MAX, V1 },
	[MEMCG_KMEM_MAX] = { M_MEMCG_KMEM_MAX, V1 },
	[MEMCG_USAGE] = { M_MEMCG_USAGE, V1 | V2 },
	[MEMCG_SWAP] = { M_MEMCG_SWAP, V2 },
	[MEMCG_MEMSW] = { M_MEMCG_MEMSW, V1 },
	[MEMCG_KMEM] = { M_MEMCG_KMEM, V1 },
	[MEMCG_PEAK] = { M_MEMCG_RES_PEAK, V1 | V2 },
	[MEMCG_SWAP_PEAK] = { M_MEMCG_SWAP_PEAK, V2 },
	[MEMCG_MEMSW_PEAK] = { M_MEMCG_MEMSW_PEAK, V1 },
	[MEMCG_FAILCNT] = { M_MEMCG_FAILCNT, V1 },
	[MEMCG_MEMSW_FAILCNT] = { M_MEMCG_MEMSW_FAILCNT, V1 },
	[MEMCG_OOM_GROUP] = { M_MEMCG_OOM_GROUP, V2 },
	[MEMCG_NO_OOM_KILL] = { M_MEMCG_NO_OOM_KILL, V1 },
	[MEMCG_UNDER_OOM] = { M_MEMCG_UNDER_OOM, V1 },
};

static const enum layout_id counts[MEMCG_COUNTS] = {
	E_MEMCG_LOW, E_MEMCG_HIGH, E_MEMCG_MAX, E_MEMCG_OOM, E_MEMCG_OOM_KILL,
	E_MEMCG_OOM_GROUP_KILL, E_MEMCG_SOCK_THROTTLED, E_MEMCG_SWAP_HIGH, E_MEMCG_SWAP_MAX,
	E_MEMCG_SWAP_FAIL,
};

/* res_counter, until v3.19, counts bytes; its limit of none is RES_COUNTER_MAX. */
static bool in_bytes(const struct kernel *k)
{
	return k->layout.v[M_MEMCG_MAX].alt == 2;
}

/* PAGE_COUNTER_MAX, and for v1 before 4.x LONG_MAX or ULLONG_MAX bytes. */
static uint64_t no_limit(const struct kernel *k)
{
	if (k->dump->word_size == 8 || in_bytes(k))
		return (uint64_t)INT64_MAX >> k->dump->page_shift;
	return INT32_MAX;
}

static uint64_t value(const struct kernel *k, struct reader *r, uint64_t memcg, unsigned i)
{
	const struct member *m = &k->layout.v[places[i].id].m;
	uint64_t v;

	if (kmember_u64(k, r, memcg, places[i].id, &v)) {
		issue_add(k->issues, ST_NODATA, "cgroup", 1, "mem_cgroup at %#" PRIx64, memcg);
		return UINT64_MAX;
	}
	if (i >= MEMCG_PAGES)
		return v;
	if (in_bytes(k))
		v >>= k->dump->page_shift;
	if (i < MEMCG_LIMITS)
		return v >= no_limit(k) ? MEMCG_NO_LIMIT : v;
	/* a counter may be below zero for a moment: charges and uncharges are lazy */
	return m->size && sign_extend(v, 8 * m->size) < 0 ? 0 : v;
}

static void read_counts(const struct kernel *k, struct reader *r, uint64_t memcg,
			enum layout_id array, uint64_t *v)
{
	const struct member *a = &k->layout.v[array].m;

	for (unsigned i = 0; has(k, array) && i < MEMCG_COUNTS; i++) {
		int64_t e = layout_enum(&k->layout, counts[i], -1);

		if (e >= 0 && e < a->count &&
		    read_kva_uint(r, memcg + a->offset + (uint64_t)e * a->stride,
				  k->dump->word_size, &v[i]))
			v[i] = UINT64_MAX;
	}
}

/* Before there was a default hierarchy, all were v1. A root that is nowhere is damage: the values of v1 and v2
   differ. */
static bool is_legacy(const struct kernel *k, struct reader *r, uint64_t css)
{
	uint64_t dfl = layout_symbol(&k->layout, Y_CGRP_DFL_ROOT), cgrp = 0, root = 0, pa;

	if (!dfl || !has(k, M_CSS_CGROUP) || !has(k, M_CGROUP_ROOT))
		return true;
	if (kmember_u64(k, r, css, M_CSS_CGROUP, &cgrp) ||
	    kmember_u64(k, r, cgrp, M_CGROUP_ROOT, &root) ||
	    !kernel_ptr_ok(k, root, k->dump->word_size) || reader_kvtop(r, root, &pa, NULL))
		issue_add(k->issues, ST_CORRUPT, "cgroup", 1, "hierarchy of css at %#" PRIx64, css);
	return root != dfl;
}

/* percpu_ref_kill() makes one count of those of the CPUs. */
static uint64_t references(const struct kernel *k, struct reader *r, uint64_t css)
{
	uint64_t ref = css + layout_offset(&k->layout, M_CSS_REF), n;

	if (!has(k, M_CSS_REF) || !has(k, M_REF_COUNT) ||
	    (has(k, M_REF_DATA) && kmember_u64(k, r, ref, M_REF_DATA, &ref)) || !ref ||
	    kmember_u64(k, r, ref, M_REF_COUNT, &n))
		return UINT64_MAX;
	return n;
}

static void read_one(const struct snapshot *s, struct reader *r, const struct cgroup *g,
		     struct memcg_limits *l)
{
	const struct kernel *k = s->k;
	uint64_t memcg = g->css - layout_offset(&k->layout, M_MEMCG_CSS);

	l->legacy = is_legacy(k, r, g->css);
	l->root = g->parent == NONE;
	if (g->dying)
		l->refs = references(k, r, g->css);
	/* the root of v2 has none of these files: its counters do not have all charges */
	for (unsigned i = 0; !(l->root && !l->legacy) && i < MEMCG_VALUES; i++)
		if (has(k, places[i].id) && places[i].in & (l->legacy ? V1 : V2))
			l->v[i] = value(k, r, memcg, i);
	if (l->legacy)
		return;
	read_counts(k, r, memcg, M_MEMCG_EVENTS, l->count);
	read_counts(k, r, memcg, M_MEMCG_EVENTS_LOCAL, l->local);
}

struct memcg_limits *memcg_limits_read(const struct snapshot *s, struct arena *mem)
{
	struct memcg_limits *v;
	struct reader *r;

	if (!source_has(s->k, SOURCE_MEMORY))
		return NULL;
	v = arena_array(mem, struct memcg_limits, s->ncgroups);
	r = reader_new(s->k->dump);
	for (uint32_t g = 0; g < s->ncgroups; g++) {
		v[g].refs = UINT64_MAX;
		for (unsigned i = 0; i < MEMCG_VALUES; i++)
			v[g].v[i] = UINT64_MAX;
		for (unsigned i = 0; i < MEMCG_COUNTS; i++)
			v[g].count[i] = v[g].local[i] = UINT64_MAX;
		if (s->cgroups[g].memory)
			read_one(s, r, &s->cgroups[g], &v[g]);
	}
	reader_free(r);
	return v;
}
