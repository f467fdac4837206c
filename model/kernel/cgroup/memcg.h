/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memcg.h - the values of memory.stat, memory.events and the limits of a cgroup.
 */
#ifndef VMCENSUS_MEMCG_H
#define VMCENSUS_MEMCG_H

#include "model/kernel/kernel.h"
#include "model/model.h"

#define MEMCG_BATCH 64u		/* MEMCG_CHARGE_BATCH, mm/memcontrol.c */

/* Pages by which a counter may differ from what it counts: each CPU charges ahead. */
static inline uint64_t memcg_slack(const struct kernel *k)
{
	return (uint64_t)k->ncpus * MEMCG_BATCH;
}

enum memcg_stat {		/* lines of memory.stat, bytes */
	MEMCG_STAT_ANON, MEMCG_STAT_FILE, MEMCG_STAT_KERNEL, MEMCG_STAT_KERNEL_STACK,
	MEMCG_STAT_PAGETABLES, MEMCG_STAT_SEC_PAGETABLES, MEMCG_STAT_PERCPU, MEMCG_STAT_SOCK,
	MEMCG_STAT_VMALLOC, MEMCG_STAT_SHMEM, MEMCG_STAT_ZSWAP, MEMCG_STAT_ZSWAPPED,
	MEMCG_STAT_FILE_MAPPED, MEMCG_STAT_FILE_DIRTY, MEMCG_STAT_FILE_WRITEBACK,
	MEMCG_STAT_SWAPCACHED, MEMCG_STAT_SLAB_RECLAIMABLE, MEMCG_STAT_SLAB_UNRECLAIMABLE,
	MEMCG_STAT_INACTIVE_ANON, MEMCG_STAT_ACTIVE_ANON, MEMCG_STAT_INACTIVE_FILE,
	MEMCG_STAT_ACTIVE_FILE, MEMCG_STAT_UNEVICTABLE, MEMCG_STATS
};

enum memcg_event {		/* lines of memory.events */
	MEMCG_EVENT_LOW, MEMCG_EVENT_HIGH, MEMCG_EVENT_MAX, MEMCG_EVENT_OOM,
	MEMCG_EVENT_OOM_KILL, MEMCG_EVENTS
};

/* UINT64_MAX: this kernel does not count it, or it could not be read. */
struct memcg {
	uint64_t stat[MEMCG_STATS];	/* bytes, of the group and all below it, exact */
	uint64_t event[MEMCG_EVENTS];
	/* pages; UINT64_MAX also where there is no limit */
	uint64_t low, high, swap_max, peak;
};

/* Limits and events of G, a group with .memory; the rest is UINT64_MAX. */
void memcg_read_bounds(const struct snapshot *s, struct reader *r, uint32_t g, struct memcg *ret);
/* One for each of s->cgroups, in MEM. Supported since 5.2. */
struct memcg *memcgs_read(const struct snapshot *s, struct arena *mem);

#endif
