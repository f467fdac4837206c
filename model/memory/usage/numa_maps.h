/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * numa_maps.h - the pages of a VMA as /proc/PID/numa_maps counts them (struct numa_maps of
 * fs/proc/task_mmu.c).
 */
#ifndef VMCENSUS_NUMA_MAPS_H
#define VMCENSUS_NUMA_MAPS_H

#include "model/kernel/mm/mempolicy.h"
#include "model/kernel/zone/zones.h"

struct numa_counts {		/* pages; a page of hugetlb is one */
	uint64_t pages, anon, dirty, swapcache, active, writeback;
	uint64_t mapmax;	/* the most mappings of one page */
	uint64_t nodeless;	/* of pages: the zones of two nodes overlap there */
	uint64_t *node;		/* [zones.nnodes] */
	uint64_t page_size;	/* bytes, of one page here */
	char policy[MEMPOLICY_TEXT];
};

struct numa_maps;

/* NULL: the kernel has no such file (no CONFIG_NUMA), or its types do not tell. For one thread. */
struct numa_maps *numa_maps_new(const struct snapshot *s, struct reader *r);
void numa_maps_free(struct numa_maps *m);

const struct zones *numa_maps_zones(const struct numa_maps *m);

/* Of V, in the file of the task at address TASK. The result is valid until the next call. */
const struct numa_counts *numa_maps_count(struct numa_maps *m, const struct vma *v, uint64_t task);

#endif
