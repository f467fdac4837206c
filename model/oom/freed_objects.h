/* SPDX-License-Identifier: GPL-3.0-or-later */
/* freed_objects.h - slab objects that go with a process. Private to model/oom/. */
#ifndef VMCENSUS_OOM_FREED_OBJECTS_H
#define VMCENSUS_OOM_FREED_OBJECTS_H

#include "model/model.h"

/* Memory that one of each takes, its part of its slab's waste included: bytes, 0 if not known. */
struct object_costs {
	uint64_t task;		/* task_struct, struct pid, and vmap_area of its stack */
	uint64_t vma;		/* vm_area_struct */
	uint64_t inode;		/* of /proc: inode and dentry */
	uint64_t ninodes;	/* objects in the cache of these inodes */
};

void object_costs_read(const struct snapshot *s, struct arena *mem, struct object_costs *ret);

/* Bytes of objects of process PROC, without those of its mm. R may be NULL: no inodes. A list of
   inodes that is damaged or not in the dump sets *INCOMPLETE. */
uint64_t objects_of_proc(const struct snapshot *s, struct reader *r, const struct object_costs *c,
			 const struct proc *proc, bool *incomplete);

#endif
