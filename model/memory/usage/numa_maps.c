/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: gather_stats(), can_gather_numa_stats(), gather_pte_stats(), gather_hugetlb_stats() of
 * fs/proc/task_mmu.c, read in 5.10, 6.1, 6.12, 7.1. Flags are those of the folio, also before there
 * were folios (PF_HEAD and the like); huge entries above the pmd level are not looked at.
 */
#include "model/memory/usage/numa_maps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/page.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/page/zero.h"
#include "model/memory/frames/frames.h"
#include "model/memory/frames/pageraw.h"
#include "model/memory/usage/account.h"

struct numa_maps {
	const struct snapshot *s;
	struct reader *r;
	struct arena mem;
	struct zones zones;
	struct pageraw raw;
	uint64_t active, writeback;	/* bits of page.flags */
	uint64_t zero, huge_zero;
	uint64_t left;			/* entries that may still be looked at */
	/* of the walk */
	const struct vma *v;
	struct numa_counts c;
};

struct numa_maps *numa_maps_new(const struct snapshot *s, struct reader *r)
{
	struct numa_maps *m = heap_array(struct numa_maps, 1);

	m->s = s;
	m->r = r;
	if (!r || !mempolicy_known(s->k) || zones_build(s, &m->mem, 0, &m->zones) ||
	    !m->zones.numa) {
		numa_maps_free(m);
		return NULL;
	}
	m->c.node = arena_array(&m->mem, uint64_t, m->zones.nnodes);
	pageraw_init(&m->raw, s, r);
	if (m->raw.f) {
		m->active = pagefmt_flag(m->raw.f, E_PG_ACTIVE) |
			    pagefmt_flag(m->raw.f, E_PG_UNEVICTABLE);
		m->writeback = pagefmt_flag(m->raw.f, E_PG_WRITEBACK);
	}
	zero_frames(s->k, r, &m->zero, &m->huge_zero);
	m->left = account_pages_max(s);
	return m;
}

void numa_maps_free(struct numa_maps *m)
{
	pageraw_release(&m->raw);
	arena_release(&m->mem);
	free(m);
}

const struct zones *numa_maps_zones(const struct numa_maps *m)
{
	return &m->zones;
}

/* The first frame of the folio that F, at PFN, is part of. */
static uint64_t head_of(const struct frame *f, uint64_t pfn)
{
	return f->flags & FR_TAIL ? pfn & ~((UINT64_C(1) << (f->flags >> FR_ORDER_SHIFT)) - 1)
				  : pfn;
}

/* gather_stats(): N pages of an entry that begins with PFN, F */
static void gather(struct numa_maps *m, const struct frame *f, uint64_t pfn, bool dirty, uint64_t n)
{
	struct numa_counts *c = &m->c;
	uint64_t flags = pageraw_flags(&m->raw, head_of(f, pfn));
	uint32_t node = zones_node_of(&m->zones, pfn);

	c->pages += n;
	c->dirty += dirty || f->flags & FR_DIRTY ? n : 0;
	c->swapcache += f->flags & FR_SWAPCACHE ? n : 0;
	c->active += flags & m->active ? n : 0;
	c->writeback += flags & m->writeback ? n : 0;
	c->anon += f->flags & FR_ANON ? n : 0;
	c->mapmax = max_u64(c->mapmax, f->mapcount);
	if (node == NONE)
		c->nodeless += n;
	else
		c->node[node] += n;
}

/* vm_normal_page(): no page, or none that is counted */
static bool is_page(const struct numa_maps *m, const struct vma_page *p)
{
	return !(p->pte.flags & (PTE_SPECIAL | PTE_DEVMAP)) && p->pfn != m->zero &&
	       p->pfn != m->huge_zero && !(p->frame->flags & (FR_RESERVED | FR_ZONE_DEVICE));
}

static bool see(void *arg, const struct vma_page *p)
{
	struct numa_maps *m = arg;
	const struct kernel *k = m->s->k;
	bool dirty = p->pte.flags & PTE_DIRTY, hugetlb = m->v->flags & VMA_HUGETLB;
	bool first = !(p->va & (m->c.page_size - 1)); /* of the entries of one page */

	if (!m->left)
		return false;
	m->left--;
	if (p->pte.kind != PTE_PAGE || !p->frame || !(p->frame->flags & FR_EXISTS))
		return true;
	if (hugetlb && first)
		gather(m, p->frame, p->pfn, dirty, 1);
	else if (!hugetlb && p->shift <= paging_shift(k->paging, 1) && is_page(m, p))
		gather(m, p->frame, p->pfn, dirty, UINT64_C(1) << (p->shift - k->page_shift));
	return true;
}

/* vma_kernel_pagesize() */
static uint64_t page_size_of(const struct snapshot *s, const struct vma *v)
{
	const struct file *f = v->file < s->nfiles ? &s->files[v->file] : NULL;

	return f && v->flags & VMA_HUGETLB && f->huge_page_size ? f->huge_page_size
								: UINT64_C(1) << s->k->page_shift;
}

const struct numa_counts *numa_maps_count(struct numa_maps *m, const struct vma *v, uint64_t task)
{
	uint64_t *node = m->c.node;

	memset(node, 0, m->zones.nnodes * sizeof(*node));
	m->c = (struct numa_counts){ .node = node, .page_size = page_size_of(m->s, v) };
	if (!mempolicy_text(m->s, m->r, v, task, m->c.policy)) {
		issue_add(m->s->k->issues, ST_NODATA, "vma", 1, "the memory policy at %#" PRIx64,
			  v->start);
		snprintf(m->c.policy, sizeof(m->c.policy), "unknown");
	}
	m->v = v;
	if (!(v->flags & VMA_PFNMAP))
		vma_walk(m->s, m->r, v, see, m);
	return &m->c;
}
