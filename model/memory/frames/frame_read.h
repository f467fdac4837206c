/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame_read.h - reads frames from struct pages; private to model/memory/frames/.
 *
 * mapcount is the result of page_mapcount() in this kernel, as in /proc/kpagecount;
 * compound.c has the rules by era. Frames whose struct page is not in the dump have FR_UNREAD;
 * frames that do not exist have no flag.
 */
#ifndef VMCENSUS_FRAME_READ_H
#define VMCENSUS_FRAME_READ_H

#include <string.h>

#include "model/kernel/page/pagefmt.h"

/* Counts of what was read. */
struct frame_sums {
	uint64_t existing, unread, lost_heads;
	uint64_t pte_mapped, own_mapped;	/* evidence: is _mapcount kept? */
	bool alike;		/* all frames are tails like the first, which is the only one that was written */
};

/* OUT[n] = *ONE, eight at a time: a line of the cache. */
static inline void frames_repeat(struct frame *out, const struct frame *one, uint64_t n)
{
	const struct frame eight[8] = { *one, *one, *one, *one, *one, *one, *one, *one };

	for (; n >= 8; n -= 8, out += 8)
		memcpy(out, eight, sizeof(eight));
	memcpy(out, eight, n * sizeof(*out));
}

/* Of one thread. */
struct frame_reader;
struct page_scan;

/* F must outlive it. */
struct frame_reader *frame_reader_new(const struct kernel *k, const struct pagefmt *f);
void frame_reader_free(struct frame_reader *w);

/*
 * Frames of [pfn, end), of one chunk, into FRAMES[end - pfn]. AVERAGE: the pages of a folio
 * that is mapped in parts have its average as mapcount. The followers of a free block are
 * known only if its head is in the range. False: none has a struct page.
 */
bool frame_read(struct frame_reader *w, uint64_t pfn, uint64_t end, bool average,
		struct frame *frames, struct frame_sums *sums);

/* Struct pages that are read go to ALSO (scan.h), too, as its worker WORKER; NULL: no more. */
void frame_read_also(struct frame_reader *w, const struct page_scan *also, unsigned worker);

#endif
