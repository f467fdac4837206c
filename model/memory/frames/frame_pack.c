/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame_pack.c - the frames of a chunk become indices of the distinct frames, and are summed up.
 * Neighbours are alike, as a rule: both go from run to run.
 */
#include <string.h>

#include "dumpread/base/heap.h"
#include "model/memory/frames/frames.h"

/* ---- distinct frames ---------------------------------------------------------------- */

static uint64_t value_hash(const struct frame *f)
{
	return frame_hash((uint64_t)f->flags << 32 | f->mapcount);
}

/* A frame as one number: equal frames have the same. */
static inline uint64_t number_of(const struct frame *f)
{
	uint64_t n;

	_Static_assert(sizeof(*f) == sizeof(n), "a frame has no padding");
	memcpy(&n, f, sizeof(n));
	return n;
}

static bool same(const struct frame *a, const struct frame *b)
{
	return number_of(a) == number_of(b);
}

/* The slot of F in by_value, or the first empty one from AT on. */
static uint32_t find_slot(const struct frame_store *st, const struct frame *f, uint32_t at)
{
	uint16_t v;

	while ((v = __atomic_load_n(&st->by_value[at], __ATOMIC_ACQUIRE)) &&
	       !same(&st->frames->kind[v - 1], f))
		at = (at + 1) & (FRAMES_TABLE - 1);
	return at;
}

static uint16_t kind_of(struct frame_store *st, const struct frame *f)
{
	uint32_t at = find_slot(st, f, (uint32_t)(value_hash(f) >> 47));
	uint16_t kind = __atomic_load_n(&st->by_value[at], __ATOMIC_ACQUIRE);

	if (kind)
		return kind - 1;
	pthread_mutex_lock(&st->kinds_lock);
	at = find_slot(st, f, at);
	kind = st->by_value[at];
	if (!kind && st->nkinds < FRAME_RARE) {
		st->frames->kind[st->nkinds] = *f;
		kind = (uint16_t)++st->nkinds;
		__atomic_store_n(&st->by_value[at], kind, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&st->kinds_lock);
	return kind ? kind - 1 : FRAME_RARE;
}

uint16_t frames_kind_of(struct frame_store *st, struct frame_filler *fi, const struct frame *f)
{
	unsigned at = (unsigned)(value_hash(f) >> 54);

	if (!fi->recent[at].used || !same(&fi->recent[at].f, f)) {
		fi->recent[at].f = *f;
		fi->recent[at].kind = kind_of(st, f);
		fi->recent[at].used = true;
	}
	return fi->recent[at].kind;
}

static void add_rare(struct frame_chunk *chunk, uint32_t at, const struct frame *f)
{
	if (!(chunk->nrare & (chunk->nrare - 1)))
		chunk->rare = heap_grow(chunk->rare, chunk->nrare ? 2 * (size_t)chunk->nrare : 1,
					sizeof(*chunk->rare));
	chunk->rare[chunk->nrare++] = (struct frame_rare){ at, *f };
}

/* ---- a chunk --------------------------------------------------------------------------- */

#define AT_ONCE 64u

/* The end of the run of frames that are as frame I of a chunk. Each of a block is as the one before it: all are. */
static uint32_t run_end(const struct frame *frames, uint32_t i)
{
	uint64_t first = number_of(&frames[i++]);

	while (i + AT_ONCE <= FRAME_CHUNK &&
	       !memcmp(&frames[i], &frames[i - 1], AT_ONCE * sizeof(*frames)))
		i += AT_ONCE;
	while (i < FRAME_CHUNK && number_of(&frames[i]) == first)
		i++;
	return i;
}

uint64_t frames_pack(struct frame_store *st, struct frame_filler *fi, struct frame_chunk *chunk)
{
	uint32_t runs = 0;
	uint64_t hash = 0;

	for (uint32_t i = 0, end; i < FRAME_CHUNK; i = end) {
		const struct frame *f = &fi->frames[i];
		uint16_t kind = frames_kind_of(st, fi, f);

		end = run_end(fi->frames, i);
		frame_kinds_repeat(&chunk->kind[i], kind, end - i);
		for (uint32_t j = i; kind == FRAME_RARE && j < end; j++)
			add_rare(chunk, j, f);
		hash = frame_kinds_hash(hash, kind, end);
		runs++;
	}
	return chunk->nrare || runs > FRAMES_RUNS ? 0 : hash;
}

/* ---- sums ------------------------------------------------------------------------------ */

/* frame_counted() of frame AT of a whole chunk. A head in another chunk makes the sum wrong: then
   mappings are counted one by one. */
static uint32_t counted_here(const struct frame_store *st, const struct frame *frames, uint32_t at)
{
	unsigned order = frames[at].flags >> FR_ORDER_SHIFT;

	if (order >= FRAME_CHUNK_SHIFT || !frame_counts_by_head(st, &frames[at]))
		return frames[at].mapcount;
	return frames[at >> order << order].mapcount;
}

void frames_sum_up(struct frame_store *st, uint64_t c, const struct frame *frames, bool alike)
{
	struct frame_sum sum = { 0 };
	uint32_t i, end, n;

	/* neighbours are alike, as a rule */
	for (i = 0; i < FRAME_CHUNK; i = end) {
		const struct frame *f = &frames[i];
		bool alone = frame_counts_by_head(st, f);

		end = alike ? FRAME_CHUNK : alone ? i + 1 : run_end(frames, i);
		if (!f->flags)
			continue;
		if (f->flags & (FR_EXISTS | FR_UNREAD))
			sum.there += end - i;
		n = frame_is_blank(f) ? 0 : counted_here(st, frames, i);
		if (!n)
			continue;
		sum.mapped += end - i;
		sum.expected += n * frame_weights((c << FRAME_CHUNK_SHIFT) + i, end - i);
	}
	st->sum[c] = sum;
}
