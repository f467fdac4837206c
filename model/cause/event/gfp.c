/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flags of allocations before 4.6, by release: include/linux/gfp.h. */
#include "model/cause/event/gfp.h"

#include <inttypes.h>
#include <stdio.h>

#include "dumpread/base/bytes.h"

/* d0164adc89f6 (v4.4) made __GFP_WAIT two bits, direct reclaim and kswapd. */
#define SPLIT V(4, 4)

static const struct gfp_bit {
	uint64_t bits;
	const char *name;
	struct era era;
} table[] = {
	/* names of several bits, the most first */
	{ 0x24200ca, "GFP_HIGHUSER_MOVABLE", { SPLIT, 0 } },
	{ 0x24200c2, "GFP_HIGHUSER", { SPLIT, 0 } },
	{ 0x24200c0, "GFP_USER", { SPLIT, 0 } },
	{ 0x24000c0, "GFP_KERNEL", { SPLIT, 0 } },
	{ 0x2400040, "GFP_NOFS", { SPLIT, 0 } },
	{ 0x2400000, "GFP_NOIO", { SPLIT, 0 } },
	{ 0x2080020, "GFP_ATOMIC", { SPLIT, 0 } },
	{ 0x2000000, "GFP_NOWAIT", { SPLIT, 0 } },
	{ 0x200da, "GFP_HIGHUSER_MOVABLE", { V26(31), SPLIT } },
	{ 0x200d2, "GFP_HIGHUSER", { V26(31), SPLIT } },
	{ 0x200d0, "GFP_USER", { V26(31), SPLIT } },
	{ 0xd0, "GFP_KERNEL", { 0, SPLIT } },
	{ 0x50, "GFP_NOFS", { 0, SPLIT } },
	{ 0x20, "GFP_ATOMIC", { 0, SPLIT } },
	{ 0x1, "__GFP_DMA", { 0, 0 } },
	{ 0x2, "__GFP_HIGHMEM", { 0, 0 } },
	{ 0x4, "__GFP_DMA32", { V26(15), 0 } },
	{ 0x8, "__GFP_MOVABLE", { V26(31), 0 } },
	{ 0x10, "__GFP_WAIT", { 0, SPLIT } },
	{ 0x10, "__GFP_RECLAIMABLE", { SPLIT, 0 } },
	{ 0x20, "__GFP_HIGH", { 0, 0 } },
	{ 0x40, "__GFP_IO", { 0, 0 } },
	{ 0x80, "__GFP_FS", { 0, 0 } },
	{ 0x100, "__GFP_COLD", { 0, 0 } },
	{ 0x200, "__GFP_NOWARN", { 0, 0 } },
	{ 0x400, "__GFP_REPEAT", { 0, 0 } },
	{ 0x800, "__GFP_NOFAIL", { 0, 0 } },
	{ 0x1000, "__GFP_NORETRY", { 0, 0 } },
	{ 0x2000, "__GFP_MEMALLOC", { V(3, 6), 0 } },
	{ 0x4000, "__GFP_COMP", { 0, 0 } },
	{ 0x8000, "__GFP_ZERO", { 0, 0 } },
	{ 0x10000, "__GFP_NOMEMALLOC", { V26(31), 0 } },
	{ 0x20000, "__GFP_HARDWALL", { V26(31), 0 } },
	{ 0x40000, "__GFP_THISNODE", { V26(31), 0 } },
	{ 0x80000, "__GFP_RECLAIMABLE", { V26(31), SPLIT } },
	{ 0x80000, "__GFP_ATOMIC", { SPLIT, 0 } },
	{ 0x100000, "__GFP_KMEMCG", { V(3, 10), V(4, 0) } },
	{ 0x100000, "__GFP_NOACCOUNT", { V(4, 4), 0 } },
	{ 0x200000, "__GFP_NOTRACK", { V26(31), 0 } },
	{ 0x400000, "__GFP_NO_KSWAPD", { V26(38), SPLIT } },
	{ 0x400000, "__GFP_DIRECT_RECLAIM", { SPLIT, 0 } },
	{ 0x800000, "__GFP_OTHER_NODE", { V26(39), 0 } },
	{ 0x1000000, "__GFP_WRITE", { V(3, 3), 0 } },
	{ 0x2000000, "__GFP_KSWAPD_RECLAIM", { SPLIT, 0 } },
};

const char *gfp_text(uint64_t gfp, const struct release *v, struct arena *mem)
{
	char text[1024] = ""; /* all names together take less */
	size_t n = 0;

	if (release_since(v, V(4, 6)) || !release_mainline(v))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const struct gfp_bit *b = &table[i];

		if (!release_in(v, b->era) || (gfp & b->bits) != b->bits)
			continue;
		gfp &= ~b->bits;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "|" : "", b->name);
	}
	if (gfp || !n)
		snprintf(text + n, sizeof(text) - n, "%s0x%" PRIx64, n ? "|" : "", gfp);
	return arena_strdup(mem, text);
}
