/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * linear.h - the linear map: kernel addresses that are physical ones plus a
 * constant. Machines whose kernels have it at a known place need no page table
 * to read symbols and types.
 */
#ifndef VMCENSUS_LINEAR_H
#define VMCENSUS_LINEAR_H

#include "dumpread/dump.h"

struct linear {
	uint64_t va, pa, size;		/* [va, va + size) is at pa */
};

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

/*
 * d->release, 2.6.NN as 2 and 600 + NN. One that is not known is taken for a
 * recent one, 6.99.
 */
void kernel_release(const struct dump *d, unsigned *major, unsigned *minor);

/* The variable NAME of SIZE bytes (0: a word), by whatever symbols there are. */
bool kernel_variable(struct dump *d, struct reader *r, const char *name, unsigned size,
		     uint64_t *ret);

#endif
