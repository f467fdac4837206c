/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attempt.h - walks of a running machine. Private to model/.
 *
 * Kernel structures change during a walk of live memory: a list leads elsewhere, a tree
 * node is freed. Such a walk is repeated from its start, and reads the memory again:
 *
 *     attempt_begin(&a, k, r);
 *     do {
 *             start again; walk;
 *     } while (attempt_again(&a, "vma"));
 *
 * Damage that failed walks counted is removed from the issues; the repetition is counted
 * as ST_TORN. If the last attempt fails too, its damage stays, unless the object turns out
 * to be gone: attempt_gone(). For a dump there is one attempt.
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
/* Did the walk count damage, and is another attempt allowed? */
bool attempt_again(struct attempt *a, const char *object);
/* Live, and the last attempt counted damage: the object may be gone. */
bool attempt_failed(const struct attempt *a);
/* It is gone, because of WHAT: remove the damage from the issues. */
void attempt_gone(struct attempt *a, const char *object, const char *what);

/* Does a task still use the mm with index MI? Reads it again. True for a dump. */
bool mm_still_used(const struct snapshot *s, struct reader *r, uint32_t mi);
/* Is V still the same range of the same file? Reads it again. True for a dump. */
bool vma_still_there(const struct snapshot *s, struct reader *r, const struct vma *v);

#endif
