/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kept.c - runs of pages as bytes: two LEB128 numbers each, its pages and their state.
 */
#include "model/memory/usage/kept.h"

#include <pthread.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/search.h"
#include "model/kernel/page/refcounts.h"

#define STEP 65536u		/* bytes by which a buffer grows */
#define FRAMES_AHEAD 64u
#define RUN_MAX 20u		/* bytes of two LEB128 numbers */

/* The runs of a range of a vma. */
struct piece {
	uint64_t start, end;
	uint32_t vma;
	unsigned writer;
	size_t at, len;			/* in the writer's bytes */
};

struct kept {
	unsigned page_shift;
	uint32_t *group;		/* [nvmas] */
	struct refcounts first_group;	/* of frames, + 1; 0: none */
	int64_t left;			/* bytes that may still be taken */
	pthread_mutex_t lock;		/* of what follows, until kept_close() */
	uint8_t *bytes[JOBS_MAX];	/* of each writer */
	unsigned nwriters;
	struct piece *pieces;
	size_t npieces;
	uint32_t *first;		/* [nvmas]: its first piece; NONE: it is not kept */
	uint32_t nvmas;
};

struct kept_writer {
	struct kept *k;
	uint8_t *bytes;
	size_t n, cap;
	struct piece *pieces;
	size_t npieces, cap_pieces;
	/* of the range */
	struct piece piece;
	uint64_t next;			/* address after the last page */
	uint64_t pages, state;		/* of the run that is not written yet */
	bool ok;
	uint32_t group;
};

enum page_kind frame_page_kind(const struct frame *f)
{
	if (f->flags & FR_HUGETLB)
		return PAGE_HUGETLB;
	if (f->flags & FR_ANON)
		return PAGE_ANON;
	if (f->flags & FR_CACHE)
		return f->flags & FR_SWAPBACKED ? PAGE_SHMEM : PAGE_FILE;
	return PAGE_OTHER;
}

/* ---- writing ---------------------------------------------------------------------------- */

static bool spend(struct kept *k, size_t bytes)
{
	return __atomic_fetch_sub(&k->left, (int64_t)bytes, __ATOMIC_RELAXED) >= (int64_t)bytes;
}

static void put_leb128(struct kept_writer *w, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		w->bytes[w->n++] = (uint8_t)(v | 0x80);
	w->bytes[w->n++] = (uint8_t)v;
}

static void put_run(struct kept_writer *w)
{
	if (!w->pages || !w->ok)
		return;
	if (w->cap - w->n < RUN_MAX) {
		w->ok = spend(w->k, STEP);
		if (!w->ok)
			return;
		w->cap += STEP;
		w->bytes = heap_grow(w->bytes, w->cap, 1);
	}
	put_leb128(w, w->pages);
	put_leb128(w, w->state);
	w->pages = 0;
}

static void add(struct kept_writer *w, uint64_t pages, uint64_t state)
{
	if (w->state != state)
		put_run(w);
	w->state = state;
	w->pages += pages;
}

struct kept_writer *kept_writer_new(struct kept *k)
{
	struct kept_writer *w = heap_array(struct kept_writer, 1);

	w->k = k;
	return w;
}

void kept_begin(struct kept_writer *w, const struct snapshot *s, uint32_t vma, uint64_t start,
		uint64_t end)
{
	uint64_t in_page = (UINT64_C(1) << s->k->page_shift) - 1;

	w->piece = (struct piece){ .start = start, .end = end, .vma = vma, .at = w->n };
	w->next = start;
	w->pages = w->state = 0;
	w->ok = start < end && !((start | end) & in_page);
	w->group = w->k->group[vma];
}

/* Lowers the group of PFN; AT: where it is, or NULL. */
static void lower(struct kept *k, uint64_t pfn, uint32_t *at, uint32_t group)
{
	uint32_t was;

	if (!at)
		at = refcount_make(&k->first_group, pfn, NULL);
	if (!at)
		return;
	was = __atomic_load_n(at, __ATOMIC_RELAXED);
	while ((!was || was > group + 1) &&
	       !__atomic_compare_exchange_n(at, &was, group + 1, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

/* Frames come in any order, and each is a cache miss: they are asked for before they are used. */
static void meet_frames(struct kept *k, const struct pte *pte, unsigned n, uint32_t group)
{
	unsigned shift = k->page_shift;
	uint32_t *at[FRAMES_AHEAD];

	for (unsigned i = 0, m; i < n; i += m) {
		m = n - i < FRAMES_AHEAD ? n - i : FRAMES_AHEAD;
		for (unsigned j = 0; j < m; j++) {
			at[j] = refcount_find(&k->first_group, pte[i + j].pa >> shift);
			__builtin_prefetch(at[j], 1);
		}
		for (unsigned j = 0; j < m; j++)
			if (!at[j] || __atomic_load_n(at[j], __ATOMIC_RELAXED) - 1 > group)
				lower(k, pte[i + j].pa >> shift, at[j], group);
	}
}

void kept_add(struct kept_writer *w, uint64_t va, const struct pte *pte, unsigned n,
	      const struct frame *f)
{
	bool writable = pte->flags & PTE_WRITE;
	unsigned shift = w->k->page_shift;

	if (!w->ok)
		return;
	if (va > w->next)
		add(w, (va - w->next) >> shift, PAGE_ABSENT);
	add(w, n, (uint64_t)f->mapcount << 8 | (uint64_t)writable << 7 | frame_page_kind(f));
	w->next = va + ((uint64_t)n << shift);
	if (f->mapcount > 1)
		meet_frames(w->k, pte, n, w->group);
}

void kept_spoil(struct kept_writer *w)
{
	w->ok = false;
}

void kept_end(struct kept_writer *w)
{
	put_run(w);
	if (w->npieces == w->cap_pieces && w->ok) {
		size_t more = w->cap_pieces ? w->cap_pieces : 64;

		w->ok = spend(w->k, more * sizeof(*w->pieces));
		if (w->ok) {
			w->cap_pieces += more;
			w->pieces = heap_grow(w->pieces, w->cap_pieces, sizeof(*w->pieces));
		}
	}
	if (!w->ok) {
		w->n = w->piece.at;
		return;
	}
	w->piece.len = w->n - w->piece.at;
	w->pieces[w->npieces++] = w->piece;
}

void kept_writer_close(struct kept_writer *w)
{
	struct kept *k = w->k;

	pthread_mutex_lock(&k->lock);
	k->pieces = heap_grow(k->pieces, k->npieces + w->npieces, sizeof(*k->pieces));
	for (size_t i = 0; i < w->npieces; i++) {
		k->pieces[k->npieces] = w->pieces[i];
		k->pieces[k->npieces++].writer = k->nwriters;
	}
	k->bytes[k->nwriters++] = w->bytes;
	pthread_mutex_unlock(&k->lock);
	free(w->pieces);
	free(w);
}

/* ---- reading ---------------------------------------------------------------------------- */

static int by_address(const void *pa, const void *pb)
{
	const struct piece *a = pa, *b = pb;

	if (a->vma != b->vma)
		return a->vma < b->vma ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* The pieces from I on that belong to one vma; *WHOLE: they are all of it. */
static size_t pieces_of_vma(const struct kept *k, size_t i, const struct vma *v, bool *whole)
{
	uint32_t vma = k->pieces[i].vma;
	uint64_t at = v->start;

	*whole = true;
	for (; i < k->npieces && k->pieces[i].vma == vma; i++) {
		*whole &= k->pieces[i].start == at;
		at = k->pieces[i].end;
	}
	*whole &= at == v->end;
	return i;
}

void kept_close(struct kept *k, const struct snapshot *s)
{
	k->nvmas = s->nvmas;
	k->first = heap_array(uint32_t, k->nvmas);
	for (uint32_t i = 0; i < k->nvmas; i++)
		k->first[i] = NONE;
	sort_array(k->pieces, k->npieces, sizeof(*k->pieces), by_address);
	for (size_t i = 0, next; i < k->npieces; i = next) {
		uint32_t vma = k->pieces[i].vma;
		bool whole;

		next = pieces_of_vma(k, i, &s->vmas[vma], &whole);
		if (whole)
			k->first[vma] = (uint32_t)i;
	}
}

bool kept_has(const struct kept *k, uint32_t vma)
{
	return k && vma < k->nvmas && k->first[vma] != NONE;
}

static uint64_t take_leb128(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7, (*p)++)
		v |= (uint64_t)(**p & 0x7f) << shift;
	v |= (uint64_t) * *p << shift;
	(*p)++;
	return v;
}

/* NEXT: the address after the last run of the piece before; after that of this one. */
static bool each_of_piece(const struct kept *k, const struct piece *x, uint64_t *next,
			  bool (*fn)(void *arg, const struct page_run *run), void *arg)
{
	const uint8_t *p = k->bytes[x->writer] + x->at, *end = p + x->len;
	struct page_run gap = { .pages = (x->start - *next) >> k->page_shift };

	if (p == end)
		return true;
	if (gap.pages && !fn(arg, &gap))
		return false;
	*next = x->start;
	while (p < end) {
		struct page_run run = { .pages = take_leb128(&p) };
		uint64_t state = take_leb128(&p);

		run.kind = state & 0x7f;
		run.writable = state >> 7 & 1;
		run.count = (uint32_t)(state >> 8);
		*next += run.pages << k->page_shift;
		if (!fn(arg, &run))
			return false;
	}
	return true;
}

void kept_each(const struct kept *k, uint32_t vma,
	       bool (*fn)(void *arg, const struct page_run *run), void *arg)
{
	size_t i = k->first[vma];
	uint64_t next = k->pieces[i].start;

	for (; i < k->npieces && k->pieces[i].vma == vma; i++)
		if (!each_of_piece(k, &k->pieces[i], &next, fn, arg))
			return;
}

void kept_meet(struct kept *k, uint64_t pfn, uint32_t group)
{
	lower(k, pfn, refcount_find(&k->first_group, pfn), group);
}

void kept_count_first(const struct kept *k, uint64_t *frames)
{
	const struct refcounts *c = &k->first_group;

	for (uint64_t i = 0; c->chunk && i < c->nchunks; i++)
		for (uint64_t j = 0; c->chunk[i] && j < REFCOUNTS_CHUNK; j++)
			if (c->chunk[i][j])
				frames[c->chunk[i][j] - 1]++;
}

/* ---- life ------------------------------------------------------------------------------- */

struct kept *kept_new(const struct snapshot *s, uint64_t bytes, uint32_t *group)
{
	struct kept *k = heap_array(struct kept, 1);

	k->page_shift = s->k->page_shift;
	k->left = (int64_t)bytes;
	k->group = group;
	k->first_group.nchunks = (s->frames.max_pfn >> REFCOUNTS_CHUNK_SHIFT) + 1;
	pthread_mutex_init(&k->lock, NULL);
	return k;
}

void kept_free(struct kept *k)
{
	if (!k)
		return;
	for (unsigned i = 0; i < k->nwriters; i++)
		free(k->bytes[i]);
	pthread_mutex_destroy(&k->lock);
	refcounts_free(&k->first_group);
	free(k->group);
	free(k->pieces);
	free(k->first);
	free(k);
}
