/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unknown.h - the frames of CLASS_UNKNOWN in groups of the same kind: by who allocated them, where
 * the kernel keeps that, and by shape; and what the words of some of their pages point to.
 */
#ifndef VMCENSUS_CENSUS_UNKNOWN_H
#define VMCENSUS_CENSUS_UNKNOWN_H

#include "model/memory/census/census.h"
#include "model/memory/census/pointees.h"

#define UNKNOWN_SAMPLES 64u	/* pages of a group that are looked at, at most */
#define UNKNOWN_TOP 4u

/* A name, and how often something points there. */
struct unknown_hit {
	const char *name;
	uint64_t n;
	enum pointee_kind kind;
};

struct unknown_group {
	uint64_t frames, blocks;
	uint64_t pfn;			/* of the first */
	uint64_t pages;			/* of one block: a compound page, or a frame with references
					   and those after it without */
	uint32_t refs;			/* of the block's head; 2: or more */
	bool compound, mapped;		/* mapped: by a process */
	const char *node_zone;		/* "0 Normal"; NULL: not known */
	const char *cgroup;		/* charged to it; NULL: to none that is known */
	const char *site, *stack;	/* who allocated it (model/kernel/origin/origin.h); NULL: not kept */
	/* of sampled pages; words as wide as a pointer */
	uint32_t sampled, absent;	/* pages that were read; that the dump does not have */
	uint64_t words, zeros, addresses;
	bool uniform;			/* all words are VALUE */
	uint64_t value;
	struct unknown_hit to[UNKNOWN_TOP];	/* by number; name NULL: no more */
	/* the same of the words of their struct pages: lists that they are on, and such */
	struct unknown_hit page_to[UNKNOWN_TOP];
	uint64_t page_addresses;
};

struct unknown {
	struct unknown_group *v;	/* largest first */
	size_t n;
	bool origins;			/* the kernel keeps who allocated pages */
};

/* Of C, by census_of(). In MEM. Needs NEED_MACHINE, NEED_TASKS and NEED_CGROUPS. */
void unknown_build(const struct snapshot *s, const struct census *c, struct arena *mem,
		   struct unknown *ret);

#endif
