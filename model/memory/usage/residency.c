/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * residency.c - counts which pages of a file range are resident, and how often.
 */
#include "model/memory/usage/residency.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/memory/usage/smaps.h"

#define CHUNKS_MIN 65536	/* 256 MiB of pages at one in each chunk: no sane map is near */
#define BUDGET_MIN (UINT64_C(1) << 24)
#define BUDGET_MAPPINGS 4096	/* per frame, on average */

void residency_init(struct residency *r, const struct snapshot *s, struct arena *mem)
{
	*r = (struct residency){ .mem = mem,
				 .chunks.mem = mem,
				 .limit = CHUNKS_MIN + s->frames.existing / 16 };
}

void residency_add(struct residency *r, uint64_t page, unsigned n)
{
	uint64_t key = page / RESIDENCY_CHUNK + 1;
	uint32_t i = hash_get(&r->chunks, key);
	uint8_t *count;

	if (i == HASH_NONE) {
		if (r->v.n == r->limit) {
			r->full = true;
			return;
		}
		i = (uint32_t)r->v.n;
		*vec_push(r->mem, &r->v) = arena_alloc(r->mem, RESIDENCY_CHUNK);
		hash_put(&r->chunks, key, i);
	}
	count = &r->v.v[i][page % RESIDENCY_CHUNK];
	r->pages += !*count && n;
	*count = (uint8_t)min_u64(*count + (uint64_t)n, UINT8_MAX);
}

const uint8_t *residency_chunk(const struct residency *r, uint64_t n)
{
	uint32_t i = hash_get(&r->chunks, n + 1);

	return i == HASH_NONE ? NULL : r->v.v[i];
}

void page_budget_init(struct page_budget *b, const struct snapshot *s)
{
	b->left = s->frames.existing * BUDGET_MAPPINGS + BUDGET_MIN;
}

bool vma_has_pages(const struct vma *v)
{
	return v->usage.rss || v->usage.shared_hugetlb || v->usage.private_hugetlb;
}

struct walk {
	const struct snapshot *s;
	const struct vma *v;
	struct page_budget *b;
	bool (*fn)(void *arg, const struct resident_page *p);
	void *arg;
};

/*
 * Pages that Rss counts. The huge zero page is mapped without a special mark, is neither a
 * file's nor anonymous, and does not count as mapped. Without pte_special (before 2.6.28)
 * PG_reserved identifies the zero page.
 */
static bool is_memory(const struct walk *w, const struct vma_page *leaf, const struct frame *f)
{
	if (!f || (f->flags & (FR_EXISTS | FR_UNREAD)) != FR_EXISTS)
		return false;
	if (f->flags & (FR_ANON | FR_CACHE | FR_HUGETLB))
		return true;
	if (leaf->shift > w->s->k->page_shift)
		return f->mapcount != 0;
	return kernel_rule(w->s->k, RULE_PTE_SPECIAL) || !(f->flags & FR_RESERVED);
}

static bool each_leaf(void *arg, const struct vma_page *leaf)
{
	struct walk *w = arg;
	unsigned shift = w->s->k->page_shift;
	struct resident_page p = { .leaf = leaf };
	uint64_t n = UINT64_C(1) << (leaf->shift - shift), first = 0;

	if (leaf->pte.kind != PTE_PAGE || leaf->pte.flags & PTE_SPECIAL)
		return true;
	if (leaf->shift > shift && !(w->v->flags & VMA_HUGETLB) &&
	    smaps_passes_over(w->s->k, leaf->pte.flags))
		return true;
	if (leaf->va < w->v->start)
		first = (w->v->start - leaf->va) >> shift;
	for (uint64_t i = first; i < n; i++) {
		p.va = leaf->va + (i << shift);
		if (p.va >= w->v->end)
			break;
		if (!w->b->left)
			return false;
		w->b->left--;
		p.pfn = leaf->pfn + i;
		p.frame = frame_at(&w->s->frames, p.pfn);
		if (is_memory(w, leaf, p.frame) && !w->fn(w->arg, &p))
			return false;
	}
	return true;
}

void resident_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
		   struct page_budget *b, bool (*fn)(void *arg, const struct resident_page *p),
		   void *arg)
{
	struct walk w = { .s = s, .v = v, .b = b, .fn = fn, .arg = arg };

	/* a vma in which account_build() found nothing is not walked: so its bound on tables
	   holds here */
	if (!vma_has_pages(v))
		return;
	vma_walk(s, r, v, each_leaf, &w);
	if (!b->left)
		issue_add(s->k->issues, ST_LIMIT, "page map", 1,
			  "more mappings than any machine has, from %#" PRIx64 " on", v->start);
}
