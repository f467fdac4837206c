/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kstack.h - the calls on the kernel stack of a task, innermost first.
 *
 * On x86-64 by the tables that the kernel has for itself (ORC, v4.14), on PowerPC and kernels with
 * frame pointers by the chain of frames. Elsewhere each word of the stack that may be a return address is taken: calls that
 * returned long ago are among them, so these are unreliable.
 */
#ifndef VMCENSUS_KSTACK_H
#define VMCENSUS_KSTACK_H

#include "model/kernel/module/ksyms.h"
#include "model/model.h"

#define KSTACK_MAX 64		/* frames, as /proc/PID/stack */

enum kstack_state {
	KSTACK_WHOLE,		/* to the end of the stack */
	KSTACK_CUT,		/* the frames until something was damaged or strange */
	KSTACK_GUESSED,		/* from what lies on the stack, or some of it */
	KSTACK_RUNNING,		/* on a CPU, whose registers the dump does not have */
	KSTACK_NONE,		/* it ended, and its stack is freed */
	KSTACK_UNREAD,		/* the dump does not hold it */
};

struct kframe {
	uint64_t addr;		/* the instruction after the call */
	bool guessed;
	bool exact;		/* it is the instruction itself: interrupted there */
};

struct kstack {
	enum kstack_state state;
	unsigned n;
	struct kframe f[KSTACK_MAX];
};

struct kstacks;

/* NULL: this image or kernel does not show stacks. For one thread; free with kstacks_close(). */
struct kstacks *kstacks_open(const struct snapshot *s);
void kstacks_close(struct kstacks *ks);
void kstacks_read(struct kstacks *ks, const struct task *t, struct kstack *ret);

/* The symbol that a frame is in, with the offset as the kernel prints it; lives as long as KS. */
struct ksym kstacks_symbol(struct kstacks *ks, const struct kframe *f);
/* A function of the scheduler: /proc/PID/stack and wchan leave these out. */
bool kstacks_is_sched(const struct kstacks *ks, uint64_t addr);

#endif
