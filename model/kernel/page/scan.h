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
	uint64_t at;			/* physical address of the memory around it; 0: of two pages */
	/* the memory around it: LEN readable bytes at HERE, whose address is HERE_KVA */
	const uint8_t *here;
	uint64_t here_kva;
	size_t len;
};

/* Where one thread reads struct pages. */
struct page_strip {
	struct reader *r;
	uint32_t page_size, size;	/* bytes of a page of memory, of a struct page */
	void (*run)(void *arg, const struct page_run *run);
	void *arg;
	/* translation of memmap addresses, kept while it is valid */
	uint64_t map_kva, map_pa, map_len;
};

/*
 * Hands the struct pages of [pfn, end), of which the first is at KVA, to s->run. Those without a
 * translation do not exist (holes) and are left out.
 */
void page_strip_read(struct page_strip *s, uint64_t pfn, uint64_t end, uint64_t kva);

struct page_scan {
	/* Called by WORKER (0 .. JOBS_MAX - 1) for each run; R is its reader. */
	void (*run)(void *arg, unsigned worker, struct reader *r, const struct page_run *run);
	void *arg;
	const uint8_t *done;		/* chunks to leave out; NULL: none */
};

/* All struct pages of K, with K->jobs threads. SIZE: bytes of one. */
void page_scan(const struct kernel *k, uint32_t size, const struct page_scan *scan);

#endif
