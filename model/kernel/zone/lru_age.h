/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lru_age.h - pages that may be taken, by control group, node and how long they were not used. */
#ifndef VMCENSUS_LRU_AGE_H
#define VMCENSUS_LRU_AGE_H

#include "model/model.h"

#define LRU_UNKNOWN UINT64_MAX

enum lru_kind { LRU_GENERATION, LRU_INACTIVE, LRU_ACTIVE, LRU_UNEVICTABLE };

/* One generation (MGLRU) or one pair of lists of the pages that are charged to a group itself. */
struct lru_age {
	uint32_t cgroup;		/* index in s->cgroups */
	int32_t node;
	enum lru_kind kind;
	bool youngest;			/* of the two that memory.stat counts as active */
	uint64_t seq;			/* of a generation: larger is younger */
	uint64_t ms;			/* since it began; LRU_UNKNOWN: not known */
	uint64_t anon, file;		/* pages; of LRU_UNEVICTABLE all in FILE, ANON is 0; LRU_UNKNOWN */
};

struct lru_ages {
	struct lru_age *v;		/* groups as in s->cgroups, nodes ascending, oldest first */
	uint32_t n;
	bool generations;		/* MGLRU is on */
};

/*
 * In MEM, by the kernel's counters, as /sys/kernel/debug/lru_gen shows them (lru_gen_seq_show(),
 * mm/vmscan.c). ST_ABSENT: this image does not show the lists of groups. Damage is an issue of the
 * kernel, and unknown in its row.
 */
enum status lru_ages_build(const struct snapshot *s, struct arena *mem, struct lru_ages *ret);

/* Ticks in a second, of JIFFIES and the time since boot in ns: jiffies begin 300 s before they wrap at 32 bits
   (INITIAL_JIFFIES, include/linux/jiffies.h). 0: none of the known rates fits. */
unsigned lru_tick_rate(uint64_t jiffies, uint64_t uptime);

#endif
