/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evidence.c - the event that a verdict is about, and the zone that failed it. */
#include "model/cause/verdict/evidence.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/system.h"
#include "model/cause/event/zonetest.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/kobj.h"
#include "model/kernel/zone/zones.h"
#include "model/memory/trust/found.h"

#define AT_ONCE UINT64_C(2000000000)	/* ns between an event and its dump */

/* The event that ended in a panic, else the last kill of the kernel, else the last of all. */
static void choose_event(struct gather *g)
{
	struct oom_evidence *e = g->e;
	const struct oom_event *best = NULL;

	e->events = g->log->n;
	for (size_t i = 0; i < g->log->n; i++) {
		const struct oom_event *v = &g->log->v[i];
		bool worse = best &&
			     (best->panic || (best->kind == OOM_KILL && v->kind != OOM_KILL));

		if (worse && !v->panic)
			continue;
		best = v;
		e->number = i + 1;
	}
	e->event = best;
}

/* The first time that it has; 0 if no line has one, EV_UNKNOWN if there is no line. */
static uint64_t log_begins(const struct machine *m)
{
	for (uint32_t i = 0; i < m->nlog; i++)
		if (m->log[i].ts != UINT64_MAX)
			return m->log[i].ts;
	return m->nlog ? 0 : EV_UNKNOWN;
}

/* Was the dump taken in the moment of the event? */
static bool taken_at_once(const struct gather *g)
{
	const struct oom_event *v = g->e->event;
	const struct machine *m = &g->s->machine;
	uint64_t end = m->nlog ? m->log[m->nlog - 1].ts : 0;

	if (!v)
		return true;
	if (v->panic || (v->kind == OOM_KILL && v->no_task))
		return true;
	return m->panic && !v->victims.n && end - v->time < AT_ONCE;
}

static uint32_t memcg_of(const struct gather *g)
{
	const struct oom_event *v = g->e->event;
	const char *path = v ? v->oom_memcg ? v->oom_memcg : v->stats_of : NULL;
	uint32_t found = NONE;

	if (!v || v->constraint != OOM_MEMCG || !path)
		return NONE;
	for (uint32_t i = 0; i < g->s->ncgroups; i++) {
		const struct cgroup *c = &g->s->cgroups[i];

		if (c->memory && c->path && !strcmp(c->path, path) && (found == NONE || !c->dying))
			found = i;
	}
	return found;
}

bool gather_other_node(const struct oom_event *v, int64_t node)
{
	const char *list = ev_nodes(v);

	return list && node != OOM_UNKNOWN && !oom_node_in(list, node);
}

bool gather_is_of_nodes(const struct gather *g)
{
	const struct oom_event *v = g->e->event;

	return v && ev_is_of_nodes(v) && ev_nodes(v) && v->zones.n;
}

static void gather_zone(struct gather *g)
{
	const struct oom_event *v = g->e->event;
	struct ev_zone *z = &g->e->zone;
	uint64_t most = 0, size;

	for (size_t i = 0; v && v->constraint != OOM_MEMCG && i < v->zones.n; i++) {
		const struct oom_zone *o = &v->zones.v[i];
		uint64_t free = gather_told(oom_pair(&o->pairs, "free"), 10), lacking;
		struct zone_test t;

		zone_test(v, o, g->s->k->page_shift, &t);
		if (gather_other_node(v, o->node))
			t.result = ZONE_NOT_ALLOWED;
		if (t.result == ZONE_NOT_ALLOWED)
			z->free_of_others += known(free);
		if (t.result == ZONE_NOT_KNOWN || t.result == ZONE_NOT_ALLOWED)
			continue;
		z->free += known(free);
		lacking = gather_told(t.lacking, g->s->k->page_shift);
		/* the largest zone stands for all: most requests are for it */
		size = known(gather_told(oom_pair(&o->pairs, "present"), 10));
		if (z->name && size <= most)
			continue;
		most = size;
		z->name = o->name;
		z->node = o->node;
		z->lacking = lacking;
		z->no_block = t.result == ZONE_NO_BLOCK;
	}
}

static bool was_printed(const struct oom_event *v, const struct zones *zs, const struct zone *z)
{
	for (size_t i = 0; i < v->zones.n; i++)
		if (!strcmp(v->zones.v[i].name, z->name) &&
		    (v->zones.v[i].node == OOM_UNKNOWN ||
		     (z->node < zs->nnodes && v->zones.v[i].node == zs->nodes[z->node].id)))
			return true;
	return false;
}

/*
 * The kernel prints only zones that the request could use. What was free in others is the rest of
 * its count of all free pages; the dump shows that there are others.
 */
static void gather_others(struct gather *g)
{
	const struct oom_event *v = g->e->event;
	struct ev_zone *z = &g->e->zone;
	struct zones zs;
	bool others = false;

	if (!v || !z->name || z->free_of_others || v->constraint == OOM_MEMCG ||
	    zones_build(g->s, g->mem, 0, &zs))
		return;
	for (uint32_t i = 0; i < zs.n; i++)
		others = others || (zs.v[i].present && !was_printed(v, &zs, &zs.v[i]));
	if (others)
		z->free_of_others =
			known(less(g->all_free == EV_UNKNOWN ? g->e->size[USE_FREE] : g->all_free,
				   z->free));
}

/* What vm.overcommit_memory=2 refuses at (mm/util.c: sysctl_overcommit_memory, OVERCOMMIT_NEVER). */
static void gather_promises(struct gather *g)
{
	const struct kernel *k = g->s->k;
	struct reader *r = kernel_reader(k);
	uint64_t mode = 0;

	g->e->committed = gather_info(g, "Committed_AS");
	g->e->commit_limit = gather_info(g, "CommitLimit");
	g->e->strict = r && has(k, Y_OVERCOMMIT_MEMORY) &&
		       !kvar_u64(k, r, Y_OVERCOMMIT_MEMORY, 4, &mode) && mode == 2;
	reader_free(r);
}

static void gather_dying(struct gather *g)
{
	g->e->ngroups = g->s->ncgroups;
	for (uint32_t i = 0; i < g->s->ncgroups; i++) {
		const struct cgroup *c = &g->s->cgroups[i];

		if (!c->dying || !c->memory)
			continue;
		g->e->ndying++;
		g->e->dying += known(gather_pages(g, c->usage));
	}
}

/* An event says more than that the machine was slow. */
static void gather_thrash(struct gather *g)
{
	struct oom_evidence *e = g->e;
	uint64_t most = 0;
	struct thrash t;

	if (e->event)
		return;
	thrash_read(g->s, NULL, g->mem, &t);
	e->thrash = t.answer;
	e->thrash_sure = t.certainty;
	e->thrash_why = t.reason;
	for (uint32_t i = 0; i < g->s->nprocs; i++) {
		uint64_t n = t.procs[i].maj_flt;

		if (n == UINT64_MAX || n <= most)
			continue;
		most = n;
		e->sufferer = gather_subject(g, i);
	}
}

/* Is a part of the file missing? */
static bool is_lost(const struct kernel *k)
{
	static const enum cause_id ids[] = { CAUSE_UNFINISHED, CAUSE_HEADER, CAUSE_CUT, CAUSE_PART,
					     CAUSE_TABLE };

	for (size_t i = 0; k->dump && i < ARRAY_LEN(ids); i++)
		if (cause_find(&k->dump->causes, ids[i]))
			return true;
	return false;
}

void evidence_gather(const struct snapshot *s, const struct oom_log *log, struct arena *mem,
		     struct oom_evidence *ret)
{
	struct gather g = { .s = s, .mem = mem, .log = log, .e = ret };

	memset(ret, 0, sizeof(*ret));
	memset(ret->size, 0xff, sizeof(ret->size));
	memset(ret->now, 0xff, sizeof(ret->now));
	ret->machine_free = ret->stored = EV_UNKNOWN;
	ret->group_swap = ret->group_swap_limit = EV_UNKNOWN;
	ret->kills = s->machine.oom_kills;
	ret->panic = s->machine.panic;
	ret->panic_time = s->machine.panic && s->machine.panic_line < s->machine.nlog
				  ? s->machine.log[s->machine.panic_line].ts
				  : EV_UNKNOWN;
	ret->uptime = s->machine.uptime;
	ret->log_partial = s->machine.log_partial;
	ret->found = found_text(s, mem);
	ret->lost = is_lost(s->k);
	ret->unlisted = s->k->dump && s->k->dump->exported_only;
	ret->log_begins = log_begins(&s->machine);
	ret->by_clock = s->machine.log_by_clock;
	ret->log_alone = s->machine.log_alone;
	choose_event(&g);
	ret->printed = ret->event	 ? ret->event->printed
		       : s->machine.nlog ? s->machine.log[0].printed
					 : NULL;
	ret->at_once = taken_at_once(&g);
	g.memcg = memcg_of(&g);
	ret->available = gather_info(&g, "MemAvailable");
	ret->direct_reclaims = machine_vmstat_sum(&s->machine, "allocstall");
	ret->refaults = machine_vmstat_sum(&s->machine, "workingset_refault");
	gather_promises(&g);
	gather_sizes(&g);
	gather_zone(&g);
	gather_others(&g);
	gather_processes(&g);
	gather_victim(&g);
	gather_dying(&g);
	gather_thrash(&g);
	gather_repeated(&g);
	gather_killer(&g);
	gather_throttled(&g);
	gather_journal(&g);
	gather_owners(&g);
}
