/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * others.c - what belongs to the story beside the last event: kills shortly before it, programs that
 * kill processes themselves, control groups that are slowed down at memory.high.
 */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/cgroup/memcg.h"
#include "model/kernel/source.h"

#define TOGETHER UINT64_C(300000000000)	/* ns: kills within it are one story */

static uint64_t of_victim(const struct oom_victim *v)
{
	return known(gather_told(v->anon_rss, 10)) + known(gather_told(v->file_rss, 10)) +
	       known(gather_told(v->shmem_rss, 10));
}

void gather_repeated(struct gather *g)
{
	struct oom_evidence *e = g->e;

	for (size_t i = 0; e->event && i < e->number; i++) {
		const struct oom_event *v = &g->log->v[i];
		uint64_t before = e->event->time > v->time ? e->event->time - v->time : 0;

		if (v->kind != OOM_KILL || !v->victims.n || v->exiting || before > TOGETHER)
			continue;
		e->repeated.since = e->repeated.kills ? e->repeated.since : before;
		e->repeated.kills++;
		for (size_t j = 0; j < v->victims.n; j++)
			e->repeated.bytes += of_victim(&v->victims.v[j]);
	}
}

/* Programs that watch memory and send signals; their messages go to the journal, not to the log. */
void gather_killer(struct gather *g)
{
	static const char *const names[] = { "systemd-oomd", "earlyoom", "nohang",
					     "oomd",	     "lmkd",	 "bustd" };

	for (uint32_t i = 0; i < g->s->nprocs && !g->e->killer.name; i++) {
		const struct proc *p = &g->s->procs[i];
		const char *comm = p->leader < g->s->ntasks ? g->s->tasks[p->leader].comm : NULL;

		for (size_t j = 0; comm && !p->kthread && j < ARRAY_LEN(names); j++)
			if (!strcmp(comm, names[j]))
				g->e->killer = gather_subject(g, i);
	}
}

/* The group that was slowed down most often, of those that are at memory.high now. */
void gather_throttled(struct gather *g)
{
	struct ev_throttled *t = &g->e->throttled;
	struct reader *r =
		g->e->event || !source_has(g->s->k, SOURCE_MEMORY) ? NULL : kernel_reader(g->s->k);

	if (!r)
		return;
	for (uint32_t i = 0; i < g->s->ncgroups; i++) {
		const struct cgroup *c = &g->s->cgroups[i];
		struct memcg m;

		if (!c->memory || c->dying || !c->usage)
			continue;
		memcg_read_bounds(g->s, r, i, &m);
		if (m.high == UINT64_MAX || c->usage + memcg_slack(g->s->k) < m.high ||
		    m.event[MEMCG_EVENT_HIGH] == UINT64_MAX ||
		    m.event[MEMCG_EVENT_HIGH] <= t->times)
			continue;
		*t = (struct ev_throttled){ .path = c->path,
					    .usage = gather_pages(g, c->usage),
					    .high = gather_pages(g, m.high),
					    .times = m.event[MEMCG_EVENT_HIGH] };
	}
	reader_free(r);
}
