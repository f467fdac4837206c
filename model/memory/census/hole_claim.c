/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hole_claim.c - frames with a struct page that are no RAM, by the resource tree. Up to
 * 92923ca3aace (v4.2) their struct pages have PG_reserved; later many show nothing, and a
 * reference as if they were in use (init_page_count()).
 */
#include "dumpread/base/bytes.h"
#include "model/kernel/machine/resources.h"
#include "model/memory/census/claims.h"

/* Claims the frames [pfn, end) of the page array. */
static void claim_range(const struct kernel *k, struct page_classes *c, uint64_t pfn, uint64_t end)
{
	const struct memmap *m = &k->memmap;

	for (uint32_t i = 0; i < m->n; i++)
		for (uint64_t at = max_u64(pfn, m->v[i].pfn); at < min_u64(end, m->v[i].end); at++)
			if (page_class_at(c, at) == CLASS_UNKNOWN)
				page_classes_claim(c, at, CLASS_HOLE);
}

bool claim_holes(const struct kernel *k, struct reader *r, struct arena *mem,
		 struct page_classes *c)
{
	uint64_t shift = k->page_shift, page = UINT64_C(1) << shift, from = 0;
	struct resources rs;

	resources_read(k, r, mem, &rs);
	if (!rs.whole)
		return !rs.torn;
	for (size_t i = 0; i < rs.lines.n; i++) {
		const struct resource_line *l = &rs.lines.v[i];
		uint64_t end = (l->end + 1) >> shift;

		if (!resource_is_ram(l->name))
			continue;
		claim_range(k, c, from, (l->start + page - 1) >> shift);
		from = max_u64(from, end);
	}
	if (from)
		claim_range(k, c, from, k->memmap.max_pfn);
	return true;
}
