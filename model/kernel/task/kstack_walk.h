/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kstack_walk.h - shared by kstack.c and orc.c. */
#ifndef VMCENSUS_KSTACK_WALK_H
#define VMCENSUS_KSTACK_WALK_H

#include "model/kernel/task/kstack.h"

struct orc;

struct kstacks {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct arena mem;
	struct ksyms syms;
	uint64_t size;			/* of a stack */
	struct orc *orc;		/* NULL: no table */
};

/* One walk: registers, and the stack that they must be in. */
struct kwalk {
	struct kstacks *ks;
	uint64_t low, high;		/* of the stack */
	uint64_t ip, sp, bp;
	bool exact;			/* ip is the instruction itself, not one after a call */
	bool guessed;			/* a step was taken without an entry for it */
	struct kstack *ret;
};

bool kwalk_is_text(struct kstacks *ks, uint64_t addr);
/* A word of the stack; false: not in it, or not readable. */
bool kwalk_word(const struct kwalk *w, uint64_t at, uint64_t *ret);

/* The tables of the kernel and its modules, in ks->mem; NULL: there are none. */
struct orc *orc_open(struct kstacks *ks);

enum orc_step { ORC_NEXT, ORC_END, ORC_LOST };
/* From one frame to that which called it. */
enum orc_step orc_step(struct kwalk *w);

#endif
