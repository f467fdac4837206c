/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xarray.h - the xarray (lib/xarray.c, 4.20) and the radix tree before it.
 */
#ifndef VMCENSUS_XARRAY_H
#define VMCENSUS_XARRAY_H

#include "model/kernel/kernel.h"

struct xa_entry {
	uint64_t index;		/* first index it covers */
	unsigned order;		/* covers 1 << order indexes */
	uint64_t value;		/* raw: a pointer, or (v << 1) | 1 for a value entry */
	bool is_value;
};

/*
 * FN for each entry that intersects [first, last], in index order; sibling
 * slots are folded into their canonical entry. False stops. Damaged nodes are
 * counted as issues ("xarray node") and skipped.
 */
enum status xarray_walk(const struct kernel *k, struct reader *r, uint64_t xa_kva,
			uint64_t first, uint64_t last,
			bool (*fn)(void *arg, const struct xa_entry *e), void *arg);

/* The same with a budget of nodes, which it reduces by those it read: for callers that walk
   many trees. ST_LIMIT when it runs out. */
enum status xarray_walk_within(const struct kernel *k, struct reader *r, uint64_t xa_kva,
			       uint64_t first, uint64_t last,
			       bool (*fn)(void *arg, const struct xa_entry *e), void *arg,
			       uint64_t *budget);

#endif
