/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/thp.h"

#define VM_HUGEPAGE 0x20000000		/* MADV_HUGEPAGE */
#define VM_NOHUGEPAGE 0x40000000	/* MADV_NOHUGEPAGE */
#define MMF_DISABLE_THP (UINT64_C(1) << 24)	/* prctl(PR_SET_THP_DISABLE) */

/*
 * hugepage_vma_check() for anonymous memory: allowed, and the last aligned huge
 * page lies within. Files and shared memory depend on mounts and filesystems:
 * they are taken as not eligible.
 */
bool thp_eligible(const struct snapshot *s, const struct gate *g, const struct vma *v)
{
	uint64_t huge = s->k->paging && s->k->paging->nlevels > 1
		? UINT64_C(1) << paging_shift(s->k->paging, 1) : UINT64_C(2) << 20;
	uint64_t last = (v->end & ~(huge - 1)) - huge;

	if (v->ops || v->mm >= s->nmms || v->flags & VM_NOHUGEPAGE ||
	    s->mms[v->mm].flags & MMF_DISABLE_THP)
		return false;
	if (v->end < huge || last < v->start)
		return false;
	return g->thp_always || (g->thp_madvise && v->flags & VM_HUGEPAGE);
}
