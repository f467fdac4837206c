/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words_holder.c - the sentences of a verdict: what held the memory. */
#include <inttypes.h>

#include "reports/oom/words.h"

/* ---- processes -------------------------------------------------------------------------------- */

const char *say_fork_bomb(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	const struct ev_name *n = &e->name;

	return arena_printf(t->mem,
			    "A fork bomb: %" PRIu32 " of %" PRIu32
			    " processes are %s; each is small, "
			    "together they hold %s (%s) with page tables and stacks.",
			    n->n, e->nprocs, n->comm, size_text(t, n->bytes),
			    share_text(t, n->bytes));
}

const char *say_locked_process(const struct telling *t)
{
	const struct ev_proc *p = &t->e->largest;

	return arena_printf(t->mem,
			    "%s held %s, %s, and locked it with mlock(): it cannot be swapped or "
			    "reclaimed.",
			    proc_text(t, p->comm, p->pid), size_text(t, p->bytes),
			    share_text(t, p->bytes));
}

const char *say_one_grew(const struct telling *t)
{
	const struct oom_evidence *e = t->e;
	const struct ev_proc *p = &e->largest;

	return arena_printf(t->mem, "One process grew: %s held %s%s, %s%s.",
			    proc_text(t, p->comm, p->pid), size_text(t, p->bytes),
			    e->swap_total ? " in memory and swap" : "", share_text(t, p->bytes),
			    e->second.comm
				    ? arena_printf(t->mem, "; the next one, %s, %s",
						   proc_text(t, e->second.comm, e->second.pid),
						   size_text(t, e->second.bytes))
				    : "");
}

const char *say_many_of_name(const struct telling *t)
{
	const struct ev_name *n = &t->e->name;

	return arena_printf(t->mem, "%" PRIu32 " processes named %s held %s together, %s.", n->n,
			    n->comm, size_text(t, n->bytes), share_text(t, n->bytes));
}

/* "NAME with 12 MiB", and the next one if it is not much smaller: two may have grown side by side. */
static const char *largest_text(const struct telling *t)
{
	const struct ev_proc *p = &t->e->largest, *next = &t->e->second;
	const char *first = arena_printf(t->mem, "%s with %s", proc_text(t, p->comm, p->pid),
					 size_text(t, p->bytes));

	if (!next->comm || next->bytes < p->bytes / 2)
		return arena_printf(t->mem, "the largest is %s", first);
	return arena_printf(t->mem, "the largest are %s and %s with %s", first,
			    proc_text(t, next->comm, next->pid), size_text(t, next->bytes));
}

const char *say_many(const struct telling *t)
{
	const struct oom_evidence *e = t->e;

	return arena_printf(t->mem,
			    "%" PRIu32
			    " processes held %s of anonymous memory together, %s; none of them "
			    "most of it: %s.",
			    e->nprocs, size_text(t, t->r->bytes), share_text(t, t->r->bytes),
			    largest_text(t));
}

const char *say_anonymous(const struct telling *t)
{
	return arena_printf(t->mem, "Anonymous memory of processes was %s, %s.",
			    size_text(t, t->r->bytes), share_text(t, t->r->bytes));
}

/* ---- one owner, or none known ------------------------------------------------------------------- */

#define LARGEST 334u	/* thousandths: less is a part, and not called the largest */

/* "; largest part: NAME, 10 MiB[ (DETAIL)]", "; of it NAME, ..." of less than a third, who has half of it where no one
   has much, or "". */
static const char *part_text(const struct telling *t, const struct ev_owner *o, uint64_t size)
{
	const char *bytes = ev_is_part(o->bytes, size, 990)
				    ? ", all of it"
				    : arena_printf(t->mem, ", %s", size_text(t, o->bytes));
	const char *detail = detail_text(o, t->mem);

	if (!t->r->told)
		return o->many && detail ? arena_printf(t->mem, "; %s", detail) : "";
	return arena_printf(t->mem, "; %s %s%s%s%s%s",
			    ev_is_part(o->bytes, size, LARGEST) ? "largest part:" : "of it",
			    owner_text(o, t->mem), bytes, detail ? " (" : "", detail ? detail : "",
			    detail ? ")" : "");
}

/* "WHAT was 12 MiB, 30 % of RAM[; largest part: NAME, 10 MiB[ (DETAIL)]]." */
static const char *of_use(const struct telling *t, const char *what)
{
	uint64_t size = ev_size(t->e, t->r->use);

	return arena_printf(t->mem, "%s %s, %s%s.", what, size_text(t, size), share_text(t, size),
			    part_text(t, &t->e->owner[t->r->use], size));
}

const char *say_shmem(const struct telling *t)
{
	bool swapped = ev_shared(t->e) > t->e->size[USE_SHMEM];

	return of_use(t,
		      swapped ? "Shared memory, which no process's size shows in full, was (with "
				"what of it is in swap)"
			      : "Shared memory, which no process's size shows in full, was");
}

const char *say_ramfs(const struct telling *t)
{
	return of_use(t, "Files of ramfs, which can never be reclaimed, were");
}

const char *say_locked_files(const struct telling *t)
{
	return of_use(
		t, "Page cache of files that is locked with mlock(), and cannot be reclaimed, was");
}

const char *say_slab(const struct telling *t)
{
	return of_use(t, "Objects of the kernel that it cannot reclaim (slab) were");
}

const char *say_dentries(const struct telling *t)
{
	return of_use(t, "Names of files in the kernel's cache were");
}

const char *say_reclaimable(const struct telling *t)
{
	return of_use(t, "Reclaimable objects of the kernel were");
}

const char *say_tables(const struct telling *t)
{
	return of_use(t, "Page tables were");
}

const char *say_stacks(const struct telling *t)
{
	uint64_t tasks = ev_known(t->e->size[USE_TASK_SLAB]);
	const char *text = of_use(t, "Kernel stacks were");

	return tasks ? arena_printf(t->mem, "%s Their tasks took %s more (task_struct).", text,
				    size_text(t, tasks))
		     : text;
}

const char *say_percpu(const struct telling *t)
{
	uint64_t maps = ev_known(t->e->size[USE_PERCPU_AREAS]);
	const char *text = of_use(t, "Per-CPU memory of the kernel was");

	return maps > t->r->bytes / 4
		       ? arena_printf(t->mem, "%s The kernel's maps of it took %s more.", text,
				      size_text(t, maps))
		       : text;
}

const char *say_hugetlb(const struct telling *t)
{
	const struct ev_owner *o = &t->e->owner[USE_HUGETLB];
	const char *part = ev_is_part(o->bytes, t->r->bytes, 500)	? "most"
			   : ev_is_part(o->bytes, t->r->bytes, LARGEST) ? "the largest part"
									: "a part";
	const char *who = t->r->told ? arena_printf(t->mem, "; %s is mapped by %s, %s", part,
						    owner_text(o, t->mem), size_text(t, o->bytes))
				     : "";

	return arena_printf(
		t->mem,
		"Pools of huge pages (hugetlb) kept %s, %s; %s of them were free, and of "
		"no use to others%s.",
		size_text(t, t->r->bytes), share_text(t, t->r->bytes),
		size_text(t, t->e->huge_unused), who);
}

const char *say_vmalloc(const struct telling *t)
{
	return of_use(t, "Areas of vmalloc() were");
}

const char *say_compressed(const struct telling *t)
{
	return of_use(t, "Compressed pages of swap in memory were");
}

const char *say_balloon(const struct telling *t)
{
	return of_use(t, "A balloon gave to the hypervisor");
}

const char *say_sockets(const struct telling *t)
{
	return of_use(t, "Data in sockets were");
}

const char *say_descriptors(const struct telling *t)
{
	enum verdict_cause cause = t->e->owner[USE_DESCRIPTORS].cause;
	bool files = cause == VC_NONE || cause_facts[cause].family == VC_DESCRIPTORS;

	return of_use(t, files ? "Pages behind file descriptors were"
			       : "Memory that devices of the kernel keep was");
}

const char *say_other(const struct telling *t)
{
	return of_use(t, ev_is_memcg(t->e)
				 ? "Memory of the kernel charged to the group, of no counter, was"
				 : "Memory that no counter of the kernel has was");
}

const char *say_unwritten(const struct telling *t)
{
	const struct ev_owner *o = &t->e->owner[USE_FILE];

	return arena_printf(t->mem,
			    "Page cache that was not on its disk yet, and cannot be reclaimed "
			    "before that, was %s, %s%s.",
			    size_text(t, t->r->bytes), share_text(t, t->r->bytes),
			    part_text(t, o, t->r->bytes));
}

const char *say_cache(const struct telling *t)
{
	return of_use(t, "Page cache of files was");
}
