/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evidence.h - the figures that a verdict is made of: one OOM event of the log, or the
 * machine without one, as plain numbers and names. The rules (verdict.h) see nothing else.
 *
 * The scope is what the request could use: the machine, or a control group with its limit. Its
 * sizes are those of the moment of the event: from the log, or from the dump if that was taken
 * at once. What the log does not print is taken from the dump.
 */
#ifndef VMCENSUS_VERDICT_EVIDENCE_H
#define VMCENSUS_VERDICT_EVIDENCE_H

#include <string.h>

#include "model/cause/event/oomlog.h"
#include "model/cause/thrash/thrash.h"
#include "model/cause/verdict/cause.h"
#include "model/cause/verdict/reasons.h"
#include "model/kernel/file/shm.h"
#include "model/memory/frames/classes.h"

#define EV_UNKNOWN UINT64_MAX

/* Where memory of the scope is; they do not overlap. USE_LOCKED: page cache under mlock(). */
enum use {
	USE_FREE, USE_ANON, USE_FILE, USE_LOCKED, USE_RAMFS, USE_SHMEM, USE_SLAB, USE_RECLAIMABLE, USE_TABLES,
	USE_STACKS, USE_PERCPU, USE_HUGETLB, USE_VMALLOC, USE_COMPRESSED, USE_BALLOON, USE_SOCKETS,
	USE_DESCRIPTORS,	/* pages of pipes, sockets, rings, found through their holders; of ram disks */
	USE_OTHER,		/* the rest */
	USE_TASK_SLAB,		/* objects of tasks: they come with USE_STACKS, and are no holder of their own */
	USE_PERCPU_AREAS,	/* the same of what the kernel keeps of per-CPU memory, beside USE_PERCPU */
	USES
};

/* What an owner is called by. */
enum ev_called {
	CALLED_NAME,		/* NAME */
	CALLED_BOTH,		/* NAME and OF */
	CALLED_PROCESS,		/* the subject */
	CALLED_HELD,		/* what CAUSE is, of the subject; of nobody, if there is none */
	CALLED_OBJECT,		/* NAME, which is one of what CAUSE is, and no process holds */
	CALLED_ONE_OF,		/* one of the N processes of WHO: of them all, if they are at most EV_AMONG */
	CALLED_FILE,		/* NAME is a path */
	CALLED_RAMFS, CALLED_RAMFS_MANY,	/* a file NAME of the file system OF; N files, NAME is the largest */
	CALLED_SHM,		/* an object of the kind SHM: NAME */
	CALLED_SYSV,		/* segment N with KEY */
	CALLED_SHM_MANY,	/* N objects of the kind SHM; the largest in the folder OF; NULL */
	CALLED_CALLER,		/* the function NAME of the module OF; NULL. NAME "": not known */
	CALLED_ZSMALLOC,	/* no area of swap uses it */
	CALLED_NO_USE,		/* frames of no known use */
};

/* What else is known of it. */
enum ev_told {
	TOLD_NOTHING,
	TOLD_USERS,		/* WHO uses it, and N - 1 others; SUBJECT_NONE: nobody */
	TOLD_THREADS,		/* N of OF threads */
	TOLD_AREAS,		/* N areas */
	TOLD_CAME_FREE,		/* when the owner was killed */
	TOLD_LOCKED,		/* by WHO */
	TOLD_ALLOCATED,		/* by the function NAME[0] */
	TOLD_POINTS_TO,		/* its pages point to NAME[0] */
	TOLD_CACHES,		/* N caches have half of it, the first three are NAME */
	TOLD_LARGE_BLOCKS,	/* of kmalloc() */
	TOLD_OBJECTS,		/* N objects */
	TOLD_MAPPINGS, TOLD_OPEN_FILES,	/* WHO has N of OF */
	TOLD_KINDS
};

struct ev_detail {
	enum ev_told told;
	struct subject who;
	uint64_t n, of;
	const char *name[3];
	const char *module;	/* that the memory points to, a guess; NULL */
};

#define EV_AMONG 4u		/* names in a sentence */

/* Who or what has most of a use. */
struct ev_owner {
	enum ev_called called;
	const char *name;	/* NULL: nobody is known */
	const char *of;
	uint64_t n, key;
	enum shm_kind shm;
	bool unlinked;		/* a file: no name leads to it */
	const struct subject *who;
	enum verdict_cause cause;	/* its kind, where the use has several; else VC_NONE */
	struct ev_detail detail;
	uint64_t bytes;
	struct subject subject;	/* the same as it is called; its pid: of the process that has it */
	bool among;		/* several processes are called; the owner is one of them */
	bool many;		/* DETAIL says who has half of it together */
};

/* A process, by the log's table or by the dump. */
struct ev_proc {
	const char *comm;	/* NULL: there is none */
	int64_t pid, adj;	/* adj: OOM_UNKNOWN if not known */
	uint64_t bytes;		/* resident anonymous memory (all of rss where the log has no more)
				   and swap */
	uint64_t tables, locked;	/* bytes; EV_UNKNOWN */
	uint64_t start;		/* ns since boot; EV_UNKNOWN */
	uint32_t threads;
};

/* Processes of one name. */
struct ev_name {
	const char *comm;	/* NULL: there is none */
	uint32_t n;
	uint32_t dated, young;	/* of n: whose start is known; and who started shortly before */
	uint64_t bytes;		/* pages that they share once; with their page tables, and stacks
				   if those are known */
};

struct ev_victim {
	const char *comm;	/* NULL: there is none */
	int64_t pid;
	uint64_t bytes;		/* resident, in swap, and page tables */
	bool alive;		/* it is in the dump, with its memory */
	char state;		/* of a thread that is in D, else of its leader; 0 unknown */
	enum oom_reaped reaped;
	enum verdict_reason sure;	/* why it is certain that the memory was its; 0: it is not */
};

/* A control group above memory.high: its processes sleep when they ask for memory. */
struct ev_throttled {
	const char *path;	/* NULL: there is none */
	uint64_t usage, high;	/* bytes */
	uint64_t times;		/* as memory.events counts */
};

/* The largest zone that the request could use. */
struct ev_zone {
	const char *name;	/* NULL: not known */
	int64_t node;
	uint64_t lacking;	/* bytes below its watermark; 0: none */
	bool no_block;		/* enough free, but no block of that order */
	uint64_t free, free_of_others;	/* bytes; in zones that the request may not use */
};

struct oom_evidence {
	/* the event */
	const struct oom_event *event;	/* NULL: none in the log */
	size_t number;			/* as the report oom counts */
	size_t events;			/* in the log */
	uint64_t kills;			/* as the kernel counts; EV_UNKNOWN */
	bool at_once;			/* the dump shows the moment of the event */
	const char *panic;		/* of the dump; NULL: none */
	uint64_t panic_time;		/* ns since boot, of its message; EV_UNKNOWN */
	uint64_t uptime;		/* ns; 0: not known */
	uint64_t log_begins;		/* ns since boot; EV_UNKNOWN: there is no log */
	bool by_clock;			/* these times are of a clock (machine.log_by_clock) */
	const char *printed;		/* then: of the event, or of the first line; NULL: not known */
	bool log_alone;			/* of a text of the log: there is no dump */

	/* the scope */
	uint64_t total;			/* bytes: MemTotal, or the limit; EV_UNKNOWN */
	uint64_t size[USES];		/* bytes, EV_UNKNOWN: a ledger (ledger.h) */
	uint64_t sum;			/* of those that are known */
	struct ev_owner owner[USES];
	uint64_t now[USES];		/* size[] of the dump, where it shows another moment; else
					   EV_UNKNOWN */
	uint64_t available;		/* of the machine; EV_UNKNOWN */
	uint64_t swap_total, swap_free;
	uint64_t shmem_swapped;		/* shared memory in swap, which is not in size[]; 0 also if not
					   known */
	/* of a control group of version 2; EV_UNKNOWN: not known, or no limit */
	uint64_t group_swap, group_swap_limit;
	uint64_t locked, locked_now;	/* by mlock(); in the dump */
	uint64_t unwritten;		/* of USE_FILE: dirty, or being written */
	uint64_t huge_unused;		/* of hugetlb: in the pool, free */
	uint64_t stored;		/* bytes that USE_COMPRESSED holds; EV_UNKNOWN */
	bool strict;			/* vm.overcommit_memory is 2: nothing beyond the limit is
					   promised */
	uint64_t committed, commit_limit;	/* of the dump; EV_UNKNOWN */
	uint64_t dying;			/* charged to removed control groups */
	uint32_t ndying, ngroups;	/* removed control groups; all */

	/* processes of the scope */
	uint32_t nprocs;
	uint64_t procs;			/* bytes of all */
	struct ev_proc largest, second, most_locked;
	struct ev_name name;		/* the name with most memory */
	bool from_log;			/* the kernel's table, not the dump */
	const char *found;		/* "129 of 169 processes": not all are known; NULL: they are, or
					   nothing contradicts it */
	bool log_partial;		/* a part of the log could not be read */
	bool lost;			/* a part of the dump is missing */
	bool unlisted;			/* not all variables of the kernel are known */
	struct ev_victim victim;
	struct ev_victim earlier;	/* killed before this event, but not yet gone */
	struct ev_victim stuck;	/* of this or an earlier event: in D, with its memory */

	struct {
		uint32_t kills;		/* of this event and shortly before */
		uint64_t since, bytes;	/* ns from the first to this; what the victims held */
	} repeated;
	struct subject killer;		/* a program that kills processes, or SUBJECT_NONE */
	const char *said;		/* its last message of a kill, in the journal; or NULL */
	struct ev_throttled throttled;	/* without an event */

	/* the request */
	struct ev_zone zone;
	uint64_t machine_free;		/* of a control group: free memory of the machine */
	/* of the dump, by class; NULL: the page array was not looked at */
	const struct class_counts *classes;
	uint64_t direct_reclaims, refaults;	/* since boot; EV_UNKNOWN */

	/* without an event (model/cause/thrash/thrash.h) */
	enum thrash_answer thrash;
	enum thrash_certainty thrash_sure;
	struct thrash_reason thrash_why;
	struct subject sufferer;	/* who had most major faults; SUBJECT_NONE: nobody, or not known */
};

/* EV_UNKNOWN counts as 0. */
static inline uint64_t ev_known(uint64_t v)
{
	return v == EV_UNKNOWN ? 0 : v;
}

/* Needs NEED_MACHINE, NEED_LOG, NEED_TASKS, NEED_VMAS, NEED_CGROUPS; texts are in MEM. */
void evidence_gather(const struct snapshot *s, const struct oom_log *log, struct arena *mem,
		     struct oom_evidence *ret);

/*
 * Anonymous memory of the scope, and what of it is in swap. Pages that processes share after a
 * fork are in the size of each: no sum of sizes is more than this.
 */
static inline uint64_t ev_anonymous(const struct oom_evidence *e, uint64_t sum)
{
	uint64_t used = e->swap_total == EV_UNKNOWN || e->swap_free == EV_UNKNOWN ||
					e->swap_free > e->swap_total
				? 0
				: e->swap_total - e->swap_free;

	if (e->size[USE_ANON] == EV_UNKNOWN || sum < e->size[USE_ANON] + used)
		return sum;
	return e->size[USE_ANON] + used;
}

/* Shared memory, and what of it is in swap: that much it would take; but zram is memory already. */
static inline uint64_t ev_shared(const struct oom_evidence *e)
{
	uint64_t v = e->size[USE_SHMEM];

	return v == EV_UNKNOWN || e->stored != EV_UNKNOWN ? v : v + e->shmem_swapped;
}

/* Of a use, with what of it is in swap. */
static inline uint64_t ev_size(const struct oom_evidence *e, enum use use)
{
	return use == USE_SHMEM ? ev_shared(e) : e->size[use];
}

/* Is A at least THOUSANDTHS of B? Not if either is not known. */
static inline bool ev_is_part(uint64_t a, uint64_t b, unsigned thousandths)
{
	return a != EV_UNKNOWN && b != EV_UNKNOWN && (double)a * 1000 >= (double)b * thousandths;
}

/* Is the scope a control group? */
static inline bool ev_is_memcg(const struct oom_evidence *e)
{
	return e->event && e->event->constraint == OOM_MEMCG;
}

/* Was the request of V limited to some nodes? */
static inline bool ev_is_of_nodes(const struct oom_event *v)
{
	return v->constraint == OOM_CPUSET || v->constraint == OOM_MEMPOLICY;
}

/*
 * Did the kernel ask for the kill before memory was out? kswapd allocates with PF_MEMALLOC and never gets to the
 * killer, but for lru_gen/min_ttl_ms: lru_gen_age_node(), mm/vmscan.c, since 354ed5974429 (v6.1).
 */
static inline bool ev_is_of_kswapd(const struct oom_event *v)
{
	static const char name[] = "kswapd";

	return v->kind == OOM_KILL && v->order == 0 && v->comm &&
	       !strncmp(v->comm, name, sizeof(name) - 1) && v->comm[sizeof(name) - 1] >= '0' &&
	       v->comm[sizeof(name) - 1] <= '9';
}

/* Those nodes, as the kernel lists them ("0-1"); NULL: not known. */
static inline const char *ev_nodes(const struct oom_event *v)
{
	return v->nodemask ? v->nodemask : v->constraint == OOM_CPUSET ? v->mems_allowed : NULL;
}

/* Thousandths of the scope, UINT32_MAX if more; 0 if either is not known. */
static inline unsigned ev_share(const struct oom_evidence *e, uint64_t bytes)
{
	double share;

	if (bytes == EV_UNKNOWN || e->total == EV_UNKNOWN || !e->total)
		return 0;
	share = (double)bytes * 1000 / (double)e->total;
	return share < UINT32_MAX ? (unsigned)share : UINT32_MAX;
}

#endif
