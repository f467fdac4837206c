/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freed.h - what killing processes would free, of the memory in the dump.
 *
 * Three figures. By the reaper: what it unmaps while the victim still runs or sleeps
 * (__oom_reap_task_mm(), mm/oom_kill.c). At exit: that, and all that nobody else holds. Never:
 * memory of theirs that outlives them. Page cache of files with a name is in none: it stays, and
 * could be reclaimed before as well.
 */
#ifndef VMCENSUS_OOM_FREED_H
#define VMCENSUS_OOM_FREED_H

#include "model/model.h"

struct freed {			/* bytes */
	uint64_t reaped;
	uint64_t exit;		/* reaped and the rest of anon, and the following six */
	uint64_t anon;		/* anonymous pages that nobody else maps */
	uint64_t tables, stacks;	/* stacks: of the kernel */
	uint64_t objects;	/* slab objects: tasks, vmas, inodes and dentries of /proc */
	uint64_t shmem;		/* objects without a name that nobody else maps or has open */
	uint64_t cache;		/* of deleted files, and secret memory, that nobody else maps or has open */
	uint64_t descriptors;	/* pipes, sockets and the like that nobody else holds */
	uint64_t usable;	/* of anon: in the zones that were asked for */
	uint64_t swap;		/* slots of swap that nobody else uses: no memory */
	uint64_t never;		/* pools of hugetlb; files of tmpfs and SysV segments that only they use */
	bool incomplete;	/* figures are lower bounds */
};

/* Frames of zones that a request may use. */
struct freed_range { uint64_t pfn, end; };

struct freer;

/*
 * Needs NEED_USAGE. Everything is in MEM. RANGES[N] as long as the freer; N 0: all frames are
 * usable. OWNERS may be NULL: descriptors are 0; CACHED too: cache is 0.
 */
struct owners;
struct cached;
struct freer *freer_new(const struct snapshot *s, const struct owners *owners,
			const struct cached *cached, const struct freed_range *ranges, uint32_t n,
			struct arena *mem);
void freer_free(struct freer *f);

/* Kills PROCS[N] (indices, ascending), and all that share an mm with them, as the kernel does. */
void freed_by(struct freer *f, const uint32_t *procs, uint32_t n, struct freed *ret);

#endif
