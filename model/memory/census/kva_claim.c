/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kva_claim.c - the frames behind a range of kernel addresses. */
#include "model/memory/census/claims.h"

uint64_t claim_kva(const struct kernel *k, struct reader *r, struct page_classes *c, uint64_t kva,
		   uint64_t end, enum page_class class)
{
	uint64_t page = UINT64_C(1) << k->page_shift, pa, left = k->memmap.max_pfn, lost = 0;

	for (kva &= ~(page - 1); kva < end && left--; kva += page)
		lost += reader_kvtop(r, kva, &pa, NULL) ||
			page_classes_claim(c, pa >> k->page_shift, class) == CLAIM_NONE;
	return lost;
}
