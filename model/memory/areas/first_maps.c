/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * first_maps.c - one walk over page tables, keeping the first entry of each frame.
 */
#include "model/memory/areas/first_maps.h"

#include <stdlib.h>

#include "arch/ptebits.h"
#include "dumpread/base/heap.h"
#include "model/memory/source/capture.h"
#include "model/memory/usage/residency.h"

#define CHUNK_FRAMES (UINT64_C(1) << FRAME_CHUNK_SHIFT)

struct walk {
	struct first_maps *to;
	const struct ptebits *bits;
	uint32_t vma;			/* the one being walked, + 1 */
	struct arena *mem;
};

static bool keep_first(void *arg, const struct resident_page *p)
{
	struct walk *w = arg;
	struct first_map **chunk = &w->to->chunk[p->pfn >> FRAME_CHUNK_SHIFT], *map;
	const struct capture_page *given = p->leaf->captured;

	if (!*chunk)
		*chunk = heap_array(struct first_map, CHUNK_FRAMES);
	map = &(*chunk)[p->pfn & (CHUNK_FRAMES - 1)];
	if (map->vma)
		return true;
	map->vma = w->vma;
	map->pte = given ? given->bits : ptebits_encode(w->bits, p->leaf->pte.flags);
	if (given) {
		hash_put(&w->to->given_of, p->pfn + 1, (uint32_t)w->to->given.n);
		*vec_push(w->mem, &w->to->given) =
			(struct given_page){ .flags = given->flags, .count = given->count };
	}
	return true;
}

void first_maps_build(const struct snapshot *s, uint32_t only, struct arena *mem,
		      struct first_maps *ret)
{
	struct walk w = { .to = ret, .bits = ptebits_of_arch(s->k->arch), .mem = mem };
	struct reader *r = kernel_reader(s->k);
	struct page_budget budget;

	*ret = (struct first_maps){ .nchunks = s->frames.nchunks, .given_of.mem = mem };
	ret->chunk = heap_array(struct first_map *, ret->nchunks);
	page_budget_init(&budget, s);
	for (uint32_t i = 0; i < s->nvmas; i++) {
		w.vma = i + 1;
		if (only == NONE || s->vmas[i].mm == only)
			resident_walk(s, r, &s->vmas[i], &budget, keep_first, &w);
	}
	reader_free(r);
}

void first_maps_release(struct first_maps *x)
{
	for (uint64_t c = 0; x->chunk && c < x->nchunks; c++)
		free(x->chunk[c]);
	free(x->chunk);
	x->chunk = NULL;
}

struct first_map first_maps_at(const struct first_maps *x, uint64_t pfn)
{
	const struct first_map *chunk = x->chunk[pfn >> FRAME_CHUNK_SHIFT];

	return chunk ? chunk[pfn & (CHUNK_FRAMES - 1)] : (struct first_map){ 0 };
}

const struct given_page *first_maps_given(const struct first_maps *x, uint64_t pfn)
{
	uint32_t i = hash_get(&x->given_of, pfn + 1);

	return i == HASH_NONE ? NULL : &x->given.v[i];
}
