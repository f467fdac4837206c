/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pageraw.c - reads the words of single struct pages, a page of them at a time.
 */
#include "model/memory/frames/pageraw.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"
#include "model/kernel/page/pagefmt.h"
#include "model/memory/frames/frames.h"

#define PART 64u		/* frames that are read together: a page of struct pages */
#define WORDS UINT32_C(32768)	/* distinct ones that are kept */
#define SLOTS (2 * WORDS)
#define RARE UINT16_MAX		/* not among them: read each time */
#define CHUNK_BYTES (FRAME_CHUNK * sizeof(uint16_t))
#define TABLE_BYTES (WORDS * sizeof(struct pageraw_words) + SLOTS * sizeof(uint16_t))

void pageraw_init(struct pageraw *p, const struct snapshot *s, struct reader *r)
{
	*p = (struct pageraw){ .s = s, .r = r };
	if (!r || !s->k->memmap.n)
		return;
	p->f = heap_array(struct pagefmt, 1);
	pagefmt_init(p->f, s->k);
	if (!s->frames.store || s->k->dump->live || frames_room(&s->frames) / 2 < TABLE_BYTES)
		return;
	p->nchunks = s->frames.nchunks;
	p->chunk = heap_array(uint16_t *, p->nchunks);
	p->words = heap_array(struct pageraw_words, WORDS);
	p->by_value = heap_array(uint16_t, SLOTS);
}

void pageraw_release(struct pageraw *p)
{
	for (uint64_t i = 0; i < p->nchunks; i++)
		free(p->chunk[i]);
	free(p->chunk);
	free(p->words);
	free(p->by_value);
	free(p->f);
	*p = (struct pageraw){ 0 };
}

static bool read_struct_page(const struct pageraw *p, uint64_t pfn, uint8_t *raw)
{
	uint64_t kva = p->f ? memmap_page_kva(&p->s->k->memmap, pfn) : 0;

	return kva && !read_kva(p->r, kva, raw, p->f->size);
}

/* Of PFN, zeros if it cannot be read. */
static struct pageraw_words read_words(const struct pageraw *p, uint64_t pfn)
{
	uint8_t raw[STRUCT_PAGE_MAX];

	if (!read_struct_page(p, pfn, raw))
		return (struct pageraw_words){ 0 };
	return (struct pageraw_words){ page_flags(p->f, raw), page_refcount(p->f, raw) };
}

/* The index of W in p->words, + 1, or RARE. */
static uint16_t index_of(struct pageraw *p, struct pageraw_words w)
{
	uint32_t at = (uint32_t)frame_hash(frame_hash(w.flags) ^ w.references) & (SLOTS - 1);

	for (; p->by_value[at]; at = (at + 1) & (SLOTS - 1)) {
		const struct pageraw_words *x = &p->words[p->by_value[at] - 1];

		if (x->flags == w.flags && x->references == w.references)
			return p->by_value[at];
	}
	if (p->nwords == WORDS)
		return RARE;
	p->words[p->nwords++] = w;
	p->by_value[at] = (uint16_t)p->nwords;
	return p->by_value[at];
}

/* The indices of the part with PFN; NULL: there is no room for its chunk. */
static uint16_t *part_of(struct pageraw *p, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;

	if (c >= p->nchunks)
		return NULL;
	if (!p->chunk[c] &&
	    frames_room(&p->s->frames) / 2 >= TABLE_BYTES + (p->nkept + 1) * CHUNK_BYTES) {
		p->chunk[c] = heap_array(uint16_t, FRAME_CHUNK);
		p->nkept++;
	}
	return p->chunk[c] ? p->chunk[c] + (pfn & (FRAME_CHUNK - 1) & ~(uint64_t)(PART - 1)) : NULL;
}

static struct pageraw_words words_of(struct pageraw *p, uint64_t pfn)
{
	uint16_t *part = part_of(p, pfn);
	uint64_t i = pfn % PART;

	if (!part || part[i] == RARE)
		return read_words(p, pfn);
	if (!part[i])
		for (uint64_t n = 0; n < PART; n++)
			part[n] = index_of(p, read_words(p, pfn - i + n));
	return part[i] == RARE ? read_words(p, pfn) : p->words[part[i] - 1];
}

uint64_t pageraw_flags(struct pageraw *p, uint64_t pfn)
{
	return words_of(p, pfn).flags;
}

uint32_t pageraw_references(struct pageraw *p, uint64_t pfn)
{
	return words_of(p, pfn).references;
}
