/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slab_charge.h - the control groups that are charged with the objects of slabs. */
#ifndef VMCENSUS_KMEM_SLAB_CHARGE_H
#define VMCENSUS_KMEM_SLAB_CHARGE_H

#include "model/kernel/slab/slab.h"

/* Objects of one cache that are charged to one control group itself, not to a group below it. */
struct slab_charge {
	uint32_t cache;			/* index in slab_caches */
	uint32_t cgroup;		/* index in s->cgroups; NONE: it is not one of them */
	uint64_t objects;
};

struct slab_charges {
	struct slab_charge *v;		/* in the order of caches, then of groups */
	uint32_t n;
	/* slabs whose vector could not be read or is of no known form; their objects are not in V */
	uint64_t unread;
};

/* Bytes that the kernel charges for one object of C: obj_full_size(), mm/slab.h, mm/slub.c.
   SLAB_UNKNOWN: the size is. */
uint64_t slab_charged_size(const struct kernel *k, const struct slab_cache *c);

/*
 * In MEM. Reads the vectors that slabs have of struct obj_cgroup (286e04b8ed7a, v5.9); free objects
 * have none, so that no list of free objects is read. ST_ABSENT: older kernels have a cache for each
 * group, or the kernel was built without. Damage is an issue of the kernel.
 */
enum status slab_charges_build(const struct snapshot *s, const struct slab_caches *sc, struct arena *mem,
			       struct slab_charges *ret);

#endif
