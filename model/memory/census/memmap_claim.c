/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memmap_claim.c - the frames that hold struct pages: taken at boot, or from the page allocator
 * for memory that is plugged in later (mm/sparse-vmemmap.c).
 */
#include "dumpread/base/bytes.h"
#include "model/memory/census/claims.h"

/* The frames behind [kva, end). */
static void claim_range(const struct kernel *k, struct reader *r, struct page_classes *c,
			uint64_t kva, uint64_t end)
{
	uint64_t page = UINT64_C(1) << k->page_shift;

	kva &= ~(page - 1);
	while (kva < end) {
		uint64_t pa, len;

		if (reader_kvtop(r, kva, &pa, &len)) { /* a hole */
			kva += page;
			continue;
		}
		len = min_u64(max_u64(len & ~(page - 1), page), end - kva + page - 1) & ~(page - 1);
		for (uint64_t at = 0; at < len; at += page)
			page_classes_claim(c, (pa + at) >> k->page_shift, CLASS_MEMMAP);
		kva += len;
	}
}

bool claim_memmap(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	const struct memmap *m = &k->memmap;

	for (uint32_t i = 0; i < m->n; i++)
		claim_range(k, r, c, m->v[i].page_kva,
			    m->v[i].page_kva + (m->v[i].end - m->v[i].pfn) * m->page_size);
	return m->n != 0;
}
