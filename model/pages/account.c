/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * account.c - the parallel pass over the page tables of all mms. (Of a live
 * machine: one thread, which takes care that what it reads is still so.)
 *
 * Work is cut in items: a few neighbouring VMAs of one mm, or one piece of a
 * large VMA. Every sum is of integers, so neither the cut nor the order in
 * which threads take the items changes a result. VMAs that share an mm are
 * walked once, for mms are unique.
 */
#include "model/pages/account.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/heap.h"
#include "model/attempt.h"
#include "model/capture/capture.h"
#include "model/pages/smaps.h"

#define ITEM_BYTES (UINT64_C(1) << 30)	/* of address space: an item ends beyond it */
#define ITEM_VMAS 512
#define PIECES_MAX 256			/* of one VMA */
#define BUDGET_MIN (1 << 20)		/* tables, nodes: for the smallest of dumps */

struct item {
	uint32_t vma, nvmas;		/* vmas[vma ..) */
	uint64_t start, end;		/* a piece of the one VMA; 0, 0: whole VMAs */
};

struct pass {
	struct snapshot *s;
	struct acct_shared shared;
	struct item *items;
	size_t nitems, cap;
	bool whole_run;			/* fill usage; else frame.found alone */
	struct acct *accts[JOBS_MAX];
	struct reader *readers[JOBS_MAX];
	pthread_mutex_t lock;		/* usage of VMAs in pieces */
};

/* ---- the cut --------------------------------------------------------------------- */

static struct item *new_item(struct pass *p)
{
	if (p->nitems == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 1024;
		p->items = heap_grow(p->items, p->cap, sizeof(*p->items));
	}
	p->items[p->nitems] = (struct item){ 0 };
	return &p->items[p->nitems++];
}

/*
 * Pieces begin at multiples of a power of two that is not less than what a
 * level-2 entry maps, so that no entry or table of a lower level is in two.
 */
static uint64_t piece_size(const struct pass *p, uint64_t bytes)
{
	const struct paging *pg = p->s->k->paging;
	unsigned level = pg->nlevels > 2 ? 2 : pg->nlevels - 1;
	uint64_t size = max_u64(UINT64_C(1) << paging_shift(pg, level), ITEM_BYTES);

	while (bytes / size >= PIECES_MAX)
		size <<= 1;
	return size;
}

/* The holes of a shmem mapping are counted entry by entry: they must stay whole. */
static bool may_split(const struct pass *p, const struct vma *v)
{
	return v->end - v->start > 2 * ITEM_BYTES &&
	       (v->file == NONE || p->s->files[v->file].kind != FILE_SHMEM) &&
	       !(v->flags & VMA_HUGETLB);
}

static void cut_vma(struct pass *p, uint32_t vma)
{
	const struct vma *v = &p->s->vmas[vma];
	uint64_t size = piece_size(p, v->end - v->start), at = v->start;

	while (at < v->end) {
		uint64_t next = (at & ~(size - 1)) + size;

		if (next < at || next > v->end)
			next = v->end;
		*new_item(p) = (struct item){ .vma = vma, .nvmas = 1, .start = at, .end = next };
		at = next;
	}
}

static void cut_mm(struct pass *p, const struct mm *m)
{
	struct item *open = NULL;
	uint64_t bytes = 0;

	for (uint32_t i = m->first_vma; i < m->first_vma + m->nvmas; i++) {
		const struct vma *v = &p->s->vmas[i];

		if (may_split(p, v)) {
			cut_vma(p, i);
			open = NULL;
			continue;
		}
		if (!open || bytes > ITEM_BYTES || open->nvmas == ITEM_VMAS) {
			open = new_item(p);
			open->vma = i;
			bytes = 0;
		}
		open->nvmas++;
		bytes += v->end - v->start;
	}
}

/* ---- the work --------------------------------------------------------------------- */

static void walk(struct acct *a, const struct mm *m, uint64_t start, uint64_t end,
		 const struct pgvisit *visit)
{
	const struct kernel *k = a->k;

	pgwalk(a->r, k->paging, &k->env, m->pgd_pa, start, end, visit, a);
}

/* Tables on the way to what lies before the item were counted with that. */
static void prime(struct acct *a, const struct mm *m, const struct item *it)
{
	const struct snapshot *s = a->s;
	uint64_t before = 0;

	memset(a->counted_pa, 0xff, sizeof(a->counted_pa));
	if (it->start > s->vmas[it->vma].start)
		before = it->start;
	else if (it->vma > m->first_vma)
		before = s->vmas[it->vma - 1].end;
	if (before)
		walk(a, m, before - 1, before, &acct_visit_tables);
}

static void account_vma(struct pass *p, struct acct *a, const struct mm *m, uint32_t vma,
			const struct item *it)
{
	struct vma *v = &p->s->vmas[vma];
	bool piece = it->end != 0, first = !piece || it->start == v->start;
	uint64_t start = piece ? it->start : v->start, end = piece ? it->end : v->end;

	acct_vma(a, v);
	if (first) {
		a->u.size = v->end - v->start;
		a->u.swap = a->shmem.bytes;
	}
	if (m->pgd_pa)
		walk(a, m, start, end, &acct_visit);
	else
		a->u.lost += end - start;
	if (!p->whole_run)
		return;
	if (piece)
		pthread_mutex_lock(&p->lock);
	acct_take(a, &v->usage);
	if (piece)
		pthread_mutex_unlock(&p->lock);
}

/*
 * Live: the tables were read while the VMA was unmapped, or its process ended. What
 * was found in freed tables is worth nothing.
 */
static void forget_torn(struct pass *p, struct acct *a, const struct item *it)
{
	bool used = mm_still_used(p->s, a->r, p->s->vmas[it->vma].mm);

	for (uint32_t i = it->vma; i < it->vma + it->nvmas; i++) {
		struct vma *v = &p->s->vmas[i];

		if (used && vma_still_there(p->s, a->r, v))
			continue;
		v->usage = (struct usage){ .size = v->end - v->start };
		issue_add(p->s->k->issues, ST_TORN, "vma", 1,
			  "%#" PRIx64 "-%#" PRIx64 " was %s while its pages were counted", v->start,
			  v->end, used ? "changed" : "left by its process");
	}
}

/* A walk that met damage is done once more, mapping by mapping, on fresh memory. */
static void account_live(struct pass *p, struct acct *a, const struct mm *m,
			 const struct item *it)
{
	struct attempt try;

	attempt_begin(&try, p->s->k, a->r);
	do {
		if (m->pgd_pa)
			prime(a, m, it);
		for (uint32_t i = 0; i < it->nvmas; i++) {
			if (!it->end)
				p->s->vmas[it->vma + i].usage = (struct usage){ 0 };
			account_vma(p, a, m, it->vma + i, it);
		}
		if (it->end)		/* sums of other pieces are in the VMA already */
			break;
	} while (attempt_again(&try, "page tables"));
	if (attempt_failed(&try) && !mm_still_used(p->s, a->r, p->s->vmas[it->vma].mm))
		attempt_gone(&try, "process", "ended while its pages were counted");
	forget_torn(p, a, it);
}

static void do_item(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct item *it = &p->items[item];
	const struct mm *m = &p->s->mms[p->s->vmas[it->vma].mm];
	struct acct *a = p->accts[worker];

	if (!a) {
		a = p->accts[worker] = heap_array(struct acct, 1);
		p->readers[worker] = reader_new(p->s->k->dump);
		acct_open(a, &p->shared, p->readers[worker]);
	}
	if (p->s->k->dump->live) {
		account_live(p, a, m, it);
		return;
	}
	if (m->pgd_pa)
		prime(a, m, it);
	for (uint32_t i = 0; i < it->nvmas; i++)
		account_vma(p, a, m, it->vma + i, it);
}

/* Mappings of huge pages, noted once for each, become mappings of their pages. */
static void spread_huge(void *ctx, unsigned worker, size_t chunk)
{
	const struct pass *p = ctx;
	const struct paging *pg = p->s->k->paging;
	struct frame *f = p->s->frames.chunk[chunk];

	(void)worker;
	for (unsigned l = 1; f && l < pg->nlevels; l++) {
		unsigned shift = paging_shift(pg, l) - p->s->k->dump->page_shift;
		const uint32_t *units = p->shared.huge_found[l];

		for (uint64_t i = 0; units && i < 1u << FRAME_CHUNK_SHIFT; i++) {
			uint64_t pfn = ((uint64_t)chunk << FRAME_CHUNK_SHIFT) + i;
			uint64_t unit = pfn >> shift, next = (unit + 1) << shift;

			if (unit >= p->shared.huge_units[l])
				break;
			if (units[unit])
				f[i].found += units[unit];
			else
				i += next - pfn - 1;
		}
	}
}

static void run(struct pass *p)
{
	/* live: attempts take issues back, which none may count beside them */
	jobs_run(p->s->k->dump->live ? 1 : p->s->k->jobs, p->nitems, do_item, p);
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		if (!p->accts[i])
			continue;
		acct_close(p->accts[i]);
		free(p->accts[i]);
		reader_free(p->readers[i]);
		p->accts[i] = NULL;
	}
	if (p->shared.count_found)
		jobs_run(p->s->k->jobs, p->s->frames.nchunks, spread_huge, p);
}

static void init_huge(struct pass *p)
{
	const struct kernel *k = p->s->k;

	for (unsigned l = 1; l < k->paging->nlevels; l++) {
		unsigned shift = paging_shift(k->paging, l) - k->dump->page_shift;
		uint64_t n = shift < 64 ? (p->s->frames.max_pfn >> shift) + 1 : 0;

		if (!(k->paging->leaf_levels >> l & 1) || !n)
			continue;
		p->shared.huge_units[l] = n;
		p->shared.huge_found[l] = heap_array(uint32_t, n);
	}
}

/* ---- the pass ------------------------------------------------------------------------ */

static struct pass *pass_new(struct snapshot *s, bool count_found)
{
	struct pass *p = heap_array(struct pass, 1);
	/* each VMA enters the tables that lead to it anew */
	uint64_t budget = 64 * s->k->dump->max_pfn + UINT64_C(8) * s->nvmas + BUDGET_MIN;
	struct reader *r;

	p->s = s;
	p->shared.s = s;
	p->shared.count_found = count_found;
	p->shared.parallel = s->k->jobs > 1;
	p->shared.tables_left = (int64_t)min_u64(budget, INT64_MAX);
	p->shared.nodes_left = budget;
	pthread_mutex_init(&p->lock, NULL);
	r = reader_new(s->k->dump);
	swaps_init(&p->shared.swaps, s->k, r);
	reader_free(r);
	if (count_found)
		init_huge(p);
	return p;
}

static void pass_free(struct pass *p)
{
	pthread_mutex_destroy(&p->lock);
	for (unsigned l = 0; l < PAGING_LEVELS; l++)
		free(p->shared.huge_found[l]);
	free(p->items);
	free(p);
}

static void lose_root(const struct snapshot *s, const struct mm *m)
{
	if (!m->pgd_pa && m->nvmas)
		issue_add(s->k->issues, ST_CORRUPT, "page table", 1, "no root for mm %#" PRIx64,
			  m->addr);
}

/* 2.4 has no mapcount: what the walk finds is one. */
static void found_to_mapcount(struct pass *p)
{
	const struct frames *f = &p->s->frames;

	for (uint64_t c = 0; c < f->nchunks; c++)
		for (uint64_t i = 0; f->chunk[c] && i < 1u << FRAME_CHUNK_SHIFT; i++) {
			struct frame *fr = &f->chunk[c][i];

			fr->mapcount = fr->found;
			fr->found = 0;
		}
	for (unsigned l = 0; l < PAGING_LEVELS; l++)
		if (p->shared.huge_found[l])
			memset(p->shared.huge_found[l], 0,
			       p->shared.huge_units[l] * sizeof(*p->shared.huge_found[l]));
}

void account_build(struct snapshot *s, uint32_t only)
{
	struct pass *p = pass_new(s, only == NONE);

	for (uint32_t i = 0; i < s->nvmas; i++)
		s->vmas[i].usage = (struct usage){ 0 };
	for (uint32_t i = 0; i < s->nmms; i++)
		if (only == NONE || only == i) {
			cut_mm(p, &s->mms[i]);
			lose_root(s, &s->mms[i]);
		}
	if (only == NONE && !has(s->k, M_PAGE_MAPCOUNT)) {
		run(p);
		found_to_mapcount(p);
	}
	p->whole_run = true;
	run(p);
	pass_free(p);
}

uint64_t account_pages_max(const struct snapshot *s)
{
	return 512 * s->frames.max_pfn + (UINT64_C(1) << 26);
}

/* ---- one VMA again ------------------------------------------------------------------------ */

void vma_page_clip(const struct snapshot *s, const struct vma *v, const struct vma_page *p,
		   uint64_t *first, uint64_t *end)
{
	unsigned shift = s->k->page_shift;
	uint64_t n = p->shift > shift ? UINT64_C(1) << (p->shift - shift) : 1;

	*first = p->va < v->start ? (v->start - p->va) >> shift : 0;
	*end = v->end > p->va ? min_u64(n, (v->end - p->va) >> shift) : 0;
}

struct revisit {
	const struct snapshot *s;
	bool (*fn)(void *arg, const struct vma_page *p);
	void *arg;
};

static bool revisit_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte,
			    unsigned n)
{
	struct revisit *v = arg;

	for (unsigned i = 0; i < n; i++) {
		struct vma_page p = { .va = va + ((uint64_t)i << shift), .shift = shift,
				      .pte = pte[i] };

		if (pte[i].kind == PTE_NONE)
			continue;
		if (pte[i].kind == PTE_PAGE) {
			p.pfn = pte[i].pa >> v->s->k->dump->page_shift;
			p.frame = frame_at(&v->s->frames, p.pfn);
		}
		if (!v->fn(v->arg, &p))
			return false;
	}
	return true;
}

void vma_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
	      bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	static const struct pgvisit visit = { .entries = revisit_entries };
	struct revisit rv = { .s = s, .fn = fn, .arg = arg };
	const struct kernel *k = s->k;

	if (k->capture)
		capture_walk(s, v, fn, arg);
	else if (s->mms[v->mm].pgd_pa)
		pgwalk(r, k->paging, &k->env, s->mms[v->mm].pgd_pa, v->start, v->end, &visit,
		       &rv);
}
