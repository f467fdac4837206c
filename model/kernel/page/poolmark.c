/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * poolmark.c - the mark of pages of a page_pool (net/core/page_pool.c), where other pages have a list:
 * PP_SIGNATURE, c07aea3ef4d4 (v5.14). It is 0x40 above POISON_POINTER_DELTA (include/linux/poison.h), which
 * arch/ppc64 and other 64-bit CPUs define, and 32-bit ones do not. The low two bits vary; in 6.16, not in 6.14,
 * also those from 7 on to the lowest of the delta, 32 at most: an index for DMA (PP_DMA_INDEX_MASK).
 */
#include "model/kernel/page/pagefmt.h"

#define SIGNATURE UINT64_C(0x40)
#define LOW_BITS UINT64_C(3)

static const struct delta {
	uint64_t delta, index;
} deltas[] = {
	{ UINT64_C(0xdead000000000000), UINT64_C(0x7fffffff80) },
	{ UINT64_C(0x05deadbeef0000000), UINT64_C(0x0fffff80) },
};

bool page_is_of_pool(const struct pagefmt *f, const uint8_t *p)
{
	uint64_t mark;

	if (!f->pool_mark)
		return false;
	mark = page_word(f, p, f->pool_mark);
	if (f->word == 4)
		return (mark & ~LOW_BITS) == SIGNATURE;
	for (size_t i = 0; i < ARRAY_LEN(deltas); i++)
		if ((mark & ~(deltas[i].index | LOW_BITS)) == deltas[i].delta + SIGNATURE)
			return true;
	return false;
}
