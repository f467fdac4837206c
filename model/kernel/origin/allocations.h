/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allocations.h - who allocated each page, as page_owner and allocation tags have it. */
#ifndef VMCENSUS_ALLOCATIONS_H
#define VMCENSUS_ALLOCATIONS_H

#include "model/kernel/module/ksyms.h"
#include "model/kernel/origin/flag_names.h"
#include "model/model.h"

#define ALLOCATION_DEPTH 256u	/* frames of a stack; CONFIG_STACKDEPOT_MAX_FRAMES is 64 */
#define ALLOCATION_COMM 64

/* One allocation, of 1 << order pages: what print_page_owner() prints. */
struct page_allocation {
	uint64_t pfn;
	unsigned order;
	uint64_t gfp, flags, block;
	int64_t pid, tgid;
	uint64_t time, free_time;
	char comm[ALLOCATION_COMM];
	const char *wanted, *type;	/* migrate types: of the request, of the pageblock */
	const char *reason;		/* of its last migration; NULL: it never moved */
	const char *charged;		/* control group; NULL: none */
	bool slab, by_objcg, online;	/* of slabs; of charged */
	struct ksym stack[ALLOCATION_DEPTH];
	uint64_t address[ALLOCATION_DEPTH];
	unsigned depth;
};

struct allocations_shown {
	struct flag_names gfp, page;	/* the words for both kinds of flags */
	/* what this kernel keeps, and prints */
	bool pid, tgid, comm, time, free_time, charge, hex;
};

/* FN for each allocation of which page_owner has the stack, by frame. ST_ABSENT: it was not switched on,
   or the kernel does not show its names. */
enum status page_allocations_each(const struct snapshot *s,
				  void (*fn)(void *arg, const struct allocations_shown *x,
					     const struct page_allocation *a),
				  void *arg);

/* One line of /proc/allocinfo. */
struct tag_count {
	int64_t bytes;
	uint64_t calls, line;
	const char *file, *module, *function;	/* module: NULL: of the kernel */
	bool inaccurate;
};

struct tag_counts {
	VEC(struct tag_count) v;
};

/* In the kernel's order, in MEM. ST_ABSENT: this kernel has no allocation tags. */
enum status tag_counts_read(const struct snapshot *s, struct arena *mem, struct tag_counts *ret);

#endif
