/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.h - the page array as a stream: every struct page once, in parallel.
 *
 * The array is cut in chunks of 1 << FRAME_CHUNK_SHIFT frames. A chunk belongs to one worker,
 * who gets its struct pages in ascending order, as runs that lie in one page of memory. Each
 * page of memory is read once; nothing is kept.
 */
#ifndef VMCENSUS_PAGE_SCAN_H
#define VMCENSUS_PAGE_SCAN_H

#include "model/model.h"

struct page_run {
	uint64_t pfn;			/* of the first */
	uint64_t n;			/* struct pages */
	uint64_t kva;			/* of the first */
	const uint8_t *p;		/* the first; NULL: the dump does not hold them */
	/* the memory around it: LEN readable bytes at HERE, whose address is HERE_KVA */
	const uint8_t *here;
	uint64_t here_kva;
	size_t len;
};

struct page_scan {
	/* Called by WORKER (0 .. JOBS_MAX - 1) for each run; R is its reader. */
	void (*run)(void *arg, unsigned worker, struct reader *r, const struct page_run *run);
	/* Called after the last run of chunk NO (pfn >> FRAME_CHUNK_SHIFT); may be NULL. */
	void (*chunk)(void *arg, unsigned worker, uint64_t no);
	void *arg;
};

/*
 * All struct pages of K, with K->jobs threads. SIZE: bytes of one. Struct pages without a
 * translation do not exist (holes) and are left out.
 */
void page_scan(const struct kernel *k, uint32_t size, const struct page_scan *scan);

#endif
