/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attempt.h - walks of a machine that goes on running. Private to model/.
 *
 * Kernel structures change under a walk of live memory: a list goes astray, a tree
 * node is freed. Such a walk is done again from its start, on memory read anew:
 *
 *     attempt_begin(&a, k, r);
 *     do {
 *             start anew; walk;
 *     } while (attempt_again(&a, "vma"));
 *
 * What failed walks counted as damage is taken back; that they were needed is
 * counted as ST_TORN. If the last attempt fails too, its damage stays, unless the
 * object turns out to be gone: attempt_gone(). Of a dump there is one attempt.
 */
#ifndef VMCENSUS_ATTEMPT_H
#define VMCENSUS_ATTEMPT_H

#include "model/model.h"

struct attempt {
	struct kernel *k;
	struct reader *r;
	struct issues_mark before;
	unsigned n;			/* walks that failed */
};

void attempt_begin(struct attempt *a, struct kernel *k, struct reader *r);
/* Did the walk count damage, and is another worth it? */
bool attempt_again(struct attempt *a, const char *object);
/* Live, and damage of the last attempt was counted: it may be gone. */
bool attempt_failed(const struct attempt *a);
/* It is gone, WHAT happened: take the damage back. */
void attempt_gone(struct attempt *a, const char *object, const char *what);

/* Does a task still use the mm with index MI? Asked anew. True of a dump. */
bool mm_still_used(const struct snapshot *s, struct reader *r, uint32_t mi);
/* Is V still the same range of the same file? Asked anew. True of a dump. */
bool vma_still_there(const struct snapshot *s, struct reader *r, const struct vma *v);

#endif
