/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules_event.c - what happened, and which limit the request met. */
#include <inttypes.h>
#include <string.h>

#include "model/cause/verdict/rules.h"

/* ---- what happened ---------------------------------------------------------------------- */

static const char *seconds(const struct judge *j, uint64_t ns)
{
	if (j->e->by_clock)
		return j->e->printed ? arena_printf(j->mem, "at %s", j->e->printed)
				     : "at an unknown time";
	if (ns == EV_UNKNOWN)
		return "at an unknown time";
	return arena_printf(j->mem, "%" PRIu64 " s after boot", ns / 1000000000);
}

#define LONG_AGO UINT64_C(600000000000)	/* ns: what is newer is told as if it were now */

/* ", 3 h before this dump" */
static const char *ago(const struct judge *j, uint64_t ns)
{
	uint64_t minutes;

	if (j->e->uptime < ns || j->e->uptime - ns < LONG_AGO)
		return "";
	minutes = (j->e->uptime - ns) / 60000000000;
	return minutes < 120
		       ? arena_printf(j->mem, ", %" PRIu64 " minutes before this dump", minutes)
	       : minutes < 2880
		       ? arena_printf(j->mem, ", %" PRIu64 " hours before this dump", minutes / 60)
		       : arena_printf(j->mem, ", %" PRIu64 " days before this dump",
				      minutes / 1440);
}

/* The function of a module, or who wants pages in a row; single pages are asked for by all. */
static const char *asker(const struct judge *j, const struct oom_event *v)
{
	if (!v->asker || (!v->order && !v->asker_module))
		return "";
	return arena_printf(j->mem, " in %s()%s%s", v->asker, v->asker_module ? " of module " : "",
			    v->asker_module ? v->asker_module : "");
}

static const char *request(const struct judge *j)
{
	const struct oom_event *v = j->e->event;
	const char *gfp = v->gfp_names ? arena_printf(j->mem, " (%s)", v->gfp_names) : "";

	if (v->order == -1)
		return "somebody asked for a kill with sysrq f";
	if (!v->comm)
		return "the log does not have who asked";
	if (v->order < 0 || v->order > 20) /* or not known */
		return arena_printf(j->mem, "%s asked for memory", proc_text(j, v->comm, v->pid));
	return arena_printf(j->mem, "%s asked for %" PRIu64 " page%s%s%s",
			    proc_text(j, v->comm, v->pid), UINT64_C(1) << v->order,
			    v->order ? "s in a row" : "", gfp, asker(j, v));
}

static const char *outcome(const struct judge *j)
{
	const struct oom_event *v = j->e->event;
	const struct oom_victim *o = v->victims.n ? &v->victims.v[0] : NULL;

	if (v->panic)
		return arena_printf(j->mem, "the kernel panicked: %s", v->panic);
	if (v->no_task)
		return "there was nobody to kill";
	if (v->exiting && o)
		return arena_printf(j->mem, "%s was exiting already",
				    proc_text(j, o->comm ? o->comm : "?", o->pid));
	if (o && v->victims.n > 1)
		return arena_printf(j->mem, "%zu processes were killed, the first %s", v->victims.n,
				    proc_text(j, o->comm ? o->comm : "?", o->pid));
	if (o)
		return arena_printf(j->mem, "%s was killed",
				    proc_text(j, o->comm ? o->comm : "?", o->pid));
	return "the log does not have how it ended";
}

static const char *which(const struct judge *j)
{
	const struct oom_evidence *e = j->e;

	return e->events > 1 ? arena_printf(j->mem, "Event %zu of %zu. ", e->number, e->events)
			     : "";
}

static bool killed(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || (v->kind != OOM_KILL && v->kind != OOM_FAULT))
		return false;
	r->why = "the log has it";
	r->text = arena_printf(j->mem, "%sThe kernel ran out of memory %s%s: %s; %s.", which(j),
			       seconds(j, v->time), ago(j, v->time), request(j), outcome(j));
	return true;
}

static bool failed(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || (v->kind != OOM_FAILURE && v->kind != OOM_STALL))
		return false;
	r->why = "the log has it";
	r->text = arena_printf(j->mem, "%sNo process was killed; an allocation %s %s%s: %s.",
			       which(j), v->kind == OOM_FAILURE ? "failed" : "took long",
			       seconds(j, v->time), ago(j, v->time), request(j));
	return true;
}

static bool by_program(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;
	const struct oom_victim *o = v && v->victims.n ? &v->victims.v[0] : NULL;

	if (!v || (v->kind != OOM_PROGRAM && v->kind != OOM_ANDROID))
		return false;
	r->why = "the log has its message";
	r->text = arena_printf(j->mem, "%sNot the OOM killer of the kernel: %s killed %s %s%s.",
			       which(j),
			       v->comm			? v->comm
			       : v->kind == OOM_ANDROID ? "lowmemorykiller"
							: "a program",
			       o	  ? proc_text(j, o->comm ? o->comm : "?", o->pid)
			       : v->group ? v->group
					  : "a process",
			       seconds(j, v->time), ago(j, v->time));
	return true;
}

/* Its message is in the journal alone. */
static bool by_program_quietly(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !e->said)
		return false;
	r->certainty = LIKELY;
	r->why = "a message in the pages of the journal";
	r->text = arena_printf(
		j->mem, "Not the OOM killer of the kernel: %s runs, and the journal has \"%s\".",
		e->killer, e->said);
	return true;
}

static bool not_in_log(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !e->kills || e->kills == EV_UNKNOWN)
		return false;
	r->why = "the kernel counts its kills";
	r->text = arena_printf(j->mem,
			       "The kernel counts %" PRIu64
			       " OOM kill%s since boot; the log has none%s.",
			       e->kills, e->kills == 1 ? "" : "s",
			       e->log_begins == EV_UNKNOWN
				       ? ": it is not in the dump"
				       : arena_printf(j->mem, ", it begins %s",
						      seconds(j, e->log_begins)));
	return true;
}

static bool is_short(const struct oom_evidence *e)
{
	return e->available != EV_UNKNOWN && ev_share(e, e->available) < 100;
}

static bool thrashing(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || e->thrash != THRASH_YES)
		return false;
	r->bytes = e->available;
	r->certainty = e->thrash_sure == THRASH_WEAK ? GUESS : LIKELY;
	r->why = "the kernel's averages of pressure, and pages that were read again";
	r->text = arena_printf(j->mem,
			       "No kernel OOM in this dump, but the machine thrashed. %s%s%s%s",
			       e->thrash_why, e->sufferer ? " Most major faults: " : "",
			       e->sufferer ? e->sufferer : "", e->sufferer ? "." : "");
	return true;
}

/* Tasks had to reclaim memory themselves, and what was reclaimed came back. */
static bool short_of_memory(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !is_short(e) || e->thrash == THRASH_NO ||
	    e->direct_reclaims == EV_UNKNOWN || !e->direct_reclaims)
		return false;
	r->bytes = e->available;
	r->certainty = e->refaults != EV_UNKNOWN && e->refaults > 1000 ? LIKELY : GUESS;
	r->why = "little memory was available and tasks reclaimed; the counters are since boot";
	r->text =
		arena_printf(j->mem,
			     "No kernel OOM in this dump, but memory was short: %s were available "
			     "(%s), tasks reclaimed memory %" PRIu64 " times%s.",
			     size_text(j, e->available), share_text(j, e->available),
			     e->direct_reclaims,
			     e->refaults == EV_UNKNOWN
				     ? ""
				     : arena_printf(j->mem, ", %" PRIu64 " pages came back",
						    e->refaults));
	return true;
}

static bool no_oom(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event)
		return false;
	r->certainty = e->log_begins == EV_UNKNOWN ? GUESS : e->kills == 0 ? CERTAIN : LIKELY;
	r->why = e->log_begins == EV_UNKNOWN ? "the kernel's log is not in the dump"
		 : e->kills == 0	     ? "the log has none, and the kernel counts none"
					     : "the log has none";
	r->text = arena_printf(j->mem, "No kernel OOM in this %s%s%s%s.",
			       e->log_alone ? "log" : "dump",
			       e->log_begins == EV_UNKNOWN
				       ? ", as far as it shows: its log is missing"
				       : "",
			       e->panic ? ". The panic is another: " : "",
			       e->panic ? e->panic : "");
	return true;
}

/* VC_NONE ends these lists; the first that holds is taken */
const struct cause_rule event_rules[] = {
	{ VC_OOM_KILL, "oom", killed },
	{ VC_FAILED, "oom", failed },
	{ VC_BY_PROGRAM, "oom", by_program },
	{ VC_BY_PROGRAM, "procs", by_program_quietly },
	{ VC_NOT_IN_LOG, "summary", not_in_log },
	{ VC_THRASHING, "thrash", thrashing },
	{ VC_SHORT, "summary", short_of_memory },
	{ VC_NO_OOM, "oom", no_oom },
	{ VC_NONE, NULL, NULL },
};

/* ---- the limit ---------------------------------------------------------------------------- */

static bool memcg(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;
	const char *path;

	if (!ev_is_memcg(e))
		return false;
	path = v->oom_memcg ? v->oom_memcg : v->stats_of;
	r->bytes = e->total;
	r->why = v->inferred ? "other lines of the log say so"
			     : "the kernel printed the constraint";
	r->text = arena_printf(j->mem, "Control group %s was at its limit%s%s%s.",
			       path ? path : "(not in the log)",
			       e->total == EV_UNKNOWN ? "" : " of ",
			       e->total == EV_UNKNOWN ? "" : size_text(j, e->total),
			       e->machine_free == EV_UNKNOWN
				       ? ""
				       : arena_printf(j->mem, "; the machine had %s free",
						      size_text(j, e->machine_free)));
	return true;
}

static bool nodes(const struct judge *j, struct verdict_row *r, bool cpuset)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;
	const char *list;

	if (!v || v->constraint != (cpuset ? OOM_CPUSET : OOM_MEMPOLICY))
		return false;
	list = ev_nodes(v);
	r->bytes = e->zone.free_of_others;
	r->elsewhere = true;
	r->certainty = v->inferred ? LIKELY : CERTAIN;
	r->why = v->inferred ? "other lines of the log say so"
			     : "the kernel printed the constraint";
	r->text = arena_printf(j->mem,
			       "%s%s limited the request%s%s; %s are free where it could not take "
			       "them.",
			       !cpuset	   ? "A memory policy"
			       : v->cpuset ? "Cpuset "
					   : "A cpuset",
			       cpuset && v->cpuset ? v->cpuset : "",
			       !list		     ? ""
			       : nodes_are_one(list) ? " to node "
						     : " to nodes ",
			       list ? list : "", size_text(j, e->zone.free_of_others));
	return true;
}

static bool cpuset(const struct judge *j, struct verdict_row *r)
{
	return nodes(j, r, true);
}

static bool mempolicy(const struct judge *j, struct verdict_row *r)
{
	return nodes(j, r, false);
}

static const char *zone_text(const struct judge *j)
{
	const struct ev_zone *z = &j->e->zone;

	return z->node == OOM_UNKNOWN
		       ? arena_printf(j->mem, "zone %s", z->name)
		       : arena_printf(j->mem, "zone %s of node %" PRId64, z->name, z->node);
}

/* An order that nothing is killed for, or a zone that has enough, in pieces. */
static bool fragmentation(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!v || ev_is_memcg(e) || v->order < 1 || v->order > 20 || !e->zone.name ||
	    (!e->zone.no_block && v->order <= 3))
		return false;
	r->bytes = e->zone.free;
	r->certainty = e->zone.no_block ? CERTAIN : LIKELY;
	r->why = e->zone.no_block ? "the zone has enough pages, and no block of that order"
				  : "the kernel kills for no order above 3: it gave up";
	r->text = arena_printf(j->mem,
			       "Memory was in pieces: %s were free, but no block of %" PRIu64
			       " pages (order %" PRId64 ") that the request could take.",
			       size_text(j, e->zone.free), UINT64_C(1) << v->order, v->order);
	return true;
}

/* A request for low memory, with memory elsewhere. */
static bool low_zone(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_zone *z = &e->zone;

	if (!e->event || !z->name || ev_is_of_kswapd(e->event) ||
	    ev_share(e, z->free_of_others) < 50 || z->free_of_others / 2 < z->free)
		return false;
	r->bytes = z->free_of_others;
	r->why = "the zones of the log, tested again";
	r->text =
		arena_printf(j->mem,
			     "The request could only use low zones, and %s had too little; %s were "
			     "free in other zones.",
			     zone_text(j), size_text(j, z->free_of_others));
	return true;
}

static bool all_memory(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!v || ev_is_memcg(e) || v->order == -1 || v->kind == OOM_PROGRAM ||
	    e->size[USE_FREE] == EV_UNKNOWN)
		return false;
	r->bytes = e->size[USE_FREE];
	r->certainty = v->constraint == OOM_NOT_TOLD ? LIKELY : CERTAIN;
	r->why = v->constraint == OOM_NOT_TOLD ? "the log does not have the constraint"
					       : "the kernel knew no narrower limit";
	r->text = arena_printf(j->mem, "The limit was the machine's memory: %s of %s were free%s.",
			       size_text(j, e->size[USE_FREE]), size_text(j, e->total),
			       e->zone.name && e->zone.lacking != EV_UNKNOWN && e->zone.lacking
				       ? arena_printf(j->mem, ", and %s was %s below its mark",
						      zone_text(j), size_text(j, e->zone.lacking))
				       : "");
	return true;
}

/* Nobody is killed then: mmap() and fork() fail. */
static bool commit_limit(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || !e->strict || !is_part(e->committed, e->commit_limit, 950))
		return false;
	r->bytes = e->commit_limit;
	r->why = "the kernel's count, and vm.overcommit_memory=2";
	r->text = arena_printf(j->mem,
			       "Requests are refused at the commit limit (vm.overcommit_memory=2): "
			       "%s of %s are promised, while %s are available.",
			       size_text(j, e->committed), size_text(j, e->commit_limit),
			       size_text(j, e->available));
	return true;
}

/* Nobody is killed there either: its processes sleep. */
static bool throttled(const struct judge *j, struct verdict_row *r)
{
	const struct ev_throttled *t = &j->e->throttled;

	if (j->e->event || !t->path || !t->times)
		return false;
	r->bytes = t->high;
	r->elsewhere = true;
	r->why = "its counters";
	r->text = arena_printf(j->mem,
			       "Control group %s is at memory.high: it has %s of %s, and its "
			       "processes were slowed down %" PRIu64 " times.",
			       t->path, size_text(j, t->usage), size_text(j, t->high), t->times);
	return true;
}

static bool enough(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->event || e->thrash == THRASH_YES || e->available == EV_UNKNOWN || is_short(e))
		return false;
	r->bytes = e->available;
	r->why = "the kernel's own estimate, MemAvailable";
	r->text = arena_printf(j->mem, "Memory was not short: %s were available, %s.",
			       size_text(j, e->available), share_text(j, e->available));
	return true;
}

const struct cause_rule limit_rules[] = {
	{ VC_MEMCG, "oom --cgroups", memcg },
	{ VC_CPUSET, "oom --zones", cpuset },
	{ VC_MEMORY_POLICY, "oom --zones", mempolicy },
	{ VC_FRAGMENTATION, "oom --zones", fragmentation },
	{ VC_LOW_ZONE, "oom --zones", low_zone },
	{ VC_MACHINE, "oom --zones", all_memory },
	{ VC_COMMIT_LIMIT, "summary", commit_limit },
	{ VC_THROTTLED, "cgroups", throttled },
	{ VC_ENOUGH, "summary", enough },
	{ VC_NONE, NULL, NULL },
};
