/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * incomplete.c - decides which mms are incomplete, and why.
 */
#include "model/memory/trust/incomplete.h"

#include "facts/layout/mm.h"
#include "model/kernel/source.h"

static unsigned usage_incomplete(const struct snapshot *s, const struct mm *m,
				 const struct usage *u)
{
	unsigned what = s->k->layout.lost_of_processes ? INCOMPLETE_TYPES : 0;

	if (u->lost || (source_has(s->k, SOURCE_MEMORY) && !m->pgd_pa))
		what |= INCOMPLETE_TABLES;
	if (u->unknown)
		what |= INCOMPLETE_PAGES;
	if (u->unknown_slots)
		what |= INCOMPLETE_SLOTS;
	return what;
}

unsigned vma_incomplete(const struct snapshot *s, const struct vma *v)
{
	return v->mm < s->nmms ? usage_incomplete(s, &s->mms[v->mm], &v->usage) : 0;
}

unsigned mm_incomplete(const struct snapshot *s, const struct mm *m)
{
	unsigned what = usage_incomplete(s, m, &m->usage);

	if (m->broken || (source_has(s->k, SOURCE_MEMORY) && s->built & NEED_VMAS && m->users > 0 &&
			  m->map_count > m->nvmas))
		what |= INCOMPLETE_VMAS;
	return what;
}

unsigned proc_incomplete(const struct snapshot *s, const struct proc *p)
{
	if (p->mm < s->nmms)
		return mm_incomplete(s, &s->mms[p->mm]);
	if (p->mm_unread)
		return INCOMPLETE_MM;
	/* a kernel thread has no memory of its own */
	return s->k->layout.lost_of_processes && !p->kthread ? INCOMPLETE_TYPES : 0;
}

const char *incomplete_text(unsigned what)
{
	/* of each set of the four bits from INCOMPLETE_VMAS on */
	static const char *const parts[16] = {
		NULL,
		"vmas",
		"page tables",
		"vmas, page tables",
		"struct pages",
		"vmas, struct pages",
		"page tables, struct pages",
		"vmas, page tables, struct pages",
		"swap counts",
		"vmas, swap counts",
		"page tables, swap counts",
		"vmas, page tables, swap counts",
		"struct pages, swap counts",
		"vmas, struct pages, swap counts",
		"page tables, struct pages, swap counts",
		"vmas, page tables, struct pages, swap counts",
	};

	if (what & INCOMPLETE_MM)
		return "mm";
	if (what & INCOMPLETE_TYPES)
		return "types of the kernel";
	return parts[what / INCOMPLETE_VMAS % 16];
}

uint64_t mm_counted_rss(const struct snapshot *s, const struct mm *m)
{
	int64_t pages = m->counter[RSS_FILE] + m->counter[RSS_ANON] + m->counter[RSS_SHMEM];

	if (!source_has(s->k, SOURCE_COUNTERS))
		return UINT64_MAX;
	return pages > 0 ? (uint64_t)pages << s->k->page_shift : 0;
}

/* b084d4353ff9 (v2.6.34); before, only RHEL 6 does. */
bool mm_counts_swap(const struct kernel *k)
{
	return has(k, M_MM_SWAP_USAGE) || !(has(k, M_MM_RSS) || has(k, M_MM_FILE_RSS));
}

uint64_t mm_counted_swap(const struct snapshot *s, const struct mm *m)
{
	if (!source_has(s->k, SOURCE_COUNTERS) || !mm_counts_swap(s->k))
		return UINT64_MAX;
	return m->counter[RSS_SWAP] > 0 ? (uint64_t)m->counter[RSS_SWAP] << s->k->page_shift : 0;
}
