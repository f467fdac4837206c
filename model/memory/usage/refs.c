/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refs.c - counts the references to each page.
 */
#include "model/memory/usage/refs_walk.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/memory.h"
#include "model/memory/frames/frames.h"
#include "model/memory/usage/account.h"
#include "model/memory/usage/cut.h"

#define FRAMES_SHIFT 36		/* more frames than any machine has addresses for */
#define SLOTS_SHIFT 32		/* swap_info_struct.max is an unsigned int */
#define SLOT_CHUNKS_MIN 512
#define CAPTURE_CHUNKS 8192	/* if nothing shows what is RAM: 1 TiB of 4 KiB pages */
#define MIXED_SHIFT 12		/* of larger units not each frame is looked at */
#define COUNT_MAX (UINT32_C(1) << 31)	/* counters stop here */

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

	if (f->beside)
		n += frame_found(&f->s->frames, pfn);
	for (unsigned l = 1; l < PAGING_LEVELS; l++)
		if (f->huge_used[l] && (c = refcount_find(&f->huge[l], pfn >> f->huge[l].shift)))
			n += *c;
	return (uint32_t)min_u64(n, UINT32_MAX);
}

/* ---- entries, for the count and for the sizes --------------------------------------- */

bool refs_spend(struct refs_walker *w)
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

bool refs_table(void *arg, uint64_t pa, unsigned level)
{
	(void)pa;
	(void)level;
	return refs_spend(arg);
}

/*
 * The page frame that a non-present entry refers to. A poisoned page belongs to nobody,
 * and the rest of its huge page has gone to others.
 */
bool refs_to_frame(const struct refs *f, const struct pte *e, uint64_t *pfn)
{
	switch (f->kind[e->swap_type & (SWAP_TYPES - 1)]) {
	case SWAP_MIGRATION:
	case SWAP_DEVICE_PRIVATE:
	case SWAP_DEVICE_EXCLUSIVE: *pfn = e->swap_offset & f->pfn_mask; return true;
	}
	return false;
}

bool refs_to_slot(const struct refs *f, const struct pte *e)
{
	return f->kind[e->swap_type & (SWAP_TYPES - 1)] == SWAP_SLOT;
}

uint32_t refs_of_absent(const struct refs *f, const struct pte *e, bool *slot)
{
	const uint32_t *c;
	uint64_t pfn;

	*slot = refs_to_slot(f, e);
	if (refs_to_frame(f, e, &pfn))
		return refs_of_frame(f, pfn);
	c = *slot ? refcount_find(&f->slots[e->swap_type & (SWAP_TYPES - 1)], e->swap_offset)
		  : NULL;
	return c ? *c : 0;
}

/*
 * The part of the walk that a leaf above the lowest level maps: pages [*pfn, + *n).
 * Returns its level; 0 if the pages must be taken one by one.
 */
unsigned refs_clip_leaf(const struct refs_walker *w, uint64_t va, unsigned shift, uint64_t *pfn,
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

void refs_walker_init(struct refs_walker *w, struct refs *f, struct reader *r)
{
	memset(w, 0, sizeof(*w));
	w->f = f;
	w->r = r;
	w->page_shift = f->k->page_shift;
}

/* ---- the count ------------------------------------------------------------------------ */

static void count_leaf(struct refs_walker *w, uint64_t va, unsigned shift, uint64_t pfn)
{
	struct refs *f = w->f;
	uint64_t n;
	unsigned level = refs_clip_leaf(w, va, shift, &pfn, &n);

	if (level) {
		struct refcounts *c = &f->huge[level];

		__atomic_store_n(&f->huge_used[level], true, __ATOMIC_RELAXED);
		count(f, frame_counter(f, c, pfn >> c->shift), w->weight);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (!(i & 511) && !refs_spend(w))
			return;
		count(f, frame_counter(f, &f->frames, pfn + i), w->weight);
	}
}

static void count_absent(struct refs_walker *w, uint64_t va, unsigned shift, const struct pte *e)
{
	struct refs *f = w->f;
	unsigned type = e->swap_type & (SWAP_TYPES - 1);
	uint64_t pfn;

	if (refs_to_frame(f, e, &pfn))
		count_leaf(w, va, shift, pfn);
	else if (refs_to_slot(f, e) && shift == w->page_shift)
		count(f, refcount_make(&f->slots[type], e->swap_offset, &f->swap), w->weight);
}

static bool count_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct refs_walker *w = arg;
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
	const struct refs_walker *w = arg;

	if (!(w->f->s->built & NEED_USAGE))
		issue_add(w->f->k->issues, st, "page table", 1, "for %#" PRIx64 "-%#" PRIx64, va,
			  end);
	return true;
}

static const struct pgvisit count_visit = { .entries = count_entries, .lost = refs_lost,
					    .table = refs_table };

/* ---- passes over all VMAs ----------------------------------------------------------------- */

struct pass {
	struct refs *f;
	struct cut cut;
	refs_vma_fn *do_vma;
	void *arg;
	struct refs_walker *walkers[JOBS_MAX];
};

static void do_item(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct cut_item *it = &p->cut.v[item];
	struct refs_walker *w = p->walkers[worker];

	if (!w) {
		w = p->walkers[worker] = heap_array(struct refs_walker, 1);
		refs_walker_init(w, p->f, kernel_reader(p->f->k));
	}
	for (uint32_t i = 0; i < it->nvmas; i++) {
		w->v = &p->f->s->vmas[it->vma + i];
		w->start = it->end ? it->start : w->v->start;
		w->end = it->end ? it->end : w->v->end;
		w->over = false;
		p->do_vma(p->arg, w);
	}
}

void refs_run(struct refs *f, bool all, refs_vma_fn *do_vma, void *arg)
{
	struct pass *p = heap_array(struct pass, 1);
	const struct snapshot *s = f->s;

	p->f = f;
	p->do_vma = do_vma;
	p->arg = arg;
	p->cut.s = s;
	f->tables_left = (int64_t)min_u64(cut_budget(s), INT64_MAX);
	for (uint32_t i = 0; i < s->nmms; i++)
		if (all || snapshot_asks(s, i))
			cut_mm(&p->cut, &s->mms[i]);
	jobs_run(s->k->jobs, p->cut.n, do_item, p);
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		if (p->walkers[i])
			reader_free(p->walkers[i]->r);
		free(p->walkers[i]);
	}
	cut_release(&p->cut);
	free(p);
}

static uint32_t weight_of(const struct refs *f, const struct vma *v)
{
	uint32_t nprocs = f->s->mms[v->mm].nprocs;

	return nprocs ? nprocs : 1;
}

static void count_vma(void *arg, struct refs_walker *w)
{
	(void)arg;
	w->weight = weight_of(w->f, w->v);
	vma_entries(w->f->s, w->r, w->v, w->start, w->end, &count_visit, w);
}

/* ---- beside the mappings -------------------------------------------------------------------- */

struct refs_walker *refs_beside_new(struct refs *f)
{
	struct refs_walker *w = heap_array(struct refs_walker, 1);

	refs_walker_init(w, f, NULL);
	return w;
}

uint32_t refs_beside_vma(struct refs_walker *w, const struct vma *v, uint64_t start, uint64_t end)
{
	w->v = v;
	w->start = start;
	w->end = end;
	return weight_of(w->f, v);
}

void refs_beside(struct refs_walker *w, uint64_t va, unsigned shift, const struct pte *e,
		 bool mapping)
{
	w->weight = weight_of(w->f, w->v) - mapping;
	if (w->weight)
		count_entries(w, va, shift, e, 1);
	if (w->over)
		refs_beside_odd(w);
}

void refs_beside_odd(struct refs_walker *w)
{
	__atomic_store_n(&w->f->odd, true, __ATOMIC_RELAXED);
}

/* Is a frame both mapped and referred to otherwise? The counter at AT is for N frames. */
static bool is_mixed(const struct refs *f, uint64_t at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (frame_found(&f->s->frames, at * n + i))
			return true;
	return false;
}

static bool any_mixed(const struct refs *f, const struct refcounts *c)
{
	uint64_t n = (f->s->frames.max_pfn >> REFCOUNTS_CHUNK_SHIFT >> c->shift) + 1;

	for (uint64_t i = 0; c->chunk && i < min_u64(n, c->nchunks); i++)
		for (uint64_t j = 0; c->chunk[i] && j < REFCOUNTS_CHUNK; j++)
			if (c->chunk[i][j] &&
			    (c->shift > MIXED_SHIFT || is_mixed(f, (i << REFCOUNTS_CHUNK_SHIFT) + j,
								UINT64_C(1) << c->shift)))
				return true;
	return false;
}

bool refs_beside_done(struct refs *f, bool *equal)
{
	const struct frames *frames = &f->s->frames;

	if (f->odd || f->ram.over || f->device.over || f->swap.over)
		return false;
	*equal = !any_mixed(f, &f->frames);
	for (unsigned l = 1; *equal && l < PAGING_LEVELS; l++)
		*equal = !any_mixed(f, &f->huge[l]);
	for (uint64_t c = 0; *equal && c < frames->nchunks; c++)
		*equal = !frames->store->found[c];
	return true;
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

static struct refs *refs_new(const struct snapshot *s)
{
	struct refs *f = heap_array(struct refs, 1);

	f->s = s;
	f->k = s->k;
	f->parallel = s->k->jobs > 1;
	init_frames(f);
	init_swap(f);
	return f;
}

struct refs *refs_beside_mappings(const struct snapshot *s)
{
	struct refs *f = refs_new(s);

	f->beside = true;
	f->tables_left = (int64_t)min_u64(cut_budget(s), INT64_MAX);
	return f;
}

struct refs *refs_count(const struct snapshot *s)
{
	struct refs *f = refs_new(s);

	refs_run(f, true, count_vma, NULL);
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
