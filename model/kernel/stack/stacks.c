/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stacks.c - where the kernel stack of each task is (kernel/fork.c, read in 5.10 and 7.2).
 */
#include "model/kernel/stack/stacks.h"

#include "facts/layout/census.h"
#include "facts/layout/kmem.h"
#include "facts/layout/system.h"
#include "facts/layout/task.h"
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

static bool is_first(const struct kernel *k, const struct task *t)
{
	return t->addr == layout_symbol(&k->layout, Y_INIT_TASK);
}

enum status stack_start(const struct kernel *k, struct reader *r, const struct task *t,
			uint64_t *ret)
{
	enum status st;

	*ret = 0;
	if (is_first(k, t))
		return ST_ABSENT;
	st = kmember_u64(k, r, t->addr, M_TASK_STACK, ret);
	return !st && !*ret && (t->state == 'X' || t->state == 'Z') ? ST_ABSENT : st;
}

static enum stack_place place(const struct kernel *k, struct reader *r, const struct task *t)
{
	uint64_t stack, area = 0, pa, run;
	enum status st = stack_start(k, r, t, &stack);

	if (st == ST_ABSENT)
		return is_first(k, t) ? STACK_IMAGE : STACK_NONE;
	if (st || !stack ||
	    (has(k, M_TASK_STACK_VM) && kmember_u64(k, r, t->addr, M_TASK_STACK_VM, &area)))
		return STACK_UNREAD;
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
		ret->of[i] = place(s->k, r, &s->tasks[i]);
		unread += ret->of[i] == STACK_UNREAD;
	}
	reader_free(r);
	if (unread)
		issue_add(s->k->issues, ST_NODATA, "kernel stack", unread, "where they are");
	return ST_OK;
}
