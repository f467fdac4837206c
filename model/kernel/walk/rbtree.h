/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rbtree.h - the nodes of the kernel's struct rb_root, walked without trust.
 *
 *     struct rbwalk w = rbwalk_start(k, r, root, budget);
 *     while (rbwalk_next(&w, &node))
 *             use(node - offset_of_the_member);
 *     if (w.st) ... nodes are missing
 *
 * A node comes before those below it. What is below a node that is not readable is left out, and the walk goes on.
 */
#ifndef VMCENSUS_RBTREE_H
#define VMCENSUS_RBTREE_H

#include "model/kernel/kernel.h"

/* Twice the logarithm of the number of nodes bounds the depth, and one sibling waits on each level. */
#define RB_DEPTH 130

struct rbwalk {
	const struct kernel *k;
	struct reader *r;
	uint64_t waiting[RB_DEPTH];
	unsigned n;
	uint64_t budget;	/* nodes */
	enum status st;		/* of what is missing; ST_LIMIT: more than the budget, or too deep */
};

/* ROOT: rb_root.rb_node, a kernel-virtual address; 0: no node. */
struct rbwalk rbwalk_start(const struct kernel *k, struct reader *r, uint64_t root,
			   uint64_t budget);
bool rbwalk_next(struct rbwalk *w, uint64_t *node);

#endif
