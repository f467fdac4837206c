/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmas.h - the vmas of one mm. Private to model/kernel/mm/: others call build_mms() and build_vmas().
 */
#ifndef VMCENSUS_VMAS_H
#define VMCENSUS_VMAS_H

#include "dumpread/base/arena.h"
#include "model/kernel/kobj.h"

/* Of one thread. */
struct vma_walker {
	struct kernel *k;
	struct reader *r;
	struct arena *mem;	/* of the list */
	struct kobj vma;
	VEC(struct vma) all;
	struct mm *mm;		/* the one being read */
	uint64_t last_end;	/* of its latest VMA */
	uint64_t user_end;
};

void vma_walker_open(struct vma_walker *w, struct kernel *k, struct reader *r, struct arena *mem);
void vma_walker_close(struct vma_walker *w);

/*
 * Appends the vmas of M to the list, in the order of their addresses, without vma.mm, file and
 * name. Fills first_vma (index in the list), nvmas and broken of M. What cannot be read or
 * believed is an issue.
 */
void vma_walker_read(struct vma_walker *w, struct mm *m);

#endif
