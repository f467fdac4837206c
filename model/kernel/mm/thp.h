/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thp.h - may a vma hold huge pages? The line THPeligible of smaps, by the settings of the
 * kernel, its file systems and its processes when it stopped.
 */
#ifndef VMCENSUS_THP_H
#define VMCENSUS_THP_H

#include "dumpread/base/hash.h"
#include "model/model.h"

/* Sets of orders, bit N for folios of 2^N pages. */
struct thp_orders {
	uint64_t always, madvise, inherit, within_size;
};

struct thp_file;

struct thp {
	const struct snapshot *s;
	struct reader *r;		/* NULL: every answer is "no" */
	bool offered;			/* the kernel has huge pages, and so has the machine */
	bool always, madvise;		/* transparent_hugepage/enabled */
	int32_t shmem;			/* shmem_enabled; enum shmem_huge */
	bool sized;			/* there are settings for each size (v6.8; shmem: v6.11) */
	struct thp_orders anon, anon_shmem;
	unsigned pmd_order, cache_order;	/* of a huge page; the largest of files */
	VEC(struct thp_file) files;
	struct hash by_file, huge_fault;	/* struct file -> files; vm_ops -> has one */
};

/* R is borrowed, MEM owns the cached data. */
void thp_init(struct thp *t, const struct snapshot *s, struct reader *r, struct arena *mem);
bool thp_eligible(struct thp *t, const struct vma *v);

#endif
