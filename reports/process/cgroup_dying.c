/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cgroups --dying: removed groups that are still referenced, and what is charged to them. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/cgroup/memcg.h"
#include "model/kernel/cgroup/memcg_limits.h"
#include "reports/core/common.h"
#include "reports/process/cgroup_parts.h"

struct row {
	const char *path;
	uint64_t refs, usage, swap, slab, below, procs, stat[MEMCG_STATS];
};

#define P COL_SHOWN
#define T COL_TOTAL
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define STAT(which, name, fl, about) \
	COL_AS(struct row, stat[MEMCG_STAT_##which], name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, refs, COL_UINT, P, "", "references: of pages, swap slots, groups below ..."),
	BYTES(usage, P, "counter of charges; with kernel memory that went to the group above"),
	BYTES(swap, P, "charged swap, which keeps a group as pages do"),
	STAT(ANON, "anon", P | T, "anonymous pages charged to it and those below (memory.stat)"),
	STAT(FILE, "file", P | T, "pages of files, tmpfs and shared memory included"),
	STAT(SHMEM, "shmem", P | T, "of file: tmpfs, memfd, SysV, shared anonymous"),
	STAT(KERNEL, "kernel", P | T, "kernel memory"),
	BYTES(slab, P | T, "slab objects"),
	STAT(KERNEL_STACK, "kernel_stack", 0, "kernel stacks"),
	STAT(PAGETABLES, "pagetables", 0, "page tables"),
	STAT(PERCPU, "percpu", 0, "per-CPU memory"),
	STAT(SOCK, "sock", 0, "network buffers"),
	COL(struct row, below, COL_UINT, P, "", "groups below it, which keep it too"),
	COL(struct row, procs, COL_UINT, 0, "", "processes in it that have not ended"),
	COL(struct row, path, COL_STR, P, "", "path in its hierarchy"),
};

static void set_row(const struct snapshot *s, const struct memcg_limits *l, const struct memcg *m,
		    uint32_t i, struct row *r)
{
	uint64_t a = m->stat[MEMCG_STAT_SLAB_RECLAIMABLE];
	uint64_t b = m->stat[MEMCG_STAT_SLAB_UNRECLAIMABLE];
	const struct cgroup *g = &s->cgroups[i];

	r->path = g->path;
	r->refs = l->refs;
	r->usage = g->memory ? g->usage * page_size(s) : COL_UNKNOWN;
	r->swap = g->memory ? g->swap * page_size(s) : COL_UNKNOWN;
	r->slab = a == UINT64_MAX || b == UINT64_MAX ? COL_UNKNOWN : a + b;
	memcpy(r->stat, m->stat, sizeof(r->stat));
}

/* ROWS has one for each group. */
static void count_members(const struct snapshot *s, struct row *rows)
{
	for (uint32_t i = 0; i < s->ncgroups; i++)
		if (s->cgroups[i].parent < s->ncgroups)
			rows[s->cgroups[i].parent].below++;
	for (uint32_t i = 0; i < s->nprocs; i++)
		if (s->procs[i].cgroup < s->ncgroups)
			rows[s->procs[i].cgroup].procs++;
}

static enum status dying_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct memcg_limits *l = memcg_limits_read(s, &t->mem);
	struct memcg *m = memcgs_read(s, &t->mem);
	struct row *rows;

	(void)o;
	if (!l)
		return fail(diag, ST_ABSENT, "this image does not show control groups");
	rows = arena_array(&t->mem, struct row, s->ncgroups);
	count_members(s, rows);
	for (uint32_t i = 0; i < s->ncgroups; i++) {
		if (!s->cgroups[i].dying)
			continue;
		set_row(s, &l[i], &m[i], i, &rows[i]);
		rows[t->nrows++] = rows[i];
	}
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = t->nrows ? NULL : "No removed group is still referenced.";
	return ST_OK;
}

const struct report report_cgroups_dying = {
	.name = "cgroups",
	.about = "removed control groups that are still referenced",
	.needs = NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_DYING,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-refs",
	.run = dying_report,
};
