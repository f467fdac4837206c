/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hugetlb.h - pools of huge pages, by size and node. */
#ifndef VMCENSUS_KMEM_HUGETLB_H
#define VMCENSUS_KMEM_HUGETLB_H

#include "model/model.h"

#define HUGETLB_UNKNOWN UINT64_MAX
#define HUGE_ORDER_MAX 30u		/* pages of 4 TiB; hardware has 16 GiB at most */
#define HSTATES_MAX 16u			/* sizes of huge pages; HUGE_MAX_HSTATE is less on every CPU */

/*
 * The number of sizes of huge pages: max_hstate. ST_CORRUPT: more than there can be, or none although the first has
 * one (hugetlb_add_hstate() fills hstates[] from its start); ST_ABSENT: the kernel does not show it.
 */
enum status huge_page_sizes(const struct kernel *k, struct reader *r, uint64_t *n);

/* Pages of the pool's size. */
struct huge_pool {
	uint64_t page_size;		/* bytes */
	int32_t node;			/* -1: all together */
	bool usual;			/* of the default size, which /proc/meminfo shows */
	uint64_t total, free, surplus;
	uint64_t reserved, overcommit, persistent;	/* of all nodes; else HUGETLB_UNKNOWN */
};

struct huge_pools {
	struct huge_pool *v;		/* each size, then its nodes that have pages */
	uint32_t n;
};

/* The order of the huge pages of HSTATE, an element of hstates[]. ST_CORRUPT: it is none. */
enum status hstate_order(const struct kernel *k, struct reader *r, uint64_t hstate, uint64_t *order);
/* Address of element I of hstates[]. */
uint64_t hstate_at(const struct kernel *k, uint64_t i);

/* What /proc/meminfo shows. */
struct hugetlb_sums {
	uint64_t total, free, resv, surplus;	/* of the default size: counts */
	uint64_t page_size;			/* the default size, bytes */
	uint64_t all_pages;			/* base pages in all sizes */
	bool there, known;
};

/* Damage is an issue, and then they are not known. */
void hugetlb_sums_read(const struct kernel *k, struct reader *r, struct hugetlb_sums *ret);

/* In MEM. ST_ABSENT: the kernel has no pools, or does not show them. Damage is an issue. */
enum status huge_pools_build(const struct snapshot *s, struct arena *mem, struct huge_pools *ret);

#endif
