/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stack_claim.c - the kernel stack of each task, in vmalloc or linear memory. */
#include "facts/layout/census.h"
#include "model/kernel/kobj.h"
#include "model/kernel/stack/stacks.h"
#include "model/memory/census/claims.h"

bool claim_stacks(const struct snapshot *s, struct reader *r, struct page_classes *c)
{
	const struct kernel *k = s->k;
	uint64_t size = stack_size(&k->layout), page = UINT64_C(1) << k->page_shift;
	uint64_t stack, pa;

	/* less than a page: objects of a slab cache (thread_stack, kernel/fork.c) */
	if (!has(k, M_TASK_STACK) || !size || size < page)
		return false;
	for (uint32_t i = 0; i < s->ntasks; i++) {
		uint64_t lost = 0;

		if (stack_start(k, r, &s->tasks[i], &stack))
			continue;
		for (uint64_t at = 0; at < size; at += page)
			lost += reader_kvtop(r, stack + at, &pa, NULL) ||
				page_classes_claim(c, pa >> k->page_shift, CLASS_STACK) !=
					CLAIM_TAKEN;
		if (lost)
			issue_add(k->issues, kernel_contradicts(k), "kernel stack", 1,
				  "of pid %d: not there, or somebody else's", s->tasks[i].pid);
	}
	return true;
}
