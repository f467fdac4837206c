/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules_more.c - what made it worse, and whether the kill could help. */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/verdict/rules.h"

/* ---- what made it worse -------------------------------------------------------------------- */

static bool swap_full(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->event || ev_is_memcg(e) || e->swap_total == EV_UNKNOWN || !e->swap_total ||
	    e->swap_free == EV_UNKNOWN || is_part(e->swap_free, e->swap_total, 50))
		return false;
	r->bytes = e->swap_total;
	r->why = "the kernel's count";
	r->text = arena_printf(j->mem, "Swap was full: %s of %s were free.",
			       size_text(j, e->swap_free), size_text(j, e->swap_total));
	return true;
}

/* A limit of swap; 0 is that of many containers. */
static bool group_swap_full(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	uint64_t limit = e->group_swap_limit;

	if (!ev_is_memcg(e) || !e->swap_total || e->group_swap == EV_UNKNOWN ||
	    limit == EV_UNKNOWN || limit > e->swap_total || e->group_swap < limit / 20 * 19)
		return false;
	r->bytes = limit;
	r->elsewhere = true;
	r->why = "the kernel's count";
	r->text = limit ? arena_printf(j->mem,
				       "The control group was also at its limit of swap: %s of %s "
				       "were in use.",
				       size_text(j, e->group_swap), size_text(j, limit))
			: "The control group may not use swap.";
	return true;
}

static bool no_swap(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->event || ev_is_memcg(e) || e->swap_total)
		return false;
	r->bytes = 0;
	r->why = "the kernel's count";
	r->text = "There was no swap: anonymous and shared memory could not be reclaimed.";
	return true;
}

static bool locked(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_proc *p = &e->most_locked;

	if (!e->event || ev_is_memcg(e) || ev_share(e, e->locked) < 100)
		return false;
	r->bytes = e->locked;
	r->why = "the kernel's count";
	r->text = arena_printf(j->mem, "%s were locked by mlock() (%s)%s%s.",
			       size_text(j, e->locked), share_text(j, e->locked),
			       p->comm ? ", most by " : "",
			       p->comm ? proc_text(j, p->comm, p->pid) : "");
	return true;
}

static bool huge_unused(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->event || ev_is_memcg(e) || ev_share(e, e->huge_unused) < 50 ||
	    (j->holder && j->holder->cause == VC_HUGETLB))
		return false;
	r->bytes = e->huge_unused;
	r->why = "the kernel's count";
	r->text = arena_printf(j->mem,
			       "%s of huge pages (hugetlb) were reserved and not in use, %s.",
			       size_text(j, e->huge_unused), share_text(j, e->huge_unused));
	return true;
}

static bool incompressible(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	uint64_t pool = e->size[USE_COMPRESSED];

	if (e->stored == EV_UNKNOWN || ev_share(e, pool) < 50 || !is_part(pool, e->stored, 700))
		return false;
	r->bytes = pool;
	r->why = "pages stored, and the memory that they take";
	r->text = arena_printf(j->mem,
			       "Compression hardly helped: %s of swapped data take %s of memory.",
			       size_text(j, e->stored), size_text(j, pool));
	return true;
}

static bool dying(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!e->ndying || ev_share(e, e->dying) < 50)
		return false;
	r->bytes = e->dying;
	r->why = "what is charged to them";
	r->text = arena_printf(j->mem, "%" PRIu32 " removed control group%s still hold%s %s, %s.",
			       e->ndying, e->ndying == 1 ? "" : "s", e->ndying == 1 ? "s" : "",
			       size_text(j, e->dying), share_text(j, e->dying));
	return true;
}

#define MANY_GROUPS 1000u

/* Each has objects of slabs and per-CPU memory, whatever is in it. */
static bool many_groups(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	uint64_t slab = e->size[USE_SLAB], percpu = e->size[USE_PERCPU];
	uint64_t both = (slab == EV_UNKNOWN ? 0 : slab) + (percpu == EV_UNKNOWN ? 0 : percpu);

	if (!e->event || e->ngroups < MANY_GROUPS || ev_share(e, both) < 200)
		return false;
	r->bytes = both;
	r->certainty = LIKELY;
	r->why = "their number; the kernel does not count what each costs";
	r->text = arena_printf(j->mem,
			       "There are %" PRIu32 " control groups. Each costs memory of the "
			       "kernel, in slabs and for each CPU: together these were %s, %s.",
			       e->ngroups, size_text(j, both), share_text(j, both));
	return true;
}

static bool unkillable(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_proc *p = &e->largest;

	if (!e->event || !p->comm || ev_share(e, p->bytes) < 200 ||
	    (p->adj != -1000 && p->pid != 1))
		return false;
	r->bytes = p->bytes;
	r->why = p->pid == 1 ? "it is process 1" : "its oom_score_adj is -1000";
	r->text = arena_printf(j->mem, "The largest process, %s, could not be killed: %s.",
			       proc_text(j, p->comm, p->pid), r->why);
	return true;
}

static bool kills_asker(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || !v->prefix || !strstr(v->prefix, "oom_kill_allocating_task"))
		return false;
	r->why = "the log has it";
	r->text = "The kernel kills who asks (vm.oom_kill_allocating_task), not who has most.";
	return true;
}

static bool repeated(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (e->repeated.kills < 3)
		return false;
	r->bytes = e->repeated.bytes;
	r->elsewhere = true;
	r->why = "the log has them";
	r->text = arena_printf(j->mem,
			       "The kernel killed %" PRIu32 " times in %" PRIu64
			       " s; the victims held %s together, and that was not enough.",
			       e->repeated.kills, e->repeated.since / 1000000000,
			       size_text(j, e->repeated.bytes));
	return true;
}

/* What the one before had came free while the kernel chose the next. */
static bool free_again(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (e->repeated.kills < 2 || ev_is_memcg(e) || v->kind != OOM_KILL || v->order < 0 ||
	    v->order > 3 || !e->zone.name || e->zone.lacking || e->zone.no_block ||
	    e->size[USE_FREE] == EV_UNKNOWN)
		return false;
	r->bytes = e->size[USE_FREE];
	r->certainty = LIKELY;
	r->why = "no zone was below its mark, and another was killed shortly before";
	r->text = arena_printf(j->mem,
			       "%s were free again when this victim was chosen: a process killed "
			       "shortly before was giving back its memory.",
			       size_text(j, e->size[USE_FREE]));
	return true;
}

/* Nothing of a kill by a program is in the kernel's log: it cannot be told from an exit. */
static bool killer_runs(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;

	if (!e->killer || e->said || (v && v->kind != OOM_FAILURE && v->kind != OOM_STALL))
		return false;
	r->why = "the process is there; whether it killed is not in the kernel's log";
	r->text = arena_printf(j->mem,
			       "%s runs, which kills processes before the kernel has to. Whom it "
			       "killed is in its own messages (journal), not in the kernel's log.",
			       e->killer);
	return true;
}

static bool prevented_thrashing(const struct judge *j, struct verdict_row *r)
{
	const struct oom_event *v = j->e->event;

	if (!v || !ev_is_of_kswapd(v))
		return false;
	r->certainty = LIKELY;
	r->why = "kswapd asked, which it does for nothing else";
	r->text = arena_printf(
		j->mem,
		"%s asked for the kill before memory was out, so that the machine does "
		"not thrash: all pages had been used within lru_gen/min_ttl_ms.",
		v->comm);
	return true;
}

/* The machine did not die of this event. */
static bool other_panic(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct oom_event *v = e->event;
	bool later = v && e->panic_time != EV_UNKNOWN && e->panic_time >= v->time;

	if (!v || v->panic || !e->panic)
		return false;
	r->why = "the log has it";
	r->text = !later ? arena_printf(j->mem, "The panic is another: %s.", e->panic)
			 : arena_printf(j->mem,
					"The panic is another, %" PRIu64 " s after this event: %s.",
					(e->panic_time - v->time) / 1000000000, e->panic);
	return true;
}

/* VC_NONE ends these lists; all that hold are taken */
const struct cause_rule more_rules[] = {
	{ VC_OTHER_PANIC, "summary", other_panic },
	{ VC_UNKILLABLE, "oom --tasks", unkillable },
	{ VC_REPEATED, "oom", repeated },
	{ VC_FREE_AGAIN, "oom --zones", free_again },
	{ VC_KILLER, "procs", killer_runs },
	{ VC_KILLS_ASKER, "oom", kills_asker },
	{ VC_PREVENTION, "oom", prevented_thrashing },
	{ VC_SWAP_FULL, "swap", swap_full },
	{ VC_GROUP_SWAP, "cgroups", group_swap_full },
	{ VC_NO_SWAP, "summary", no_swap },
	{ VC_INCOMPRESSIBLE, "summary", incompressible },
	{ VC_DYING, "cgroups", dying },
	{ VC_MANY_GROUPS, "cgroups", many_groups },
	{ VC_MLOCK, "vmas", locked },
	{ VC_HUGE_UNUSED, "hugetlb", huge_unused },
	{ VC_NONE, NULL, NULL },
};

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

static bool of_many(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->victim;

	if (!one_of_many(j) || !j->e->event)
		return false;
	r->bytes = v->bytes;
	r->why = "its name";
	r->text = arena_printf(j->mem,
			       "The victim, %s, was one of %" PRIu32 "; its death frees %s.",
			       proc_text(j, v->comm, v->pid), j->e->name.n, size_text(j, v->bytes));
	return true;
}

/* Is the victim the process that has most of what was told first? */
static bool owns(const struct judge *j)
{
	return j->owner && j->owner->subject.pid && j->owner->subject.pid == j->e->victim.pid &&
	       is_part(j->owner->bytes, j->holder->bytes, 500);
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

static bool innocent(const struct judge *j, struct verdict_row *r)
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
	if (are_processes(j->holder) &&
	    (is_part(v->bytes, j->holder->bytes, 250) || is_part(v->bytes, e->largest.bytes, 500)))
		return false;
	r->bytes = v->bytes;
	r->certainty = is_part(v->bytes, j->holder->bytes, 100) ? LIKELY : CERTAIN;
	r->why = "what it held, beside what held the most";
	r->text =
		arena_printf(j->mem,
			     "The victim was innocent: %s held %s, %s, and its death could free no "
			     "more than that.",
			     proc_text(j, v->comm, v->pid), size_text(j, v->bytes),
			     share_text(j, v->bytes));
	return true;
}

static bool guilty(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_victim *v = &e->victim;

	if (!v->comm || !e->event || !j->holder ||
	    !(owns(j) || (v->pid == e->largest.pid &&
			  (is_process(j->holder) || j->holder->cause == VC_MANY_GREW))))
		return false;
	r->bytes = v->bytes;
	r->why = "what each process held";
	r->text = arena_printf(j->mem, "The victim, %s, was the process that held the most.",
			       proc_text(j, v->comm, v->pid));
	return true;
}

static bool stuck(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->stuck;

	if (!v->comm)
		return false;
	r->bytes = v->bytes;
	r->why = "its state in the dump";
	r->text = arena_printf(j->mem,
			       "%s was killed and is still there with %s: it sleeps in state D and "
			       "cannot die.",
			       proc_text(j, v->comm, v->pid), size_text(j, v->bytes));
	return true;
}

static bool not_gone(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->earlier;

	if (!v->comm || ev_share(j->e, v->bytes) < 10)
		return false;
	r->bytes = v->bytes;
	r->certainty = v->sure ? CERTAIN : LIKELY;
	r->why = v->sure ? v->sure : "it is not in the dump, and was still counted in the event";
	r->text = arena_printf(j->mem,
			       "%s was killed shortly before and had not given back %s yet.",
			       proc_text(j, v->comm, v->pid), size_text(j, v->bytes));
	return true;
}

static bool not_reaped(const struct judge *j, struct verdict_row *r)
{
	const struct ev_victim *v = &j->e->victim;

	if (!v->comm || v->reaped != OOM_UNABLE)
		return false;
	r->bytes = v->bytes;
	r->why = "the log has it";
	r->text = arena_printf(j->mem, "The reaper could not free the memory of the victim, %s.",
			       proc_text(j, v->comm, v->pid));
	return true;
}

const struct cause_rule victim_rules[] = {
	{ VC_INNOCENT, "oom --tasks", innocent },
	{ VC_ONE_OF_MANY, "oom --tasks", of_many },
	{ VC_GUILTY, "oom --tasks", guilty },
	{ VC_STUCK, "procs", stuck },
	{ VC_NOT_GONE, "oom", not_gone },
	{ VC_NOT_REAPED, "oom", not_reaped },
	{ VC_NONE, NULL, NULL },
};
