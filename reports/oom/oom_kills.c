/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * oom --kills: what killing each process, or all of a control group, would free of the memory in
 * the dump; and the cheapest kills that would have helped at the last event: they satisfy its request, and free
 * as much as the process that grew most has.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/cause/choice/badness.h"
#include "model/cause/event/zonetest.h"
#include "model/cause/freed/freed.h"
#include "model/kernel/zone/zones.h"
#include "model/memory/census/cached.h"
#include "model/memory/census/census.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"
#include "reports/oom/oom.h"

struct row {
	uint64_t procs, rss, reaped, exit, anon, tables, stacks, objects, shmem, cache, descriptors, usable,
		swap, never, cheapest;
	int64_t pid, badness;
	const char *kind, *name, *incomplete;
	bool killable, in_scope;	/* in_scope: of the group at its limit, if one is */
};

#define S COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, S, "", "process; cgroup: all processes below it"),
	COL(struct row, pid, COL_INT, S, "", "process id"),
	COL(struct row, procs, COL_UINT, S, "", "processes that would end: all that share its mm, or all of the group"),
	BYTES(rss, S, "resident size, by the kernel's counters"),
	BYTES(reaped, S, "freed by the OOM reaper, before the process ends (since 4.7)"),
	BYTES(exit, S, "freed once they ended: anon, tables, stacks, objects, shmem, cache, descriptors"),
	BYTES(anon, 0, "of exit: anonymous pages that nobody else maps"),
	BYTES(tables, S, "of exit: page tables"),
	BYTES(stacks, 0, "of exit: kernel stacks of all threads"),
	BYTES(objects, 0, "of exit: slab objects: tasks, vmas, inodes and dentries of /proc"),
	BYTES(shmem, S, "of exit: shared memory without a name that nobody else uses"),
	BYTES(cache, 0, "of exit: page cache of deleted files, and secret memory, that nobody else uses"),
	BYTES(descriptors, S, "of exit: pipes, sockets and the like that nobody else holds"),
	BYTES(usable, 0, "of exit: in zones that the request of the last event could use"),
	BYTES(swap, S, "slots of swap that nobody else uses: no memory"),
	BYTES(never, S, "stays: pools of hugetlb, files of tmpfs and SysV segments that only they use"),
	COL(struct row, badness, COL_INT, S, "pages", "of a process: what the OOM killer compares"),
	COL(struct row, cheapest, COL_UINT, S, "", "place among the cheapest kills that would have helped; -: not one"),
	COL(struct row, name, COL_STR, S, "", "name of the process or control group"),
	COL(struct row, incomplete, COL_STR, 0, "", "what could not be read; sizes are then lower bounds"),
};

/* What the last event of the kernel lacked. */
struct request {
	const struct oom_event *e;	/* NULL: none */
	uint64_t need;			/* bytes; COL_UNKNOWN */
	struct freed_range *ranges;
	uint32_t nranges;		/* 0: all zones */
	uint32_t memcg;			/* NONE: of the machine */
};

static uint64_t kib(const struct oom_zone *z, const char *key)
{
	return oom_cell_bytes(oom_pair(&z->pairs, key), 10);
}

/* Bytes that zone Z lacked to its high watermark, which the last attempt before a kill asks for. */
static uint64_t lacked(const struct snapshot *s, const struct oom_event *e,
		       const struct oom_zone *z, const struct zone_test *t)
{
	uint64_t high = kib(z, "high"), have = oom_cell_bytes(t->usable, 10);
	uint64_t pages = e->order > 0 && e->order < 20 ? UINT64_C(1) << e->order : 1;

	if (high == COL_UNKNOWN || have == COL_UNKNOWN || high >> 50)
		return COL_UNKNOWN;
	high += t->reserve > 0 ? (uint64_t)t->reserve * page_size(s) : 0;
	return (high > have ? high - have : 0) + pages * page_size(s);
}

static void zones_of(const struct snapshot *s, struct request *q, struct arena *mem)
{
	struct zones zs = { .n = 0 };
	bool all = true;

	if (zones_build(s, mem, 0, &zs))
		zs.n = 0;
	q->ranges = arena_array(mem, struct freed_range, zs.n);
	for (size_t i = 0; i < q->e->zones.n; i++) {
		const struct oom_zone *z = &q->e->zones.v[i];
		struct zone_test t;

		zone_test(q->e, z, s->k->page_shift, &t);
		if (t.result == ZONE_NOT_KNOWN || t.result == ZONE_NOT_ALLOWED) {
			all = false;
			continue;
		}
		q->need = min_u64(q->need, lacked(s, q->e, z, &t));
		for (uint32_t j = 0; j < zs.n; j++)
			if (zs.v[j].node < zs.nnodes && !strcmp(zs.v[j].name, z->name) &&
			    zs.nodes[zs.v[j].node].id == z->node && q->nranges < zs.n)
				q->ranges[q->nranges++] =
					(struct freed_range){ zs.v[j].start_pfn,
							      zs.v[j].start_pfn + zs.v[j].spanned };
	}
	if (all)
		q->nranges = 0;
}

static void find_request(const struct snapshot *s, const struct oom_log *log, struct arena *mem,
			 struct request *q)
{
	*q = (struct request){ .need = COL_UNKNOWN, .memcg = NONE };
	for (size_t i = 0; i < log->n; i++)
		if (log->v[i].kind == OOM_KILL || log->v[i].kind == OOM_FAILURE)
			q->e = &log->v[i];
	if (!q->e)
		return;
	if (q->e->constraint != OOM_MEMCG) {
		zones_of(s, q, mem);
		return;
	}
	q->need = page_size(s) << (q->e->order > 0 && q->e->order < 10 ? q->e->order : 0);
	for (uint32_t i = 0; q->e->oom_memcg && i < s->ncgroups; i++)
		if (s->cgroups[i].memory && s->cgroups[i].path &&
		    !strcmp(s->cgroups[i].path, q->e->oom_memcg))
			q->memcg = i;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct maker {
	const struct snapshot *s;
	struct arena *mem;
	struct freer *f;
	const struct request *q;
	VEC(struct row) rows;
	uint32_t *procs;	/* [nprocs] */
};

static struct row *add_row(struct maker *m, uint32_t n, const char *kind, const char *name)
{
	struct row *r = vec_push(m->mem, &m->rows);
	struct freed f;

	freed_by(m->f, m->procs, n, &f);
	*r = (struct row){
		.kind = kind,
		.name = name,
		.pid = COL_UNKNOWN_INT,
		.badness = COL_UNKNOWN_INT,
		.procs = n,
		.reaped = f.reaped,
		.exit = f.exit,
		.anon = f.anon,
		.tables = f.tables,
		.stacks = f.stacks,
		.objects = f.objects,
		.shmem = f.shmem,
		.cache = f.cache,
		.descriptors = f.descriptors,
		.usable = m->q->nranges ? f.usable : f.exit,
		.swap = f.swap,
		.never = f.never,
		.cheapest = COL_UNKNOWN,
		.incomplete = f.incomplete ? "not all could be read" : NULL,
	};
	return r;
}

static void add_process(struct maker *m, uint32_t i)
{
	const struct snapshot *s = m->s;
	const struct proc *p = &s->procs[i];
	const struct mm *mm = proc_mm(s, p);
	struct badness b;
	struct row *r;

	m->procs[0] = i;
	r = add_row(m, 1, "process", proc_comm(s, p));
	b = proc_badness(s, p, badness_total(s));
	r->pid = p->pid;
	r->procs = mm->nprocs;
	r->rss = mm_counted_rss(s, mm);
	r->badness = b.known && !b.unkillable ? b.points : COL_UNKNOWN_INT;
	r->in_scope = m->q->memcg == NONE || snapshot_cgroup_within(s, p->cgroup, m->q->memcg);
	r->killable = r->in_scope && (!b.known || !b.unkillable);
}

/* All processes of group G and below; of fewer than two the row would be that of the process. */
static void add_cgroup(struct maker *m, uint32_t g)
{
	const struct snapshot *s = m->s;
	uint64_t rss = 0, n;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->nprocs; i++) {
		if (s->procs[i].kthread || !snapshot_cgroup_within(s, s->procs[i].cgroup, g))
			continue;
		m->procs[count++] = i;
		n = proc_mm(s, &s->procs[i]) && proc_mm(s, &s->procs[i])->owner == i
			    ? mm_counted_rss(s, proc_mm(s, &s->procs[i]))
			    : 0;
		rss += n == COL_UNKNOWN ? 0 : n;
	}
	if (count > 1)
		add_row(m, count, "cgroup", s->cgroups[g].path)->rss = rss;
}

/* ---- the cheapest kills ------------------------------------------------------------------------ */

/* Who had grown most, and what would come free with it. */
struct growth {
	const char *name;		/* NULL: nobody */
	int64_t pid;
	uint64_t bytes;
};

/* A process of the dump, or the victim of the event, which may be gone. What frees less is used up at once. */
static struct growth largest_growth(const struct maker *m)
{
	const struct oom_event *e = m->q->e;
	struct growth g = { NULL, 0, 0 };

	for (size_t i = 0; i < m->rows.n; i++) {
		const struct row *r = &m->rows.v[i];

		if (r->in_scope && r->usable > g.bytes)
			g = (struct growth){ r->name, r->pid, r->usable };
	}
	for (size_t i = 0; i < e->victims.n; i++) {
		const struct oom_victim *v = &e->victims.v[i];
		uint64_t bytes = oom_cell_bytes(v->anon_rss, 10);

		if (v->comm && bytes != COL_UNKNOWN && bytes > g.bytes)
			g = (struct growth){ v->comm, v->pid, bytes };
	}
	return g;
}

struct pick {
	struct row *r;
};

static int most_first(const void *pa, const void *pb)
{
	const struct row *a = ((const struct pick *)pa)->r, *b = ((const struct pick *)pb)->r;

	if (a->usable != b->usable)
		return a->usable < b->usable ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/*
 * One process, if one is enough: that with the least memory. Else the largest, until it is
 * enough: the fewest processes. Returns what they free; *count of them.
 */
static uint64_t choose(struct maker *m, uint64_t need, uint32_t *count)
{
	struct pick *v = arena_array(m->mem, struct pick, m->rows.n);
	uint32_t n = 0, one = NONE;
	uint64_t sum = 0;

	for (size_t i = 0; i < m->rows.n; i++)
		if (m->rows.v[i].killable)
			v[n++].r = &m->rows.v[i];
	sort_array(v, n, sizeof(*v), most_first);
	while (one + 1 < n && v[one + 1].r->usable >= need)
		one++; /* from NONE to 0 */
	if (one != NONE) {
		v[one].r->cheapest = 1;
		*count = 1;
		return v[one].r->usable;
	}
	for (*count = 0; *count < n && sum < need; ++*count) {
		v[*count].r->cheapest = *count + 1;
		sum += v[*count].r->usable;
	}
	return sum;
}

static const char *note(struct maker *m)
{
	const struct request *q = m->q;
	const char *lacked_text;
	struct growth grown;
	uint32_t n;
	uint64_t sum, need;

	if (!q->e)
		return "No event in the log: no request to satisfy.";
	if (q->need == COL_UNKNOWN)
		return "What the last event lacked is not in the log.";
	grown = largest_growth(m);
	need = max_u64(q->need, grown.bytes);
	sum = choose(m, need, &n);
	lacked_text =
		arena_printf(m->mem, "The last event lacked %" PRIu64 " KiB%s%s.", q->need >> 10,
			     q->memcg != NONE ? " below the limit of its control group"
			     : q->nranges ? " in the zones that it could use, to the high watermark"
					  : " to the high watermark",
			     q->e->order > 0 && q->e->order < 20
				     ? arena_printf(m->mem,
						    "; whether blocks of order %" PRId64
						    " come of it is not known",
						    q->e->order)
				     : "");
	if (need > q->need)
		lacked_text = arena_printf(m->mem,
					   "%s %s (%" PRId64 ") had grown to %" PRIu64
					   " KiB: what frees less is soon used up.",
					   lacked_text, grown.name, grown.pid, grown.bytes >> 10);
	if (!n)
		return arena_printf(m->mem, "%s There is nobody who could be killed%s.",
				    lacked_text, q->memcg != NONE ? " in that group" : "");
	return arena_printf(
		m->mem,
		"%s The cheapest kills (one process if one is enough, the one with least "
		"memory; else the largest first): %" PRIu32 " process%s, which free%s %" PRIu64
		" KiB%s.",
		lacked_text, n, n == 1 ? "" : "es", n == 1 ? "s" : "", sum >> 10,
		sum < need ? ": not enough" : "");
}

static enum status kills_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	const struct census *c = census_of(s);
	struct maker m = { .s = s, .mem = &t->mem };
	struct request q;

	(void)o, (void)diag;
	find_request(s, oom_log_of(s), &t->mem, &q);
	m.q = &q;
	m.f = freer_new(s, &c->owners, cached_of(s), q.ranges, q.nranges, &t->mem);
	m.procs = arena_array(&t->mem, uint32_t, s->nprocs);
	for (uint32_t i = 0; i < s->nprocs; i++)
		if (proc_mm(s, &s->procs[i]) && proc_mm(s, &s->procs[i])->owner == i)
			add_process(&m, i);
	for (uint32_t i = 0; i < s->ncgroups; i++)
		if (s->cgroups[i].memory && !s->cgroups[i].dying && s->cgroups[i].parent != NONE)
			add_cgroup(&m, i);
	t->note = note(&m);
	freer_free(m.f);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	t->incomplete = offsetof(struct row, incomplete);
	return ST_OK;
}

const struct report report_oom_kills = {
	.name = "oom",
	.about = "what killing a process or control group would free, and the cheapest kills",
	.needs = NEED_MACHINE | NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_CGROUPS,
	.wants = NEED_LOG,
	.opts = OPT_KILLS,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-exit,pid",
	.run = kills_report,
};
