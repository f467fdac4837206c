/* SPDX-License-Identifier: GPL-3.0-or-later */
/* holders.h - finds the owners of the kernel's memory. */
#ifndef VMCENSUS_HOLDER_HOLDERS_H
#define VMCENSUS_HOLDER_HOLDERS_H

#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/owners/owners.h"

/*
 * Fills RET, in MEM; frames without a class that have an owner get one in C. Needs NEED_VMAS.
 * Call it when the other lists and areas of the kernel have claimed theirs.
 */
void holders_build(const struct snapshot *s, struct reader *r, struct arena *mem,
		   struct page_classes *c, const struct vmalloc *areas, struct owners *ret);

#endif
