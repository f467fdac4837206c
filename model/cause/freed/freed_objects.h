/* SPDX-License-Identifier: GPL-3.0-or-later */
/* freed_objects.h - slab objects that go with a process. Private to model/cause/freed/. */
#ifndef VMCENSUS_OOM_FREED_OBJECTS_H
#define VMCENSUS_OOM_FREED_OBJECTS_H

#include "model/model.h"

#define OBJECT_CACHES 3

/* Caches that each have as many objects of a process. */
struct object_group {
	struct object_cache {
		uint64_t bytes;		/* that one object takes, its part of its slab's waste included */
		uint64_t kept;		/* objects that the allocator would keep if they were freed */
		bool unknown;		/* not known how many */
	} v[OBJECT_CACHES];
	uint32_t n;
};

struct object_costs {
	struct object_group task;	/* task_struct, struct pid, and vmap_area of its stack */
	struct object_group vma;	/* vm_area_struct */
	struct object_group inode;	/* of /proc: inode and dentry */
	uint64_t ninodes;		/* objects in the cache of these inodes */
};

void object_costs_read(const struct snapshot *s, struct arena *mem, struct object_costs *ret);

/* Bytes that come back when N objects of each cache of G are freed. What is kept and not known sets
   *INCOMPLETE. */
uint64_t group_freed(const struct object_group *g, uint64_t n, bool *incomplete);

/* Inodes of /proc that are process PROC's. R may be NULL: none. A list of inodes that is damaged or
   not in the dump sets *INCOMPLETE. */
uint64_t inodes_of_proc(const struct snapshot *s, struct reader *r, const struct object_costs *c,
			const struct proc *proc, bool *incomplete);

#endif
