/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stacks.c - where the kernel stack of each task is (kernel/fork.c, read in 5.10 and 7.2).
 */
#include "model/kernel/stack/stacks.h"

#include "model/kernel/kobj.h"

#define STACK_MAX (UINT64_C(1) << 20)

/* The first task's stack has that size (include/asm-generic/vmlinux.lds.h, INIT_TASK_DATA). */
uint64_t stack_size(const struct layout *l)
{
	uint64_t size = layout_size(l, S_THREAD_UNION);

	if (!size)
		size = layout_symbol(l, Y_INIT_STACK_END) - layout_symbol(l, Y_INIT_STACK);
	return size & (size - 1) || size > STACK_MAX ? 0 : size;
}

/* ENDED: the stack may be gone already. */
static enum stack_place place(const struct kernel *k, struct reader *r, uint64_t task, bool ended)
{
	uint64_t stack, area = 0, pa, run;

	if (task == layout_symbol(&k->layout, Y_INIT_TASK))
		return STACK_IMAGE;
	if (kmember_u64(k, r, task, M_TASK_STACK, &stack) ||
	    (has(k, M_TASK_STACK_VM) && kmember_u64(k, r, task, M_TASK_STACK_VM, &area)))
		return STACK_UNREAD;
	if (!stack)
		return ended ? STACK_NONE : STACK_UNREAD;
	/* memory of vmalloc() has an area, other memory none */
	if (has(k, M_TASK_STACK_VM) &&
	    !area == (k->arch->by_rule(k->dump, stack, &pa, &run) != ST_OK))
		return STACK_UNREAD;
	return area ? STACK_VMALLOC : STACK_LINEAR;
}

enum status stacks_build(const struct snapshot *s, struct arena *mem, struct stacks *ret)
{
	struct reader *r = kernel_reader(s->k);
	uint64_t unread = 0;

	*ret = (struct stacks){ .size = r ? stack_size(&s->k->layout) : 0 };
	if (!r || !has(s->k, M_TASK_STACK)) {
		reader_free(r);
		return ST_ABSENT;
	}
	ret->of = arena_array(mem, enum stack_place, s->ntasks);
	for (uint32_t i = 0; i < s->ntasks; i++) {
		ret->of[i] = place(s->k, r, s->tasks[i].addr,
				   s->tasks[i].state == 'X' || s->tasks[i].state == 'Z');
		unread += ret->of[i] == STACK_UNREAD;
	}
	reader_free(r);
	if (unread)
		issue_add(s->k->issues, ST_NODATA, "kernel stack", unread, "where they are");
	return ST_OK;
}
