/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refs.c - counts the references to each page, and computes the sizes of exmap.
 */
#include "model/usage/refs.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/memory.h"
#include "model/usage/account.h"
#include "model/usage/cut.h"
#include "model/page/refcounts.h"
#include "model/page/swap.h"

#define FRAMES_SHIFT 36		/* more frames than any machine has addresses for */
#define SLOTS_SHIFT 32		/* swap_info_struct.max is an unsigned int */
#define SLOT_CHUNKS_MIN 512
#define CAPTURE_CHUNKS 8192	/* if nothing shows what is RAM: 1 TiB of 4 KiB pages */
#define COUNT_MAX (UINT32_C(1) << 31)	/* counters stop here */
#define TALLY 128		/* pages with fewer references than this are tallied */
#define FREE_TABLES 1024	/* for a query about a small range, whose size limits the tables */

struct refs {
	const struct snapshot *s;
	const struct kernel *k;
	uint8_t kind[SWAP_TYPES];	/* enum swap_kind */
	uint64_t pfn_mask;
	bool parallel;
	struct refcounts frames;
	struct refcounts huge[PAGING_LEVELS];	/* leaves of that level, each once */
	bool huge_used[PAGING_LEVELS];
	struct refcounts slots[SWAP_TYPES];
	struct refcount_pool ram, device, swap;
	int64_t tables_left;
};

/* ---- sizes ---------------------------------------------------------------------- */

void sizes_add_times(struct sizes *sum, const struct sizes *z, uint32_t n)
{
	sum->vm += z->vm * n;
	sum->mapped += z->mapped * n;
	sum->sole += z->sole * n;
	sum->resident += z->resident * n;
	sum->writable += z->writable * n;
	sum->device += z->device * n;
	sum->eff_mapped += z->eff_mapped * n;
	sum->eff_resident += z->eff_resident * n;
}

void sizes_add(struct sizes *sum, const struct sizes *z)
{
	sizes_add_times(sum, z, 1);
}

/* ---- counters ------------------------------------------------------------------- */

static inline void count(const struct refs *f, uint32_t *counter, uint32_t n)
{
	if (!counter || __atomic_load_n(counter, __ATOMIC_RELAXED) >= COUNT_MAX)
		return;
	if (f->parallel)
		__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
	else
		*counter += n;
}

static uint32_t *frame_counter(struct refs *f, struct refcounts *c, uint64_t at)
{
	uint32_t *found = refcount_find(c, at);
	uint64_t i = at >> REFCOUNTS_CHUNK_SHIFT;

	if (found || i >= c->nchunks)
		return found;
	return refcount_make(c, at, c->ram[i] ? &f->ram : &f->device);
}

uint32_t refs_of_frame(const struct refs *f, uint64_t pfn)
{
	const uint32_t *c = refcount_find(&f->frames, pfn);
	uint64_t n = c ? *c : 0;

	for (unsigned l = 1; l < PAGING_LEVELS; l++)
		if (f->huge_used[l] && (c = refcount_find(&f->huge[l], pfn >> f->huge[l].shift)))
			n += *c;
	return (uint32_t)min_u64(n, UINT32_MAX);
}

/* ---- entries, for the count and for the sizes --------------------------------------- */

struct walker {
	struct refs *f;
	struct reader *r;
	const struct vma *v;
	uint64_t start, end;		/* only pages of this range */
	unsigned page_shift;
	uint32_t weight;		/* count: processes that use the mm */
	uint64_t bytes;			/* sizes: bytes that a page counts for */
	uint32_t free_tables;
	bool over;
	struct sizes z;
	uint64_t writable;		/* pages */
	uint64_t tally[TALLY];		/* pages in memory, by their references */
};

static bool spend(struct walker *w)
{
	if (w->free_tables) {
		w->free_tables--;
		return true;
	}
	if (__atomic_fetch_sub(&w->f->tables_left, 1, __ATOMIC_RELAXED) > 0)
		return true;
	if (!w->over)
		issue_add(w->f->k->issues, ST_LIMIT, "page table", 1,
			  "more references than memory can hold, in the vma at %#" PRIx64,
			  w->v->start);
	w->over = true;
	return false;
}

static bool refs_table(void *arg, uint64_t pa, unsigned level)
{
	(void)pa;
	(void)level;
	return spend(arg);
}

/*
 * The page frame that a non-present entry refers to. A poisoned page belongs to nobody,
 * and the rest of its huge page has gone to others.
 */
static bool refers_to_frame(const struct refs *f, const struct pte *e, uint64_t *pfn)
{
	switch (f->kind[e->swap_type & (SWAP_TYPES - 1)]) {
	case SWAP_MIGRATION:
	case SWAP_DEVICE_PRIVATE:
	case SWAP_DEVICE_EXCLUSIVE: *pfn = e->swap_offset & f->pfn_mask; return true;
	}
	return false;
}

static bool is_slot(const struct refs *f, const struct pte *e)
{
	return f->kind[e->swap_type & (SWAP_TYPES - 1)] == SWAP_SLOT;
}

uint32_t refs_of_absent(const struct refs *f, const struct pte *e, bool *slot)
{
	const uint32_t *c;
	uint64_t pfn;

	*slot = is_slot(f, e);
	if (refers_to_frame(f, e, &pfn))
		return refs_of_frame(f, pfn);
	c = *slot ? refcount_find(&f->slots[e->swap_type & (SWAP_TYPES - 1)], e->swap_offset)
		  : NULL;
	return c ? *c : 0;
}

/*
 * The part of the walk that a leaf above the lowest level maps: pages [*pfn, + *n).
 * Returns its level; 0 if the pages must be taken one by one.
 */
static unsigned clip_leaf(const struct walker *w, uint64_t va, unsigned shift, uint64_t *pfn,
			  uint64_t *n)
{
	uint64_t end = va + (UINT64_C(1) << shift), lo = max_u64(va, w->start);
	uint64_t hi = min_u64(end, w->end);
	unsigned level = 1;

	while (level < PAGING_LEVELS &&
	       (!w->f->huge[level].nchunks || w->f->huge[level].shift + w->page_shift != shift))
		level++;
	*n = hi > lo ? (hi - lo) >> w->page_shift : 0;
	if (level < PAGING_LEVELS && lo == va && hi == end && !(*pfn & ((*n) - 1)))
		return level;
	*pfn += (lo - va) >> w->page_shift;
	return 0;
}

/* ---- the count ------------------------------------------------------------------------ */

static void count_leaf(struct walker *w, uint64_t va, unsigned shift, uint64_t pfn)
{
	struct refs *f = w->f;
	uint64_t n;
	unsigned level = clip_leaf(w, va, shift, &pfn, &n);

	if (level) {
		struct refcounts *c = &f->huge[level];

		__atomic_store_n(&f->huge_used[level], true, __ATOMIC_RELAXED);
		count(f, frame_counter(f, c, pfn >> c->shift), w->weight);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (!(i & 511) && !spend(w))
			return;
		count(f, frame_counter(f, &f->frames, pfn + i), w->weight);
	}
}

static void count_absent(struct walker *w, uint64_t va, unsigned shift, const struct pte *e)
{
	struct refs *f = w->f;
	unsigned type = e->swap_type & (SWAP_TYPES - 1);
	uint64_t pfn;

	if (refers_to_frame(f, e, &pfn))
		count_leaf(w, va, shift, pfn);
	else if (is_slot(f, e) && shift == w->page_shift)
		count(f, refcount_make(&f->slots[type], e->swap_offset, &f->swap), w->weight);
}

static bool count_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct walker *w = arg;
	struct refs *f = w->f;
	bool small = shift == w->page_shift;

	for (unsigned i = 0; i < n; i++) {
		const struct pte *e = &pte[i];

		/* frames come in any order: each is a cache miss, so prefetch it */
		if (small && i + FRAME_AHEAD < n && pte[i + FRAME_AHEAD].kind == PTE_PAGE)
			__builtin_prefetch(refcount_find(&f->frames,
							 pte[i + FRAME_AHEAD].pa >> shift),
					   1);
		if (e->kind == PTE_PAGE && small)
			count(f, frame_counter(f, &f->frames, e->pa >> shift), w->weight);
		else if (e->kind == PTE_PAGE)
			count_leaf(w, va + ((uint64_t)i << shift), shift, e->pa >> w->page_shift);
		else if (e->kind == PTE_SWAP)
			count_absent(w, va + ((uint64_t)i << shift), shift, e);
	}
	return true;
}

/* References from a lost table are not counted. The walk for usage reports it, too. */
static bool refs_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	const struct walker *w = arg;

	if (!(w->f->s->built & NEED_USAGE))
		issue_add(w->f->k->issues, st, "page table", 1, "for %#" PRIx64 "-%#" PRIx64, va,
			  end);
	return true;
}

static const struct pgvisit count_visit = { .entries = count_entries, .lost = refs_lost,
					    .table = refs_table };

/* ---- the sizes ------------------------------------------------------------------------- */

/* N pages in memory, each of REFS references. */
static inline void add_present(struct walker *w, uint32_t refs, uint64_t n, bool writable)
{
	effective_t each;

	if (writable && refs)
		w->writable += n;
	if (refs < TALLY) {
		w->tally[refs] += n;
		return;
	}
	each = (effective_t)n * ((w->bytes << SIZES_SHIFT) / refs);
	w->z.mapped += n * w->bytes;
	w->z.resident += n * w->bytes;
	w->z.eff_mapped += each;
	w->z.eff_resident += each;
}

/* N pages that are mapped but not in memory here. */
static void add_absent(struct walker *w, uint32_t refs, uint64_t n)
{
	if (!refs) {
		w->z.device += n * w->bytes;
		return;
	}
	w->z.mapped += n * w->bytes;
	w->z.sole += refs == 1 ? n * w->bytes : 0;
	w->z.eff_mapped += (effective_t)n * ((w->bytes << SIZES_SHIFT) / refs);
}

/* References to PFN; the *run - 1 frames after it have the same number. */
static uint32_t refs_of_run(const struct refs *f, uint64_t pfn, uint64_t *run)
{
	uint64_t unit = min_u64(UINT64_C(1) << f->huge[1].shift, REFCOUNTS_CHUNK);

	/* without a chunk, none of its frames is mapped by itself */
	*run = refcount_find(&f->frames, pfn) ? 1 : unit - (pfn & (unit - 1));
	return refs_of_frame(f, pfn);
}

static void size_leaf(struct walker *w, uint64_t va, unsigned shift, uint64_t pfn, bool present,
		      bool writable)
{
	uint64_t n, run, asked = 0;
	unsigned level = clip_leaf(w, va, shift, &pfn, &n);

	for (uint64_t i = 0; i < n; i += run) {
		uint32_t refs = refs_of_run(w->f, pfn + i, &run);

		run = min_u64(run, n - i);
		if (!(asked++ & 511) && !spend(w)) {
			/* hostile: only the count of this leaf is known */
			const uint32_t *c = level ? refcount_find(&w->f->huge[level],
								  pfn >> w->f->huge[level].shift)
						  : NULL;

			add_present(w, c ? *c : 0, present ? n - i : 0, writable);
			return;
		}
		if (present)
			add_present(w, refs, run, writable);
		else
			add_absent(w, refs, run);
	}
}

static void size_absent(struct walker *w, uint64_t va, unsigned shift, const struct pte *e)
{
	unsigned type = e->swap_type & (SWAP_TYPES - 1);
	uint64_t pfn;

	if (refers_to_frame(w->f, e, &pfn)) {
		size_leaf(w, va, shift, pfn, false, false);
	} else if (is_slot(w->f, e) && shift == w->page_shift) {
		const uint32_t *c = refcount_find(&w->f->slots[type], e->swap_offset);

		add_absent(w, c ? *c : 0, 1);
	}
}

static bool size_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct walker *w = arg;
	struct refs *f = w->f;
	bool small = shift == w->page_shift;

	for (unsigned i = 0; i < n; i++) {
		const struct pte *e = &pte[i];

		if (small && i + FRAME_AHEAD < n && pte[i + FRAME_AHEAD].kind == PTE_PAGE)
			__builtin_prefetch(
				refcount_find(&f->frames, pte[i + FRAME_AHEAD].pa >> shift));
		if (e->kind == PTE_PAGE && small) {
			add_present(w, refs_of_frame(f, e->pa >> shift), 1, e->flags & PTE_WRITE);
		} else if (e->kind == PTE_PAGE) {
			size_leaf(w, va + ((uint64_t)i << shift), shift, e->pa >> w->page_shift,
				  true, e->flags & PTE_WRITE);
		} else if (e->kind == PTE_SWAP) {
			size_absent(w, va + ((uint64_t)i << shift), shift, e);
		}
	}
	return true;
}

static const struct pgvisit size_visit = { .entries = size_entries, .table = refs_table };

/* Adds the tallies to sizes; the walker is then as new. */
static void take_tally(struct walker *w)
{
	struct sizes *z = &w->z;
	uint64_t of_none = w->tally[0] * w->bytes;

	z->device += of_none;
	for (unsigned n = 1; n < TALLY; n++) {
		uint64_t bytes = w->tally[n] * w->bytes;
		effective_t each;

		if (!bytes)
			continue;
		each = (effective_t)w->tally[n] * ((w->bytes << SIZES_SHIFT) / n);
		z->mapped += bytes;
		z->resident += bytes;
		z->sole += n == 1 ? bytes : 0;
		z->eff_mapped += each;
		z->eff_resident += each;
	}
	z->writable += w->writable * w->bytes;
	w->writable = 0;
	memset(w->tally, 0, sizeof(w->tally));
}

/* Whole pages [start, end), each of which counts for BYTES. */
static void size_pages(struct walker *w, uint64_t start, uint64_t end, uint64_t bytes)
{
	if (start >= end)
		return;
	w->start = start;
	w->end = end;
	w->bytes = bytes;
	vma_entries(w->f->s, w->r, w->v, start, end, &size_visit, w);
	take_tally(w);
}

static void size_bytes(struct walker *w, uint64_t start, uint64_t end)
{
	uint64_t page = UINT64_C(1) << w->page_shift, mask = page - 1;
	uint64_t first = start & ~mask, last = end & ~mask;

	w->z.vm += end - start;
	if (first == last) {
		size_pages(w, first, first + page, end - start);
		return;
	}
	if (start & mask) {
		size_pages(w, first, first + page, page - (start & mask));
		first += page;
	}
	size_pages(w, first, last, page);
	if (end & mask)
		size_pages(w, last, last + page, end & mask);
}

static void walker_init(struct walker *w, struct refs *f, struct reader *r)
{
	memset(w, 0, sizeof(*w));
	w->f = f;
	w->r = r;
	w->page_shift = f->k->page_shift;
}

void refs_sizes(struct refs *f, struct reader *r, const struct vma *v, uint64_t start, uint64_t end,
		struct sizes *ret)
{
	struct walker w;

	walker_init(&w, f, r);
	w.v = v;
	w.free_tables = FREE_TABLES;
	start = max_u64(start, v->start);
	end = min_u64(end, v->end);
	if (start < end)
		size_bytes(&w, start, end);
	*ret = w.z;
}

/* ---- passes over all VMAs ----------------------------------------------------------------- */

struct pass {
	struct refs *f;
	struct cut cut;
	struct sizes *z;		/* NULL: count */
	struct walker *walkers[JOBS_MAX];
	pthread_mutex_t lock;		/* sizes of VMAs in pieces */
};

static void do_vma(struct pass *p, struct walker *w, uint32_t vma, const struct cut_item *it)
{
	const struct snapshot *s = p->f->s;
	const struct vma *v = &s->vmas[vma];
	bool piece = it->end != 0;
	uint64_t start = piece ? it->start : v->start, end = piece ? it->end : v->end;

	w->v = v;
	w->over = false;
	if (!p->z) {
		w->start = start;
		w->end = end;
		w->weight = s->mms[v->mm].nprocs ? s->mms[v->mm].nprocs : 1;
		vma_entries(s, w->r, v, start, end, &count_visit, w);
		return;
	}
	w->z = (struct sizes){ 0 };
	if (start < end)
		size_bytes(w, start, end);
	if (piece)
		pthread_mutex_lock(&p->lock);
	sizes_add(&p->z[vma], &w->z);
	if (piece)
		pthread_mutex_unlock(&p->lock);
}

static void do_item(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct cut_item *it = &p->cut.v[item];
	struct walker *w = p->walkers[worker];

	if (!w) {
		w = p->walkers[worker] = heap_array(struct walker, 1);
		walker_init(w, p->f, kernel_reader(p->f->k));
	}
	for (uint32_t i = 0; i < it->nvmas; i++)
		do_vma(p, w, it->vma + i, it);
}

static void run_refs(struct refs *f, uint32_t only, struct sizes *z)
{
	struct pass *p = heap_array(struct pass, 1);
	const struct snapshot *s = f->s;

	p->f = f;
	p->z = z;
	p->cut.s = s;
	f->tables_left = (int64_t)min_u64(cut_budget(s), INT64_MAX);
	pthread_mutex_init(&p->lock, NULL);
	for (uint32_t i = 0; i < s->nmms; i++)
		if (only == NONE || only == i)
			cut_mm(&p->cut, &s->mms[i]);
	jobs_run(s->k->jobs, p->cut.n, do_item, p);
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		if (p->walkers[i])
			reader_free(p->walkers[i]->r);
		free(p->walkers[i]);
	}
	pthread_mutex_destroy(&p->lock);
	cut_release(&p->cut);
	free(p);
}

void refs_vma_sizes(struct refs *f, uint32_t only, struct sizes *z)
{
	run_refs(f, only, z);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Chunk I of C counts frame chunks [i << shift, (i + 1) << shift). */
static void init_ram(const struct memmap *m, struct refcounts *c)
{
	c->ram = heap_array(bool, c->nchunks);
	for (uint32_t i = 0; i < m->n; i++) {
		uint64_t end = ((m->v[i].end - 1) >> REFCOUNTS_CHUNK_SHIFT >> c->shift) + 1;

		for (uint64_t k = m->v[i].pfn >> REFCOUNTS_CHUNK_SHIFT >> c->shift;
		     k < end && k < c->nchunks; k++)
			c->ram[k] = true;
	}
}

static void init_frames(struct refs *f)
{
	const struct paging *pg = f->k->paging;

	f->frames.nchunks = UINT64_C(1) << (FRAMES_SHIFT - REFCOUNTS_CHUNK_SHIFT);
	init_ram(&f->k->memmap, &f->frames);
	for (unsigned l = 1; pg && l < pg->nlevels; l++) {
		struct refcounts *c = &f->huge[l];

		c->shift = paging_shift(pg, l) - f->k->page_shift;
		c->nchunks = max_u64(f->frames.nchunks >> min_u64(c->shift, 63), 1);
		init_ram(&f->k->memmap, c);
	}
	f->ram.left = (int64_t)(memory_left(f->k->memory) / REFCOUNTS_CHUNK_BYTES);
	f->device.left = f->k->memmap.n ? REFS_DEVICE_CHUNKS : CAPTURE_CHUNKS;
}

static void init_swap(struct refs *f)
{
	uint64_t chunks = 0, ram = 0;
	struct swaps swaps;
	struct reader *r;

	for (unsigned t = 0; t < SWAP_TYPES; t++)
		f->slots[t].nchunks = UINT64_C(1) << (SLOTS_SHIFT - REFCOUNTS_CHUNK_SHIFT);
	f->pfn_mask = UINT64_MAX;
	f->swap.left = CAPTURE_CHUNKS;
	if (!f->k->dump) /* swap entries of a capture are all slots */
		return;
	r = reader_new(f->k->dump);
	swaps_init(&swaps, f->k, r);
	reader_free(r);
	memcpy(f->kind, swaps.kind, sizeof(f->kind));
	f->pfn_mask = swaps.pfn_mask;
	for (unsigned t = 0; t < SWAP_TYPES; t++)
		chunks += (min_u64(swaps.file[t].max, UINT32_MAX) >> REFCOUNTS_CHUNK_SHIFT) + 1;
	for (uint64_t c = 0; c < f->frames.nchunks; c++)
		ram += f->frames.ram[c];
	f->swap.left = (int64_t)min_u64(chunks, 4 * ram) + SLOT_CHUNKS_MIN;
}

struct refs *refs_count(const struct snapshot *s)
{
	struct refs *f = heap_array(struct refs, 1);

	f->s = s;
	f->k = s->k;
	f->parallel = s->k->jobs > 1;
	init_frames(f);
	init_swap(f);
	run_refs(f, NONE, NULL);
	for (unsigned l = 1; f->device.over && l < PAGING_LEVELS; l++)
		refcounts_drop_devices(&f->huge[l]);
	if (f->device.over)
		refcounts_drop_devices(&f->frames);
	for (unsigned t = 0; f->swap.over && t < SWAP_TYPES; t++)
		refcounts_free(&f->slots[t]);
	if (f->swap.over)
		issue_add(f->k->issues, ST_LIMIT, "swap slot", 1,
			  "more slots in use than the machine can have");
	return f;
}

bool refs_complete(const struct refs *f)
{
	return !f->ram.over;
}

void refs_free(struct refs *f)
{
	if (!f)
		return;
	refcounts_free(&f->frames);
	for (unsigned l = 0; l < PAGING_LEVELS; l++)
		refcounts_free(&f->huge[l]);
	for (unsigned t = 0; t < SWAP_TYPES; t++)
		refcounts_free(&f->slots[t]);
	free(f);
}
