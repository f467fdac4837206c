/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owners.h - whose the kernel's memory is, and who holds the owner: pipes and sockets by the
 * processes that have a descriptor, and so on.
 *
 * A frame, and an object of a slab, is counted for one owner at most. So the sizes of all owners
 * of a class are at most that of the class.
 */
#ifndef VMCENSUS_HOLDER_OWNERS_H
#define VMCENSUS_HOLDER_OWNERS_H

#include "model/memory/frames/classes.h"

enum owner_kind {
#define K(kind, name, cause) kind,
#include "model/memory/owners/kinds.def"
#undef K
	OWNER_KINDS
};

const char *owner_kind_name(enum owner_kind k);

/* What one object of the kernel has in one class; an object with memory in two has two rows. */
struct owner {
	enum owner_kind kind;
	enum page_class class;
	uint64_t object;		/* kernel address */
	const char *what;		/* its name in words: "pipe:[1234]" */
	uint64_t size;			/* bytes; in slabs and per-CPU areas: of its own objects only */
	uint64_t pages;			/* whole frames in it */
	/* Processes that hold it by a descriptor or a mapping: nholders indices in procs, ascending,
	   owners.holder[first_holder ..). What only they hold is freed when all of them end. */
	uint32_t first_holder, nholders;
	bool kernel;			/* the kernel holds it as well, or alone */
	bool incomplete;		/* parts of it are not readable: size is a lower bound */
};

struct owners {
	struct owner *v;
	uint32_t n;
	uint32_t *holder;
};

#endif
