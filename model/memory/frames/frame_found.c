/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame_found.c - the mappings of single frames: the kernel's count, and those that the walk
 * found.
 */
#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "model/memory/frames/frames.h"

uint32_t frame_counted(const struct frames *f, const struct frame *fr, uint64_t pfn)
{
	unsigned order = fr->flags >> FR_ORDER_SHIFT;
	const struct frame *head;

	if (!frame_counts_by_head(f->store, fr))
		return fr->mapcount;
	head = frame_at(f, pfn >> order << order);
	return head ? head->mapcount : fr->mapcount;
}

uint32_t frame_found(const struct frames *f, uint64_t pfn)
{
	const struct frame_store *st = f->store;
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	const struct frame *fr;

	if (!st || c >= f->nchunks)
		return 0;
	if (st->found && st->found[c])
		return st->found[c][pfn & (FRAME_CHUNK - 1)];
	if (!st->seen || !st->seen[c])
		return 0;
	/* the sums are equal */
	fr = frame_at(f, pfn);
	return fr && !frame_is_blank(fr) ? frame_counted(f, fr, pfn) : 0;
}

bool frames_found_alike(const struct frames *f, uint64_t pfn)
{
	const struct frame_store *st = f->store;
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	const struct frame_chunk *chunk;

	if (!st || c >= f->nchunks || (!st->found[c] && (!st->seen || !st->seen[c])))
		return true;
	chunk = __atomic_load_n(&f->chunk[c], __ATOMIC_ACQUIRE);
	return !st->found[c] && chunk && chunk->alike &&
	       !frame_counts_by_head(st, frame_at(f, pfn));
}

uint32_t *frames_found_make(const struct frames *f, uint64_t c)
{
	uint32_t **at = &f->store->found[c], *none = NULL, *fresh;

	if (__atomic_load_n(at, __ATOMIC_ACQUIRE))
		return *at;
	fresh = heap_array(uint32_t, FRAME_CHUNK);
	if (__atomic_compare_exchange_n(at, &none, fresh, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return fresh;
	free(fresh);
	return none;
}

void frames_found_drop(const struct frames *f)
{
	for (uint64_t c = 0; f->store->found && c < f->nchunks; c++) {
		free(f->store->found[c]);
		f->store->found[c] = NULL;
	}
}
