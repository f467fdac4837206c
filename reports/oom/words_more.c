/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words_more.c - the sentences of a verdict: the victim, and what made it worse. */
#include <inttypes.h>

#include "reports/oom/words.h"

/* ---- the victim ------------------------------------------------------------------------------ */

const char *say_innocent(const struct telling *t)
{
	const struct ev_victim *v = &t->e->victim;

	return arena_printf(t->mem,
			    "The victim was innocent: %s held %s, %s, and its death could free no "
			    "more than that.",
			    proc_text(t, v->comm, v->pid), size_text(t, v->bytes),
			    share_text(t, v->bytes));
}

const char *say_of_many(const struct telling *t)
{
	const struct ev_victim *v = &t->e->victim;

	return arena_printf(t->mem, "The victim, %s, was one of %" PRIu32 "; its death frees %s.",
			    proc_text(t, v->comm, v->pid), t->e->name.n, size_text(t, v->bytes));
}

const char *say_guilty(const struct telling *t)
{
	const struct ev_victim *v = &t->e->victim;

	return arena_printf(t->mem, "The victim, %s, was the process that held the most.",
			    proc_text(t, v->comm, v->pid));
}

const char *say_stuck(const struct telling *t)
{
	const struct ev_victim *v = &t->e->stuck;

	return arena_printf(t->mem,
			    "%s was killed and is still there with %s: it sleeps in state D and "
			    "cannot die.",
			    proc_text(t, v->comm, v->pid), size_text(t, v->bytes));
}

const char *say_not_gone(const struct telling *t)
{
	const struct ev_victim *v = &t->e->earlier;

	return arena_printf(t->mem, "%s was killed shortly before and had not given back %s yet.",
			    proc_text(t, v->comm, v->pid), size_text(t, v->bytes));
}

const char *say_not_reaped(const struct telling *t)
{
	const struct ev_victim *v = &t->e->victim;

	return arena_printf(t->mem, "The reaper could not free the memory of the victim, %s.",
			    proc_text(t, v->comm, v->pid));
}

/* ---- what made it worse -------------------------------------------------------------------- */

const char *say_other_panic(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	const struct oom_event *v = e->event;
	bool later = e->panic_time != EV_UNKNOWN && e->panic_time >= v->time;

	return !later ? arena_printf(t->mem, "The panic is another: %s.", e->panic)
		      : arena_printf(t->mem,
				     "The panic is another, %" PRIu64 " s after this event: %s.",
				     (e->panic_time - v->time) / 1000000000, e->panic);
}

const char *say_unkillable(const struct telling *t)
{
	const struct ev_proc *p = &t->e->largest;

	return arena_printf(t->mem, "The largest process, %s, could not be killed: %s.",
			    proc_text(t, p->comm, p->pid), reason_text(t->r->why));
}

const char *say_repeated(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "The kernel killed %" PRIu32 " times in %" PRIu64
			    " s; the victims held %s together, and that was not enough.",
			    e->repeated.kills, e->repeated.since / 1000000000,
			    size_text(t, e->repeated.bytes));
}

const char *say_free_again(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "%s were free again when this victim was chosen: a process killed "
			    "shortly before was giving back its memory.",
			    size_text(t, e->size[USE_FREE]));
}

const char *say_killer_runs(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "%s runs, which kills processes before the kernel has to. Whom it "
			    "killed is in its own messages (journal), not in the kernel's log.",
			    subject_text(&e->killer, t->mem));
}

const char *say_kills_asker(const struct telling *t)
{
	(void)t;
	return "The kernel kills who asks (vm.oom_kill_allocating_task), not who has most.";
}

const char *say_prevented_thrashing(const struct telling *t)
{
	const struct oom_event *v = t->e->event;

	return arena_printf(t->mem,
			    "%s asked for the kill before memory was out, so that the machine does "
			    "not thrash: all pages had been used within lru_gen/min_ttl_ms.",
			    v->comm);
}

const char *say_swap_full(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem, "Swap was full: %s of %s were free.",
			    size_text(t, e->swap_free), size_text(t, e->swap_total));
}

const char *say_group_swap_full(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	uint64_t limit = e->group_swap_limit;

	return limit ? arena_printf(t->mem,
				    "The control group was also at its limit of swap: %s of %s "
				    "were in use.",
				    size_text(t, e->group_swap), size_text(t, limit))
		     : "The control group may not use swap.";
}

const char *say_no_swap(const struct telling *t)
{
	(void)t;
	return "There was no swap: anonymous and shared memory could not be reclaimed.";
}

const char *say_incompressible(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	uint64_t pool = e->size[USE_COMPRESSED];

	return arena_printf(t->mem,
			    "Compression hardly helped: %s of swapped data take %s of memory.",
			    size_text(t, e->stored), size_text(t, pool));
}

const char *say_dying(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem, "%" PRIu32 " removed control group%s still hold%s %s, %s.",
			    e->ndying, e->ndying == 1 ? "" : "s", e->ndying == 1 ? "s" : "",
			    size_text(t, e->dying), share_text(t, e->dying));
}

const char *say_many_groups(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "There are %" PRIu32 " control groups. Each costs memory of the "
			    "kernel, in slabs and for each CPU: together these were %s, %s.",
			    e->ngroups, size_text(t, t->r->bytes), share_text(t, t->r->bytes));
}

const char *say_locked(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	const struct ev_proc *p = &e->most_locked;

	return arena_printf(t->mem, "%s were locked by mlock() (%s)%s%s.", size_text(t, e->locked),
			    share_text(t, e->locked), p->comm ? ", most by " : "",
			    p->comm ? proc_text(t, p->comm, p->pid) : "");
}

const char *say_huge_unused(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem, "%s of huge pages (hugetlb) were reserved and not in use, %s.",
			    size_text(t, e->huge_unused), share_text(t, e->huge_unused));
}
