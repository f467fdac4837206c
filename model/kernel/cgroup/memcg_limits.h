/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memcg_limits.h - limits, counters beside them and events of a control group, for v1 and v2. */
#ifndef VMCENSUS_MEMCG_LIMITS_H
#define VMCENSUS_MEMCG_LIMITS_H

#include "model/model.h"

enum memcg_value {
	/* pages that the group may have */
	MEMCG_MIN, MEMCG_LOW, MEMCG_HIGH, MEMCG_MAX, MEMCG_SWAP_HIGH, MEMCG_SWAP_MAX,
	MEMCG_ZSWAP_MAX, MEMCG_SOFT, MEMCG_MEMSW_MAX, MEMCG_KMEM_MAX,
	MEMCG_LIMITS,
	/* pages that it has or had */
	MEMCG_USAGE = MEMCG_LIMITS, MEMCG_SWAP, MEMCG_MEMSW, MEMCG_KMEM, MEMCG_PEAK,
	MEMCG_SWAP_PEAK, MEMCG_MEMSW_PEAK,
	MEMCG_PAGES,
	/* counts and switches */
	MEMCG_FAILCNT = MEMCG_PAGES, MEMCG_MEMSW_FAILCNT, MEMCG_OOM_GROUP, MEMCG_NO_OOM_KILL,
	MEMCG_UNDER_OOM,
	MEMCG_VALUES
};

/* Lines of memory.events, then of memory.swap.events. */
enum memcg_count {
	MEMCG_COUNT_LOW, MEMCG_COUNT_HIGH, MEMCG_COUNT_MAX, MEMCG_COUNT_OOM, MEMCG_COUNT_KILL,
	MEMCG_COUNT_GROUP_KILL, MEMCG_COUNT_SOCK, MEMCG_COUNT_SWAP_HIGH, MEMCG_COUNT_SWAP_MAX,
	MEMCG_COUNT_SWAP_FAIL, MEMCG_COUNTS
};

#define MEMCG_NO_LIMIT (UINT64_MAX - 1)

struct memcg_limits {
	bool legacy;			/* v1: it has soft and memory+swap limits, no others */
	bool root;			/* of its hierarchy: it has no limits */
	/* UINT64_MAX: not in this kernel or this hierarchy, or not readable */
	uint64_t v[MEMCG_VALUES];
	uint64_t refs;			/* references of a removed group's css; else UINT64_MAX */
	uint64_t count[MEMCG_COUNTS];	/* of the group and all below it (memory.events) */
	uint64_t local[MEMCG_COUNTS];	/* of the group alone (memory.events.local, v5.3) */
};

/* One for each of s->cgroups, in MEM; NULL if the source shows no memory. */
struct memcg_limits *memcg_limits_read(const struct snapshot *s, struct arena *mem);

#endif
