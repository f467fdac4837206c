/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_runs.c - walks a vma and joins equal pages.
 */
#include "model/memory/areas/page_runs.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "model/memory/usage/account.h"
#include "model/memory/usage/refs.h"

struct page_runs {
	const struct snapshot *s;
	struct reader *r;
	/* of the current walk */
	uint64_t first_va;
	uint64_t next;			/* page of the vma after those seen */
	struct page_run run;		/* not yet passed */
	bool (*fn)(void *arg, const struct page_run *run);
	void *arg;
	bool stopped;
};

struct page_runs *page_runs_new(const struct snapshot *s)
{
	struct reader *r = kernel_reader(s->k);
	struct page_runs *x = r ? heap_array(struct page_runs, 1) : NULL;

	if (x) {
		x->s = s;
		x->r = r;
	}
	return x;
}

void page_runs_free(struct page_runs *x)
{
	if (x)
		reader_free(x->r);
	free(x);
}

static void give_run(struct page_runs *x)
{
	if (x->run.pages && !x->stopped)
		x->stopped = !x->fn(x->arg, &x->run);
}

static void add_run(struct page_runs *x, struct page_run more)
{
	struct page_run *run = &x->run;

	if (run->kind == more.kind && run->writable == more.writable && run->count == more.count) {
		run->pages += more.pages;
		return;
	}
	give_run(x);
	*run = more;
}

static struct page_run present(const struct page_runs *x, const struct vma_page *p, uint64_t pfn)
{
	const struct frame *f = p->frame ? frame_at(&x->s->frames, pfn) : NULL;

	return (struct page_run){
		.pages = 1,
		.kind = (uint8_t)(f && !(p->pte.flags & PTE_SPECIAL) ? frame_page_kind(f)
								     : PAGE_ZERO),
		.writable = (p->pte.flags & PTE_WRITE) != 0,
		.count = x->s->refs ? refs_of_frame(x->s->refs, pfn) : 0,
	};
}

static struct page_run absent(const struct page_runs *x, const struct vma_page *p, uint64_t pages)
{
	struct page_run run = { .pages = pages, .kind = PAGE_ABSENT };
	bool slot = false;

	if (p->pte.kind == PTE_SWAP && x->s->refs)
		run.count = refs_of_absent(x->s->refs, &p->pte, &slot);
	if (slot)
		run.kind = PAGE_SWAPPED;
	else if (run.count)
		run.kind = PAGE_MIGRATING;
	return run;
}

static bool add_leaf(void *arg, const struct vma_page *p)
{
	struct page_runs *x = arg;
	unsigned shift = x->s->k->page_shift;
	uint64_t pages = p->shift > shift ? UINT64_C(1) << (p->shift - shift) : 1;
	uint64_t at = (p->va - x->first_va) >> shift;

	if (p->va < x->first_va || at < x->next)
		return true; /* hostile tables: out of order */
	if (at > x->next)
		add_run(x, (struct page_run){ .pages = at - x->next, .kind = PAGE_ABSENT });
	if (p->pte.kind != PTE_PAGE)
		add_run(x, absent(x, p, pages));
	for (uint64_t i = 0; p->pte.kind == PTE_PAGE && i < pages; i++)
		add_run(x, present(x, p, p->pfn + i));
	x->next = at + pages;
	return !x->stopped;
}

static bool add_kept(void *arg, const struct page_run *run)
{
	struct page_runs *x = arg;

	add_run(x, *run);
	return !x->stopped;
}

void page_runs_each(struct page_runs *x, const struct vma *v,
		    bool (*fn)(void *arg, const struct page_run *run), void *arg)
{
	x->first_va = v->start;
	x->next = 0;
	x->run = (struct page_run){ .kind = PAGE_ABSENT };
	x->fn = fn;
	x->arg = arg;
	x->stopped = false;
	if (kept_has(x->s->kept, (uint32_t)(v - x->s->vmas)))
		kept_each(x->s->kept, (uint32_t)(v - x->s->vmas), add_kept, x);
	else
		vma_walk(x->s, x->r, v, add_leaf, x);
	give_run(x);
}
