/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * words.c - the sentences of a verdict: its words, and what happened and which limit was met. What held the
 * memory: words_holder.c; the victim, and what made it worse: words_more.c.
 */
#include "reports/oom/words.h"

#include <inttypes.h>
#include <string.h>

#include "reports/machine/thrash_text.h"

const char *certainty_text(enum certainty c)
{
	return c == CERTAIN ? "certain" : c == LIKELY ? "likely" : "a guess";
}

/* ---- words ---------------------------------------------------------------------------------- */

const char *size_text(const struct telling *t, uint64_t bytes)
{
	if (bytes == EV_UNKNOWN)
		return "an unknown amount";
	if (bytes >= UINT64_C(10) << 30)
		return arena_printf(t->mem, "%" PRIu64 " GiB", bytes >> 30);
	if (bytes >= UINT64_C(10) << 20)
		return arena_printf(t->mem, "%" PRIu64 " MiB", bytes >> 20);
	return arena_printf(t->mem, "%" PRIu64 " KiB", bytes >> 10);
}

/* Is a list of nodes ("0-1") a single one? */
static bool nodes_are_one(const char *list)
{
	return *list && !list[strspn(list, "0123456789")];
}

const char *share_text(const struct telling *t, uint64_t bytes)
{
	unsigned share = ev_share(t->e, bytes);
	const struct oom_event *v = t->e->event;
	bool nodes = v && ev_is_of_nodes(v);
	const char *list = nodes ? ev_nodes(v) : NULL;
	const char *of = ev_is_memcg(t->e)	       ? "of the limit"
			 : !nodes		       ? "of RAM"
			 : list && nodes_are_one(list) ? "of that node"
						       : "of those nodes";

	/* with what it has in swap */
	if (share > 1000)
		return arena_printf(t->mem, "more than 100 %% %s", of);
	return share >= 100 ? arena_printf(t->mem, "%u %% %s", share / 10, of)
			    : arena_printf(t->mem, "%u.%u %% %s", share / 10, share % 10, of);
}

const char *proc_text(const struct telling *t, const char *comm, int64_t pid)
{
	return pid == OOM_UNKNOWN ? comm : arena_printf(t->mem, "%s (%" PRId64 ")", comm, pid);
}

/* ---- what happened ---------------------------------------------------------------------- */

static const char *seconds(const struct telling *t, uint64_t ns)
{
	if (t->e->by_clock)
		return t->e->printed ? arena_printf(t->mem, "at %s", t->e->printed)
				     : "at an unknown time";
	if (ns == EV_UNKNOWN)
		return "at an unknown time";
	return arena_printf(t->mem, "%" PRIu64 " s after boot", ns / 1000000000);
}

#define LONG_AGO UINT64_C(600000000000) /* ns: what is newer is told as if it were now */

/* ", 3 h before this dump" */
static const char *ago(const struct telling *t, uint64_t ns)
{
	uint64_t minutes;

	if (t->e->uptime < ns || t->e->uptime - ns < LONG_AGO)
		return "";
	minutes = (t->e->uptime - ns) / 60000000000;
	return minutes < 120
		       ? arena_printf(t->mem, ", %" PRIu64 " minutes before this dump", minutes)
	       : minutes < 2880
		       ? arena_printf(t->mem, ", %" PRIu64 " hours before this dump", minutes / 60)
		       : arena_printf(t->mem, ", %" PRIu64 " days before this dump",
				      minutes / 1440);
}

/* The function of a module, or who wants pages in a row; single pages are asked for by all. */
static const char *asker(const struct telling *t, const struct oom_event *v)
{
	if (!v->asker || (!v->order && !v->asker_module))
		return "";
	return arena_printf(t->mem, " in %s()%s%s", v->asker, v->asker_module ? " of module " : "",
			    v->asker_module ? v->asker_module : "");
}

static const char *request(const struct telling *t)
{
	const struct oom_event *v = t->e->event;
	const char *gfp = v->gfp_names ? arena_printf(t->mem, " (%s)", v->gfp_names) : "";

	if (v->order == -1)
		return "somebody asked for a kill with sysrq f";
	if (!v->comm)
		return "the log does not have who asked";
	if (v->order < 0 || v->order > 20) /* or not known */
		return arena_printf(t->mem, "%s asked for memory", proc_text(t, v->comm, v->pid));
	return arena_printf(t->mem, "%s asked for %" PRIu64 " page%s%s%s",
			    proc_text(t, v->comm, v->pid), UINT64_C(1) << v->order,
			    v->order ? "s in a row" : "", gfp, asker(t, v));
}

static const char *outcome(const struct telling *t)
{
	const struct oom_event *v = t->e->event;
	const struct oom_victim *o = v->victims.n ? &v->victims.v[0] : NULL;

	if (v->panic)
		return arena_printf(t->mem, "the kernel panicked: %s", v->panic);
	if (v->no_task)
		return "there was nobody to kill";
	if (v->exiting && o)
		return arena_printf(t->mem, "%s was exiting already",
				    proc_text(t, o->comm ? o->comm : "?", o->pid));
	if (o && v->victims.n > 1)
		return arena_printf(t->mem, "%zu processes were killed, the first %s", v->victims.n,
				    proc_text(t, o->comm ? o->comm : "?", o->pid));
	if (o)
		return arena_printf(t->mem, "%s was killed",
				    proc_text(t, o->comm ? o->comm : "?", o->pid));
	return "the log does not have how it ended";
}

static const char *which(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return e->events > 1 ? arena_printf(t->mem, "Event %zu of %zu. ", e->number, e->events)
			     : "";
}

const char *say_killed(const struct telling *t)
{
	const struct oom_event *v = t->e->event;

	return arena_printf(t->mem, "%sThe kernel ran out of memory %s%s: %s; %s.", which(t),
			    seconds(t, v->time), ago(t, v->time), request(t), outcome(t));
}

const char *say_failed(const struct telling *t)
{
	const struct oom_event *v = t->e->event;

	return arena_printf(t->mem, "%sNo process was killed; an allocation %s %s%s: %s.", which(t),
			    v->kind == OOM_FAILURE ? "failed" : "took long", seconds(t, v->time),
			    ago(t, v->time), request(t));
}

const char *say_by_program(const struct telling *t)
{
	const struct oom_event *v = t->e->event;
	const struct oom_victim *o = v->victims.n ? &v->victims.v[0] : NULL;

	return arena_printf(t->mem, "%sNot the OOM killer of the kernel: %s killed %s %s%s.",
			    which(t),
			    v->comm		     ? v->comm
			    : v->kind == OOM_ANDROID ? "lowmemorykiller"
						     : "a program",
			    o	       ? proc_text(t, o->comm ? o->comm : "?", o->pid)
			    : v->group ? v->group
				       : "a process",
			    seconds(t, v->time), ago(t, v->time));
}

const char *say_by_program_quietly(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(
		t->mem, "Not the OOM killer of the kernel: %s runs, and the journal has \"%s\".",
		subject_text(&e->killer, t->mem), e->said);
}

const char *say_not_in_log(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "The kernel counts %" PRIu64
			    " OOM kill%s since boot; the log has none%s.",
			    e->kills, e->kills == 1 ? "" : "s",
			    e->log_begins == EV_UNKNOWN ? ": it is not in the dump"
							: arena_printf(t->mem, ", it begins %s",
								       seconds(t, e->log_begins)));
}

const char *say_thrashing(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	const char *who = e->sufferer.kind == SUBJECT_NONE ? NULL
							   : subject_text(&e->sufferer, t->mem);

	return arena_printf(t->mem,
			    "No kernel OOM in this dump, but the machine thrashed. %s%s%s%s",
			    thrash_reason_text(&e->thrash_why, t->mem),
			    who ? " Most major faults: " : "", who ? who : "", who ? "." : "");
}

const char *say_short_of_memory(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "No kernel OOM in this dump, but memory was short: %s were available "
			    "(%s), tasks reclaimed memory %" PRIu64 " times%s.",
			    size_text(t, e->available), share_text(t, e->available),
			    e->direct_reclaims,
			    e->refaults == EV_UNKNOWN
				    ? ""
				    : arena_printf(t->mem, ", %" PRIu64 " pages came back",
						   e->refaults));
}

const char *say_no_oom(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem, "No kernel OOM in this %s%s%s%s.",
			    e->log_alone ? "log" : "dump",
			    e->log_begins == EV_UNKNOWN ? ", as far as it shows: its log is missing"
							: "",
			    e->panic ? ". The panic is another: " : "", e->panic ? e->panic : "");
}

/* ---- the limit ---------------------------------------------------------------------------- */

const char *say_memcg(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	const struct oom_event *v = e->event;
	const char *path = v->oom_memcg ? v->oom_memcg : v->stats_of;

	return arena_printf(t->mem, "Control group %s was at its limit%s%s%s.",
			    path ? path : "(not in the log)", e->total == EV_UNKNOWN ? "" : " of ",
			    e->total == EV_UNKNOWN ? "" : size_text(t, e->total),
			    e->machine_free == EV_UNKNOWN
				    ? ""
				    : arena_printf(t->mem, "; the machine had %s free",
						   size_text(t, e->machine_free)));
}

static const char *nodes_text(const struct telling *t, bool cpuset)
{
	const struct oom_evidence *e = t->e;
	const struct oom_event *v = e->event;
	const char *list = ev_nodes(v);

	return arena_printf(t->mem,
			    "%s%s limited the request%s%s; %s are free where it could not take "
			    "them.",
			    !cpuset	? "A memory policy"
			    : v->cpuset ? "Cpuset "
					: "A cpuset",
			    cpuset && v->cpuset ? v->cpuset : "",
			    !list		  ? ""
			    : nodes_are_one(list) ? " to node "
						  : " to nodes ",
			    list ? list : "", size_text(t, e->zone.free_of_others));
}

const char *say_cpuset(const struct telling *t)
{
	return nodes_text(t, true);
}

const char *say_mempolicy(const struct telling *t)
{
	return nodes_text(t, false);
}

static const char *zone_text(const struct telling *t)
{
	const struct ev_zone *z = &t->e->zone;

	return z->node == OOM_UNKNOWN
		       ? arena_printf(t->mem, "zone %s", z->name)
		       : arena_printf(t->mem, "zone %s of node %" PRId64, z->name, z->node);
}

const char *say_fragmentation(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	const struct oom_event *v = e->event;

	return arena_printf(t->mem,
			    "Memory was in pieces: %s were free, but no block of %" PRIu64
			    " pages (order %" PRId64 ") that the request could take.",
			    size_text(t, e->zone.free), UINT64_C(1) << v->order, v->order);
}

const char *say_low_zone(const struct telling *t)
{
	const struct ev_zone *z = &t->e->zone;

	return arena_printf(t->mem,
			    "The request could only use low zones, and %s had too little; %s were "
			    "free in other zones.",
			    zone_text(t), size_text(t, z->free_of_others));
}

const char *say_all_memory(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem, "The limit was the machine's memory: %s of %s were free%s.",
			    size_text(t, e->size[USE_FREE]), size_text(t, e->total),
			    e->zone.name && e->zone.lacking != EV_UNKNOWN && e->zone.lacking
				    ? arena_printf(t->mem, ", and %s was %s below its mark",
						   zone_text(t), size_text(t, e->zone.lacking))
				    : "");
}

const char *say_commit_limit(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "Requests are refused at the commit limit (vm.overcommit_memory=2): "
			    "%s of %s are promised, while %s are available.",
			    size_text(t, e->committed), size_text(t, e->commit_limit),
			    size_text(t, e->available));
}

const char *say_throttled(const struct telling *t)
{
	const struct ev_throttled *h = &t->e->throttled;

	return arena_printf(t->mem,
			    "Control group %s is at memory.high: it has %s of %s, and its "
			    "processes were slowed down %" PRIu64 " times.",
			    h->path, size_text(t, h->usage), size_text(t, h->high), h->times);
}

const char *say_enough(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem, "Memory was not short: %s were available, %s.",
			    size_text(t, e->available), share_text(t, e->available));
}
