/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * list.h - the kernel's circular struct list_head, walked without trust.
 *
 *     struct listwalk w = listwalk_start(k, r, head, budget);
 *     while (listwalk_next(&w))
 *             use(w.node - offset_of_the_member);
 *     if (w.st) ... the list is broken after w.seen nodes
 *
 * Ends at the head. Stops with ST_CORRUPT if a node is no kernel pointer or does not point
 * back to its predecessor, with ST_LIMIT after BUDGET nodes.
 */
#ifndef VMCENSUS_LIST_H
#define VMCENSUS_LIST_H

#include "model/kernel/kernel.h"

struct listwalk {
	const struct kernel *k;
	struct reader *r;
	uint64_t head, node;	/* kernel-virtual addresses of list_heads */
	uint64_t seen, budget;
	bool backwards;
	bool next_only;		/* nodes have no prev: set by the caller */
	enum status st;		/* why it ended; ST_OK: at the head */
};

struct listwalk listwalk_start(const struct kernel *k, struct reader *r, uint64_t head,
			       uint64_t budget);
/* The same by the prev pointers: reaches the nodes after a break from the end. */
struct listwalk listwalk_backwards(const struct kernel *k, struct reader *r, uint64_t head,
				   uint64_t budget);
bool listwalk_next(struct listwalk *w);

#endif
