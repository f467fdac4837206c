/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.h - the walkers that fill a snapshot, in the order in which they run.
 * Private to model/: reports call snapshot_build().
 */
#ifndef VMCENSUS_BUILD_H
#define VMCENSUS_BUILD_H

#include "dumpread/base/arena.h"
#include "model/model.h"

/* Results of a walker that only a later walker needs; freed after the build. */
struct build {
	struct snapshot *s;
	struct kernel *k;
	struct reader *r;
	uint64_t *task_mm;	/* [ntasks]: task_struct.mm, 0 none */
	int32_t (*task_rss)[RSS_COUNTERS]; /* [ntasks]: counts not yet folded into the mm */
	uint64_t *proc_oom_mm;	/* [nprocs]: signal->oom_mm, 0 none */
	uint64_t *proc_css_set;	/* [nprocs]: task_struct.cgroups of the leader */
	uint64_t *mm_exe;	/* [nmms]: exe_file, 0 none */
	bool *mm_written;	/* [nmms]: a writer may hold its mmap_lock */
	VEC(struct vma) vmas;	/* of the mms in their order; in s->mem */
	bool vmas_read;		/* all of them, with the mms */
	struct arena scratch;
};

/* Index of counter C in this kernel's rss arrays, -1 if it has none (enum order
   moved in v4.5, eca56ff906bd). */
int64_t rss_counter_index(const struct kernel *k, enum rss_counter c);

/* tasks and procs; task.mm is filled by build_mms(). */
void build_tasks(struct build *b);

/* mms of all tasks, and the links task.mm, proc.mm, mm.owner. VMAS: and their vmas, while the pages
   with them are at hand. */
void build_mms(struct build *b, bool vmas);

/* Appends the vmas of the mm MI to b->vmas: in V those from v[FIRST] on. */
void build_keep_vmas(struct build *b, uint32_t mi, const struct vma *v, size_t first);

/* Adds N mms that no task has yet. */
void build_forked(struct build *b, const uint64_t *addr, size_t n);

/* forked.c: addresses of mms of children inside fork(), by VMAS of the others; how many. */
size_t build_find_forked(struct build *b, const struct vma *vmas, uint64_t **ret);

/* VMAs of the mm ONLY, or (NONE) of all, from the list or maple tree, if build_mms() has not read
   them; their files and names. The executables of all mms. */
void build_vmas(struct build *b, uint32_t only);

/* mm.cmdline, if the pages of the arguments are in the dump. */
void build_cmdlines(struct build *b, uint32_t only);

/* operation build of the sources that have memory */
void snapshot_from_memory(struct snapshot *s, unsigned needs, const struct snapshot_opts *o);

#endif
