/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.c - addresses in the memmap go through the kernel's page tables, because one page of
 * struct pages may stand for many (hugetlb vmemmap optimization).
 */
#include "model/kernel/page/scan.h"

#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "model/kernel/page/pagefmt.h"

static enum status memmap_pfn(struct page_strip *s, uint64_t kva, uint64_t *pfn)
{
	enum status st = ST_OK;

	if (kva - s->map_kva >= s->map_len) {
		s->map_len = 0;
		st = reader_kvtop(s->r, kva, &s->map_pa, &s->map_len);
		if (st)
			return st;
		s->map_kva = kva;
	}
	*pfn = (s->map_pa + (kva - s->map_kva)) / s->page_size;
	return ST_OK;
}

/* A struct page that lies across two pages of memory (sizes that do not divide it). */
static void read_across(struct page_strip *s, uint64_t pfn, uint64_t kva)
{
	uint8_t raw[STRUCT_PAGE_MAX];
	enum status st = read_kva(s->r, kva, raw, s->size);
	struct page_run run = { .pfn = pfn, .n = 1, .kva = kva, .here_kva = kva, .len = s->size };

	if (st == ST_FAULT)
		return;
	run.p = run.here = st ? NULL : raw;
	s->run(s->arg, &run);
}

void page_strip_read(struct page_strip *s, uint64_t pfn, uint64_t end, uint64_t kva)
{
	uint32_t psize = s->page_size, size = s->size;
	uint64_t held = UINT64_MAX; /* the page that REF borrows */
	struct page_ref ref = { 0 };

	while (pfn < end) {
		uint32_t off = (uint32_t)(kva & (psize - 1));
		struct page_run run = {
			.pfn = pfn, .kva = kva, .here_kva = kva - off, .len = psize
		};
		enum status st;
		uint64_t at;

		run.n = min_u64((psize - off) / size, end - pfn);
		if (!run.n) {
			read_across(s, pfn++, kva);
			kva += size;
			continue;
		}
		st = memmap_pfn(s, kva, &at);
		if (!st && at != held) {
			reader_release(s->r, &ref);
			st = reader_page(s->r, at, &ref);
			held = st ? UINT64_MAX : at;
		}
		if (!st) {
			run.here = ref.data;
			run.p = run.here + off;
			run.at = at * psize;
		}
		if (st != ST_FAULT)
			s->run(s->arg, &run);
		pfn += run.n;
		kva += run.n * size;
	}
	reader_release(s->r, &ref);
}

/* ---- all of them ------------------------------------------------------------------------ */

struct scanner {
	const struct kernel *k;
	const struct page_scan *scan;
	uint32_t size;			/* of struct page */
	uint32_t *chunks;		/* their numbers, ascending */
	struct reader *readers[JOBS_MAX];
};

/* One worker in one chunk. */
struct scan_worker {
	const struct page_scan *scan;
	unsigned worker;
	struct reader *r;
};

static void pass_run(void *arg, const struct page_run *run)
{
	const struct scan_worker *w = arg;

	w->scan->run(w->scan->arg, w->worker, w->r, run);
}

static void scan_chunk(void *ctx, unsigned worker, size_t item)
{
	struct scanner *sc = ctx;
	const struct memmap *m = &sc->k->memmap;
	uint64_t first = (uint64_t)sc->chunks[item] << FRAME_CHUNK_SHIFT;
	uint64_t end = first + (UINT64_C(1) << FRAME_CHUNK_SHIFT);
	struct scan_worker w = { .scan = sc->scan, .worker = worker };
	struct page_strip s = { .page_size = dump_page_size(sc->k->dump),
				.size = sc->size,
				.run = pass_run,
				.arg = &w };

	if (!sc->readers[worker])
		sc->readers[worker] = reader_new(sc->k->dump);
	s.r = w.r = sc->readers[worker];
	for (uint32_t i = 0; i < m->n; i++) {
		const struct memmap_range *g = &m->v[i];
		uint64_t lo = max_u64(first, g->pfn), hi = min_u64(end, g->end);

		if (lo < hi)
			page_strip_read(&s, lo, hi, g->page_kva + (lo - g->pfn) * sc->size);
	}
}

/* Chunks that a range touches, ascending, without repeats. */
static uint32_t list_chunks(struct scanner *sc)
{
	const struct memmap *m = &sc->k->memmap;
	uint64_t total = 0, next = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		total += ((m->v[i].end - 1) >> FRAME_CHUNK_SHIFT) -
			 (m->v[i].pfn >> FRAME_CHUNK_SHIFT) + 1;
	sc->chunks = heap_array(uint32_t, total);
	for (uint32_t i = 0; i < m->n; i++) {
		uint64_t c = max_u64(next, m->v[i].pfn >> FRAME_CHUNK_SHIFT);

		for (; c <= (m->v[i].end - 1) >> FRAME_CHUNK_SHIFT; c++)
			if (!sc->scan->done || !sc->scan->done[c])
				sc->chunks[n++] = (uint32_t)c;
		next = max_u64(next, c);
	}
	return n;
}

void page_scan(const struct kernel *k, uint32_t size, const struct page_scan *scan)
{
	struct scanner sc = { .k = k, .scan = scan, .size = size };

	if (!k->memmap.n)
		return;
	jobs_run(k->jobs, list_chunks(&sc), scan_chunk, &sc);
	for (unsigned i = 0; i < JOBS_MAX; i++)
		reader_free(sc.readers[i]);
	free(sc.chunks);
}
