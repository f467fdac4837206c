/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refs_sizes.c - computes the sizes of exmap from the count of references.
 */
#include <pthread.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/memory/frames/frames.h"
#include "model/memory/usage/account.h"
#include "model/memory/usage/kept.h"
#include "model/memory/usage/refs_walk.h"

#define FREE_TABLES 1024	/* for a query about a small range, whose size limits the tables */

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

/* ---- the sizes ------------------------------------------------------------------------- */

/* N pages in memory, each of REFS references. */
static inline void add_present(struct refs_walker *w, uint32_t refs, uint64_t n, bool writable)
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
static void add_absent(struct refs_walker *w, uint32_t refs, uint64_t n)
{
	if (!refs) {
		w->z.device += n * w->bytes;
		return;
	}
	w->z.mapped += n * w->bytes;
	w->z.sole += refs == 1 ? n * w->bytes : 0;
	w->z.eff_mapped += (effective_t)n * ((w->bytes << SIZES_SHIFT) / refs);
}

/* References to PFN; the *run - 1 frames after it have as many. */
static uint32_t refs_of_run(const struct refs *f, uint64_t pfn, uint64_t *run)
{
	uint64_t unit = min_u64(UINT64_C(1) << f->huge[1].shift, REFCOUNTS_CHUNK);

	/* without a chunk, none of its frames is mapped by itself */
	*run = 1;
	if (!refcount_find(&f->frames, pfn) &&
	    (!f->beside || frames_found_alike(&f->s->frames, pfn)))
		*run = unit - (pfn & (unit - 1));
	return refs_of_frame(f, pfn);
}

static void size_leaf(struct refs_walker *w, uint64_t va, unsigned shift, uint64_t pfn,
		      bool present, bool writable)
{
	uint64_t n, run, asked = 0;
	unsigned level = refs_clip_leaf(w, va, shift, &pfn, &n);

	for (uint64_t i = 0; i < n; i += run) {
		uint32_t refs = refs_of_run(w->f, pfn + i, &run);

		run = min_u64(run, n - i);
		if (!(asked++ & 511) && !refs_spend(w)) {
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

static void size_absent(struct refs_walker *w, uint64_t va, unsigned shift, const struct pte *e)
{
	unsigned type = e->swap_type & (SWAP_TYPES - 1);
	uint64_t pfn;

	if (refs_to_frame(w->f, e, &pfn)) {
		size_leaf(w, va, shift, pfn, false, false);
	} else if (refs_to_slot(w->f, e) && shift == w->page_shift) {
		const uint32_t *c = refcount_find(&w->f->slots[type], e->swap_offset);

		add_absent(w, c ? *c : 0, 1);
	}
}

static bool size_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct refs_walker *w = arg;
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
static void take_tally(struct refs_walker *w)
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
static void size_pages(struct refs_walker *w, uint64_t start, uint64_t end, uint64_t bytes)
{
	if (start >= end)
		return;
	w->start = start;
	w->end = end;
	w->bytes = bytes;
	vma_entries(w->f->s, w->r, w->v, start, end, &size_visit, w);
	take_tally(w);
}

static void size_bytes(struct refs_walker *w, uint64_t start, uint64_t end)
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

void refs_sizes(struct refs *f, struct reader *r, const struct vma *v, uint64_t start, uint64_t end,
		struct sizes *ret)
{
	struct refs_walker w;

	refs_walker_init(&w, f, r);
	w.v = v;
	w.free_tables = FREE_TABLES;
	start = max_u64(start, v->start);
	end = min_u64(end, v->end);
	if (start < end)
		size_bytes(&w, start, end);
	*ret = w.z;
}

/* ---- all VMAs ------------------------------------------------------------------------------ */

struct pass {
	struct sizes *z;
	pthread_mutex_t lock;		/* sizes of VMAs in pieces */
};

static bool add_kept(void *arg, const struct page_run *run)
{
	if (run->kind != PAGE_ABSENT)
		add_present(arg, run->count, run->pages, run->writable);
	return true;
}

/* A kept VMA as a whole, with its first piece. */
static void size_kept(struct refs_walker *w)
{
	if (w->start != w->v->start)
		return;
	w->bytes = UINT64_C(1) << w->page_shift;
	w->z.vm = w->v->end - w->v->start;
	kept_each(w->f->s->kept, (uint32_t)(w->v - w->f->s->vmas), add_kept, w);
	take_tally(w);
}

static void size_vma(void *arg, struct refs_walker *w)
{
	const struct snapshot *s = w->f->s;
	uint32_t vma = (uint32_t)(w->v - s->vmas);
	struct pass *p = arg;

	w->z = (struct sizes){ 0 };
	if (kept_has(s->kept, vma))
		size_kept(w);
	else if (w->start < w->end)
		size_bytes(w, w->start, w->end);
	pthread_mutex_lock(&p->lock);
	sizes_add(&p->z[vma], &w->z);
	pthread_mutex_unlock(&p->lock);
}

void refs_vma_sizes(struct refs *f, struct sizes *z)
{
	struct pass p = { .z = z };

	pthread_mutex_init(&p.lock, NULL);
	refs_run(f, false, size_vma, &p);
	pthread_mutex_destroy(&p.lock);
}
