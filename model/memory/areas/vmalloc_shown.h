/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vmalloc_shown.h - vmalloc areas, with what only /proc/vmallocinfo shows of them. */
#ifndef VMCENSUS_VMALLOC_SHOWN_H
#define VMCENSUS_VMALLOC_SHOWN_H

#include "model/kernel/vmalloc/vmalloc.h"
#include "model/kernel/zone/zones.h"

struct vmalloc_shown {
	struct vmalloc areas;
	struct pointer_print pointers;
	bool numa;			/* pages are counted by node */
	uint64_t **by_node;		/* [areas.n]: pages on each of nodes; NULL: not known */
	int32_t *node_id;		/* [nnodes] */
	uint32_t nnodes;
};

/* In MEM. ST_ABSENT as vmalloc_build(). */
enum status vmalloc_shown(const struct snapshot *s, struct arena *mem, struct vmalloc_shown *ret);

#endif
