/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paper_counts.c - the page count of the USENIX 2005 paper.
 */
#include "model/memory/areas/paper_counts.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "model/memory/frames/pageraw.h"

struct paper_counts {
	const struct snapshot *s;
	struct reader *r;		/* NULL for a capture */
	struct pageraw raw;
	bool references;		/* page->count is used */
	struct page_budget budget;
	/* of the current walk */
	struct paper_pages n;
	const struct vma *v;
	struct residency *map;
};

struct paper_counts *paper_counts_new(const struct snapshot *s)
{
	struct paper_counts *c = heap_array(struct paper_counts, 1);

	c->s = s;
	c->r = kernel_reader(s->k);
	c->references = c->r && counts_references(s->k);
	pageraw_init(&c->raw, s, c->references ? c->r : NULL);
	page_budget_init(&c->budget, s);
	return c;
}

void paper_counts_free(struct paper_counts *c)
{
	pageraw_release(&c->raw);
	reader_free(c->r);
	free(c);
}

/* For a mapped page: never 0. */
static uint32_t paper_count(struct paper_counts *c, const struct resident_page *p)
{
	uint32_t n = c->references ? pageraw_references(&c->raw, p->pfn) : p->frame->mapcount;

	/* a page that the kernel does not count is there nevertheless */
	return n ? n : 1;
}

static bool sort_page(void *arg, const struct resident_page *p)
{
	struct paper_counts *c = arg;

	if (paper_count(c, p) == 1)
		c->n.single++;
	else
		c->n.shared++;
	return true;
}

void paper_counts_vma(struct paper_counts *c, const struct vma *v, struct paper_pages *ret)
{
	const struct usage *u = &v->usage;
	uint64_t page = UINT64_C(1) << c->s->k->page_shift;

	if (c->references) {
		c->n = (struct paper_pages){ 0 };
		resident_walk(c->s, c->r, v, &c->budget, sort_page, c);
		*ret = c->n;
		return;
	}
	ret->single = (usage_uss(u) + u->private_hugetlb) / page;
	ret->shared = (u->shared_clean + u->shared_dirty + u->shared_hugetlb) / page;
}

void paper_counts_library_text(struct paper_counts *c, const struct area *areas, const struct mm *m,
			       struct paper_pages *ret)
{
	*ret = (struct paper_pages){ 0 };
	for (uint32_t i = m->first_vma; i - m->first_vma < m->nvmas && i < c->s->nvmas; i++) {
		struct paper_pages n;

		if (areas[i].class != AREA_LIB_TEXT)
			continue;
		paper_counts_vma(c, &c->s->vmas[i], &n);
		ret->single += n.single;
		ret->shared += n.shared;
	}
}

static bool map_page(void *arg, const struct resident_page *p)
{
	struct paper_counts *c = arg;

	residency_add(c->map, (p->va - c->v->start) >> c->s->k->page_shift, paper_count(c, p));
	return true;
}

void paper_counts_map(struct paper_counts *c, const struct vma *v, struct residency *map)
{
	c->v = v;
	c->map = map;
	resident_walk(c->s, c->r, v, &c->budget, map_page, c);
}

static bool mixed_page(void *arg, const struct resident_page *p)
{
	struct paper_counts *c = arg;
	bool own = p->frame->mapcount == 1 &&
		   (c->s->frames.references || p->frame->flags & FR_ANON);

	c->n.single += own;
	c->n.shared += !own;
	return true;
}

void paper_counts_mixed(struct paper_counts *c, const struct vma *v, struct paper_pages *ret)
{
	c->n = (struct paper_pages){ 0 };
	resident_walk(c->s, c->r, v, &c->budget, mixed_page, c);
	*ret = c->n;
}
