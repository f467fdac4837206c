/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab.h - slab caches: objects, slabs, partial lists, free objects that CPUs keep.
 */
#ifndef VMCENSUS_KMEM_SLAB_H
#define VMCENSUS_KMEM_SLAB_H

#include "model/model.h"

#define SLAB_UNKNOWN UINT64_MAX

/* Each number is SLAB_UNKNOWN if it could not be read or this kernel has none. */
struct slab_cache {
	uint64_t addr;
	const char *name;
	uint64_t size, object_size;	/* bytes of an object with metadata, without */
	uint64_t flags;			/* SLAB_* */
	unsigned order;			/* of its slabs, as a rule */
	uint64_t per_slab;		/* objects of such a slab */
	/* the counters of its nodes */
	uint64_t slabs, objects;
	uint64_t partial;		/* slabs in the lists of nodes */
	uint64_t partial_free;		/* free objects in them */
	uint64_t shown_free;		/* free objects as /proc/slabinfo has it: of long lists an
					   estimate */
	uint64_t cpu_partial, cpu_partial_free;	/* slabs in lists of CPUs (until 6.17) */
	uint64_t sheaves;		/* free objects in sheaves (v6.18) */
	uint64_t sheaf_room;		/* objects that sheaves would keep if they were freed */
	/* a pass over struct pages; SLAB_UNKNOWN if it was not asked for. Of SLAB, the objects are
	   those that its nodes count, and to 3.6 the slabs and pages too */
	uint64_t found_slabs, found_pages, found_objects, found_inuse;
};

struct slab_caches {
	struct slab_cache *v;		/* as the kernel lists them */
	uint32_t n;
	bool whole;			/* the list was read to its end */
	bool slub;			/* the allocator is SLUB, not SLAB */
	/* slabs of no cache of the list, and their pages: 0 if the pass was not made */
	uint64_t stray_slabs, stray_pages;
};

/*
 * In MEM. PAGES: also make the pass over all struct pages. ST_ABSENT: the source or its kernel
 * does not show caches. Damage is an issue of the kernel.
 */
enum status slab_caches_build(const struct snapshot *s, struct arena *mem, bool pages,
			      struct slab_caches *ret);

/* Is the memory of the cache given back under pressure (SLAB_RECLAIM_ACCOUNT)? */
bool slab_is_reclaimable(const struct kernel *k, const struct slab_cache *c);

struct pagefmt;
struct reader;
/* slab_pages.c: the address of the cache of the slab that frame PFN is in, which may be 0. ST_ABSENT: the kernel
   does not show it. */
enum status slab_cache_of(const struct kernel *k, struct reader *r, const struct pagefmt *f,
			  uint64_t pfn, uint64_t *cache);
/* slab_pages.c: fills the found_ members and stray_slabs. */
void slab_pages_count(const struct snapshot *s, struct slab_caches *sc);

#endif
