/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules_holder.c - what held the memory: one row for each cause. The uses of memory are sorted by
 * size (verdict.c); of each the first rule that holds makes the row.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/verdict/rules.h"

/* How sure it is that a holder of this size is the cause. */
static void weigh(const struct judge *j, struct verdict_row *r)
{
	unsigned share = ev_share(j->e, r->bytes);

	r->certainty = share >= 500 ? CERTAIN : share >= 250 ? LIKELY : GUESS;
	r->why = share >= 500	? "it is more than half of all"
		 : share >= 250 ? "it is the largest part, but less than half"
				: "it is the largest part, but a small one";
}

/* Do the processes explain the anonymous memory? Not if they are those of a later moment. */
static bool explain(const struct oom_evidence *e)
{
	return e->nprocs &&
	       (e->size[USE_ANON] == EV_UNKNOWN || is_part(e->procs, e->size[USE_ANON], 500));
}

/* ---- processes -------------------------------------------------------------------------------- */

#define FORK_BOMB 100u		/* processes of one name; half, if they are known to be young */
#define SWARM 1000u		/* so many are one, however large each is */
#define SMALL (UINT64_C(4) << 20)	/* bytes of each */

/* The sizes are those that the log has, or those of the dump. */
static void of_processes(const struct judge *j, struct verdict_row *r, uint64_t bytes)
{
	r->bytes = bytes;
	weigh(j, r);
	if (!j->e->at_once)
		r->report = "oom --tasks";
}

/*
 * Their number is the trouble, not their size, and it grew in minutes: what is known to be older
 * piled up, or is a pool of workers.
 */
static bool is_bomb(const struct ev_name *n)
{
	bool young = n->dated && n->young >= n->dated - n->young;

	if (!n->comm || (n->dated && !young) || n->n < (young ? FORK_BOMB / 2 : FORK_BOMB))
		return false;
	return n->n >= SWARM || n->bytes / n->n <= SMALL;
}

static struct subject subject_of(const struct ev_proc *p)
{
	return (struct subject){ .kind = SUBJECT_PROCESS,
				 .name = p->comm,
				 .pid = p->pid == OOM_UNKNOWN ? 0 : p->pid };
}

static bool fork_bomb(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_name *n = &e->name;

	if (!is_bomb(n) || n->n < e->nprocs / 2 || ev_share(e, n->bytes) < 100)
		return false;
	of_processes(j, r, n->bytes);
	r->owner = n->comm;
	r->subject = (struct subject){ .kind = SUBJECT_PROGRAM, .name = n->comm };
	r->text = arena_printf(j->mem,
			       "A fork bomb: %" PRIu32 " of %" PRIu32
			       " processes are %s; each is small, "
			       "together they hold %s (%s) with page tables and stacks.",
			       n->n, e->nprocs, n->comm, size_text(j, n->bytes),
			       share_text(j, n->bytes));
	return true;
}

static bool locked_process(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_proc *p = &e->largest;

	if (!p->comm || p->locked == EV_UNKNOWN || !is_part(p->locked, p->bytes, 500) ||
	    !is_part(p->bytes, e->procs, 500))
		return false;
	of_processes(j, r, p->bytes);
	r->owner = p->comm;
	r->subject = subject_of(p);
	r->text =
		arena_printf(j->mem,
			     "%s held %s, %s, and locked it with mlock(): it cannot be swapped or "
			     "reclaimed.",
			     proc_text(j, p->comm, p->pid), size_text(j, p->bytes),
			     share_text(j, p->bytes));
	return true;
}

static bool one_grew(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_proc *p = &e->largest;
	bool most = is_part(p->bytes, e->procs, 500);

	if (!p->comm || !explain(e) ||
	    (!most && (p->bytes / 2 < e->second.bytes || ev_share(e, p->bytes) < 250)))
		return false;
	of_processes(j, r, p->bytes);
	r->owner = p->comm;
	r->subject = subject_of(p);
	r->text = arena_printf(j->mem, "One process grew: %s held %s%s, %s%s.",
			       proc_text(j, p->comm, p->pid), size_text(j, p->bytes),
			       e->swap_total ? " in memory and swap" : "", share_text(j, p->bytes),
			       e->second.comm
				       ? arena_printf(j->mem, "; the next one, %s, %s",
						      proc_text(j, e->second.comm, e->second.pid),
						      size_text(j, e->second.bytes))
				       : "");
	return true;
}

static bool many_of_name(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_name *n = &e->name;

	if (!n->comm || n->n < 2 || !explain(e) ||
	    !is_part(n->bytes, ev_anonymous(e, e->procs), 500))
		return false;
	of_processes(j, r, n->bytes);
	r->owner = n->comm;
	r->subject = (struct subject){ .kind = SUBJECT_PROGRAM, .name = n->comm };
	r->text = arena_printf(j->mem, "%" PRIu32 " processes named %s held %s together, %s.", n->n,
			       n->comm, size_text(j, n->bytes), share_text(j, n->bytes));
	return true;
}

/* "NAME with 12 MiB", and the next one if it is not much smaller: two may have grown side by side. */
static const char *largest_text(const struct judge *j)
{
	const struct ev_proc *p = &j->e->largest, *next = &j->e->second;
	const char *first = arena_printf(j->mem, "%s with %s", proc_text(j, p->comm, p->pid),
					 size_text(j, p->bytes));

	if (!next->comm || next->bytes < p->bytes / 2)
		return arena_printf(j->mem, "the largest is %s", first);
	return arena_printf(j->mem, "the largest are %s and %s with %s", first,
			    proc_text(j, next->comm, next->pid), size_text(j, next->bytes));
}

static bool many(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;

	if (!explain(e))
		return false;
	of_processes(j, r, ev_anonymous(e, e->procs));
	r->text = arena_printf(j->mem,
			       "%" PRIu32
			       " processes held %s of anonymous memory together, %s; none of them "
			       "most of it: %s.",
			       e->nprocs, size_text(j, r->bytes), share_text(j, r->bytes),
			       largest_text(j));
	return true;
}

/* The processes do not explain it: the killed one is not in the table. */
static bool anonymous(const struct judge *j, struct verdict_row *r)
{
	r->bytes = j->e->size[USE_ANON];
	weigh(j, r);
	r->text = arena_printf(j->mem, "Anonymous memory of processes was %s, %s.",
			       size_text(j, r->bytes), share_text(j, r->bytes));
	return true;
}

/* ---- one owner, or none known ------------------------------------------------------------------- */

#define TOLD_PART 50u		/* thousandths: less of a use is not worth a name */

/* Is the owner of SIZE bytes told by its name? */
static bool is_told(const struct ev_owner *o, uint64_t size)
{
	return o->name && is_part(o->bytes, size, TOLD_PART);
}

/* "; largest part: NAME, 10 MiB[ (DETAIL)]", who has half of it where no one has much, or "". */
static const char *part_text(const struct judge *j, const struct ev_owner *o, uint64_t size)
{
	const char *bytes = is_part(o->bytes, size, 990)
				    ? ", all of it"
				    : arena_printf(j->mem, ", %s", size_text(j, o->bytes));

	if (!is_told(o, size))
		return o->many ? arena_printf(j->mem, "; %s", o->detail) : "";
	return arena_printf(j->mem, "; largest part: %s%s%s%s%s", o->name, bytes,
			    o->detail ? " (" : "", o->detail ? o->detail : "",
			    o->detail ? ")" : "");
}

static void set_owner(struct verdict_row *r, const struct ev_owner *o, uint64_t size)
{
	if (!is_told(o, size))
		return;
	r->owner = o->name;
	r->subject = o->subject;
}

/* "WHAT was 12 MiB, 30 % of RAM[; largest part: NAME, 10 MiB[ (DETAIL)]]." */
static bool of_use(const struct judge *j, struct verdict_row *r, enum use use, const char *what)
{
	const struct oom_evidence *e = j->e;
	const struct ev_owner *o = &e->owner[use];
	uint64_t size = use == USE_SHMEM ? ev_shared(e) : e->size[use];

	r->bytes = size;
	set_owner(r, o, size);
	weigh(j, r);
	if (o->cause != VC_NONE)
		r->cause = o->cause;
	r->text = arena_printf(j->mem, "%s %s, %s%s.", what, size_text(j, r->bytes),
			       share_text(j, r->bytes), part_text(j, o, size));
	/* the figure is that of the holder, if there is one of most */
	if (o->name && is_part(o->bytes, r->bytes, 667) && o->bytes < r->bytes)
		r->bytes = o->bytes;
	return true;
}

static bool shmem(const struct judge *j, struct verdict_row *r)
{
	bool swapped = ev_shared(j->e) > j->e->size[USE_SHMEM];

	return of_use(j, r, USE_SHMEM,
		      swapped ? "Shared memory, which no process's size shows in full, was (with "
				"what of it is in swap)"
			      : "Shared memory, which no process's size shows in full, was");
}

static bool ramfs(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_RAMFS, "Files of ramfs, which can never be reclaimed, were");
}

static bool locked_files(const struct judge *j, struct verdict_row *r)
{
	return of_use(
		j, r, USE_LOCKED,
		"Page cache of files that is locked with mlock(), and cannot be reclaimed, was");
}

static bool slab(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_SLAB, "Objects of the kernel that it cannot reclaim (slab) were");
}

static bool dentries(const struct judge *j, struct verdict_row *r)
{
	const char *name = j->e->owner[USE_RECLAIMABLE].name;

	return name && !strcmp(name, "dentry") &&
	       of_use(j, r, USE_RECLAIMABLE, "Names of files in the kernel's cache were");
}

static bool reclaimable(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_RECLAIMABLE, "Reclaimable objects of the kernel were");
}

static bool tables(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_TABLES, "Page tables were");
}

static bool stacks(const struct judge *j, struct verdict_row *r)
{
	uint64_t tasks = ev_known(j->e->size[USE_TASK_SLAB]);

	of_use(j, r, USE_STACKS, "Kernel stacks were");
	if (tasks)
		r->text = arena_printf(j->mem, "%s Their tasks took %s more (task_struct).",
				       r->text, size_text(j, tasks));
	return true;
}

static bool percpu(const struct judge *j, struct verdict_row *r)
{
	uint64_t maps = ev_known(j->e->size[USE_PERCPU_AREAS]);

	of_use(j, r, USE_PERCPU, "Per-CPU memory of the kernel was");
	if (maps > r->bytes / 4)
		r->text = arena_printf(j->mem, "%s The kernel's maps of it took %s more.", r->text,
				       size_text(j, maps));
	return true;
}

static bool hugetlb(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_owner *o = &e->owner[USE_HUGETLB];
	bool told = is_told(o, e->size[USE_HUGETLB]);
	const char *who = told ? arena_printf(j->mem, "; %s is mapped by %s, %s",
					      is_part(o->bytes, e->size[USE_HUGETLB], 500)
						      ? "most"
						      : "the largest part",
					      o->name, size_text(j, o->bytes))
			       : "";

	r->bytes = e->size[USE_HUGETLB];
	set_owner(r, o, r->bytes);
	weigh(j, r);
	r->text = arena_printf(
		j->mem,
		"Pools of huge pages (hugetlb) kept %s, %s; %s of them were free, and of "
		"no use to others%s.",
		size_text(j, r->bytes), share_text(j, r->bytes), size_text(j, e->huge_unused), who);
	return true;
}

static bool vmalloc(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_VMALLOC, "Areas of vmalloc() were");
}

static bool compressed(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_COMPRESSED, "Compressed pages of swap in memory were");
}

static bool balloon(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_BALLOON, "A balloon gave to the hypervisor");
}

static bool sockets(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_SOCKETS, "Data in sockets were");
}

static bool descriptors(const struct judge *j, struct verdict_row *r)
{
	return of_use(j, r, USE_DESCRIPTORS, "Pages behind file descriptors were");
}

static bool other(const struct judge *j, struct verdict_row *r)
{
	of_use(j, r, USE_OTHER,
	       ev_is_memcg(j->e) ? "Memory of the kernel charged to the group, of no counter, was"
				 : "Memory that no counter of the kernel has was");
	if (r->certainty == CERTAIN)
		r->certainty = LIKELY;
	if (j->e->owner[USE_OTHER].subject.pid || j->e->owner[USE_OTHER].among) {
		r->report = "oom";
		r->why = "what was free after the kill; of what kind it was is not known";
		return true;
	}
	r->why = "a driver, or a part of the kernel that does not account for it";
	return true;
}

static bool unwritten(const struct judge *j, struct verdict_row *r)
{
	const struct oom_evidence *e = j->e;
	const struct ev_owner *o = &e->owner[USE_FILE];

	if (!is_part(e->unwritten, e->size[USE_FILE], 500) || !e->event)
		return false;
	r->bytes = min_u64(e->unwritten, e->size[USE_FILE]);
	set_owner(r, o, r->bytes);
	weigh(j, r);
	r->text = arena_printf(j->mem,
			       "Page cache that was not on its disk yet, and cannot be reclaimed "
			       "before that, was %s, %s%s.",
			       size_text(j, r->bytes), share_text(j, r->bytes),
			       part_text(j, o, r->bytes));
	return true;
}

static bool cache(const struct judge *j, struct verdict_row *r)
{
	if (ev_share(j->e, j->e->size[USE_FILE]) < 300)
		return false;
	of_use(j, r, USE_FILE, "Page cache of files was");
	r->certainty = GUESS;
	r->why = "page cache can be reclaimed, as a rule";
	return true;
}

const struct holder_rule holder_rules[] = {
	{ USE_ANON, { VC_FORK_BOMB, "procs", fork_bomb } },
	{ USE_ANON, { VC_MLOCK, "vmas", locked_process } },
	{ USE_ANON, { VC_ONE_GREW, "procs", one_grew } },
	{ USE_ANON, { VC_NAME_GREW, "programs", many_of_name } },
	{ USE_ANON, { VC_MANY_GREW, "procs", many } },
	{ USE_ANON, { VC_ANON, "census", anonymous } },
	{ USE_SHMEM, { VC_SHMEM, "shm", shmem } },
	{ USE_RAMFS, { VC_RAMFS, "cache", ramfs } },
	{ USE_LOCKED, { VC_LOCKED_FILES, "vmas", locked_files } },
	{ USE_SLAB, { VC_SLAB, "slab", slab } },
	{ USE_RECLAIMABLE, { VC_DENTRIES, "slab", dentries } },
	{ USE_RECLAIMABLE, { VC_RECLAIMABLE, "slab", reclaimable } },
	{ USE_TABLES, { VC_TABLES, "pagetables", tables } },
	{ USE_STACKS, { VC_STACKS, "stacks", stacks } },
	{ USE_PERCPU, { VC_PERCPU, "census", percpu } },
	{ USE_HUGETLB, { VC_HUGETLB, "hugetlb", hugetlb } },
	{ USE_VMALLOC, { VC_VMALLOC, "vmalloc", vmalloc } },
	{ USE_COMPRESSED, { VC_COMPRESSED, "swap", compressed } },
	{ USE_BALLOON, { VC_BALLOON, "census", balloon } },
	{ USE_SOCKETS, { VC_SOCKETS, "cgroups", sockets } },
	{ USE_DESCRIPTORS, { VC_DESCRIPTORS, "census --holders", descriptors } },
	{ USE_OTHER, { VC_OTHER, "census --unknown", other } },
	{ USE_FILE, { VC_UNWRITTEN, "cache", unwritten } },
	{ USE_FILE, { VC_CACHE, "cache", cache } },
	{ USES, { VC_NONE, NULL, NULL } },
};
