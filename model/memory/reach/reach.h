/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reach.h - which objects of the kernel something points to.
 *
 * A node is an object of a slab, a block (pages that the kernel took from the page allocator, which are scanned as one
 * object), or an area of vmalloc. Words that may point to nodes are read from the roots: variables of the kernel and its
 * modules, per-CPU memory, kernel stacks, memory that was reserved at boot, struct pages. What they point to is reached,
 * and read in turn. A number that looks like an address counts as one: more is reached than is used, never less, unless
 * an object is kept by a physical address or by an encoded pointer.
 *
 * Of each node three bits are kept, of each slab or block 24 bytes, of each frame two bits and an eighth.
 */
#ifndef VMCENSUS_REACH_H
#define VMCENSUS_REACH_H

#include "model/kernel/page/pagefmt.h"
#include "model/kernel/slab/slab_free.h"
#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/census/census.h"

#define REACH_BLOCK UINT32_MAX /* in place of a cache */
#define REACH_NONE  UINT64_MAX /* no node, no unit */

/* Pages that are one slab or one block. */
struct reach_unit {
	uint64_t pfn;
	uint64_t first; /* its first node */
	uint32_t cache; /* index in caches.v, or REACH_BLOCK: it is one node */
	uint32_t n;	/* objects of the slab; pages of the block */
};

/* Why an answer cannot be given, or not be believed. */
enum reach_doubt {
	REACH_SOUND,
	/* refused */
	REACH_CHANGES,	/* the machine runs */
	REACH_NO_TYPES, /* members that are needed are not known */
	REACH_NOT_SLUB,
	REACH_NO_MEMMAP, /* struct pages are missing */
	REACH_NO_TABLES, /* more than a twentieth of the roots is not mapped: tables of the kernel are missing */
	/* told */
	REACH_SLABS_MISSING,  /* more than REACH_FEW of the pages of slabs are missing */
	REACH_ROOTS_MISSING,  /* the same of roots */
	REACH_FRAMES_MISSING, /* the same of struct pages */
};
#define REACH_FEW 5000u /* one in so many: 0.02 % */

enum reach_area {
	AREA_JUDGED, /* somebody keeps its address */
	AREA_READ,   /* not judged: vmap(), DMA */
	AREA_LEFT,   /* nor read, or read as a root: stacks, modules, per-CPU chunks, ioremap */
};

struct reach {
	const struct snapshot *s;
	const struct kernel *k;
	const struct census *census;
	struct slab_caches caches;
	struct slab_free free_lists;
	unsigned jobs;	      /* threads */
	struct hash by_cache; /* kmem_cache -> its index */
	struct pagefmt fmt;
	VEC(struct reach_unit) units; /* by pfn */
	struct vmalloc_area *areas;   /* those with a vm_struct, by address */
	uint32_t nareas;
	uint8_t *area_use;   /* [nareas]: enum reach_area */
	uint32_t *area_pages; /* [nareas]: that are read of it */
	uint64_t unit_nodes; /* nodes of units; those of areas follow */
	uint64_t nodes;
	uint64_t *freed, *reached; /* a bit for each node */
	uint64_t *waits;      /* the same: to be read; in the end: an unreached node points to it */
	uint64_t *units_wait; /* a bit for each unit, then for each area */
	uint64_t *held, *begins; /* a bit for each frame: of a unit, the first of one */
	uint32_t *rank;		 /* [frames / 512]: units before */
	uint64_t max_pfn;
	/* addresses: the linear map, and all that may be one of a node */
	uint64_t linear, linear_end, least, most;
	uint64_t image_at; /* an address of the image less its physical one */
	/* sums */
	uint64_t *used;	 /* [caches.n]: objects that are not free */
	uint64_t in_use; /* of all caches */
	uint64_t slab_pages, slab_unread, root_pages, root_unread, root_unmapped;
	uint64_t
		unsure; /* slabs whose free objects are not known: their objects count as reached */
	enum reach_doubt doubt;
	struct arena mem;
};

/*
 * All that S points to. NULL: *WHY says why it is refused. Damage is an issue of the kernel. Needs NEED_TASKS,
 * NEED_VMAS and NEED_MACHINE.
 */
struct reach *reach_build(const struct snapshot *s, enum reach_doubt *why);
/* The same with the census C of S. */
struct reach *reach_over(const struct snapshot *s, const struct census *c, enum reach_doubt *why);
void reach_free(struct reach *x);

/* ---- nodes -------------------------------------------------------------------------------- */

static inline bool reach_bit(const uint64_t *bits, uint64_t i)
{
	return __atomic_load_n(&bits[i / 64], __ATOMIC_RELAXED) >> i % 64 & 1;
}

/* Sets it; was it set? By several threads. */
static inline bool reach_set(uint64_t *bits, uint64_t i)
{
	uint64_t bit = UINT64_C(1) << i % 64;

	return __atomic_load_n(&bits[i / 64], __ATOMIC_RELAXED) & bit ||
	       __atomic_fetch_or(&bits[i / 64], bit, __ATOMIC_ACQ_REL) & bit;
}

/* Clears it; was it set? */
static inline bool reach_take(uint64_t *bits, uint64_t i)
{
	uint64_t bit = UINT64_C(1) << i % 64;

	return reach_bit(bits, i) &&
	       __atomic_fetch_and(&bits[i / 64], ~bit, __ATOMIC_ACQ_REL) & bit;
}

/* The node that kernel address WORD is in, or whose struct page is there; REACH_NONE. *unit (may be NULL): its place
   in units; of an area, units.n and its place in areas. */
uint64_t reach_at(const struct reach *x, uint64_t word, uint64_t *unit);

/* One node, for a person. */
struct reach_node {
	const struct reach_unit *unit; /* NULL: an area */
	const struct vmalloc_area *area;
	uint64_t kva, size;    /* bytes, without metadata */
	enum page_class class; /* of its first page */
};
void reach_describe(const struct reach *x, uint64_t node, struct reach_node *ret);

/* Is it an allocation, of which somebody keeps the address? */
static inline bool reach_judged(const struct reach *x, const struct reach_node *n)
{
	if (n->area)
		return x->area_use[n->area - x->areas] == AREA_JUDGED;
	return n->unit->cache != REACH_BLOCK || n->class == CLASS_KMALLOC ||
	       n->class == CLASS_UNKNOWN;
}

#endif
