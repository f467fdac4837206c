/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_cols.c - fills the columns of struct usage.
 */
#include "reports/core/usage_cols.h"

#include "dumpread/base/bytes.h"
#include "model/memory/trust/incomplete.h"

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
		.order = u->pss >> PSS_SHIFT,
	};
}

void usage_sum_mm(struct usage_sum *sum, const struct snapshot *s, const struct mm *m)
{
	unsigned what = mm_incomplete(s, m);
	uint64_t pss = m->usage.pss >> PSS_SHIFT, counted = mm_counted_rss(s, m);

	usage_add(&sum->u, &m->usage);
	sum->order += what && counted != UINT64_MAX ? max_u64(pss, counted) : pss;
	sum->incomplete |= what;
}

void usage_sum_none(struct usage_sum *sum, const struct snapshot *s, const struct proc *p)
{
	sum->incomplete |= proc_incomplete(s, p);
}

void usage_sum_add(struct usage_sum *sum, const struct usage_sum *more)
{
	usage_add(&sum->u, &more->u);
	sum->order += more->order;
	sum->incomplete |= more->incomplete;
}

/* Cells that do not depend on struct pages. */
static bool of_tables(const struct usage_cells *c, const uint64_t *cell)
{
	return cell == &c->size || cell == &c->swap || cell == &c->swap_ptes ||
	       cell == &c->swap_pss || cell == &c->swap_uss || cell == &c->swap_cached ||
	       cell == &c->special || cell == &c->tables || cell == &c->lost || cell == &c->unknown;
}

void usage_cells_forget(struct usage_cells *c, unsigned incomplete)
{
	uint64_t *cell = (uint64_t *)c;

	/* struct usage_cells has only counters */
	_Static_assert(sizeof(*c) % sizeof(*cell) == 0, "struct usage_cells holds uint64_t alone");
	for (size_t i = 0; incomplete && i < sizeof(*c) / sizeof(*cell); i++)
		if (!cell[i] && (incomplete != INCOMPLETE_PAGES || !of_tables(c, &cell[i])))
			cell[i] = COL_UNKNOWN;
}

void usage_cells_of(struct usage_cells *c, const struct usage_sum *sum)
{
	usage_cells_set(c, &sum->u);
	usage_cells_forget(c, sum->incomplete);
	c->order = sum->order;
}
