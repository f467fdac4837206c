/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oom --cgroups: control groups that were at their limit, then and in the dump. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/oom/oom.h"

struct row {
	uint64_t event, usage, limit, failcnt, swap, swap_limit, kmem, anon, file, shmem, slab,
		usage_now, swap_now, limit_now, dying;
	const char *cgroup, *victim_cgroup;
};

#define S COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, event, COL_UINT, S, "", "number of the event in oom"),
	BYTES(usage, S, "log: memory charged"),
	BYTES(limit, S, "log: its limit"),
	COL(struct row, failcnt, COL_UINT, S, "", "log: how often it was at the limit"),
	BYTES(swap, S, "log: swap charged; v1: memory and swap"),
	BYTES(swap_limit, S, "log: its limit; -: none"),
	BYTES(kmem, 0, "log, v1: kernel memory charged"),
	BYTES(anon, S, "log: anonymous memory (v1: rss)"),
	BYTES(file, S, "log: page cache (v1: cache)"),
	BYTES(shmem, S, "log: of file, shared memory"),
	BYTES(slab, S, "log: slab objects"),
	BYTES(usage_now, S, "dump: memory charged"),
	BYTES(swap_now, 0, "dump: swap charged"),
	BYTES(limit_now, S, "dump: limit; -: none"),
	COL(struct row, dying, COL_UINT, 0, "", "dump: 1 if it was removed"),
	COL(struct row, cgroup, COL_STR, S, "", "control group at its limit"),
	COL(struct row, victim_cgroup, COL_STR, 0, "", "control group of the victim"),
};

/* No limit is the largest number of pages: LONG_MAX in pages of v1, in KiB here. */
static uint64_t limit_cell(int64_t kib)
{
	return kib >> 52 ? COL_UNKNOWN : oom_cell_bytes(kib, 10);
}

static void set_usages(const struct oom_event *e, struct row *r)
{
	for (size_t i = 0; i < e->usages.n; i++) {
		const struct oom_usage *u = &e->usages.v[i];

		if (!strcmp(u->what, "memory")) {
			r->usage = oom_cell_bytes(u->usage, 10);
			r->limit = limit_cell(u->limit);
			r->failcnt = oom_cell(u->failcnt);
		} else if (!strcmp(u->what, "kmem")) {
			r->kmem = oom_cell_bytes(u->usage, 10);
		} else {
			r->swap = oom_cell_bytes(u->usage, 10);
			r->swap_limit = limit_cell(u->limit);
		}
	}
}

/* Since 5.3 bytes, before KiB. */
static uint64_t stat_cell(const struct oom_event *e, const char *name, const char *old)
{
	for (size_t i = 0; i < e->stats.n; i++) {
		const struct oom_pair *p = &e->stats.v[i];

		if (!strcmp(p->key, name) || (old && !strcmp(p->key, old)))
			return oom_cell_bytes(p->value, p->kib ? 10 : 0);
	}
	return COL_UNKNOWN;
}

static uint64_t pages_cell(const struct snapshot *s, uint64_t pages)
{
	return pages >> (63 - s->k->page_shift) ? COL_UNKNOWN : pages << s->k->page_shift;
}

static void set_now(const struct snapshot *s, struct row *r)
{
	for (uint32_t i = 0; r->cgroup && i < s->ncgroups; i++) {
		const struct cgroup *g = &s->cgroups[i];

		if (!g->memory || !g->path || strcmp(g->path, r->cgroup))
			continue;
		r->usage_now = pages_cell(s, g->usage);
		r->swap_now = pages_cell(s, g->swap);
		r->limit_now = pages_cell(s, g->max);
		r->dying = g->dying;
		if (!g->dying)
			return;
	}
}

static enum status cgroups_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct oom_log log;
	struct row *rows, *r;
	enum status st = oom_events(s, &log, diag);

	(void)o;
	if (st)
		return st;
	rows = arena_array(&t->mem, struct row, log.n);
	for (size_t i = 0; i < log.n; i++) {
		const struct oom_event *e = &log.v[i];

		if (e->constraint != OOM_MEMCG)
			continue;
		r = &rows[t->nrows++];
		memset(r, 0xff, sizeof(*r)); /* all unknown */
		r->event = i + 1;
		r->cgroup = e->oom_memcg ? e->oom_memcg : e->stats_of;
		r->victim_cgroup = e->task_memcg;
		set_usages(e, r);
		r->anon = stat_cell(e, "anon", "rss");
		r->file = stat_cell(e, "file", "cache");
		r->shmem = stat_cell(e, "shmem", NULL);
		r->slab = stat_cell(e, "slab", NULL);
		set_now(s, r);
	}
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = t->nrows ? NULL
		  : log.n  ? "No event in the log is of a control group at its limit."
			   : oom_note(s, &log, &t->mem);
	return ST_OK;
}

const struct report report_oom_cgroups = {
	.name = "oom",
	.about = "control groups that were at their limit, then and in the dump",
	.needs = NEED_LOG | NEED_MACHINE | NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_CGROUPS,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = cgroups_report,
};
