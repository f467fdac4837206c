/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * linear.h - how a kernel maps itself: page tables, and the linear map, in which
 * kernel addresses are physical addresses plus a constant. If a kernel has its
 * linear map at a known place, symbols and types are read without page tables.
 */
#ifndef VMCENSUS_LINEAR_H
#define VMCENSUS_LINEAR_H

#include "arch/arch.h"
#include "facts/layout.h"
#include "facts/release.h"

struct linear {
	uint64_t va, pa, size;		/* [va, va + size) is at pa */
};

/* The state of every CPU begins with this. */
struct kernel_map {
	const struct arch *arch;
	const struct paging *paging;	/* of the kernel's and the user's tables */
	struct paging_env env;
	struct linear low;		/* memory, as far as it is mapped linearly */
	uint64_t root;			/* of the kernel's tables; physical */
	uint64_t start;			/* the first address that they map; 0: that of low, or the
					   upper half */
	bool has_root;
};

/* For struct arch of 32-bit machines: user space ends where low memory begins. */
bool lowmem_is_kernel_addr(const struct dump *d, uint64_t addr);
uint64_t lowmem_user_end(const struct dump *d);
enum status lowmem_by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run);

/* Ends the map of low memory at high_memory, if it has at most MOST bytes then: what is above is
   mapped by page tables only. */
void linear_end(struct linear *l, const struct dump *d, struct reader *r, uint64_t most);

/* ST_OK with *run bytes up to the end of the map; ST_NODATA outside of it. */
enum status linear_kvtop(const struct linear *l, uint64_t kva, uint64_t *pa, uint64_t *run);

/*
 * Find L->pa, where memory starts, for a given L->va. VMCOREINFO has the address of
 * init_uts_ns, which holds "Linux" and a machine name that begins with MACHINE. 0 is
 * tried first, then each multiple of STEP below MAX_PA. True if the text was found;
 * also if VMCOREINFO has no such address and the image names the machine: then L->pa
 * is 0, the usual place.
 */
bool linear_find(struct dump *d, struct linear *l, const char *machine, uint64_t step,
		 uint64_t max_pa);

/* Is the kernel's root at ROOT? It maps its own address VA there. m->root is ROOT then or not. */
bool root_at(struct reader *r, struct kernel_map *m, uint64_t root, uint64_t va);
/* The same for each place that agrees with VA in the bits below STEP, a power of two. */
bool root_search(struct reader *r, struct kernel_map *m, uint64_t va, uint64_t step);

/* Tells whether M has a root. ST_UNSUPPORTED with the dump's diag: it has none, and the image is not BY_RULE either. */
enum status root_told(struct dump *d, const struct kernel_map *m, bool by_rule);

/* IMAGE, of which a place is known, is from now on what lies between the first and last symbol. */
void image_late(const struct dump *d, struct linear *image);

/* VMALLOC_TOTAL where it is the difference of what VMCOREINFO tells, no byte less. */
bool told_vmalloc_total(struct dump *d, uint64_t *ret);

/* Exclusive end of the physical memory that the image describes. */
uint64_t linear_max_pa(const struct dump *d);

/* d->release; an unknown release counts as 6.99, a recent one. */
struct release kernel_release(const struct dump *d);

#endif
