/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frames.c - one parallel, streaming pass over the page array.
 *
 * Work is cut in chunks of 1 << FRAME_CHUNK_SHIFT frames. A chunk belongs to one worker,
 * so nothing is shared while it is filled. The struct pages of one page of memory are
 * decoded in place. Addresses in the memmap go through the kernel's page tables, because
 * one page of struct pages may stand for many (hugetlb vmemmap optimization). The head of
 * a compound page is read once; its tails, which follow it, use the worker's folio_view.
 */
#include "model/page/frames.h"

#include <stdlib.h>

#include "dumpread/base/jobs.h"
#include "dumpread/base/heap.h"
#include "model/page/pagefmt.h"

#define CHUNK_FRAMES (UINT64_C(1) << FRAME_CHUNK_SHIFT)

struct sums {
	uint64_t existing, unread, lost_heads;
	uint64_t pte_mapped, own_mapped;	/* evidence: is _mapcount kept? */
};

/*
 * Frames of a chunk that belong to partly mapped folios, and their mapcounts if this
 * kernel keeps no mapcounts of single pages.
 */
struct average {
	uint32_t first, n, mapcount;
};

struct averages {
	struct average *v;
	size_t n, cap;
};

struct pass {
	struct snapshot *s;
	const struct kernel *k;
	struct pagefmt fmt;
	uint32_t *chunks;		/* numbers of the chunks with struct pages */
	struct averages *averages;	/* of each of them */
	struct reader *readers[JOBS_MAX];
	struct sums sums;
};

/* One worker on one chunk. */
struct worker {
	struct pass *p;
	const struct pagefmt *f;
	struct reader *r;
	struct frame *frames;		/* of the chunk; NULL until one exists */
	uint64_t first_pfn;		/* of the chunk */
	uint64_t buddy_end;		/* pages below it follow a free block's head */
	uint32_t buddy_order;
	struct folio_view folio;
	struct averages *averages;
	/* translation of memmap addresses, kept while it is valid */
	uint64_t map_kva, map_pa, map_len;
	struct sums sums;
};

/* ---- reading ----------------------------------------------------------------- */

static enum status map_pfn(struct worker *w, uint64_t kva, uint64_t *pfn)
{
	enum status st = ST_OK;

	if (kva - w->map_kva >= w->map_len) {
		w->map_len = 0;
		st = reader_kvtop(w->r, kva, &w->map_pa, &w->map_len);
		if (st)
			return st;
		w->map_kva = kva;
	}
	*pfn = (w->map_pa + (kva - w->map_kva)) >> w->p->k->dump->page_shift;
	return ST_OK;
}

static void view_folio(struct worker *w, uint64_t head, const uint8_t *here, uint64_t here_kva,
		       size_t here_len)
{
	uint8_t raw[3 * STRUCT_PAGE_MAX];
	uint64_t off = head - here_kva;
	const uint8_t *p = raw;

	if (off < here_len && here_len - off >= w->f->view_size) {
		p = here + off;
	} else if (read_kva(w->r, head, raw, w->f->view_size)) {
		w->folio = (struct folio_view){ .kva = head };
		w->sums.lost_heads++;
		return;
	}
	folio_view(w->f, p, head, &w->folio);
	w->sums.pte_mapped += w->folio.pte_mapped;
}

/* ---- one page ------------------------------------------------------------------ */

static struct frame *frame_of(struct worker *w, uint64_t pfn)
{
	if (!w->frames)
		w->frames = heap_array(struct frame, CHUNK_FRAMES);
	return &w->frames[pfn - w->first_pfn];
}

/*
 * The head of a free block has its order; the pages after it look unused. Orders are small
 * (MAX_PAGE_ORDER) and blocks are aligned: no block crosses a chunk.
 */
static uint32_t enter_buddy(struct worker *w, const uint8_t *p, uint64_t pfn)
{
	uint64_t order = page_word(w->f, p, w->f->private);

	if (order >= FRAME_CHUNK_SHIFT || pfn & ((UINT64_C(1) << order) - 1))
		return 0;
	w->buddy_end = pfn + (UINT64_C(1) << order);
	w->buddy_order = (uint32_t)order << FR_ORDER_SHIFT;
	return w->buddy_order;
}

/*
 * PAGE_MAPPING_MOVABLE without PAGE_MAPPING_ANON (bda807d44454, v4.8): pages of zsmalloc,
 * z3fold or a balloon, which no process maps; zsmalloc keeps an offset in their _mapcount.
 */
static bool is_movable_kernel(uint64_t mapping)
{
	return (mapping & 3) == 2;
}

/*
 * A struct page that memmap_init_zone() did not set up, in a hole in a section or after
 * the last page: no zone, no flag except PG_reserved (frame 0 of a PC), no reference, and
 * a _mapcount that reads as one mapping. lru is zeros, or an empty list
 * (reserve_bootmem_region() of 4.18).
 */
static bool is_blank(const struct pagefmt *f, const uint8_t *p, uint64_t kva, uint64_t flags,
		     uint32_t refs, uint64_t mapping)
{
	uint64_t lru = page_word(f, p, f->lru);

	return f->mapcount_form != MAPCOUNT_NONE && !(flags & ~f->reserved) && !refs && !mapping &&
	       !load32(p + f->mapcount, f->big) && (!lru || lru == kva + f->lru);
}

static void decode_single(struct worker *w, const uint8_t *p, uint64_t pfn, uint64_t kva,
			  struct frame *out)
{
	const struct pagefmt *f = w->f;
	uint64_t flags = page_flags(f, p);
	uint32_t type = page_type(f, p), refs = page_refcount(f, p);
	uint32_t fr = FR_EXISTS | flags_class(f, flags) | type_class(f, type);
	uint64_t mapping = page_mapping(f, p);

	if (flags & f->young)
		fr |= FR_REFERENCED;
	fr |= mapping_class(f, mapping, fr);
	if (refs == 1)
		fr |= FR_SINGLE;
	if (is_blank(f, p, kva, flags, refs, mapping))
		fr |= FR_BLANK;
	if (f->mapcount_form == MAPCOUNT_NONE)
		out->mapcount = page_counted(f, p, refs, &fr);
	else if (!(fr & FR_SLAB) && !is_movable_kernel(mapping))
		out->mapcount = page_own_mapcount(f, type);
	if (out->mapcount > 1)
		fr |= FR_SHARED_FOLIO;
	if (fr & FR_BUDDY)
		fr |= enter_buddy(w, p, pfn);
	else if (!refs && pfn < w->buddy_end)
		fr |= FR_BUDDY | w->buddy_order;
	out->flags = fr;
}

static void note_average(struct averages *a, uint32_t at, uint32_t mapcount)
{
	struct average *last = a->n ? &a->v[a->n - 1] : NULL;

	if (last && last->first + last->n == at && last->mapcount == mapcount) {
		last->n++;
		return;
	}
	if (a->n == a->cap) {
		a->cap = a->cap ? 2 * a->cap : 16;
		a->v = heap_grow(a->v, a->cap, sizeof(*a->v));
	}
	a->v[a->n++] = (struct average){ at, 1, mapcount };
}

static void decode_part(struct worker *w, const uint8_t *p, bool tail, struct frame *out)
{
	const struct pagefmt *f = w->f;
	const struct folio_view *v = &w->folio;
	uint64_t flags = page_flags(f, p);
	uint32_t own = page_own_mapcount(f, page_type(f, p));

	out->flags = FR_EXISTS | v->fr | (tail ? FR_TAIL : FR_HEAD) |
		     (flags_class(f, flags) & (FR_RESERVED | FR_HWPOISON));
	if (flags & f->young && !f->young_of_folio)
		out->flags |= FR_REFERENCED;
	if (!v->readable) {
		out->flags |= FR_UNREAD;
		return;
	}
	if (v->fr & FR_SLAB)
		return;
	out->mapcount = own + v->add;
	if (v->pte_mapped) {
		w->sums.own_mapped += own != 0;
		note_average(w->averages, (uint32_t)(out - w->frames), v->average);
	}
}

/* P: struct page of PFN at KVA, inside HERE: LEN readable bytes from HERE_KVA on. */
static void decode_page(struct worker *w, uint64_t pfn, uint64_t kva, const uint8_t *here,
			uint64_t here_kva, size_t len)
{
	const struct pagefmt *f = w->f;
	const uint8_t *p = here + (kva - here_kva);
	struct frame *out = frame_of(w, pfn);
	uint64_t head;
	enum page_role role = page_role(f, p, kva, len - (kva - here_kva), &head);

	w->sums.existing++;
	if (role == PAGE_UNSET) {
		out->flags = FR_EXISTS | FR_BLANK;
		return;
	}
	if (role == PAGE_SINGLE || role == PAGE_ASTRAY) {
		decode_single(w, p, pfn, kva, out);
		if (role == PAGE_ASTRAY) {
			out->flags |= FR_TAIL;
			w->sums.lost_heads++;
		}
		return;
	}
	if (w->folio.kva != head)
		view_folio(w, head, here, here_kva, len);
	decode_part(w, p, role == PAGE_TAIL, out);
}

/* ---- a run of struct pages -------------------------------------------------------- */

static void mark_unread(struct worker *w, uint64_t pfn, uint64_t end)
{
	for (; pfn < end; pfn++) {
		frame_of(w, pfn)->flags = FR_UNREAD;
		w->sums.unread++;
	}
}

/* A struct page that lies across two pages of memory (sizes that do not divide it). */
static void decode_across(struct worker *w, uint64_t pfn, uint64_t kva)
{
	uint8_t raw[STRUCT_PAGE_MAX];
	enum status st = read_kva(w->r, kva, raw, w->f->size);

	if (!st)
		decode_page(w, pfn, kva, raw, kva, w->f->size);
	else if (st != ST_FAULT)
		mark_unread(w, pfn, pfn + 1);
}

/* Struct pages of [pfn, end), the first at KVA. */
static void decode_range(struct worker *w, uint64_t pfn, uint64_t end, uint64_t kva)
{
	uint32_t psize = dump_page_size(w->p->k->dump), size = w->f->size;

	while (pfn < end) {
		uint32_t off = (uint32_t)(kva & (psize - 1));
		uint64_t n = min_u64((psize - off) / size, end - pfn), at;
		struct page_ref ref = { 0 };
		enum status st;

		if (!n) {
			decode_across(w, pfn++, kva);
			kva += size;
			continue;
		}
		st = map_pfn(w, kva, &at);
		if (!st)
			st = reader_page(w->r, at, &ref);
		if (!st)
			for (uint64_t i = 0; i < n; i++)
				decode_page(w, pfn + i, kva + i * size, ref.data, kva - off, psize);
		else if (st != ST_FAULT)
			mark_unread(w, pfn, pfn + n);
		reader_release(w->r, &ref);
		pfn += n;
		kva += n * size;
	}
}

static void add_sums(struct sums *to, const struct sums *s)
{
	__atomic_fetch_add(&to->existing, s->existing, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to->unread, s->unread, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to->lost_heads, s->lost_heads, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to->pte_mapped, s->pte_mapped, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to->own_mapped, s->own_mapped, __ATOMIC_RELAXED);
}

static void mark_device(struct worker *w, uint64_t pfn, uint64_t end)
{
	for (; w->frames && pfn < end; pfn++)
		if (w->frames[pfn - w->first_pfn].flags & FR_EXISTS)
			w->frames[pfn - w->first_pfn].flags |= FR_ZONE_DEVICE;
}

static void fill_chunk(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct memmap *m = &p->k->memmap;
	uint64_t first = (uint64_t)p->chunks[item] << FRAME_CHUNK_SHIFT;
	uint64_t end = first + CHUNK_FRAMES;
	struct worker w = {
		.p = p, .f = &p->fmt, .first_pfn = first, .averages = &p->averages[item]
	};

	if (!p->readers[worker])
		p->readers[worker] = reader_new(p->k->dump);
	w.r = p->readers[worker];
	for (uint32_t i = 0; i < m->n; i++) {
		const struct memmap_range *g = &m->v[i];
		uint64_t lo = max_u64(first, g->pfn), hi = min_u64(end, g->end);

		if (lo >= hi)
			continue;
		decode_range(&w, lo, hi, g->page_kva + (lo - g->pfn) * p->fmt.size);
		if (g->offline)
			mark_device(&w, lo, hi);
	}
	for (uint32_t i = 0; i < m->ndevices; i++)
		mark_device(&w, max_u64(first, m->devices[i].pfn), min_u64(end, m->devices[i].end));
	p->s->frames.chunk[p->chunks[item]] = w.frames;
	add_sums(&p->sums, &w.sums);
}

/* ---- the pass -------------------------------------------------------------------------- */

/* Chunks that a range touches, ascending, without repeats. */
static uint32_t list_chunks(struct pass *p)
{
	const struct memmap *m = &p->k->memmap;
	uint64_t total = 0, next = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		total += ((m->v[i].end - 1) >> FRAME_CHUNK_SHIFT) -
			 (m->v[i].pfn >> FRAME_CHUNK_SHIFT) + 1;
	p->chunks = heap_array(uint32_t, total);
	for (uint32_t i = 0; i < m->n; i++) {
		uint64_t c = max_u64(next, m->v[i].pfn >> FRAME_CHUNK_SHIFT);

		for (; c <= (m->v[i].end - 1) >> FRAME_CHUNK_SHIFT; c++)
			p->chunks[n++] = (uint32_t)c;
		next = max_u64(next, c);
	}
	return n;
}

static void set_averages(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	struct frame *f = p->s->frames.chunk[p->chunks[item]];
	const struct averages *a = &p->averages[item];

	(void)worker;
	for (size_t i = 0; i < a->n; i++)
		for (uint32_t j = 0; j < a->v[i].n; j++)
			f[a->v[i].first + j].mapcount = a->v[i].mapcount;
}

static void report_frames(struct pass *p)
{
	struct frames *f = &p->s->frames;

	f->existing = p->sums.existing;
	f->unread = p->sums.unread;
	f->average = p->sums.pte_mapped && !p->sums.own_mapped;
	if (p->sums.unread)
		issue_add(p->k->issues, ST_NODATA, "struct page", p->sums.unread,
			  "struct pages that the dump does not hold");
	if (p->sums.lost_heads) /* of a live machine: allocated or freed just then */
		issue_add(p->k->issues, p->k->dump->live ? ST_TORN : ST_CORRUPT, "compound page",
			  p->sums.lost_heads, "tail pages whose head is not readable");
}

void frames_build(struct snapshot *s)
{
	struct pass *p = heap_array(struct pass, 1);
	uint32_t n;

	p->s = s;
	p->k = s->k;
	s->frames = (struct frames){ .max_pfn = p->k->memmap.max_pfn };
	if (p->k->memmap.n) {
		pagefmt_init(&p->fmt, p->k);
		s->frames.marks_tables = p->fmt.type_table != 0;
		s->frames.nchunks = ((s->frames.max_pfn - 1) >> FRAME_CHUNK_SHIFT) + 1;
		s->frames.chunk = heap_array(struct frame *, s->frames.nchunks);
		n = list_chunks(p);
		p->averages = heap_array(struct averages, n);
		jobs_run(p->k->jobs, n, fill_chunk, p);
		report_frames(p);
		if (s->frames.average)
			jobs_run(p->k->jobs, n, set_averages, p);
		for (uint32_t i = 0; i < n; i++)
			free(p->averages[i].v);
	}
	for (unsigned i = 0; i < JOBS_MAX; i++)
		if (p->readers[i])
			reader_free(p->readers[i]);
	free(p->chunks);
	free(p->averages);
	free(p);
}

void frames_free(struct frames *f)
{
	for (uint64_t i = 0; i < f->nchunks; i++)
		free(f->chunk[i]);
	free(f->chunk);
	*f = (struct frames){ 0 };
}
