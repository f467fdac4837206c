/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c - the choice of the OOM killer, done again. */
#include "model/cause/choice/replay.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/cause/event/zonetest.h"
#include "model/kernel/source.h"
#include "model/kernel/zone/zones.h"

/* ---- totalpages: constrained_alloc() --------------------------------------------------------- */

/* mem_cgroup_get_max(): memory, and swap as far as there is any; bytes, 0: not known. */
static uint64_t limit_of_memcg(const struct oom_event *e, uint64_t swap)
{
	uint64_t limit = 0, more = 0;

	for (size_t i = 0; i < e->usages.n; i++) {
		const struct oom_usage *u = &e->usages.v[i];
		uint64_t bytes = u->limit < 0 || u->limit >> 53 ? INT64_MAX
								: (uint64_t)u->limit << 10;

		if (!strcmp(u->what, "memory"))
			limit = bytes;
		else if (!strcmp(u->what, "swap"))
			more = bytes;
		else if (!strcmp(u->what, "memory+swap"))
			more = bytes > limit ? bytes - limit : 0;
	}
	return limit ? limit + min_u64(more, swap) : 0;
}

/* Pages of the nodes that the request was limited to. */
static uint64_t present_in(const struct snapshot *s, const struct oom_event *e, struct arena *mem)
{
	const char *list = e->nodemask ? e->nodemask : e->mems_allowed;
	struct zones zs;
	uint64_t n = 0;

	if (!list || zones_build(s, mem, 0, &zs))
		return 0;
	for (uint32_t i = 0; i < zs.n; i++)
		if (zs.v[i].node < zs.nnodes && oom_node_in(list, zs.nodes[zs.v[i].node].id) &&
		    !(zs.v[i].present >> 48))
			n += zs.v[i].present;
	return n;
}

uint64_t oom_total_of(const struct snapshot *s, const struct oom_event *e, struct arena *mem)
{
	uint64_t swap = machine_meminfo(&s->machine, "SwapTotal"), n;

	if (!e || e->constraint == OOM_NONE)
		return badness_total(s);
	if (swap == UINT64_MAX)
		return 0;
	if (e->constraint == OOM_MEMCG)
		return limit_of_memcg(e, swap) >> s->k->page_shift;
	n = e->constraint == OOM_NOT_TOLD ? 0 : present_in(s, e, mem);
	return n ? n + (swap >> s->k->page_shift) : 0;
}

/* ---- the choice ---------------------------------------------------------------------------------- */

struct badness oom_task_badness(const struct snapshot *s, const struct oom_task *t, uint64_t total)
{
	struct badness_of of = {
		.rss = (uint64_t)t->rss,
		.swap = t->swapents < 0 ? 0 : (uint64_t)t->swapents,
		.tables = t->tables_bytes < 0 ? 0 : (uint64_t)t->tables_bytes >> s->k->page_shift,
		.oom_score_adj = (int)t->oom_score_adj,
	};

	if (t->pid == 1)
		return (struct badness){ .known = true, .unkillable = true };
	/* to 4.16 it depends on CAP_SYS_ADMIN, which is not in the table */
	if (t->rss < 0 || t->oom_score_adj < -1000 || t->oom_score_adj > 1000 ||
	    kernel_rule(s->k, RULE_OOM_ADMIN_30) || kernel_rule(s->k, RULE_OOM_ADMIN_PERCENT))
		return (struct badness){ .known = false };
	return badness_compute(s->k, &of, total);
}

/* Of equals the kernel keeps the first; since 5.3 it takes the last. */
static void consider(const struct kernel *k, const struct badness *b, int64_t pid, const char *comm,
		     struct replay *ret)
{
	bool better = b->points > ret->points ||
		      (b->points == ret->points && kernel_rule(k, RULE_OOM_LAST));

	if (!b->known) {
		ret->unknown++;
		return;
	}
	if (b->unkillable || (ret->result == REPLAY_CHOSEN && !better))
		return;
	*ret = (struct replay){ .result = REPLAY_CHOSEN,
				.pid = pid,
				.comm = comm,
				.points = b->points,
				.unknown = ret->unknown };
}

void replay_log(const struct snapshot *s, const struct oom_event *e, uint64_t total,
		struct replay *ret)
{
	*ret = (struct replay){ .result = REPLAY_NOT_POSSIBLE };
	if (e->kind != OOM_KILL || !e->tasks.n || e->cut || !total)
		return;
	ret->result = REPLAY_NOBODY;
	for (size_t i = 0; i < e->tasks.n; i++) {
		const struct oom_task *t = &e->tasks.v[i];
		struct badness b = oom_task_badness(s, t, total);

		consider(s->k, &b, t->pid, t->comm, ret);
	}
	if (ret->unknown)
		ret->result = REPLAY_NOT_POSSIBLE;
}

/* The order of the list of tasks: that in which they were made. */
struct place {
	uint32_t proc;
	uint64_t start;
	int32_t pid;
};

static int earlier_first(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static bool in_group(const struct snapshot *s, uint32_t cgroup, const char *path)
{
	for (uint32_t n = 0; cgroup < s->ncgroups && n <= s->ncgroups; n++) {
		if (s->cgroups[cgroup].path && !strcmp(s->cgroups[cgroup].path, path))
			return true;
		cgroup = s->cgroups[cgroup].parent;
	}
	return false;
}

static const char *name_of(const struct snapshot *s, const struct proc *p)
{
	const struct task *t = proc_leader(s, p);

	return t ? t->comm : "?";
}

/* Its memory was not given back yet: the kernel waits, and kills nobody else. */
static bool is_dying(const struct snapshot *s, const struct proc *p)
{
	return p->oom_victim && p->mm < s->nmms && !s->mms[p->mm].reaped;
}

void replay_dump(const struct snapshot *s, const struct oom_event *e, uint64_t total,
		 struct replay *ret)
{
	const char *group = e && e->constraint == OOM_MEMCG ? e->oom_memcg : NULL;
	struct arena mem = { 0 };
	struct place *v = arena_array(&mem, struct place, s->nprocs);
	uint32_t n = 0;

	*ret = (struct replay){ .result = REPLAY_NOT_POSSIBLE };
	for (uint32_t i = 0; i < s->nprocs; i++)
		if (!s->procs[i].kthread && (!group || in_group(s, s->procs[i].cgroup, group)))
			v[n++] = (struct place){ i, s->procs[i].start_boottime, s->procs[i].pid };
	sort_array(v, n, sizeof(*v), earlier_first);
	if (total && source_has(s->k, SOURCE_MEMORY))
		ret->result = REPLAY_NOBODY;
	for (uint32_t i = 0; i < n && ret->result != REPLAY_NOT_POSSIBLE; i++) {
		const struct proc *p = &s->procs[v[i].proc];
		struct badness b = proc_badness(s, p, total);

		if (is_dying(s, p)) {
			*ret = (struct replay){ .result = REPLAY_WAITS,
						.pid = p->pid,
						.comm = name_of(s, p) };
			break;
		}
		consider(s->k, &b, p->pid, name_of(s, p), ret);
	}
	arena_release(&mem);
}

/* ---- against the log -------------------------------------------------------------------------------- */

static const struct oom_task *row_of(const struct oom_event *e, int64_t pid)
{
	for (size_t i = 0; i < e->tasks.n; i++)
		if (e->tasks.v[i].pid == pid)
			return &e->tasks.v[i];
	return NULL;
}

#define BACK 64u	/* events, and victims of each, that are looked at */

/* The event before AT in which PID was killed, + 1; 0: none. */
static size_t killed_before(const struct oom_log *log, size_t at, int64_t pid, enum oom_reaped *how)
{
	for (size_t i = at; i-- && at - i <= BACK;)
		for (size_t j = 0; j < log->v[i].victims.n && j < BACK; j++)
			if (log->v[i].kind == OOM_KILL && log->v[i].victims.v[j].pid == pid) {
				*how = log->v[i].victims.v[j].reaped;
				return i + 1;
			}
	return 0;
}

/* Pages by which sizes may move between the choice and the table: a percent. */
static bool is_near(const struct replay *r, const struct oom_task *t)
{
	int64_t pages = t->rss < 0 ? 0 : t->rss + (t->swapents < 0 ? 0 : t->swapents);

	return pages >= r->points - r->points / 100;
}

static void explain(const struct oom_log *log, size_t at, const struct replay *r,
		    struct replay_difference *d)
{
	const struct oom_event *e = &log->v[at];
	const struct oom_task *t = row_of(e, d->got);
	enum oom_reaped how = OOM_NOT_REAPED;

	d->before = killed_before(log, at, r->pid, &how);
	d->unable = how == OOM_UNABLE;
	if (e->prefix && strstr(e->prefix, "oom_kill_allocating_task"))
		d->why = REPLAY_KILLS_ASKER;
	else if (d->before)
		d->why = REPLAY_KILLED_BEFORE;
	else if (!t)
		d->why = REPLAY_NOT_IN_TABLE;
	else if (is_near(r, t))
		d->why = REPLAY_NEAR;
}

struct replay_difference replay_compare(const struct oom_log *log, size_t at,
					const struct replay *r)
{
	const struct oom_event *e = &log->v[at];
	struct replay_difference d = { .got = e->chosen_comm ? e->chosen_pid
					      : e->victims.n ? e->victims.v[0].pid
							     : OOM_UNKNOWN };

	if (r->result == REPLAY_NOT_POSSIBLE || d.got == OOM_UNKNOWN || e->exiting ||
	    (r->result == REPLAY_CHOSEN && r->pid == d.got))
		return d;
	if (r->result == REPLAY_CHOSEN)
		explain(log, at, r, &d);
	d.agrees = d.why == REPLAY_NO_REASON ? REPLAY_CONTRADICTS : REPLAY_EXPLAINED;
	return d;
}
