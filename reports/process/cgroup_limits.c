/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cgroups --limits and --events: what each group may have and has, and what happened at limits. */
#include "dumpread/base/bytes.h"
#include "model/kernel/cgroup/memcg_limits.h"
#include "reports/core/common.h"
#include "reports/process/cgroup_parts.h"

struct row {
	const char *path, *version, *closest;
	uint64_t v[MEMCG_VALUES], count[MEMCG_COUNTS], local[MEMCG_COUNTS], left;
};

#define P COL_SHOWN
#define PATH COL(struct row, path, COL_STR, P, "", "path in its hierarchy")
#define VERSION COL(struct row, version, COL_STR, P, "", "of control groups: v1 or v2")
#define BYTES(which, name, fl, about) \
	COL_AS(struct row, v[MEMCG_##which], name, COL_BYTES, fl, "bytes", about)
#define COUNT(which, name, fl, about) \
	COL_AS(struct row, v[MEMCG_##which], name, COL_UINT, fl, "", about)
#define EVENT(which, name, fl, about)                                                \
	COL_AS(struct row, count[MEMCG_COUNT_##which], name, COL_UINT, fl, "", about), \
	COL_AS(struct row, local[MEMCG_COUNT_##which], "local_" name, COL_UINT, 0, "",  \
	       "the same, of this group only")

static const struct column limit_cols[] = {
	VERSION,
	BYTES(USAGE, "usage", P, "charged to it and all below it (memory.current, usage_in_bytes)"),
	BYTES(PEAK, "peak", P, "highest so far (memory.peak, max_usage_in_bytes)"),
	BYTES(MIN, "min", 0, "never reclaimed below (memory.min)"),
	BYTES(LOW, "low", P, "protected below (memory.low)"),
	BYTES(HIGH, "high", P, "throttled above (memory.high)"),
	BYTES(MAX, "max", P, "limit (memory.max, limit_in_bytes); -: none"),
	COL(struct row, left, COL_BYTES, P, "bytes",
	    "what it can still get: by its own max and those above it; -: no limit"),
	COL(struct row, closest, COL_STR, P, "", "group whose max that is"),
	BYTES(SOFT, "soft", 0, "v1: reclaimed to first (soft_limit_in_bytes)"),
	COUNT(FAILCNT, "failcnt", P, "v1: times that a charge met the limit"),
	BYTES(SWAP, "swap", P, "v2: charged swap (memory.swap.current)"),
	BYTES(SWAP_PEAK, "swap_peak", 0, "v2: highest so far"),
	BYTES(SWAP_HIGH, "swap_high", 0, "v2: throttled above (memory.swap.high)"),
	BYTES(SWAP_MAX, "swap_max", P, "v2: limit (memory.swap.max)"),
	BYTES(ZSWAP_MAX, "zswap_max", 0, "v2: limit of compressed pages (memory.zswap.max)"),
	BYTES(MEMSW, "memsw", 0, "v1: memory and swap together (memsw.usage_in_bytes)"),
	BYTES(MEMSW_PEAK, "memsw_peak", 0, "v1: highest so far"),
	BYTES(MEMSW_MAX, "memsw_max", 0, "v1: limit (memsw.limit_in_bytes)"),
	COUNT(MEMSW_FAILCNT, "memsw_failcnt", 0, "v1: times that a charge met it"),
	BYTES(KMEM, "kmem", 0, "v1: kernel memory (kmem.usage_in_bytes)"),
	BYTES(KMEM_MAX, "kmem_max", 0, "v1: limit (kmem.limit_in_bytes)"),
	COUNT(OOM_GROUP, "oom_group", 0, "v2, 1: a kill takes the whole group (memory.oom.group)"),
	COUNT(NO_OOM_KILL, "no_oom_kill", 0, "v1, 1: tasks wait instead of being killed"),
	COUNT(UNDER_OOM, "under_oom", 0, "v1: 1 and more while it is out of memory"),
	PATH,
};

static const struct column event_cols[] = {
	VERSION,
	EVENT(LOW, "low", P, "reclaims although below low (memory.events)"),
	EVENT(HIGH, "high", P, "times throttled above high"),
	EVENT(MAX, "max", P, "times at the limit"),
	EVENT(OOM, "oom", P, "times that reclaim did not get below the limit"),
	EVENT(KILL, "oom_kill", P, "processes killed by the OOM killer"),
	EVENT(GROUP_KILL, "oom_group_kill", P, "kills of the whole group (5.17)"),
	EVENT(SOCK, "sock_throttled", 0, "times that sockets had to wait"),
	EVENT(SWAP_HIGH, "swap_high", 0, "times above swap.high (memory.swap.events)"),
	EVENT(SWAP_MAX, "swap_max", P, "times at the limit of swap"),
	EVENT(SWAP_FAIL, "swap_fail", P, "times that swap could not be had"),
	COUNT(FAILCNT, "failcnt", P, "v1: times that a charge met the limit"),
	COUNT(MEMSW_FAILCNT, "memsw_failcnt", 0, "v1: the same, of memory and swap"),
	PATH,
};

/* The smallest rest up to the root, and whose it is. */
static void set_left(const struct snapshot *s, const struct memcg_limits *l, uint32_t i,
		     struct row *r)
{
	r->left = COL_UNKNOWN;
	for (uint32_t g = i, n = 0; g < s->ncgroups && n <= s->ncgroups;
	     g = s->cgroups[g].parent, n++) {
		uint64_t max = l[g].v[MEMCG_MAX], usage = l[g].v[MEMCG_USAGE], left;

		if (max >= MEMCG_NO_LIMIT || usage == UINT64_MAX)
			continue;
		left = (max > usage ? max - usage : 0) * page_size(s);
		if (left < r->left) {
			r->left = left;
			r->closest = s->cgroups[g].path;
		}
	}
}

static void set_row(const struct snapshot *s, const struct memcg_limits *l, uint32_t i,
		    struct row *r)
{
	r->path = s->cgroups[i].path;
	r->version = l[i].legacy ? "v1" : "v2";
	for (unsigned j = 0; j < MEMCG_VALUES; j++)
		r->v[j] = l[i].v[j] >= MEMCG_NO_LIMIT ? COL_UNKNOWN
			  : j < MEMCG_PAGES	      ? l[i].v[j] * page_size(s)
						      : l[i].v[j];
	for (unsigned j = 0; j < MEMCG_COUNTS; j++) {
		r->count[j] = l[i].count[j];
		r->local[j] = l[i].local[j];
	}
	set_left(s, l, i, r);
}

static enum status rows_of(const struct snapshot *s, const struct report_opts *o, struct table *t,
			   struct diag *diag)
{
	struct memcg_limits *l = memcg_limits_read(s, &t->mem);
	struct row *rows;

	(void)o;
	if (!l)
		return fail(diag, ST_ABSENT, "this image does not show control groups");
	rows = arena_array(&t->mem, struct row, s->ncgroups);
	for (uint32_t i = 0; i < s->ncgroups; i++)
		if (s->cgroups[i].memory)
			set_row(s, l, i, &rows[t->nrows++]);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = t->nrows ? NULL : "The memory controller has no groups.";
	return ST_OK;
}

const struct report report_cgroups_limits = {
	.name = "cgroups",
	.about = "limits of control groups, and what is left",
	.needs = NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_LIMITS,
	.cols = limit_cols,
	.ncols = ARRAY_LEN(limit_cols),
	.run = rows_of,
};

const struct report report_cgroups_events = {
	.name = "cgroups",
	.about = "what happened at the limits of control groups",
	.needs = NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_EVENTS,
	.cols = event_cols,
	.ncols = ARRAY_LEN(event_cols),
	.run = rows_of,
};
