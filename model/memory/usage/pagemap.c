/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: pte_to_pagemap_entry(), pagemap_pmd_range(), pagemap_hugetlb_range()
 * of fs/proc/task_mmu.c, read in 5.10 ... 7.3.
 */
#include "model/memory/usage/pagemap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/kernel/page/swap.h"
#include "model/kernel/page/zero.h"
#include "model/memory/usage/account.h"

#define VM_SOFTDIRTY 0x08000000u	/* include/linux/mm.h, CONFIG_MEM_SOFT_DIRTY */
#define TYPE_BITS 5			/* MAX_SWAPFILES_SHIFT */
#define MARKER_UFFD_WP 1u		/* PTE_MARKER_... of include/linux/swapops.h */
#define MARKER_GUARD 4u

struct pagemap {
	const struct snapshot *s;
	struct reader *r;
	struct swaps swaps;
	uint64_t zero;
	uint64_t left;			/* words that may still be passed */
	/* of the walk */
	const struct vma *v;
	uint64_t next;			/* end of the words passed so far */
	void (*fn)(void *arg, uint64_t va, uint64_t word);
	void *arg;
};

struct pagemap *pagemap_new(const struct snapshot *s, struct reader *r)
{
	struct pagemap *m = heap_array(struct pagemap, 1);
	uint64_t huge_zero;

	m->s = s;
	m->r = r;
	swaps_init(&m->swaps, s->k, r);
	zero_frames(s->k, r, &m->zero, &huge_zero);
	m->left = account_pages_max(s);
	return m;
}

void pagemap_free(struct pagemap *m)
{
	free(m);
}

static bool rule(const struct pagemap *m, enum rule r)
{
	return kernel_rule(m->s->k, r);
}

/* page_mapcount() == 1; if that is an average, __folio_page_mapped_exclusively(). */
static bool alone(const struct pagemap *m, const struct frame *f)
{
	if (m->s->frames.average && f->flags & (FR_HEAD | FR_TAIL))
		return !(f->flags & FR_SHARED_FOLIO);
	return f->mapcount == 1;
}

/* Bits of the page at PFN, in an entry of a huge vma whose first page is HEAD. */
static uint64_t page_bits(const struct pagemap *m, uint64_t pfn, uint64_t head)
{
	bool each = rule(m, RULE_PAGEMAP_EXCLUSIVE_PAGE);
	const struct frame *f = frame_at(&m->s->frames, pfn);
	const struct frame *asked = each ? f : frame_at(&m->s->frames, head);
	uint64_t bits = 0;

	if (!f || !(f->flags & FR_EXISTS))
		return 0;
	if (!(f->flags & FR_ANON))
		bits |= PM_FILE;
	if (rule(m, RULE_PAGEMAP_EXCLUSIVE) && asked && alone(m, asked))
		bits |= PM_MMAP_EXCLUSIVE;
	return bits;
}

static uint64_t pte_bits(const struct pagemap *m, const struct pte *e)
{
	uint64_t bits = e->flags & PTE_SOFT_DIRTY ? PM_SOFT_DIRTY : 0;

	if (e->flags & PTE_UFFD_WP && rule(m, RULE_PAGEMAP_UFFD_WP))
		bits |= PM_UFFD_WP;
	if (m->v->flags & VM_SOFTDIRTY)
		bits |= PM_SOFT_DIRTY;
	return bits;
}

static uint64_t present(const struct pagemap *m, const struct vma_page *p, uint64_t i)
{
	uint64_t pfn = p->pfn + i, word = PM_PRESENT | (pfn & PM_PFN_MASK) | pte_bits(m, &p->pte);
	bool huge = p->shift > m->s->k->page_shift;
	bool page = (!(p->pte.flags & PTE_SPECIAL) || (huge && rule(m, RULE_PAGEMAP_HUGE_ANY))) &&
		    pfn != m->zero;

	return page ? word | page_bits(m, pfn, p->pfn) : word;
}

/* pagemap_hugetlb_range(): shows the page; for an absent page only a mark. */
static uint64_t hugetlb(const struct pagemap *m, const struct vma_page *p, uint64_t i)
{
	bool marked = m->swaps.kind[p->pte.swap_type & (SWAP_TYPES - 1)] == SWAP_OTHER &&
		      p->pte.swap_offset & MARKER_UFFD_WP;
	uint64_t word = m->v->flags & VM_SOFTDIRTY ? PM_SOFT_DIRTY : 0, bits;

	if (rule(m, RULE_PAGEMAP_UFFD_WP) &&
	    (p->pte.flags & PTE_UFFD_WP || (p->pte.kind == PTE_SWAP && marked)))
		word |= PM_UFFD_WP;
	if (p->pte.kind != PTE_PAGE)
		return word;
	bits = page_bits(m, p->pfn, p->pfn);
	if (rule(m, RULE_PAGEMAP_HUGETLB_SHARED) && p->table && hugetlb_sharing_seen(m->s->k) &&
	    hugetlb_table_shared(m->s->k, m->r, p->table))
		bits &= ~PM_MMAP_EXCLUSIVE;
	return word | bits | PM_PRESENT | ((p->pfn + i) & PM_PFN_MASK);
}

static uint64_t absent(const struct pagemap *m, const struct vma_page *p, uint64_t i)
{
	enum swap_kind kind = m->swaps.kind[p->pte.swap_type & (SWAP_TYPES - 1)];
	uint64_t marker = kind == SWAP_OTHER ? p->pte.swap_offset : 0;
	bool is_pfn = kind != SWAP_SLOT && kind != SWAP_OTHER &&
		      (kind != SWAP_HWPOISON || rule(m, RULE_HWPOISON_IS_PAGE));
	uint64_t mask = is_pfn ? m->swaps.pfn_mask : UINT64_MAX;
	uint64_t offset = (p->pte.swap_offset & mask) + i, word;

	word = PM_SWAP | (((offset << TYPE_BITS) | p->pte.swap_type) & PM_PFN_MASK) |
	       pte_bits(m, &p->pte);
	if (is_pfn) {
		uint64_t bits = page_bits(m, offset, offset - i);

		if (kind == SWAP_MIGRATION || rule(m, RULE_PAGEMAP_EXCLUSIVE_PRESENT))
			bits &= ~PM_MMAP_EXCLUSIVE;
		return word | bits;
	}
	if (marker & MARKER_UFFD_WP && rule(m, RULE_PAGEMAP_UFFD_WP))
		word |= PM_UFFD_WP;
	if (marker & MARKER_GUARD && rule(m, RULE_PAGEMAP_GUARD))
		word |= PM_GUARD_REGION;
	return word;
}

/* False: hostile tables have made more words than any machine. */
static bool give(struct pagemap *m, uint64_t va, uint64_t word)
{
	if (!m->left)
		return false;
	if (!--m->left)
		issue_add(m->s->k->issues, ST_LIMIT, "pagemap", 1,
			  "more pages mapped than is believed, in the vma at %#" PRIx64,
			  m->v->start);
	m->fn(m->arg, va, word);
	return true;
}

/* Empty pages of a VMA that is dirty as a whole. */
static void fill(struct pagemap *m, uint64_t end)
{
	uint64_t page = UINT64_C(1) << m->s->k->page_shift;

	if (m->v->flags & VM_SOFTDIRTY && m->v->end - m->v->start <= PAGEMAP_DIRTY_MAX)
		for (uint64_t va = m->next; va < end && give(m, va, PM_SOFT_DIRTY); va += page)
			;
	m->next = max_u64(m->next, end);
}

static bool see(void *arg, const struct vma_page *p)
{
	struct pagemap *m = arg;
	unsigned shift = m->s->k->page_shift;
	uint64_t i, end;

	if (p->pte.kind != PTE_PAGE && p->pte.kind != PTE_SWAP)
		return true;
	for (vma_page_clip(m->s, m->v, p, &i, &end); i < end; i++) {
		uint64_t va = p->va + (i << shift);

		fill(m, va);
		if (!give(m, va,
			  m->v->flags & VMA_HUGETLB ? hugetlb(m, p, i)
			  : p->pte.kind == PTE_PAGE ? present(m, p, i)
						    : absent(m, p, i)))
			return false;
		m->next = va + (UINT64_C(1) << shift);
	}
	return true;
}

void pagemap_walk(struct pagemap *m, const struct vma *v,
		  void (*fn)(void *arg, uint64_t va, uint64_t word), void *arg)
{
	m->v = v;
	m->next = v->start;
	m->fn = fn;
	m->arg = arg;
	/* walk_page_test(): the kernel does not walk there, and a reader sees a hole */
	if (!(v->flags & VMA_PFNMAP))
		vma_walk(m->s, m->r, v, see, m);
	fill(m, v->end);
}
