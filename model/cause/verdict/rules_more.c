/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules_more.c - what made it worse, and whether the kill could help. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/verdict/rules.h"

/* ---- what made it worse -------------------------------------------------------------------- */

bool rule_swap_full(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->event || ev_is_memcg(e) || e->swap_total == EV_UNKNOWN || !e->swap_total ||
	    e->swap_free == EV_UNKNOWN || ev_is_part(e->swap_free, e->swap_total, 50))
		return false;
	r->bytes = e->swap_total;
	r->why = WHY_KERNEL_COUNTS;
	return true;
}

/* A limit of swap; 0 is that of many containers. */
bool rule_group_swap_full(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	uint64_t limit = e->group_swap_limit;

	if (!ev_is_memcg(e) || !e->swap_total || e->group_swap == EV_UNKNOWN ||
	    limit == EV_UNKNOWN || limit > e->swap_total || e->group_swap < limit / 20 * 19)
		return false;
	r->bytes = limit;
	r->elsewhere = true;
	r->why = WHY_KERNEL_COUNTS;
	return true;
}

bool rule_no_swap(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->event || ev_is_memcg(e) || e->swap_total)
		return false;
	r->bytes = 0;
	r->why = WHY_KERNEL_COUNTS;
	return true;
}

bool rule_locked(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->event || ev_is_memcg(e) || ev_share(e, e->locked) < 100)
		return false;
	r->bytes = e->locked;
	r->why = WHY_KERNEL_COUNTS;
	return true;
}

bool rule_huge_unused(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->event || ev_is_memcg(e) || ev_share(e, e->huge_unused) < 50 ||
	    (j->holder && j->holder->cause == VC_HUGETLB))
		return false;
	r->bytes = e->huge_unused;
	r->why = WHY_KERNEL_COUNTS;
	return true;
}

bool rule_incompressible(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	uint64_t pool = e->size[USE_COMPRESSED];

	if (e->stored == EV_UNKNOWN || ev_share(e, pool) < 50 || !ev_is_part(pool, e->stored, 700))
		return false;
	r->bytes = pool;
	r->why = WHY_STORED_AND_TAKEN;
	return true;
}

bool rule_dying(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->ndying || ev_share(e, e->dying) < 50)
		return false;
	r->bytes = e->dying;
	r->why = WHY_CHARGED_TO_THEM;
	return true;
}

#define MANY_GROUPS 1000u

/* Each has objects of slabs and per-CPU memory, whatever is in it. */
bool rule_many_groups(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	uint64_t slab = e->size[USE_SLAB], percpu = e->size[USE_PERCPU];
	uint64_t both = (slab == EV_UNKNOWN ? 0 : slab) + (percpu == EV_UNKNOWN ? 0 : percpu);

	if (!e->event || e->ngroups < MANY_GROUPS || ev_share(e, both) < 200)
		return false;
	r->bytes = both;
	r->certainty = LIKELY;
	r->why = WHY_THEIR_NUMBER;
	return true;
}

bool rule_unkillable(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_proc *p = &e->largest;

	if (!e->event || !p->comm || ev_share(e, p->bytes) < 200 ||
	    (p->adj != -1000 && p->pid != 1))
		return false;
	r->bytes = p->bytes;
	r->why = p->pid == 1 ? WHY_IS_PROCESS_1 : WHY_ADJ_IS_LOWEST;
	return true;
}

bool rule_kills_asker(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || !v->prefix || !strstr(v->prefix, "oom_kill_allocating_task"))
		return false;
	r->why = WHY_IN_LOG;
	return true;
}

bool rule_repeated(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->repeated.kills < 3)
		return false;
	r->bytes = e->repeated.bytes;
	r->elsewhere = true;
	r->why = WHY_THEY_ARE_IN_LOG;
	return true;
}

/* What the one before had came free while the kernel chose the next. */
bool rule_free_again(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (e->repeated.kills < 2 || ev_is_memcg(e) || v->kind != OOM_KILL || v->order < 0 ||
	    v->order > 3 || !e->zone.name || e->zone.lacking || e->zone.no_block ||
	    e->size[USE_FREE] == EV_UNKNOWN)
		return false;
	r->bytes = e->size[USE_FREE];
	r->certainty = LIKELY;
	r->why = WHY_NO_ZONE_WAS_LOW;
	return true;
}

/* Nothing of a kill by a program is in the kernel's log: it cannot be told from an exit. */
bool rule_killer_runs(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!e->killer.name || e->said || (v && v->kind != OOM_FAILURE && v->kind != OOM_STALL))
		return false;
	r->why = WHY_PROCESS_IS_THERE;
	return true;
}

bool rule_prevented_thrashing(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || !ev_is_of_kswapd(v))
		return false;
	r->certainty = LIKELY;
	r->why = WHY_KSWAPD_ASKED;
	return true;
}

/* The machine did not die of this event. */
bool rule_other_panic(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!v || v->panic || !e->panic)
		return false;
	r->why = WHY_IN_LOG;
	return true;
}

/* ---- the victim ------------------------------------------------------------------------------ */

static bool is_process(const struct verdict_row *r)
{
	return r && (r->cause == VC_ONE_GREW || r->cause == VC_MLOCK);
}

static bool are_processes(const struct verdict_row *r)
{
	return r->cause == VC_MANY_GREW || r->cause == VC_ANON || r->cause == VC_NAME_GREW;
}

/* Did processes of one name hold the memory, and is the victim one of them? */
static bool one_of_many(const struct judge *j)
{
	const struct oom_evidence *e = j->e;

	return e->name.comm && e->victim.comm && j->holder &&
	       (j->holder->cause == VC_FORK_BOMB || j->holder->cause == VC_NAME_GREW) &&
	       !strncmp(e->victim.comm, e->name.comm, strlen(e->name.comm));
}

bool rule_of_many(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->victim;

	if (!one_of_many(j) || !j->e->event)
		return false;
	r->bytes = v->bytes;
	r->why = WHY_ITS_NAME;
	return true;
}

/* Is the victim the process that has most of what was told first? */
static bool owns(const struct judge *j)
{
	return j->owner && j->owner->subject.pid && j->owner->subject.pid == j->e->victim.pid &&
	       ev_is_part(j->owner->bytes, j->holder->bytes, 500);
}

/* What the process has that has most of what was told first: that may be in several uses. */
static uint64_t of_owner(const struct judge *j)
{
	uint64_t sum = 0;

	for (unsigned i = 0; j->owner && j->owner->subject.pid && i < USES; i++)
		if (j->e->owner[i].subject.pid == j->owner->subject.pid &&
		    j->e->size[i] != EV_UNKNOWN)
			sum += min_u64(j->e->owner[i].bytes, j->e->size[i]);
	return sum;
}

bool rule_innocent(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_victim *v = &e->victim;
	bool other = is_process(j->holder) && v->pid != e->largest.pid;

	if (!v->comm || v->bytes == EV_UNKNOWN || !j->holder || !e->event || one_of_many(j))
		return false;
	if (j->owner && j->owner->among) /* perhaps it had that */
		return false;
	if ((is_process(j->holder) && !other) || owns(j) ||
	    v->bytes > (other ? e->largest.bytes : max_u64(j->weight, of_owner(j))) / 2)
		return false;
	/* of processes that grew together it is one */
	if (are_processes(j->holder) && (ev_is_part(v->bytes, j->holder->bytes, 250) ||
					 ev_is_part(v->bytes, e->largest.bytes, 500)))
		return false;
	r->bytes = v->bytes;
	r->certainty = ev_is_part(v->bytes, j->holder->bytes, 100) ? LIKELY : CERTAIN;
	r->why = WHY_HELD_BESIDE_MOST;
	return true;
}

bool rule_guilty(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_victim *v = &e->victim;

	if (!v->comm || !e->event || !j->holder ||
	    !(owns(j) || (v->pid == e->largest.pid &&
			  (is_process(j->holder) || j->holder->cause == VC_MANY_GREW))))
		return false;
	r->bytes = v->bytes;
	r->why = WHY_WHAT_EACH_HELD;
	return true;
}

bool rule_stuck(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->stuck;

	if (!v->comm)
		return false;
	r->bytes = v->bytes;
	r->why = WHY_ITS_STATE;
	return true;
}

bool rule_not_gone(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->earlier;

	if (!v->comm || ev_share(j->e, v->bytes) < 10)
		return false;
	r->bytes = v->bytes;
	r->certainty = v->sure ? CERTAIN : LIKELY;
	r->why = v->sure ? v->sure : WHY_GONE_BUT_COUNTED;
	return true;
}

bool rule_not_reaped(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->victim;

	if (!v->comm || v->reaped != OOM_UNABLE)
		return false;
	r->bytes = v->bytes;
	r->why = WHY_IN_LOG;
	return true;
}
