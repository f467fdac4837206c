/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of the memory controller and of pressure, as the kernel prints them (mm/memcontrol.c,
 * mm/memcontrol-v1.c, kernel/sched/psi.c; read in 5.10, 6.1, 6.12, 7.2).
 */
#include "reports/export/group_text.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/kernel/cgroup/memcg_limits.h"
#include "model/kernel/machine/psi.h"

#define NAME_BYTES 256u		/* NAME_MAX and its NUL */

/* A file of one value, of hierarchy v1 or v2. */
static const struct value_file {
	const char *name;
	enum memcg_value value;
	bool legacy;
	struct era era;			/* of the file; the value may be older */
} value_files[] = {
	{ "memory.current", MEMCG_USAGE, false, { 0, 0 } },
	{ "memory.peak", MEMCG_PEAK, false, { V(5, 19), 0 } },	/* 8e20d4b33266 */
	{ "memory.min", MEMCG_MIN, false, { 0, 0 } },
	{ "memory.low", MEMCG_LOW, false, { 0, 0 } },
	{ "memory.high", MEMCG_HIGH, false, { 0, 0 } },
	{ "memory.max", MEMCG_MAX, false, { 0, 0 } },
	{ "memory.oom.group", MEMCG_OOM_GROUP, false, { 0, 0 } },
	{ "memory.swap.current", MEMCG_SWAP, false, { 0, 0 } },
	{ "memory.swap.high", MEMCG_SWAP_HIGH, false, { 0, 0 } },
	{ "memory.swap.max", MEMCG_SWAP_MAX, false, { 0, 0 } },
	{ "memory.swap.peak", MEMCG_SWAP_PEAK, false, { V(6, 5), 0 } },	/* e0e0b412f6a4 */
	{ "memory.zswap.max", MEMCG_ZSWAP_MAX, false, { 0, 0 } },
	{ "memory.usage_in_bytes", MEMCG_USAGE, true, { 0, 0 } },
	{ "memory.max_usage_in_bytes", MEMCG_PEAK, true, { 0, 0 } },
	{ "memory.limit_in_bytes", MEMCG_MAX, true, { 0, 0 } },
	{ "memory.soft_limit_in_bytes", MEMCG_SOFT, true, { 0, 0 } },
	{ "memory.failcnt", MEMCG_FAILCNT, true, { 0, 0 } },
	{ "memory.memsw.usage_in_bytes", MEMCG_MEMSW, true, { 0, 0 } },
	{ "memory.memsw.max_usage_in_bytes", MEMCG_MEMSW_PEAK, true, { 0, 0 } },
	{ "memory.memsw.limit_in_bytes", MEMCG_MEMSW_MAX, true, { 0, 0 } },
	{ "memory.memsw.failcnt", MEMCG_MEMSW_FAILCNT, true, { 0, 0 } },
};

static const char *const event_names[MEMCG_COUNTS] = {
	"low", "high", "max", "oom", "oom_kill", "oom_group_kill", "sock_throttled",
	"high", "max", "fail",
};

struct resource {
	const char *name;
	enum psi_state some, full;	/* the same: it has no line "some" */
};

static const struct resource resources[] = {
	{ "cpu", PSI_CPU_SOME, PSI_CPU_FULL },
	{ "io", PSI_IO_SOME, PSI_IO_FULL },
	{ "irq", PSI_IRQ_FULL, PSI_IRQ_FULL },
	{ "memory", PSI_MEMORY_SOME, PSI_MEMORY_FULL },
};

/* ---- pressure -------------------------------------------------------------------------- */

static void put_line(const struct psi *p, enum psi_state i, bool zero, const char *kind, FILE *f)
{
	static const unsigned windows[] = { 10, 60, 300 };

	fputs(kind, f);
	for (unsigned w = 0; w < ARRAY_LEN(windows); w++) {
		uint64_t v = zero ? 0 : psi_percent100(p->avg[i][w]);

		fprintf(f, " avg%u=%" PRIu64 ".%02" PRIu64, windows[w], v / 100, v % 100);
	}
	fprintf(f, " total=%" PRIu64 "\n", zero ? 0 : p->total[i] / 1000);
}

/* The machine's "full" of cpu has no meaning: zeros since v5.16 (and stable 5.15). */
static void put_pressure(struct tree *t, const char *name, const struct psi *p,
			 const struct resource *r, bool machine)
{
	FILE *f;

	if (!p->known || !p->has[r->some])
		return;
	f = tree_file(t, name);
	if (f && r->some != r->full)
		put_line(p, r->some, false, "some", f);
	if (f && p->has[r->full])
		put_line(p, r->full, machine && r->full == PSI_CPU_FULL, "full", f);
	tree_done(t, f);
}

static void put_machine(struct tree *t, const struct snapshot *s)
{
	struct psi p;

	if (!psi_of_machine(s->k, &p))
		return;
	tree_enter(t, "pressure", 0, 0);
	for (unsigned i = 0; i < ARRAY_LEN(resources); i++)
		put_pressure(t, resources[i].name, &p, &resources[i], true);
	tree_leave(t);
}

/* ---- control groups -------------------------------------------------------------------- */

/* PAGE_COUNTER_MAX in bytes, which v1 prints for "no limit". */
static uint64_t largest(const struct kernel *k)
{
	uint64_t pages = k->dump->word_size == 8 ? (uint64_t)INT64_MAX >> k->page_shift : INT32_MAX;

	return pages << k->page_shift;
}

static void put_value(struct tree *t, const struct snapshot *s, const struct memcg_limits *l,
		      const struct value_file *v)
{
	uint64_t n = l->v[v->value];
	FILE *f;

	if (v->legacy != l->legacy || n == UINT64_MAX || !in_era(s->k, v->era) ||
	    (l->root && v->value == MEMCG_USAGE))
		return;
	f = tree_file(t, v->name);
	if (f && n == MEMCG_NO_LIMIT && !l->legacy)
		fputs("max\n", f);
	else if (f)
		fprintf(f, "%" PRIu64 "\n",
			n == MEMCG_NO_LIMIT	 ? largest(s->k)
			: v->value < MEMCG_PAGES ? n << s->k->page_shift
						 : n);
	tree_done(t, f);
}

static void put_events(struct tree *t, const char *name, const uint64_t *count, unsigned first,
		       unsigned end)
{
	FILE *f = count[first] == UINT64_MAX ? NULL : tree_file(t, name);

	for (unsigned i = first; f && i < end; i++)
		if (count[i] != UINT64_MAX)
			fprintf(f, "%s %" PRIu64 "\n", event_names[i], count[i]);
	tree_done(t, f);
}

/* Where files of the group go; false: its path is not one, which an issue says. */
static bool enter_group(struct tree *t, const struct snapshot *s, const char *path)
{
	const char *end;
	char name[NAME_BYTES];
	unsigned depth = 2; /* its directory, and files in the last */

	for (const char *at = path; *at; at = end) {
		size_t n;

		end = at + 1 + strcspn(at + 1, "/");
		n = (size_t)(end - at - 1);
		if (*at != '/' || n >= sizeof(name) || (!n && path[1]) || !strncmp(at, "/.", 2) ||
		    ++depth > TREE_DEPTH || strlen(path) > PATH_MAX / 2 ||
		    !strncmp(at + 1, "memory.", 7) || strpbrk(at + 1, "\n") ||
		    strstr(at, ".pressure")) {
			issue_add(s->k->issues, ST_CORRUPT, "cgroup", 1, "path of %.40s", path);
			return false;
		}
	}
	tree_enter(t, "cgroup", 0, 0);
	for (const char *at = path; path[1] && *at; at = end) {
		end = at + 1 + strcspn(at + 1, "/");
		memcpy(name, at + 1, (size_t)(end - at - 1));
		name[end - at - 1] = 0;
		tree_enter_sub(t, name);
	}
	return true;
}

static void put_group(struct tree *t, const struct snapshot *s, const struct memcg_limits *l,
		      const struct psi *p)
{
	char name[32];

	for (unsigned i = 0; i < ARRAY_LEN(value_files); i++)
		put_value(t, s, l, &value_files[i]);
	if (!l->root && !l->legacy) {
		put_events(t, "memory.events", l->count, 0, MEMCG_COUNT_SWAP_HIGH);
		put_events(t, "memory.events.local", l->local, 0, MEMCG_COUNT_SWAP_HIGH);
		put_events(t, "memory.swap.events", l->count, MEMCG_COUNT_SWAP_HIGH, MEMCG_COUNTS);
	}
	for (unsigned i = 0; i < ARRAY_LEN(resources); i++) {
		snprintf(name, sizeof(name), "%s.pressure", resources[i].name);
		put_pressure(t, name, p, &resources[i], l->root);
	}
}

static uint64_t path_key(const char *path)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	while (*path)
		h = (h ^ (uint8_t)*path++) * UINT64_C(0x100000001b3);
	return h ? h : 1;
}

static void put_groups(struct tree *t, const struct snapshot *s)
{
	struct arena mem = { 0 };
	struct hash seen = { .mem = &mem };
	struct memcg_limits *l = memcg_limits_read(s, &mem);
	struct psi *p = psi_of_cgroups(s, &mem);

	for (uint32_t i = 0; l && !t->st && i < s->ncgroups; i++) {
		const struct cgroup *g = &s->cgroups[i];
		uint64_t key = path_key(g->path);

		if (!g->memory || g->dying)
			continue;
		if (hash_get(&seen, key) != HASH_NONE) {
			issue_add(s->k->issues, ST_CORRUPT, "cgroup", 1, "another %.40s", g->path);
			continue;
		}
		hash_put(&seen, key, 0);
		if (enter_group(t, s, g->path))
			put_group(t, s, &l[i], &p[i]);
	}
	tree_leave(t);
	arena_release(&mem);
}

void put_group_files(struct tree *t, const struct snapshot *s)
{
	put_machine(t, s);
	put_groups(t, s);
}
