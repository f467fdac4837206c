/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * maple.h - the maple tree (lib/maple_tree.c, since 6.1), read-only.
 */
#ifndef VMCENSUS_MAPLE_H
#define VMCENSUS_MAPLE_H

#include "model/kernel/kernel.h"

/*
 * FN for each entry that is not empty and not internal, in index order, with its range
 * [first, last] (inclusive) in the tree. False stops. Damaged nodes are counted as issues
 * ("maple node") and skipped; the rest of the tree is still walked. Returns ST_OK if the
 * whole tree was walked.
 */
enum status maple_walk(const struct kernel *k, struct reader *r, uint64_t tree_kva,
		       bool (*fn)(void *arg, uint64_t entry, uint64_t first, uint64_t last),
		       void *arg);

#endif
