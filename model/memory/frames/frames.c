/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frames.c - keeps frames: packs chunks, reads those that are asked for, and bounds their
 * memory.
 */
#include "model/memory/frames/frames.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/search.h"
#include "model/memory/frames/classes.h"
#include "model/memory/frames/frame_read.h"
#include "model/memory/frames/lost.h"

enum chunk_state {
	CHUNK_UNREAD, CHUNK_READING, CHUNK_THERE, CHUNK_NONE,
	CHUNK_STATES = 0x1f,
	/* beside them */
	CHUNK_IN_PARTS = 0x20,		/* parts of a folio are mapped */
	CHUNK_OWN = 0x40,		/* and have mapcounts of their own */
	CHUNK_SUMMED = 0x80,		/* its sums and issues are known */
};

/* ---- chunks -------------------------------------------------------------------------------- */

/* Its kinds are garbage. */
static struct frame_chunk *new_chunk(struct frame_store *st)
{
	struct frame_chunk *chunk = pool_take(&st->pool);

	chunk->rare = NULL;
	chunk->nrare = 0;
	chunk->parts = NULL;
	chunk->shared = 0;
	chunk->alike = false;
	return chunk;
}

void frames_free_chunk(struct frame_store *st, struct frame_chunk *chunk)
{
	if (!chunk)
		return;
	if (chunk->shared) {
		if (--chunk->shared)
			return;
		st->same[chunk->at] = NULL;
	}
	free(chunk->rare);
	free(chunk->parts);
	pool_give(&st->pool, chunk);
}

/* ---- chunks that are the same ----------------------------------------------------------- */

/*
 * Where memory is huge pages, or free, most chunks have the same kinds, and are kept once, however
 * many there are: all but the first give back what is reserved for them. The place of a chunk is
 * given by its hash; one that is there already stays. Callers of these hold the lock.
 */
static struct frame_chunk *share_again(struct frame_store *st, struct frame_chunk *chunk)
{
	chunk->shared++;
	st->kept -= FRAMES_CHUNK_BYTES;
	return chunk;
}

static void share_first(struct frame_store *st, struct frame_chunk *chunk, uint32_t at)
{
	st->same[at] = chunk;
	chunk->at = at;
	chunk->shared = 1;
}

/* The chunk whose frames are all of KIND. NULL: another has its place. */
static struct frame_chunk *alike_chunk(struct frame_store *st, uint16_t kind)
{
	uint32_t at = frame_kinds_hash(0, kind, FRAME_CHUNK) % FRAMES_SAME;
	struct frame_chunk *chunk = st->same[at];

	if (kind == FRAME_RARE || (chunk && (!chunk->alike || chunk->kind[0] != kind)))
		return NULL;
	if (chunk)
		return share_again(st, chunk);
	chunk = new_chunk(st);
	chunk->alike = true;
	frame_kinds_repeat(chunk->kind, kind, FRAME_CHUNK);
	share_first(st, chunk, at);
	return chunk;
}

/* CHUNK, or the one that is the same, in its place. */
static struct frame_chunk *same_chunk(struct frame_store *st, struct frame_chunk *chunk,
				      uint64_t hash)
{
	uint32_t at = hash % FRAMES_SAME;
	struct frame_chunk *other = st->same[at];

	if (!other) {
		share_first(st, chunk, at);
		return chunk;
	}
	if (memcmp(other->kind, chunk->kind, sizeof(chunk->kind)))
		return chunk;
	frames_free_chunk(st, chunk);
	return share_again(st, other);
}

static void write_all(struct frame_filler *fi)
{
	if (fi->sums.alike)
		frames_repeat(fi->frames, &fi->frames[0], FRAME_CHUNK);
	fi->sums.alike = false;
}

/* ---- reading ------------------------------------------------------------------------------ */

struct frame_filler *frames_take_filler(struct frame_store *st)
{
	struct frame_filler *fi;

	pthread_mutex_lock(&st->lock);
	fi = st->idle;
	if (fi)
		st->idle = fi->next;
	pthread_mutex_unlock(&st->lock);
	if (fi)
		return fi;
	fi = heap_array(struct frame_filler, 1);
	fi->number = __atomic_fetch_add(&st->nfillers, 1, __ATOMIC_RELAXED);
	if (st->k)
		fi->reader = frame_reader_new(st->k, st->fmt);
	return fi;
}

void frames_give_filler(struct frame_store *st, struct frame_filler *fi)
{
	pthread_mutex_lock(&st->lock);
	fi->next = st->idle;
	st->idle = fi;
	pthread_mutex_unlock(&st->lock);
}

void frames_put(struct frames *f, uint64_t c, const struct frame *frames)
{
	struct frame_store *st = f->store;
	struct frame_filler *fi = frames_take_filler(st);

	memcpy(fi->frames, frames, sizeof(fi->frames));
	f->chunk[c] = new_chunk(st);
	frames_pack(st, fi, f->chunk[c]);
	frames_sum_up(st, c, fi->frames, false);
	st->state[c] = CHUNK_THERE | CHUNK_SUMMED;
	frames_give_filler(st, fi);
}

void frames_put_none(struct frames *f, uint64_t c)
{
	f->store->state[c] = CHUNK_NONE | CHUNK_SUMMED;
}

/* Reads chunk C into FI. False: it has no frames. */
static bool read_chunk(struct frame_store *st, struct frame_filler *fi, uint64_t c)
{
	uint64_t pfn = c << FRAME_CHUNK_SHIFT;
	bool any;

	if (st->classes)
		frame_read_also(fi->reader, page_classes_take(st->classes, fi->number, c),
				fi->number);
	any = frame_read(fi->reader, pfn, pfn + FRAME_CHUNK, st->frames->average, fi->frames,
			 &fi->sums);
	frame_read_also(fi->reader, NULL, 0);
	/* a folio of this size has its head here: the dump is damaged */
	if (fi->sums.alike && fi->frames[0].flags >> FR_ORDER_SHIFT < FRAME_CHUNK_SHIFT)
		write_all(fi);
	return any;
}

/* Counts what was read, at the first time. Caller holds the lock. */
static void note_read(struct frame_store *st, uint64_t c, const struct frame_sums *sums)
{
	if (st->state[c] & CHUNK_SUMMED)
		return;
	st->state[c] |= CHUNK_SUMMED | (sums->pte_mapped ? CHUNK_IN_PARTS : 0) |
			(sums->own_mapped ? CHUNK_OWN : 0);
	lost_note(st, c, sums);
}

static enum chunk_state state_of(const struct frame_store *st, uint64_t c)
{
	return __atomic_load_n(&st->state[c], __ATOMIC_ACQUIRE) & CHUNK_STATES;
}

static void set_state(struct frame_store *st, uint64_t c, enum chunk_state to)
{
	__atomic_store_n(&st->state[c], (st->state[c] & ~(unsigned)CHUNK_STATES) | to,
			 __ATOMIC_RELEASE);
}

static void publish(struct frame_store *st, uint64_t c, struct frame_chunk *chunk)
{
	__atomic_store_n(&st->frames->chunk[c], lost_veiled(st, c, chunk), __ATOMIC_RELEASE);
	set_state(st, c, chunk ? CHUNK_THERE : CHUNK_NONE);
	pthread_cond_broadcast(&st->ready);
}

/* Reads and keeps chunk C, which is CHUNK_READING and has room for BYTES. Caller holds the lock, which is let go
   meanwhile. */
static void fill(struct frame_store *st, uint64_t c, uint64_t bytes)
{
	struct frame_chunk *chunk = NULL;
	struct frame_filler *fi;
	uint64_t hash = 0;
	bool any;

	if (frames_are_parts(st->frames, c)) {
		any = frames_next_chunk(st->frames, c) == c;
		st->kept -= any ? 0 : bytes;
		publish(st, c, any ? parts_new(st) : NULL);
		return;
	}
	pthread_mutex_unlock(&st->lock);
	fi = frames_take_filler(st);
	any = read_chunk(st, fi, c);
	if (any && !frames_summed(st->frames, c))
		frames_sum_up(st, c, fi->frames, fi->sums.alike);
	if (any && fi->sums.alike) {
		uint16_t kind = frames_kind_of(st, fi, &fi->frames[0]);

		pthread_mutex_lock(&st->lock);
		chunk = alike_chunk(st, kind);
		pthread_mutex_unlock(&st->lock);
	}
	if (any && !chunk) {
		write_all(fi);
		chunk = new_chunk(st);
		hash = frames_pack(st, fi, chunk);
	}
	pthread_mutex_lock(&st->lock);
	if (hash)
		chunk = same_chunk(st, chunk, hash);
	note_read(st, c, &fi->sums);
	lost_ask(st, c);
	fi->next = st->idle;
	st->idle = fi;
	st->kept += any ? chunk->nrare * sizeof(*chunk->rare) : 0;
	st->kept -= any ? 0 : bytes;
	publish(st, c, chunk);
}

static bool has_room(const struct frame_store *st, uint64_t bytes)
{
	return !st->kept || (st->kept < st->limit && st->limit - st->kept >= bytes);
}

/* Caller holds the lock. Returns with C read, or false: there is no room. */
static bool bring(struct frame_store *st, uint64_t c, uint64_t bytes)
{
	while (state_of(st, c) == CHUNK_READING)
		pthread_cond_wait(&st->ready, &st->lock);
	if (state_of(st, c) != CHUNK_UNREAD)
		return true;
	if (!has_room(st, bytes))
		return false;
	set_state(st, c, CHUNK_READING);
	st->kept += bytes;
	fill(st, c, bytes);
	return true;
}

void frames_free_fillers(struct frame_store *st)
{
	while (st->idle) {
		struct frame_filler *fi = st->idle;

		st->idle = fi->next;
		if (fi->reader)
			frame_reader_free(fi->reader);
		free(fi);
	}
}

void frames_classify(const struct frames *f, struct class_pass *classes)
{
	f->store->classes = classes;
}

/* ---- one frame ------------------------------------------------------------------------- */

uint64_t frames_next_chunk(const struct frames *f, uint64_t c)
{
	const struct frame_store *st = f->store;
	const struct memmap *m = st && st->k ? &st->k->memmap : NULL;
	uint64_t pfn = c << FRAME_CHUNK_SHIFT;
	uint32_t i;

	if (!m)
		return min_u64(c, f->nchunks);
	i = search_first(m->n, mid, m->v[mid].end <= pfn);
	if (i == m->n)
		return f->nchunks;
	return m->v[i].pfn > pfn ? m->v[i].pfn >> FRAME_CHUNK_SHIFT : c;
}

const struct frame *frames_peek(struct frame_store *st, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	struct frame_filler *fi;
	uint32_t kind;

	if (!st->k || frames_next_chunk(st->frames, c) != c)
		return NULL;
	fi = frames_take_filler(st);
	frame_read(fi->reader, pfn, pfn + 1, st->frames->average, fi->frames, &fi->sums);
	kind = frames_kind_of(st, fi, &fi->frames[0]);
	if (kind == FRAME_RARE) { /* until FRAMES_GUESTS others were asked for */
		kind += __atomic_fetch_add(&st->nguests, 1, __ATOMIC_RELAXED) % FRAMES_GUESTS;
		st->frames->kind[kind] = fi->frames[0];
	}
	frames_give_filler(st, fi);
	return &st->frames->kind[kind];
}

static const struct frame *rare_frame(const struct frame_chunk *chunk, uint32_t at)
{
	size_t i = search_first(chunk->nrare, mid, chunk->rare[mid].at < at);

	return &chunk->rare[i].f;
}

const struct frame *frame_fetch(const struct frames *f, uint64_t pfn)
{
	struct frame_store *st = f->store;
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	struct frame_chunk *chunk = __atomic_load_n(&f->chunk[c], __ATOMIC_ACQUIRE);
	uint32_t at = pfn & (FRAME_CHUNK - 1);

	if (!chunk && state_of(st, c) != CHUNK_NONE &&
	    (!st->walking || state_of(st, c) == CHUNK_READING)) {
		pthread_mutex_lock(&st->lock);
		bring(st, c, FRAMES_CHUNK_BYTES);
		pthread_mutex_unlock(&st->lock);
		chunk = __atomic_load_n(&f->chunk[c], __ATOMIC_ACQUIRE);
	}
	if (!chunk)
		return state_of(st, c) == CHUNK_NONE ? NULL : frames_peek(st, pfn);
	if (chunk == st->veil) {
		lost_ask(st, c);
		chunk = lost_unveiled(f, c);
	}
	if (chunk->parts)
		return parts_frame(st, chunk, pfn);
	return chunk->kind[at] == FRAME_RARE ? rare_frame(chunk, at) : &f->kind[chunk->kind[at]];
}

/* ---- all frames --------------------------------------------------------------------------- */

void frames_load(const struct frames *f, uint64_t pfn)
{
	struct frame_store *st = f->store;
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	bool room;

	if (c >= f->nchunks || f->chunk[c] || state_of(st, c) == CHUNK_NONE)
		return;
	pthread_mutex_lock(&st->lock);
	if (st->spare) {
		lost_drop(st, st->spare_at);
		set_state(st, st->spare_at, CHUNK_UNREAD);
		st->spare = NULL;
	}
	room = bring(st, c, FRAMES_CHUNK_BYTES);
	if (!room) {
		uint64_t limit = st->limit, kept = st->kept;

		st->limit = UINT64_MAX;
		bring(st, c, FRAMES_CHUNK_BYTES);
		st->limit = limit;
		st->spare = lost_unveiled(f, c);
		st->spare_at = c;
		st->kept = kept;
		if (st->spare && st->spare->shared == 1) { /* it will not be there for others */
			st->same[st->spare->at] = NULL;
			st->spare->shared = 0;
		}
	}
	pthread_mutex_unlock(&st->lock);
}

static void load_one(void *ctx, unsigned worker, size_t c)
{
	const struct frames *f = ctx;
	struct frame_store *st = f->store;

	(void)worker;
	if (frames_next_chunk(f, c) != c || f->chunk[c])
		return;
	pthread_mutex_lock(&st->lock);
	bring(st, c, FRAMES_CHUNK_BYTES);
	pthread_mutex_unlock(&st->lock);
}

void frames_load_all(const struct snapshot *s)
{
	jobs_run(s->k->jobs, s->frames.nchunks, load_one, (void *)&s->frames);
}

void frames_drop(const struct frames *f)
{
	struct frame_store *st = f->store;

	if (!st || !st->k)
		return;
	for (uint64_t c = frames_next_chunk(f, 0); c < f->nchunks;
	     c = frames_next_chunk(f, c + 1)) {
		if (!f->chunk[c])
			continue;
		lost_drop(st, c);
		set_state(st, c, CHUNK_UNREAD);
	}
	st->spare = NULL;
	st->kept = 0;
}

uint64_t frames_room(const struct frames *f)
{
	const struct frame_store *st = f->store;

	if (!st)
		return UINT64_MAX;
	return st->limit > st->kept ? st->limit - st->kept : 0;
}

bool frames_summed(const struct frames *f, uint64_t c)
{
	return __atomic_load_n(&f->store->state[c], __ATOMIC_ACQUIRE) & CHUNK_SUMMED;
}

uint64_t frames_chunks(const struct frames *f)
{
	uint64_t n = 0;

	for (uint64_t c = 0; f->store && c < f->nchunks; c++)
		n += frames_summed(f, c) && state_of(f->store, c) != CHUNK_NONE;
	return n;
}

/* Page tables among the frames of a chunk; of those that are ALIKE only the first is looked at. */
static uint64_t count_tables(const struct frame *frames, bool alike)
{
	uint32_t n = alike ? 1 : FRAME_CHUNK;
	uint64_t tables = 0;

	for (uint32_t i = 0; i < n; i++)
		tables += (frames[i].flags & FR_PGTABLE) != 0;
	return tables * (FRAME_CHUNK / n);
}

/* Reads C without keeping it. Returns its page tables, if they are TO_COUNT. */
static uint64_t stream(struct frame_store *st, uint64_t c, bool to_count)
{
	struct frame_filler *fi = frames_take_filler(st);
	bool first = !frames_summed(st->frames, c);
	uint64_t tables = 0;

	if (read_chunk(st, fi, c)) {
		if (first)
			frames_sum_up(st, c, fi->frames, fi->sums.alike);
		if (to_count)
			tables = count_tables(fi->frames, fi->sums.alike);
	}
	pthread_mutex_lock(&st->lock);
	note_read(st, c, &fi->sums);
	lost_ask(st, c);
	pthread_mutex_unlock(&st->lock);
	frames_give_filler(st, fi);
	return tables;
}

void frames_probe(struct frames *f, uint64_t c, bool *in_parts, bool *own)
{
	struct frame_store *st = f->store;
	bool kept;

	pthread_mutex_lock(&st->lock);
	kept = bring(st, c, FRAMES_CHUNK_BYTES);
	pthread_mutex_unlock(&st->lock);
	if (!kept)
		stream(st, c, false);
	*in_parts = st->state[c] & CHUNK_IN_PARTS;
	*own = st->state[c] & CHUNK_OWN;
}

void frames_sum(const struct frames *f, uint64_t c)
{
	if (!frames_summed(f, c))
		stream(f->store, c, false);
}

uint64_t frames_count_tables(const struct frames *f)
{
	uint64_t n = 0;

	for (uint64_t c = frames_next_chunk(f, 0); c < f->nchunks;
	     c = frames_next_chunk(f, c + 1)) {
		const struct frame_chunk *chunk = __atomic_load_n(&f->chunk[c], __ATOMIC_ACQUIRE);

		if (!chunk && f->store->k) {
			n += stream(f->store, c, true);
			continue;
		}
		for (uint32_t i = 0; chunk && i < FRAME_CHUNK; i++)
			n += (frame_at(f, (c << FRAME_CHUNK_SHIFT) + i)->flags & FR_PGTABLE) != 0;
	}
	return n;
}

/* ---- turns --------------------------------------------------------------------------------- */

static uint64_t chunks_there(const struct frames *f)
{
	uint64_t n = 0;

	for (uint64_t c = frames_next_chunk(f, 0); c < f->nchunks; c = frames_next_chunk(f, c + 1))
		n++;
	return n;
}

bool frames_fit(const struct frames *f, uint64_t bytes, uint64_t more)
{
	const struct frame_store *st = f->store;

	return st->limit >= more && chunks_there(f) <= (st->limit - more) / bytes;
}

void frames_turns_begin(const struct frames *f, uint64_t bytes)
{
	struct frame_store *st = f->store;

	if (!st || !st->k || frames_fit(f, bytes, 0))
		return;
	frames_drop(f);
	st->chunk_bytes = bytes;
	st->turn = heap_array(uint8_t, f->nchunks);
	st->walking = true;
	st->closed = false;
}

bool frames_turn_end(const struct frames *f)
{
	struct frame_store *st = f->store;
	bool more = st && st->turn && st->closed;

	if (!st || !st->turn)
		return false;
	frames_drop(f);
	st->closed = false;
	for (uint64_t c = 0; more && c < f->nchunks; c++)
		if (st->turn[c] == TURN_NOW)
			st->turn[c] = TURN_DONE;
	if (more)
		return true;
	free(st->turn);
	st->turn = NULL;
	st->walking = false;
	return false;
}

bool frames_admit(const struct frames *f, uint64_t c)
{
	struct frame_store *st = f->store;
	bool now, none = frames_next_chunk(f, c) != c;

	pthread_mutex_lock(&st->lock);
	if (st->turn[c] == TURN_OPEN && (none || (!st->closed && has_room(st, st->chunk_bytes)))) {
		/* first: while it is read, others ask for it, or close */
		__atomic_store_n(&st->turn[c], TURN_NOW, __ATOMIC_RELEASE);
		if (!none)
			bring(st, c, st->chunk_bytes);
	}
	now = st->turn[c] == TURN_NOW;
	st->closed |= st->turn[c] == TURN_OPEN;
	pthread_mutex_unlock(&st->lock);
	return now;
}

void frames_turns_only(const struct frames *f, const uint64_t *chunks, size_t n)
{
	struct frame_store *st = f->store;

	st->turn = heap_array(uint8_t, f->nchunks);
	memset(st->turn, TURN_DONE, f->nchunks);
	for (size_t i = 0; i < n; i++) {
		st->turn[chunks[i]] = TURN_NOW;
		load_one((void *)f, 0, chunks[i]);
	}
	st->walking = true;
}

void frames_turns_over(const struct frames *f)
{
	free(f->store->turn);
	f->store->turn = NULL;
	f->store->walking = false;
}
