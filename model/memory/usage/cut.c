/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cut.c - cuts the page tables of all mms into work items.
 */
#include "model/memory/usage/cut.h"

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/kernel/source.h"

#define ITEM_BYTES (UINT64_C(1) << 30)	/* of virtual size: an item ends after it */
#define ITEM_VMAS 512
#define PIECES_MAX 256			/* of one VMA */
#define BUDGET_MIN (1 << 20)		/* for the smallest of dumps */

static struct cut_item *new_item(struct cut *c)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 1024;
		c->v = heap_grow(c->v, c->cap, sizeof(*c->v));
	}
	c->v[c->n] = (struct cut_item){ 0 };
	return &c->v[c->n++];
}

/*
 * Pieces begin at multiples of a power of two that is at least the size that a level-2
 * entry maps, so that no entry or table of a lower level is in two pieces.
 */
static uint64_t piece_size(const struct cut *c, uint64_t bytes)
{
	const struct paging *pg = c->s->k->paging;
	unsigned level = pg && pg->nlevels > 2 ? 2 : pg ? pg->nlevels - 1u : 0;
	uint64_t size = ITEM_BYTES;

	if (pg)
		size = max_u64(UINT64_C(1) << paging_shift(pg, level), size);
	while (bytes / size >= PIECES_MAX)
		size <<= 1;
	return size;
}

/* Entries of hugetlb, and of shared tables above them, must stay in one piece. */
static bool may_split(const struct cut *c, const struct vma *v)
{
	return v->end - v->start > 2 * ITEM_BYTES && !(v->flags & VMA_HUGETLB) &&
	       !(c->whole_shmem && v->file != NONE && c->s->files[v->file].kind == FILE_SHMEM);
}

static void cut_vma(struct cut *c, uint32_t vma)
{
	const struct vma *v = &c->s->vmas[vma];
	uint64_t size = piece_size(c, v->end - v->start), at = v->start;

	while (at < v->end) {
		uint64_t next = (at & ~(size - 1)) + size;

		if (next < at || next > v->end)
			next = v->end;
		*new_item(c) =
			(struct cut_item){ .vma = vma, .nvmas = 1, .start = at, .end = next };
		at = next;
	}
}

void cut_mm(struct cut *c, const struct mm *m)
{
	struct cut_item *open = NULL;
	uint64_t bytes = 0;

	for (uint32_t i = m->first_vma; i < m->first_vma + m->nvmas; i++) {
		const struct vma *v = &c->s->vmas[i];

		if (may_split(c, v)) {
			cut_vma(c, i);
			open = NULL;
			continue;
		}
		if (!open || bytes > ITEM_BYTES || open->nvmas == ITEM_VMAS) {
			open = new_item(c);
			open->vma = i;
			bytes = 0;
		}
		open->nvmas++;
		bytes += v->end - v->start;
	}
}

void cut_release(struct cut *c)
{
	free(c->v);
	c->v = NULL;
	c->n = c->cap = 0;
}

uint64_t cut_budget(const struct snapshot *s)
{
	uint64_t pages = source_has(s->k, SOURCE_MEMORY) ? s->k->dump->max_pfn : 0;

	/* each VMA enters the tables above it again */
	return 64 * pages + UINT64_C(8) * s->nvmas + BUDGET_MIN;
}
