/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * depot.h - the stack depot (lib/stackdepot.c): pools of stacks that page_owner, slub_debug, KASAN and
 * drivers keep. For use by one thread.
 */
#ifndef VMCENSUS_DEPOT_H
#define VMCENSUS_DEPOT_H

#include "model/kernel/kernel.h"

/* Pages of a pool: STACK_ALLOC_ORDER, DEPOT_POOL_ORDER. */
#define DEPOT_POOL_PAGES 4u

struct depot {
	const struct kernel *k;
	struct reader *r;
	uint64_t array;		/* address of the pointers to its pools; 0: there are none yet */
	uint64_t most;		/* pointers that the array can have */
};

/*
 * R is lent. ST_ABSENT: this kernel has no depot, or does not show it. Another error: its variables
 * are not readable, or are none; an issue.
 */
enum status depot_find(struct depot *d, const struct kernel *k, struct reader *r);

/* Kernel-virtual address of pool NO; ST_ABSENT: not made yet. Another error is no issue. */
enum status depot_pool(const struct depot *d, uint64_t no, uint64_t *kva);

/*
 * The pools in the array are among the first *N, with the one that is made in advance and in the
 * array. ST_ABSENT: this kernel does not show it. Another error is an issue.
 */
enum status depot_used(const struct depot *d, uint64_t *n);

/* Address of the pool made in advance that is not in the array; 0: there is none. Errors as above. */
enum status depot_spare(const struct depot *d, uint64_t *kva);

#endif
