/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * census.h - all of RAM: every page frame in one class, with what the kernel counts itself.
 *
 * Classes come from the struct pages (model/memory/frames/classes.h) and from claims: walkers of the
 * kernel's own lists and areas, which say what an otherwise unknown frame is for
 * (model/memory/census/claims.h), and of objects that processes hold (model/memory/owners). Rows add up to RAM by construction: each frame is counted once.
 */
#ifndef VMCENSUS_CENSUS_H
#define VMCENSUS_CENSUS_H

#include "model/memory/owners/owners.h"

/* A counter of the kernel beside the frames that it should count. */
struct census_counter {
	const char *name;		/* as in /proc/meminfo */
	enum page_class row;		/* the class beside which it is shown */
	uint64_t kernel;		/* pages, by the counter; UINT64_MAX: unknown */
	int64_t on_cpus;		/* pages that CPUs have not added to it yet; INT64_MIN: unknown */
	uint64_t found;			/* pages, by the classes that it counts */
};

/* The list of free pages of a CPU whose count is not its length. */
struct census_cpu_list {
	const char *zone;
	uint32_t cpu;
	int64_t counted;		/* pages, as struct per_cpu_pages has them */
	uint64_t listed;		/* pages, by its lists */
};

/* Frames of which only a sum is known: the counts have PAGES of them in CLASS_KMALLOC; by their bytes all are in
   CLASS_UNKNOWN. */
struct census_undecided {
	uint64_t frames;		/* compound pages without a type; 0: all is decided */
	uint64_t pages;			/* of them large kmalloc, by the counter of slab */
};

struct census {
	struct page_classes *classes;
	struct census_cpu_list *cpu_lists;
	uint32_t ncpu_lists;
	/* Where its frames are is not shown, or not all of them: they are in CLASS_UNKNOWN or
	   CLASS_BOOT. */
	bool unknown[PAGE_CLASSES];
	struct census_undecided undecided;
	struct owners owners;
	struct census_counter *counters;
	uint32_t ncounters;
	uint64_t ram;			/* pages: all classes without CF_NO_RAM */
	uint64_t present;		/* pages of RAM by the nodes' own counts; 0: unknown */
};

/* Of S, shared by all who ask. Needs NEED_MACHINE and NEED_VMAS. */
const struct census *census_of(const struct snapshot *s);

#endif
