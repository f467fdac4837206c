/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagemap.c - writes the resident pages of vmas as runs.
 */
#include "reports/html/pagemap.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "model/usage/account.h"
#include "model/usage/refs.h"

struct walk {
	const struct snapshot *s;
	struct pagemap *m;
	uint64_t next;			/* page of the VMA behind the last run, */
	uint64_t start;			/* which begins there, */
	uint32_t state;			/* in this state */
	uint64_t first_va;
	bool full;
};

static void put_byte(struct pagemap *m, uint8_t b)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 65536;
		m->bytes = heap_grow(m->bytes, m->cap, 1);
	}
	m->bytes[m->n++] = b;
}

static void put_leb128(struct pagemap *m, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(m, (uint8_t)(v | 0x80));
	put_byte(m, (uint8_t)v);
}

static uint32_t state_number(struct pagemap *m, struct page_state st)
{
	uint64_t key = UINT64_C(1) << 48 | (uint64_t)st.kind << 40 |
		       (uint64_t)st.writable << 32 | st.count;
	uint32_t i = hash_get(&m->known, key);

	if (i != HASH_NONE)
		return i;
	hash_put(&m->known, key, (uint32_t)m->states.n);
	*vec_push(&m->mem, &m->states) = st;
	return (uint32_t)m->states.n - 1;
}

static void end_run(struct walk *w)
{
	if (w->next == w->start)
		return;
	put_leb128(w->m, w->next - w->start);
	put_leb128(w->m, w->state);
	w->start = w->next;
}

/* PAGES from page AT on (not before w->next) are in state ST. */
static void add(struct walk *w, uint64_t at, uint64_t pages, struct page_state st)
{
	uint32_t number = state_number(w->m, st);

	if (at > w->next) {
		uint32_t absent = state_number(w->m, (struct page_state){ 0 });

		if (w->state != absent)
			end_run(w);
		w->state = absent;
		w->next = at;
	}
	if (w->state != number)
		end_run(w);
	w->state = number;
	w->next = at + pages;
}

static enum page_kind kind_of(const struct frame *f)
{
	if (f->flags & FR_HUGETLB)
		return PAGE_HUGETLB;
	if (f->flags & FR_ANON)
		return PAGE_ANON;
	if (f->flags & FR_CACHE)
		return f->flags & FR_SWAPBACKED ? PAGE_SHMEM : PAGE_FILE;
	return PAGE_OTHER;
}

static struct page_state present(const struct walk *w, const struct vma_page *p, uint64_t pfn)
{
	const struct frame *f = p->frame ? frame_at(&w->s->frames, pfn) : NULL;

	return (struct page_state){
		.kind = f && !(p->pte.flags & PTE_SPECIAL) ? kind_of(f) : PAGE_ZERO,
		.writable = (p->pte.flags & PTE_WRITE) != 0,
		.count = w->s->refs ? refs_of_frame(w->s->refs, pfn) : 0,
	};
}

static struct page_state absent(const struct walk *w, const struct vma_page *p)
{
	struct page_state st = { .kind = PAGE_ABSENT };
	bool slot = false;

	if (p->pte.kind == PTE_SWAP && w->s->refs)
		st.count = refs_of_absent(w->s->refs, &p->pte, &slot);
	if (slot)
		st.kind = PAGE_SWAPPED;
	else if (st.count)
		st.kind = PAGE_MIGRATING;
	return st;
}

static bool leaf(void *arg, const struct vma_page *p)
{
	struct walk *w = arg;
	unsigned shift = w->s->k->page_shift;
	uint64_t pages = p->shift > shift ? UINT64_C(1) << (p->shift - shift) : 1;
	uint64_t at = (p->va - w->first_va) >> shift;

	if (p->va < w->first_va || at < w->next)
		return true;		/* hostile tables: out of order */
	if (p->pte.kind != PTE_PAGE)
		add(w, at, pages, absent(w, p));
	for (uint64_t i = 0; p->pte.kind == PTE_PAGE && i < pages; i++)
		add(w, at + i, 1, present(w, p, p->pfn + i));
	return w->m->n < PAGEMAP_BYTES;
}

static void one_vma(const struct snapshot *s, struct reader *r, uint32_t i, struct pagemap *m)
{
	const struct vma *v = &s->vmas[i];
	struct walk w = { .s = s, .m = m, .first_va = v->start };
	size_t at = m->n;

	w.state = state_number(m, (struct page_state){ 0 });
	if (m->n < PAGEMAP_BYTES) {
		vma_walk(s, r, v, leaf, &w);
		end_run(&w);
	}
	m->of_vma[i].at = (uint32_t)at;
	m->of_vma[i].len = (uint32_t)(m->n - at);
	if (m->n < PAGEMAP_BYTES)
		return;
	m->n = at;			/* no half of a map */
	m->of_vma[i].at = UINT32_MAX;
	m->of_vma[i].len = 0;
	m->left_out++;
}

struct rank { uint64_t cost; uint32_t mm; };

static int largest_first(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return x->mm < y->mm ? -1 : x->mm > y->mm;
}

static bool empty(const struct usage *u)
{
	return !(u->rss | u->swap_ptes | u->special | u->shared_hugetlb | u->private_hugetlb |
		 u->unknown);
}

void pagemap_build(const struct snapshot *s, struct pagemap *m)
{
	struct reader *r = kernel_reader(s->k);
	struct rank *order;

	memset(m, 0, sizeof(*m));
	m->known.mem = &m->mem;
	m->of_vma = arena_calloc(&m->mem, s->nvmas, sizeof(*m->of_vma));
	order = arena_array(&m->mem, struct rank, s->nmms);
	for (uint32_t i = 0; i < s->nmms; i++)
		order[i] = (struct rank){ s->mms[i].usage.pss, i };
	sort_array(order, s->nmms, sizeof(*order), largest_first);
	for (uint32_t i = 0; r && i < s->nmms; i++) {
		const struct mm *mm = &s->mms[order[i].mm];

		for (uint32_t j = 0; j < mm->nvmas && mm->first_vma + j < s->nvmas; j++)
			if (!empty(&s->vmas[mm->first_vma + j].usage))
				one_vma(s, r, mm->first_vma + j, m);
	}
	reader_free(r);
}

void pagemap_release(struct pagemap *m)
{
	free(m->bytes);
	arena_release(&m->mem);
}
