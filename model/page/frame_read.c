/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame_read.c - struct pages to frames, one chunk at a time.
 *
 * The struct pages of one page of memory are decoded in place. Addresses in the memmap go
 * through the kernel's page tables, because one page of struct pages may stand for many
 * (hugetlb vmemmap optimization). The head of a compound page is read once; its tails,
 * which follow it, use the reader's folio_view.
 */
#include "model/page/frame_read.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"

struct frame_reader {
	const struct kernel *k;
	const struct pagefmt *f;
	struct reader *r;
	bool average;			/* a partly mapped folio's pages have its average */
	/* of the chunk */
	struct frame *frames;
	bool any;			/* one of them has a struct page */
	uint64_t first_pfn;
	uint64_t buddy_end;		/* pages below it follow a free block's head */
	uint32_t buddy_order;
	struct folio_view folio;
	/* translation of memmap addresses, kept while it is valid */
	uint64_t map_kva, map_pa, map_len;
	struct frame_sums sums;
};

/* ---- reading ----------------------------------------------------------------- */

static enum status map_pfn(struct frame_reader *w, uint64_t kva, uint64_t *pfn)
{
	enum status st = ST_OK;

	if (kva - w->map_kva >= w->map_len) {
		w->map_len = 0;
		st = reader_kvtop(w->r, kva, &w->map_pa, &w->map_len);
		if (st)
			return st;
		w->map_kva = kva;
	}
	*pfn = (w->map_pa + (kva - w->map_kva)) >> w->k->dump->page_shift;
	return ST_OK;
}

static void view_folio(struct frame_reader *w, uint64_t head, const uint8_t *here,
		       uint64_t here_kva, size_t here_len)
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

static struct frame *frame_of(struct frame_reader *w, uint64_t pfn)
{
	w->any = true;
	return &w->frames[pfn - w->first_pfn];
}

/*
 * The head of a free block has its order; the pages after it look unused. Orders are small
 * (MAX_PAGE_ORDER) and blocks are aligned: no block crosses a chunk.
 */
static uint32_t enter_buddy(struct frame_reader *w, const uint8_t *p, uint64_t pfn)
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

static void decode_single(struct frame_reader *w, const uint8_t *p, uint64_t pfn, uint64_t kva,
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

static void decode_part(struct frame_reader *w, const uint8_t *p, bool tail, struct frame *out)
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
		if (w->average)
			out->mapcount = v->average;
	}
}

/* P: struct page of PFN at KVA, inside HERE: LEN readable bytes from HERE_KVA on. */
static void decode_page(struct frame_reader *w, uint64_t pfn, uint64_t kva, const uint8_t *here,
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

static void mark_unread(struct frame_reader *w, uint64_t pfn, uint64_t end)
{
	for (; pfn < end; pfn++) {
		frame_of(w, pfn)->flags = FR_UNREAD;
		w->sums.unread++;
	}
}

/* A struct page that lies across two pages of memory (sizes that do not divide it). */
static void decode_across(struct frame_reader *w, uint64_t pfn, uint64_t kva)
{
	uint8_t raw[STRUCT_PAGE_MAX];
	enum status st = read_kva(w->r, kva, raw, w->f->size);

	if (!st)
		decode_page(w, pfn, kva, raw, kva, w->f->size);
	else if (st != ST_FAULT)
		mark_unread(w, pfn, pfn + 1);
}

/* Struct pages of [pfn, end), the first at KVA. */
static void decode_range(struct frame_reader *w, uint64_t pfn, uint64_t end, uint64_t kva)
{
	uint32_t psize = dump_page_size(w->k->dump), size = w->f->size;

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

static void mark_device(struct frame_reader *w, uint64_t pfn, uint64_t end)
{
	for (; pfn < end; pfn++)
		if (w->frames[pfn - w->first_pfn].flags & FR_EXISTS)
			w->frames[pfn - w->first_pfn].flags |= FR_ZONE_DEVICE;
}

/* ---- the chunk ------------------------------------------------------------------------ */

bool frame_read(struct frame_reader *w, uint64_t pfn, uint64_t end, bool average,
		struct frame *frames, struct frame_sums *sums)
{
	const struct memmap *m = &w->k->memmap;
	uint32_t i = search_first(m->n, mid, m->v[mid].end <= pfn);

	w->frames = frames;
	w->average = average;
	w->any = false;
	w->first_pfn = pfn;
	w->buddy_end = 0;
	w->folio = (struct folio_view){ 0 };
	w->sums = (struct frame_sums){ 0 };
	memset(frames, 0, (end - pfn) * sizeof(*frames));
	for (; i < m->n && m->v[i].pfn < end; i++) {
		const struct memmap_range *g = &m->v[i];
		uint64_t lo = max_u64(pfn, g->pfn), hi = min_u64(end, g->end);

		decode_range(w, lo, hi, g->page_kva + (lo - g->pfn) * w->f->size);
		if (g->offline)
			mark_device(w, lo, hi);
	}
	i = search_first(m->ndevices, mid, m->devices[mid].end <= pfn);
	for (; i < m->ndevices && m->devices[i].pfn < end; i++)
		mark_device(w, max_u64(pfn, m->devices[i].pfn), min_u64(end, m->devices[i].end));
	*sums = w->sums;
	return w->any;
}

struct frame_reader *frame_reader_new(const struct kernel *k, const struct pagefmt *f)
{
	struct frame_reader *w = heap_array(struct frame_reader, 1);

	w->k = k;
	w->f = f;
	w->r = reader_new(k->dump);
	return w;
}

void frame_reader_free(struct frame_reader *w)
{
	reader_free(w->r);
	free(w);
}
