/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memmap_find.c - from frames to struct pages and back, in the ranges that memmap.c found.
 */
#include "dumpread/base/search.h"
#include "model/kernel/kernel.h"
#include "model/kernel/page/memmap.h"

/* The last range that starts at or below PFN, or NULL. */
static const struct memmap_range *range_of(const struct memmap *m, uint64_t pfn)
{
	uint32_t lo = search_first(m->n, mid, m->v[mid].pfn <= pfn);

	return lo ? &m->v[lo - 1] : NULL;
}

uint64_t memmap_page_kva(const struct memmap *m, uint64_t pfn)
{
	const struct memmap_range *g = range_of(m, pfn);

	return g && pfn < g->end ? g->page_kva + (pfn - g->pfn) * m->page_size : 0;
}

bool memmap_may_have_page(const struct memmap *m, uint64_t pfn)
{
	return memmap_page_kva(m, pfn) || (m->partial && pfn < m->ram_end);
}

static bool is_device(const struct memmap *m, uint64_t pfn)
{
	uint32_t lo = search_first(m->ndevices, mid, m->devices[mid].pfn <= pfn);

	return lo && pfn < m->devices[lo - 1].end;
}

bool memmap_is_online(const struct memmap *m, uint64_t pfn)
{
	const struct memmap_range *g = range_of(m, pfn);

	return g && pfn < g->end && !g->offline && !(g->tainted && is_device(m, pfn));
}

uint64_t memmap_section_kva(const struct memmap *m, struct reader *r, uint64_t pfn)
{
	const struct memmap_sections *s = &m->sections;
	unsigned word = reader_dump(r)->word_size;
	uint64_t nr, root;

	if (!s->kva || !s->pages || pfn / s->pages >= s->n)
		return 0;
	nr = pfn / s->pages;
	if (!s->roots)
		return s->kva + nr * s->bytes;
	if (read_kva_word(r, s->kva + nr / s->per_root * word, &root) || !root)
		return 0;
	return root + nr % s->per_root * s->bytes;
}

static bool within(const struct memmap *m, const struct memmap_range *g, uint64_t kva,
		   uint64_t *pfn)
{
	uint64_t off = kva - g->page_kva;

	if (off >= (g->end - g->pfn) * m->page_size || off % m->page_size)
		return false;
	*pfn = g->pfn + off / m->page_size;
	return true;
}

bool memmap_page_pfn(const struct memmap *m, uint64_t kva, uint64_t *pfn)
{
	uint32_t lo;

	if (!m->kva_ascends) {
		for (uint32_t i = 0; i < m->n; i++)
			if (within(m, &m->v[i], kva, pfn))
				return true;
		return false;
	}
	lo = search_first(m->n, mid, m->v[mid].page_kva <= kva);
	return lo && within(m, &m->v[lo - 1], kva, pfn);
}
