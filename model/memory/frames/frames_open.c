/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frames_open.c - makes and ends a store of frames.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/memory.h"
#include "facts/layout/page.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/source.h"
#include "model/memory/frames/lost.h"

#define OF_THREAD (UINT64_C(7) << 20)	/* bytes that a thread takes: two readers, a chunk */

static struct frame_store *store_new(struct snapshot *s, bool given)
{
	struct frames *f = &s->frames;
	struct frame_store *st = heap_array(struct frame_store, 1);

	st->frames = f;
	st->k = given ? NULL : s->k;
	st->by_head = source_has(s->k, SOURCE_FRAMES) && !has(s->k, M_PAGE_COMPOUND_MAPCOUNT) &&
		      !has(s->k, M_FOLIO_ENTIRE_MAPCOUNT);
	pthread_mutex_init(&st->lock, NULL);
	pthread_mutex_init(&st->kinds_lock, NULL);
	pthread_cond_init(&st->ready, NULL);
	st->by_value = heap_array(uint16_t, FRAMES_TABLE);
	st->state = heap_array(uint8_t, f->nchunks);
	st->sum = heap_array(struct frame_sum, f->nchunks);
	st->found = heap_array(uint32_t *, f->nchunks);
	pool_init(&st->pool, sizeof(struct frame_chunk), f->nchunks + 1); /* and the veil */
	st->limit = UINT64_MAX;
	st->asker = FRAMES_OPEN;
	st->counted = ~0u;
	f->store = st;
	f->chunk = heap_array(struct frame_chunk *, f->nchunks);
	f->kind = heap_array(struct frame, FRAME_RARE + FRAMES_GUESTS);
	return st;
}

/* ---- the bound --------------------------------------------------------------------------- */

/* What is in use, and what the threads and the tables of chunks will take. */
static uint64_t memory_taken(const struct snapshot *s)
{
	uint64_t of_chunk =
		sizeof(struct frame_sum) + sizeof(void *) + (s->k->jobs + 2) * sizeof(uint64_t);

	return memory_resident() + s->k->jobs * OF_THREAD + s->frames.nchunks * of_chunk;
}

static void set_limit(struct snapshot *s, struct frame_store *st)
{
	uint64_t bound = memory_bound(s->k->memory), taken = memory_taken(s);

	log_info(s->k->dump->log,
		 "memory: %" PRIu64 " KiB are in use before page frames, of %" PRIu64, taken >> 10,
		 bound >> 10);
	st->limit = bound > taken ? bound - taken : 0;
	/* what threads, rare frames and the heap take beside the chunks: 7 % were seen at 24 TiB */
	st->limit -= st->limit / 12;
	if (taken <= bound || taken - bound <= memory_tolerance(bound))
		return;
	s->refused = arena_printf(&s->mem,
				  "processes and their mappings take %" PRIu64
				  " MiB, more than the "
				  "%" PRIu64 " MiB that may be used; allow more with --memory",
				  taken >> 20, bound >> 20);
}

/* ---- averages ---------------------------------------------------------------------------- */

struct probe {
	struct snapshot *s;
	uint8_t *says;			/* of each chunk: 1 own counts, 2 averages */
	bool said;			/* one of them did */
};

static void probe_chunk(void *ctx, unsigned worker, size_t c)
{
	struct probe *p = ctx;
	bool in_parts, own;

	(void)worker;
	if (__atomic_load_n(&p->said, __ATOMIC_RELAXED) || frames_next_chunk(&p->s->frames, c) != c)
		return;
	frames_probe(&p->s->frames, c, &in_parts, &own);
	if (!in_parts)
		return;
	p->says[c] = own ? 1 : 2;
	__atomic_store_n(&p->said, true, __ATOMIC_RELAXED);
}

/*
 * Are the mapcounts of large folios averages? The first chunk in which parts of a folio are
 * mapped says it: somewhere there must be a count of its own. Chunks are handed out in order,
 * so those before the first one that answers were read, too.
 */
static void find_average(struct snapshot *s)
{
	struct frames *f = &s->frames;
	struct probe p = { .s = s, .says = heap_array(uint8_t, f->nchunks) };

	jobs_run(s->k->jobs, f->nchunks, probe_chunk, &p);
	for (uint64_t c = 0; p.said && c < f->nchunks; c++)
		if (p.says[c]) {
			f->average = p.says[c] == 2;
			break;
		}
	free(p.says);
	if (!f->average)
		return;
	frames_drop(f); /* read without averages */
	memset(f->store->state, 0, f->nchunks);
	lost_forget(f->store);
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t existing(const struct memmap *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		n += m->v[i].end - m->v[i].pfn;
	return n;
}

void frames_open(struct snapshot *s)
{
	const struct memmap *m = &s->k->memmap;
	struct frame_store *st;

	s->frames = (struct frames){ .max_pfn = m->max_pfn, .existing = existing(m) };
	if (!m->n)
		return;
	s->frames.nchunks = ((m->max_pfn - 1) >> FRAME_CHUNK_SHIFT) + 1;
	st = store_new(s, false);
	st->fmt = heap_array(struct pagefmt, 1);
	pagefmt_init(st->fmt, s->k);
	s->frames.marks_tables = st->fmt->type_table != 0;
	set_limit(s, st);
	/* since ae4192b76937 (v6.15), which needs the total */
	if (!s->refused && st->fmt->large_off)
		find_average(s);
}

void frames_give(struct snapshot *s, struct frame_given *const *chunks, uint64_t nchunks,
		 uint64_t max_pfn)
{
	struct frames *f = &s->frames;
	struct frame *some = heap_array(struct frame, FRAME_CHUNK);
	struct frame_store *st;

	f->nchunks = nchunks;
	f->max_pfn = max_pfn;
	f->existing = 0;
	st = store_new(s, true);
	st->seen = heap_array(uint64_t, nchunks);
	for (uint64_t c = 0; c < nchunks; c++) {
		uint32_t *found = chunks[c] ? frames_found_make(f, c) : NULL;

		for (uint64_t i = 0; found && i < FRAME_CHUNK; i++) {
			const struct frame_given *g = &chunks[c][i];

			some[i] = (struct frame){ .mapcount = g->mapcount, .flags = g->flags };
			found[i] = g->found;
			st->seen[c] += g->found * frame_weight((c << FRAME_CHUNK_SHIFT) + i);
			f->existing += (g->flags & FR_EXISTS) != 0;
		}
		if (found)
			frames_put(f, c, some);
		else
			frames_put_none(f, c);
	}
	free(some);
}

void frames_free(struct frames *f)
{
	struct frame_store *st = f->store;

	if (st) {
		for (uint64_t c = 0; c < f->nchunks; c++)
			frames_free_chunk(st, lost_unveiled(f, c));
		frames_free_chunk(st, st->veil);
		frames_found_drop(f);
		frames_free_fillers(st);
		pool_end(&st->pool);
		pthread_mutex_destroy(&st->lock);
		pthread_mutex_destroy(&st->kinds_lock);
		pthread_cond_destroy(&st->ready);
		free(st->by_value);
		free(st->state);
		free(st->sum);
		free(st->lost);
		free(st->found);
		free(st->seen);
		free(st->turn);
		free(st->whole);
		free(st->fmt);
		free(st);
	}
	free(f->chunk);
	free(f->kind);
	*f = (struct frames){ 0 };
}
