/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parts.c - chunks of frames that are read in parts. A process of some megabytes has frames in
 * most chunks of a machine: reading those as a whole would read most of the page array. So have the
 * frames that no page table tells (model/memory/usage/told.h).
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "model/memory/frames/frames.h"

#define PART 64u		/* frames: a page of 4 KiB has as many struct pages */
#define PARTS (FRAME_CHUNK / PART)

void frames_in_parts(const struct frames *f, bool *whole)
{
	struct frame_store *st = f->store;

	if (!st || !st->k)
		return;
	st->in_parts = true;
	free(st->whole);
	st->whole = whole;
}

bool frames_are_parts(const struct frames *f, uint64_t c)
{
	const struct frame_store *st = f->store;

	return st->in_parts && !(st->whole && st->whole[c]);
}

struct frame_chunk *parts_new(struct frame_store *st)
{
	struct frame_chunk *chunk = pool_take(&st->pool);

	memset(chunk->kind, 0xff, sizeof(chunk->kind)); /* FRAME_RARE: ask parts_frame() */
	chunk->rare = NULL;
	chunk->nrare = 0;
	chunk->shared = 0;
	chunk->alike = false;
	chunk->parts = heap_calloc(PARTS / 8, 1);
	return chunk;
}

static bool was_read(const struct frame_chunk *chunk, uint32_t part)
{
	return __atomic_load_n(&chunk->parts[part / 64], __ATOMIC_ACQUIRE) >> part % 64 & 1;
}

/* Two threads may read the same part: the second finds it read. */
static void read_part(struct frame_store *st, struct frame_chunk *chunk, uint64_t pfn,
		      uint32_t part)
{
	struct frame_filler *fi = frames_take_filler(st);
	uint16_t kind[PART];

	pfn &= ~(uint64_t)(PART - 1);
	frame_read(fi->reader, pfn, pfn + PART, st->frames->average, fi->frames, &fi->sums);
	for (uint32_t i = 0; i < PART; i++)
		kind[i] = frames_kind_of(st, fi, &fi->frames[i]);
	pthread_mutex_lock(&st->lock);
	if (!was_read(chunk, part)) {
		for (uint32_t i = 0; i < PART; i++)
			__atomic_store_n(&chunk->kind[part * PART + i], kind[i], __ATOMIC_RELAXED);
		if (!frames_summed(st->frames,
				   pfn >> FRAME_CHUNK_SHIFT)) { /* else it was counted whole */
			st->frames->unread += fi->sums.unread;
			st->lost_heads += fi->sums.lost_heads;
		}
		__atomic_fetch_or(&chunk->parts[part / 64], UINT64_C(1) << part % 64,
				  __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&st->lock);
	frames_give_filler(st, fi);
}

const struct frame *parts_frame(struct frame_store *st, struct frame_chunk *chunk, uint64_t pfn)
{
	uint32_t at = pfn & (FRAME_CHUNK - 1);
	uint16_t kind;

	if (!was_read(chunk, at / PART))
		read_part(st, chunk, pfn, at / PART);
	kind = __atomic_load_n(&chunk->kind[at], __ATOMIC_RELAXED);
	return kind == FRAME_RARE ? frames_peek(st, pfn) : &st->frames->kind[kind];
}
