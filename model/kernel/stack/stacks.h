/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stacks.h - kernel stacks of tasks. */
#ifndef VMCENSUS_KMEM_STACKS_H
#define VMCENSUS_KMEM_STACKS_H

#include "model/model.h"

enum stack_place {
	STACK_NONE,		/* freed with the last reference of a task that ended */
	STACK_UNREAD,		/* task_struct.stack is not readable */
	STACK_IMAGE,		/* the first task's: a variable of the kernel image, not counted */
	STACK_LINEAR, STACK_VMALLOC,
};

struct stacks {
	uint64_t size;		/* of one, bytes: THREAD_SIZE; 0: not known */
	enum stack_place *of;	/* [s->ntasks] */
};

/* Needs tasks. In MEM. ST_ABSENT: the source or its kernel does not show stacks. */
enum status stacks_build(const struct snapshot *s, struct arena *mem, struct stacks *ret);

/*
 * Where the stack of T begins. ST_ABSENT: it has none of its own. That of the first task is a variable of the
 * kernel image, and not counted; that of a task that ended is freed with its last reference.
 */
enum status stack_start(const struct kernel *k, struct reader *r, const struct task *t, uint64_t *ret);

/* THREAD_SIZE; 0: not known. */
uint64_t stack_size(const struct layout *l);

#endif
