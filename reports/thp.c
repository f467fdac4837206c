/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/thp.h"

#define VM_HUGEPAGE 0x20000000	/* since 3.0; MADV_HUGEPAGE */

/*
 * hugepage_vma_check() asks settings that change between two lines of one
 * smaps; what a mapping says of itself is all that is decided here: advice, and
 * whether an aligned huge page has room in anonymous memory.
 */
bool thp_eligible(const struct snapshot *s, const struct vma *v)
{
	uint64_t huge = s->k->paging && s->k->paging->nlevels > 1
		? (uint64_t)1 << paging_shift(s->k->paging, 1) : 2u << 20;
	uint64_t first = (v->start + huge - 1) & ~(huge - 1);

	return v->flags & VM_HUGEPAGE && !v->file_addr && first >= v->start &&
	       first < v->end && v->end - first >= huge;
}
