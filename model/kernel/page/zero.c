/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zero.c - pages of zeros that all processes share. */
#include "model/kernel/page/zero.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"

/* PFN is RAM, and not the first frame, which belongs to firmware or to the kernel's start. */
static uint64_t zero_frame(const struct kernel *k, uint64_t pfn)
{
	if (pfn && (!k->memmap.max_pfn || memmap_page_kva(&k->memmap, pfn)))
		return pfn;
	issue_add(k->issues, ST_CORRUPT, "zero page", 1, "frame %#" PRIx64 " cannot be", pfn);
	return UINT64_MAX;
}

void zero_frames(const struct kernel *k, struct reader *r, uint64_t *zero, uint64_t *huge)
{
	uint64_t v, pfn;

	*zero = *huge = UINT64_MAX;
	if (!kvar_u64(k, r, Y_ZERO_PFN, 0, &v))
		*zero = zero_frame(k, v);
	/* all ones: there is none */
	if (!kvar_u64(k, r, Y_HUGE_ZERO_PFN, 0, &v))
		*huge = sign_extend(v, 8 * k->dump->word_size) == -1 ? UINT64_MAX
								     : zero_frame(k, v);
	else if (!kvar_u64(k, r, Y_HUGE_ZERO_PAGE, 0, &v) && memmap_page_pfn(&k->memmap, v, &pfn))
		*huge = pfn;
}
