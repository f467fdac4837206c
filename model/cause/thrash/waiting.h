/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waiting.h - the kernel stack of each task as text, and what it waits for. */
#ifndef VMCENSUS_WAITING_H
#define VMCENSUS_WAITING_H

#include "model/kernel/task/kstack.h"
#include "model/kernel/task/mmlocks.h"

enum wait_for {			/* by the functions on the stack */
	WAIT_UNKNOWN, WAIT_NOTHING_OF_MEMORY,
	WAIT_OOM,		/* in the OOM killer */
	WAIT_MEMCG,		/* for room in its control group */
	WAIT_RECLAIM,		/* in direct reclaim, or throttled by it */
	WAIT_COMPACTION,
	WAIT_SWAP,		/* for a page from swap */
	WAIT_FILE,		/* for a page of a file */
	WAIT_MMAP_LOCK,
};

struct waiting {
	enum kstack_state state;
	unsigned nframes;
	const char *function;		/* innermost that is not of the scheduler; NULL unknown */
	const char *stack;		/* all of these, innermost first: "f+0x1/0x2 < g..."; NULL none */
	uint64_t key;			/* equal stacks have the same; 0: none */
	enum wait_for why;
	enum mmlock lock;
	int stalled;			/* waits for memory, as PSI counts; -1 unknown */
};

/* One for each of s->tasks (NEED_TASKS), in MEM. ST_ABSENT: the image shows no stacks. */
enum status waiting_read(const struct snapshot *s, struct arena *mem, struct waiting **ret);

/* Does TASK wait for memory, as PSI counts? 1, 0, or -1: unknown. */
int task_is_stalled(const struct kernel *k, struct reader *r, const struct task *t);

#endif
