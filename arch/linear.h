/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * linear.h - how a kernel maps itself: page tables, and the linear map, kernel
 * addresses that are physical ones plus a constant. Machines whose kernels have
 * the latter at a known place need no page table to read symbols and types.
 */
#ifndef VMCENSUS_LINEAR_H
#define VMCENSUS_LINEAR_H

#include "arch/arch.h"
#include "facts/layout.h"
#include "facts/release.h"

struct linear {
	uint64_t va, pa, size;		/* [va, va + size) is at pa */
};

/* What the state of every CPU begins with. */
struct kernel_map {
	const struct arch *arch;
	const struct paging *paging;	/* of the kernel's and the user's tables */
	struct paging_env env;
	struct linear low;		/* memory, as far as it is mapped linearly */
	uint64_t root;			/* of the kernel's tables; physical */
	bool has_root;
};

/* struct arch, of a machine of 32 bits: user space ends where low memory begins. */
bool lowmem_is_kernel_addr(const struct dump *d, uint64_t addr);
uint64_t lowmem_user_end(const struct dump *d);
enum status lowmem_by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run);

/* ST_OK with *run bytes up to the end of the map; ST_NODATA outside of it. */
enum status linear_kvtop(const struct linear *l, uint64_t kva, uint64_t *pa, uint64_t *run);

/*
 * Where memory starts, L->pa, if L->va is right: VMCOREINFO says where
 * init_uts_ns is, and there stands "Linux" and the name of a machine that begins
 * with MACHINE. 0 is tried first, then each multiple of STEP below MAX_PA. True
 * if it was seen; also if VMCOREINFO tells no such address and the image says
 * what machine it is of: then L->pa is 0, the rule.
 */
bool linear_find(struct dump *d, struct linear *l, const char *machine, uint64_t step,
		 uint64_t max_pa);

/* Exclusive end of the physical memory that the image describes. */
uint64_t linear_max_pa(const struct dump *d);

/* d->release; one that is not known is taken for a recent one, 6.99. */
struct release kernel_release(const struct dump *d);

#endif
