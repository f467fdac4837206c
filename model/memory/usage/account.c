/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * account.c - the parallel pass over the page tables of all mms. VMAs that share an mm are
 * walked once, because mms are unique. (On a live machine each thread checks that its data
 * is still valid, and counts damage separately, so that attempts can remove it.)
 */
#include "model/memory/usage/account.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/log.h"
#include "facts/layout/page.h"
#include "model/kernel/attempt.h"
#include "model/kernel/page/zero.h"
#include "model/kernel/source.h"
#include "model/memory/usage/cut.h"
#include "model/memory/usage/smaps.h"
#include "model/memory/usage/tables.h"
#include "model/memory/usage/told.h"

struct pass {
	struct snapshot *s;
	struct acct_shared shared;
	struct cut cut;
	struct tables *tables;
	bool whole_run;			/* fill usage; otherwise only count mappings */
	struct usage *before;		/* live: of each VMA, what earlier rounds counted */
	struct acct *accts[JOBS_MAX];
	struct reader *readers[JOBS_MAX];
	struct issues_aside *asides[JOBS_MAX];	/* live */
	pthread_mutex_t lock;		/* usage of VMAs in pieces */
};

/* ---- the work --------------------------------------------------------------------- */

static void walk_range(struct acct *a, const struct mm *m, uint64_t start, uint64_t end,
		       const struct pgvisit *visit)
{
	tables_walk(a->k, a->r, m, start, end, visit, a);
}

/* Tables above the range before the item were counted with that range. */
static void prime(struct acct *a, const struct mm *m, const struct cut_item *it)
{
	const struct snapshot *s = a->s;
	uint64_t before = 0;

	memset(a->counted_pa, 0xff, sizeof(a->counted_pa));
	if (it->start > s->vmas[it->vma].start)
		before = it->start;
	else if (it->vma > m->first_vma)
		before = s->vmas[it->vma - 1].end;
	if (before)
		walk_range(a, m, before - 1, before, &acct_visit_tables);
}

static void account_vma(struct pass *p, struct acct *a, const struct mm *m, uint32_t vma,
			const struct cut_item *it)
{
	struct vma *v = &p->s->vmas[vma];
	bool piece = it->end != 0, first = !piece || it->start == v->start;
	uint64_t start = piece ? it->start : v->start, end = piece ? it->end : v->end;

	acct_vma(a, v, start, end);
	if (first && a->first) {
		a->u.size = v->end - v->start;
		a->u.swap = a->shmem.bytes;
	}
	if (m->pgd_pa)
		walk_range(a, m, start, end, &acct_visit);
	else if (a->first)
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
 * Live: the VMA was unmapped while its tables were read, or its process ended. Data from
 * freed tables is useless.
 */
static void forget_torn(struct pass *p, struct acct *a, const struct cut_item *it)
{
	bool used = mm_still_used(p->s, a->r, p->s->vmas[it->vma].mm);

	for (uint32_t i = it->vma; i < it->vma + it->nvmas; i++) {
		struct vma *v = &p->s->vmas[i];

		if (used && vma_still_there(p->s, a->r, v))
			continue;
		pthread_mutex_lock(&p->lock); /* others may have pieces of it */
		v->usage = (struct usage){ .size = v->end - v->start };
		pthread_mutex_unlock(&p->lock);
		issue_add(p->s->k->issues, ST_TORN, "vma", 1,
			  "%#" PRIx64 "-%#" PRIx64 " was %s while its pages were counted", v->start,
			  v->end, used ? "changed" : "left by its process");
	}
}

/* A walk that met damage is repeated, vma by vma, on memory read again. */
static void account_live(struct pass *p, struct acct *a, const struct mm *m,
			 const struct cut_item *it)
{
	struct attempt try;

	attempt_begin(&try, p->s->k, a->r);
	do {
		if (m->pgd_pa)
			prime(a, m, it);
		for (uint32_t i = 0; i < it->nvmas; i++) {
			if (!it->end)
				p->s->vmas[it->vma + i].usage = p->before[it->vma + i];
			account_vma(p, a, m, it->vma + i, it);
		}
		swap_cursor_release(&a->cursor);
		if (it->end) /* other pieces have added their sums to the VMA already */
			break;
	} while (attempt_again(&try, "page tables"));
	if (attempt_failed(&try) && !mm_still_used(p->s, a->r, p->s->vmas[it->vma].mm))
		attempt_gone(&try, "process", "ended while its pages were counted");
	forget_torn(p, a, it);
}

static void do_item(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct cut_item *it = &p->cut.v[item];
	const struct mm *m = &p->s->mms[p->s->vmas[it->vma].mm];
	struct acct *a = p->accts[worker];

	if (!a) {
		a = p->accts[worker] = heap_array(struct acct, 1);
		p->readers[worker] = reader_new_forward(p->s->k->dump);
		acct_open(a, &p->shared, p->readers[worker]);
		if (p->s->k->dump->live)
			p->asides[worker] = heap_array(struct issues_aside, 1);
	}
	tables_of(p->tables, p->s->vmas[it->vma].mm, p->readers[worker]);
	if (p->s->k->dump->live && p->whole_run) {
		issues_begin_aside(p->s->k->issues, p->asides[worker]);
		account_live(p, a, m, it);
		issues_end_aside(p->s->k->issues, p->asides[worker]);
		return;
	}
	if (m->pgd_pa)
		prime(a, m, it);
	for (uint32_t i = 0; i < it->nvmas; i++)
		account_vma(p, a, m, it->vma + i, it);
}

/* ---- the mappings of huge pages --------------------------------------------------- */

/* Calls FN for the PAGES pages of CHUNK from PFN on that huge entries map, with the number of
   those, N. */
static bool each_huge(const struct pass *p, uint64_t chunk,
		      void (*fn)(const struct pass *p, uint64_t pfn, uint64_t pages, uint32_t n))
{
	const struct paging *pg = p->s->k->paging;
	uint64_t first = chunk << FRAME_CHUNK_SHIFT;
	bool any = false;

	for (unsigned l = 1; l < pg->nlevels; l++) {
		unsigned shift = paging_shift(pg, l) - p->s->k->dump->page_shift;
		const uint32_t *units = p->shared.huge_found[l];

		for (uint64_t pfn = first, end; units && pfn < first + FRAME_CHUNK; pfn = end) {
			uint64_t unit = pfn >> shift;

			end = min_u64((unit + 1) << shift, first + FRAME_CHUNK);
			if (unit >= p->shared.huge_units[l])
				break;
			if (units[unit])
				fn(p, pfn, end - pfn, units[unit]);
			any |= units[unit] != 0;
		}
	}
	return any;
}

static void sum_huge(const struct pass *p, uint64_t pfn, uint64_t pages, uint32_t n)
{
	p->s->frames.store->seen[pfn >> FRAME_CHUNK_SHIFT] += n * frame_weights(pfn, pages);
}

static void count_huge(const struct pass *p, uint64_t pfn, uint64_t pages, uint32_t n)
{
	uint32_t *found = p->s->frames.store->found[pfn >> FRAME_CHUNK_SHIFT];

	for (uint64_t at = pfn & (FRAME_CHUNK - 1), end = at + pages; at < end; at++)
		found[at] += n;
}

/* Mappings of huge pages, noted once for each page, become mappings of their small pages. */
static void spread_huge(void *ctx, unsigned worker, size_t chunk)
{
	const struct pass *p = ctx;

	(void)worker;
	if (p->shared.sum_found)
		each_huge(p, chunk, sum_huge);
	if (p->s->frames.store->found[chunk])
		each_huge(p, chunk, count_huge);
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

static void run_pass(struct pass *p)
{
	p->shared.tables_left = (int64_t)min_u64(cut_budget(p->s), INT64_MAX);
	jobs_run(p->s->k->jobs, p->cut.n, do_item, p);
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		if (!p->accts[i])
			continue;
		acct_close(p->accts[i]);
		free(p->accts[i]);
		reader_free(p->readers[i]);
		free(p->asides[i]);
		p->accts[i] = NULL;
		p->asides[i] = NULL;
	}
}

/* ALL: also the mms whose pages are not asked for. */
static struct pass *pass_new(struct snapshot *s, bool all)
{
	struct pass *p = heap_array(struct pass, 1);
	struct reader *r;

	p->s = s;
	/* the holes of a shmem vma are counted entry by entry: it must stay whole */
	p->cut = (struct cut){ .s = s, .whole_shmem = true };
	for (uint32_t i = 0; i < s->nmms; i++)
		if (all || snapshot_asks(s, i))
			cut_mm(&p->cut, &s->mms[i]);
	p->tables = tables_begin(s);
	p->shared.s = s;
	p->shared.nodes_left = cut_budget(s);
	pthread_mutex_init(&p->lock, NULL);
	acct_claims_init(&p->shared);
	r = reader_new(s->k->dump);
	swaps_init(&p->shared.swaps, s->k, r);
	zero_frames(s->k, r, &p->shared.zero_pfn, &p->shared.huge_zero_pfn);
	reader_free(r);
	return p;
}

static void pass_free(struct pass *p)
{
	acct_claims_release(&p->shared);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->shared.claims.lock);
	for (unsigned l = 0; l < PAGING_LEVELS; l++)
		free(p->shared.huge_found[l]);
	cut_release(&p->cut);
	tables_end(p->tables);
	free(p->before);
	free(p);
}

/*
 * 2.4 has no mapcount: while sizes are added up, the mappings found stand in for it. They
 * are counted first, frame by frame.
 */
static void count_mappings(struct pass *p)
{
	const struct acct_shared shared = p->shared;

	p->shared.first = false;
	p->shared.each_found = p->shared.make_found = true;
	p->whole_run = false;
	run_pass(p);
	p->shared.first = shared.first;
	p->shared.each_found = p->shared.make_found = p->shared.sum_found = false;
	p->shared.by_found = true;
	p->whole_run = true;
}

/* Usage of the rounds before this one: a walk of a live machine may have to be repeated. */
static void keep_usage(struct pass *p)
{
	if (!p->s->k->dump->live)
		return;
	if (!p->before)
		p->before = heap_array(struct usage, p->s->nvmas);
	for (uint32_t i = 0; i < p->s->nvmas; i++)
		p->before[i] = p->s->vmas[i].usage;
}

void account_build(struct snapshot *s)
{
	bool all = !s->asked && s->frames.store, by_found = all && !has(s->k, M_PAGE_MAPCOUNT);
	struct pass *p = pass_new(s, false);
	struct frames *f = &s->frames;
	unsigned rounds = 0;

	for (uint32_t i = 0; i < s->nvmas; i++)
		s->vmas[i].usage = (struct usage){ 0 };
	if (s->asked)
		frames_in_parts(f, NULL);
	if (all) {
		init_huge(p);
		free(f->store->seen);
		f->store->seen = heap_array(uint64_t, f->nchunks);
	}
	p->shared.first = p->whole_run = true;
	p->shared.refs = s->refs;
	p->shared.kept = s->kept;
	p->shared.told = told_new(s);
	frames_turns_begin(f, by_found ? FRAMES_FOUND_BYTES : FRAMES_CHUNK_BYTES);
	do {
		keep_usage(p);
		p->shared.sum_found = all;
		if (by_found)
			count_mappings(p);
		run_pass(p);
		p->shared.first = p->shared.by_found = false;
		rounds++;
	} while (frames_turn_end(f));
	log_info(s->k->dump->log,
		 "memory: %u rounds over the page tables, %" PRIu64 " chunks of page frames",
		 rounds, frames_chunks(f));
	p->shared.sum_found = all;
	if (all)
		jobs_run(s->k->jobs, f->nchunks, spread_huge, p);
	told_end(s, p->shared.told);
	pass_free(p);
	if (s->kept)
		kept_close(s->kept, s);
	s->tables_checked |= !s->asked;
}

void account_found(struct snapshot *s, const uint64_t *chunks, size_t n)
{
	struct pass *p = pass_new(s, true);

	init_huge(p);
	for (size_t i = 0; i < n; i++)
		frames_found_make(&s->frames, chunks[i]);
	p->shared.each_found = true;
	frames_turns_only(&s->frames, chunks, n);
	run_pass(p);
	frames_turns_over(&s->frames);
	for (size_t i = 0; i < n; i++)
		spread_huge(p, 0, chunks[i]);
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
	uint64_t table[PAGING_LEVELS];
};

static bool revisit_table(void *arg, uint64_t pa, unsigned level)
{
	struct revisit *v = arg;

	if (level < PAGING_LEVELS)
		v->table[level] = pa;
	return true;
}

/* For entries that map 1 << SHIFT bytes each. */
static uint64_t revisited_table(const struct revisit *v, unsigned shift)
{
	const struct paging *p = v->s->k->paging;

	for (unsigned level = 0; level < p->nlevels; level++)
		if (paging_shift(p, level) == shift)
			return v->table[level];
	return 0;
}

static bool revisit_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte,
			    unsigned n)
{
	struct revisit *v = arg;
	uint64_t table = revisited_table(v, shift);
	unsigned page_shift = v->s->k->dump->page_shift;

	for (unsigned i = 0; i < n; i++) {
		struct vma_page p = { .va = va + ((uint64_t)i << shift),
				      .shift = shift,
				      .pte = pte[i] };

		if (i + FRAME_AHEAD < n && pte[i + FRAME_AHEAD].kind == PTE_PAGE)
			frame_prefetch(&v->s->frames, pte[i + FRAME_AHEAD].pa >> page_shift);
		if (pte[i].kind == PTE_NONE)
			continue;
		p.table = table;
		if (pte[i].kind == PTE_PAGE) {
			p.pfn = pte[i].pa >> page_shift;
			p.frame = frame_at(&v->s->frames, p.pfn);
		}
		if (!v->fn(v->arg, &p))
			return false;
	}
	return true;
}

bool vma_entries(const struct snapshot *s, struct reader *r, const struct vma *v, uint64_t start,
		 uint64_t end, const struct pgvisit *visit, void *arg)
{
	return s->k->source->entries(s, r, v, start, end, visit, arg);
}

void account_revisit(const struct snapshot *s, struct reader *r, const struct vma *v,
		     bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	static const struct pgvisit visit = { .entries = revisit_entries, .table = revisit_table };
	struct revisit rv = { .s = s, .fn = fn, .arg = arg };

	vma_entries(s, r, v, v->start, v->end, &visit, &rv);
}

void vma_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
	      bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	s->k->source->walk(s, r, v, fn, arg);
}
