/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counts.c - the page count of the USENIX 2005 paper.
 */
#include "reports/page/counts.h"

#include "model/kernel.h"
#include "reports/core/common.h"

void paper_counts_init(struct paper_counts *c, const struct snapshot *s, struct reader *r)
{
	*c = (struct paper_counts){ .s = s, .r = r };
	c->references = r && counts_references(s->k);
	pageraw_init(&c->raw, s, c->references ? r : NULL);
	page_budget_init(&c->budget, s);
}

void paper_counts_release(struct paper_counts *c)
{
	pageraw_release(&c->raw);
}

uint32_t paper_count(const struct paper_counts *c, const struct resident_page *p)
{
	uint32_t n = c->references ? pageraw_references(&c->raw, p->pfn) : p->frame->mapcount;

	/* one that the kernel does not count is there all the same */
	return n ? n : 1;
}

struct sums {
	const struct paper_counts *c;
	uint64_t single, shared;
};

static bool add_page(void *arg, const struct resident_page *p)
{
	struct sums *x = arg;

	if (paper_count(x->c, p) == 1)
		x->single++;
	else
		x->shared++;
	return true;
}

void paper_single(struct paper_counts *c, const struct vma *v, uint64_t *single,
		  uint64_t *shared)
{
	const struct usage *u = &v->usage;
	uint64_t page = page_size(c->s);
	struct sums x = { .c = c };

	if (c->references) {
		resident_walk(c->s, c->r, v, &c->budget, add_page, &x);
		*single = x.single;
		*shared = x.shared;
		return;
	}
	*single = (usage_uss(u) + u->private_hugetlb) / page;
	*shared = (u->shared_clean + u->shared_dirty + u->shared_hugetlb) / page;
}

void paper_library_text(struct paper_counts *c, const struct area *areas, const struct mm *mm,
			uint64_t *single, uint64_t *multi)
{
	*single = *multi = 0;
	for (uint32_t i = mm->first_vma; i - mm->first_vma < mm->nvmas && i < c->s->nvmas; i++) {
		uint64_t one, more;

		if (areas[i].class != AREA_LIB_TEXT)
			continue;
		paper_single(c, &c->s->vmas[i], &one, &more);
		*single += one;
		*multi += more;
	}
}
