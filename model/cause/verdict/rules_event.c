/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules_event.c - what happened, and which limit the request met. */
#include "model/cause/verdict/rules.h"

/* ---- what happened ---------------------------------------------------------------------- */

bool rule_killed(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || (v->kind != OOM_KILL && v->kind != OOM_FAULT))
		return false;
	r->why = WHY_IN_LOG;
	return true;
}

bool rule_failed(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || (v->kind != OOM_FAILURE && v->kind != OOM_STALL))
		return false;
	r->why = WHY_IN_LOG;
	return true;
}

bool rule_by_program(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || (v->kind != OOM_PROGRAM && v->kind != OOM_ANDROID))
		return false;
	r->why = WHY_MESSAGE_IN_LOG;
	return true;
}

/* Its message is in the journal alone. */
bool rule_by_program_quietly(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !e->said)
		return false;
	r->certainty = LIKELY;
	r->why = WHY_MESSAGE_IN_JOURNAL;
	return true;
}

bool rule_not_in_log(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !e->kills || e->kills == EV_UNKNOWN)
		return false;
	r->why = WHY_KERNEL_COUNTS_KILLS;
	return true;
}

static bool is_short(const struct oom_evidence *e)
{
	return e->available != EV_UNKNOWN && ev_share(e, e->available) < 100;
}

bool rule_thrashing(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || e->thrash != THRASH_YES)
		return false;
	r->bytes = e->available;
	r->certainty = e->thrash_sure == THRASH_WEAK ? GUESS : LIKELY;
	r->why = WHY_PRESSURE;
	return true;
}

/* Tasks had to reclaim memory themselves, and what was reclaimed came back. */
bool rule_short_of_memory(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !is_short(e) || e->thrash == THRASH_NO ||
	    e->direct_reclaims == EV_UNKNOWN || !e->direct_reclaims)
		return false;
	r->bytes = e->available;
	r->certainty = e->refaults != EV_UNKNOWN && e->refaults > 1000 ? LIKELY : GUESS;
	r->why = WHY_RECLAIM_SINCE_BOOT;
	return true;
}

bool rule_no_oom(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event)
		return false;
	r->certainty = e->log_begins == EV_UNKNOWN ? GUESS : e->kills == 0 ? CERTAIN : LIKELY;
	r->why = e->log_begins == EV_UNKNOWN ? WHY_LOG_IS_MISSING
		 : e->kills == 0	     ? WHY_NEITHER_LOG_NOR_COUNT
					     : WHY_LOG_HAS_NONE;
	return true;
}

/* ---- the limit ---------------------------------------------------------------------------- */

static enum verdict_reason told_constraint(const struct oom_event *v)
{
	return v->inferred ? WHY_CONSTRAINT_BY_OTHER_LINES : WHY_CONSTRAINT_PRINTED;
}

bool rule_memcg(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!ev_is_memcg(e))
		return false;
	r->bytes = e->total;
	r->why = told_constraint(e->event);
	return true;
}

static bool nodes(const struct judge *j, struct verdict_row *r, bool cpuset)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!v || v->constraint != (cpuset ? OOM_CPUSET : OOM_MEMPOLICY))
		return false;
	r->bytes = e->zone.free_of_others;
	r->elsewhere = true;
	r->certainty = v->inferred ? LIKELY : CERTAIN;
	r->why = told_constraint(e->event);
	return true;
}

bool rule_cpuset(const struct judge *j, struct verdict_row *r)
{
	return nodes(j, r, true);
}

bool rule_mempolicy(const struct judge *j, struct verdict_row *r)
{
	return nodes(j, r, false);
}

/* An order that nothing is killed for, or a zone that has enough, in pieces. */
bool rule_fragmentation(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!v || ev_is_memcg(e) || v->order < 1 || v->order > 20 || !e->zone.name ||
	    (!e->zone.no_block && v->order <= 3))
		return false;
	r->bytes = e->zone.free;
	r->certainty = e->zone.no_block ? CERTAIN : LIKELY;
	r->why = e->zone.no_block ? WHY_NO_BLOCK_IN_ZONE : WHY_NO_KILL_FOR_ORDER;
	return true;
}

/* A request for low memory, with memory elsewhere. */
bool rule_low_zone(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_zone *z = &e->zone;

	if (!e->event || !z->name || ev_is_of_kswapd(e->event) ||
	    ev_share(e, z->free_of_others) < 50 || z->free_of_others / 2 < z->free)
		return false;
	r->bytes = z->free_of_others;
	r->why = WHY_ZONES_TESTED;
	return true;
}

bool rule_all_memory(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!v || ev_is_memcg(e) || v->order == -1 || v->kind == OOM_PROGRAM ||
	    e->size[USE_FREE] == EV_UNKNOWN)
		return false;
	r->bytes = e->size[USE_FREE];
	r->certainty = v->constraint == OOM_NOT_TOLD ? LIKELY : CERTAIN;
	r->why = v->constraint == OOM_NOT_TOLD ? WHY_CONSTRAINT_NOT_IN_LOG : WHY_NO_NARROWER_LIMIT;
	return true;
}

/* Nobody is killed then: mmap() and fork() fail. */
bool rule_commit_limit(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !e->strict || !ev_is_part(e->committed, e->commit_limit, 950))
		return false;
	r->bytes = e->commit_limit;
	r->why = WHY_COUNT_AND_STRICT;
	return true;
}

/* Nobody is killed there either: its processes sleep. */
bool rule_throttled(const struct judge *j, struct verdict_row *r)
{
	const struct ev_throttled *t = &j->e->throttled;

	if (j->e->event || !t->path || !t->times)
		return false;
	r->bytes = t->high;
	r->elsewhere = true;
	r->why = WHY_ITS_COUNTERS;
	return true;
}

bool rule_enough(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || e->thrash == THRASH_YES || e->available == EV_UNKNOWN || is_short(e))
		return false;
	r->bytes = e->available;
	r->why = WHY_OWN_ESTIMATE;
	return true;
}
