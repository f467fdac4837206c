/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/usage_cols.h"

void usage_cells_set(struct usage_cells *c, const struct usage *u)
{
	*c = (struct usage_cells){
		.size = u->size,
		.rss = u->rss,
		.pss = u->pss >> PSS_SHIFT,
		.uss = usage_uss(u),
		.swap = u->swap,
		.swap_pss = u->swap_pss >> PSS_SHIFT,
		.anon = u->rss_anon,
		.file = u->rss_file,
		.shmem = u->rss_shmem,
		.pss_anon = u->pss_anon >> PSS_SHIFT,
		.pss_file = u->pss_file >> PSS_SHIFT,
		.pss_shmem = u->pss_shmem >> PSS_SHIFT,
		.pss_dirty = u->pss_dirty >> PSS_SHIFT,
		.pss_locked = u->pss_locked >> PSS_SHIFT,
		.shared_clean = u->shared_clean,
		.shared_dirty = u->shared_dirty,
		.private_clean = u->private_clean,
		.private_dirty = u->private_dirty,
		.referenced = u->referenced,
		.anonymous = u->anonymous,
		.lazyfree = u->lazyfree,
		.ksm = u->ksm,
		.huge = u->anon_huge + u->shmem_huge + u->file_huge,
		.anon_huge = u->anon_huge,
		.shmem_huge = u->shmem_huge,
		.file_huge = u->file_huge,
		.shared_hugetlb = u->shared_hugetlb,
		.private_hugetlb = u->private_hugetlb,
		.swap_ptes = u->swap_ptes,
		.swap_uss = u->swap_uss,
		.swap_cached = u->swap_cached,
		.special = u->special,
		.tables = u->table_bytes,
		.lost = u->lost,
		.unknown = u->unknown,
	};
}
