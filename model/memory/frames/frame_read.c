/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame_read.c - struct pages to frames, one chunk at a time. The head of a compound page is
 * read once; its tails, which follow it, use the reader's folio_view.
 */
#include "model/memory/frames/frame_read.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "model/kernel/page/alike.h"
#include "model/kernel/page/scan.h"

#define LOOKS 256u
#define ALIKE_AFTER 2u		/* pages of struct pages that are read before others are known to be alike */

/* All that decides the frame of a page, and that frame. */
struct look {
	uint64_t flags, mapping;
	uint32_t type, refs;
	uint32_t of_block;		/* FR_* of the free block that it lies in */
	struct frame frame;
	bool used;
};

/* One that those after it may be like. */
struct last_page {
	struct alike_words words;
	struct frame frame;
	uint64_t end;		/* of single: pages from here on are not like it */
	bool used;
};

struct frame_reader {
	const struct kernel *k;
	const struct pagefmt *f;
	struct page_strip strip;
	const struct page_scan *also;	/* NULL: nobody */
	unsigned worker;
	bool average;			/* a partly mapped folio's pages have its average */
	/* of the chunk */
	struct frame *frames;
	bool any;			/* one of them has a struct page */
	uint64_t first_pfn, n;
	uint64_t ready;			/* of FRAMES, the first so many hold what is known of them, or 0 */
	uint64_t alike;			/* the first so many are as TAIL, those from READY on not written; 0: not known */
	uint64_t buddy_end;		/* pages below it follow a free block's head */
	uint32_t buddy_order;
	struct folio_view folio;
	struct last_page tail;		/* of the folio */
	struct last_page single;	/* the last page, if it was one of a known look */
	uint64_t like_tail;		/* tails of the folio, one after the other, with TAIL's frame */
	uint64_t tails_at;		/* a page of memory with such tails only; 0: none */
	struct frame_sums sums;
	/* of all chunks: pages that look alike have equal frames, and most pages do */
	struct look looks[LOOKS];
};

/* ---- one page ------------------------------------------------------------------ */

/* Writes what was put off of the first TO frames. */
static void settle(struct frame_reader *w, uint64_t to)
{
	uint64_t end = max_u64(w->ready, w->alike);

	for (uint64_t i = w->ready; i < end; i++)
		w->frames[i] = w->tail.frame;
	if (to > end)
		memset(w->frames + end, 0, (to - end) * sizeof(*w->frames));
	w->ready = max_u64(to, end);
	w->alike = 0;
}

/* settle() was called for it */
static struct frame *frame_of(struct frame_reader *w, uint64_t pfn)
{
	w->any = true;
	return &w->frames[pfn - w->first_pfn];
}

/* The head of a free block has its order; the pages after it look unused. */
static uint32_t enter_buddy(struct frame_reader *w, const uint8_t *p, uint64_t pfn)
{
	uint32_t order = page_block_order(w->f, p, pfn);

	if (!order)
		return 0;
	w->buddy_end = pfn + (UINT64_C(1) << order);
	w->buddy_order = order << FR_ORDER_SHIFT;
	return w->buddy_order;
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
	if (page_is_blank(f, p, kva))
		fr |= FR_BLANK;
	if (f->mapcount_form == MAPCOUNT_NONE)
		out->mapcount = page_counted(f, p, refs, &fr);
	else if (!(fr & FR_SLAB) && !page_is_movable_kernel(mapping))
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

static struct look look_at(const struct frame_reader *w, const uint8_t *p, uint64_t pfn)
{
	const struct pagefmt *f = w->f;
	struct look k = { .flags = page_flags(f, p),
			  .mapping = page_mapping(f, p),
			  .type = page_type(f, p),
			  .refs = page_refcount(f, p) };

	if (k.mapping & 3) /* mapping_class() asks for these bits only */
		k.mapping &= 3;
	if (!k.refs && pfn < w->buddy_end)
		k.of_block = FR_BUDDY | w->buddy_order;
	return k;
}

static bool same_look(const struct look *a, const struct look *b)
{
	return b->used && a->flags == b->flags && a->mapping == b->mapping && a->type == b->type &&
	       a->refs == b->refs && a->of_block == b->of_block;
}

static struct look *slot_of(struct frame_reader *w, const struct look *k)
{
	uint64_t all = k->flags ^ k->mapping ^ ((uint64_t)k->type << 32 | k->refs);

	return &w->looks[all * 0x9e3779b97f4a7c15u >> 56];
}

/*
 * Does the frame of a single page of look K depend on nothing else? A blank page (no references,
 * 0 where others have a mapcount) depends on its list, the head of a free block says how many
 * follow it, pages of 2.4 have buffers.
 */
static bool is_told_by_look(const struct pagefmt *f, const struct look *k)
{
	return (k->refs || k->type) && f->mapcount_form != MAPCOUNT_NONE &&
	       !((type_class(f, k->type) | flags_class(f, k->flags)) & FR_BUDDY);
}

/* The single page at P has look K and the frame FR. */
static void note_single(struct frame_reader *w, const uint8_t *p, const struct look *k,
			const struct frame *fr)
{
	w->single.words = alike_words(w->f, p);
	w->single.frame = *fr;
	w->single.end = k->of_block ? w->buddy_end : UINT64_MAX;
	w->single.used = true;
}

/* The frame of a single page of a known look. */
static bool decode_again(struct frame_reader *w, const uint8_t *p, uint64_t pfn, struct frame *out)
{
	const struct pagefmt *f = w->f;
	const struct look *as;
	struct look k;

	if (f->mapcount_form == MAPCOUNT_NONE || !page_may_be_single(f, p))
		return false;
	k = look_at(w, p, pfn);
	as = slot_of(w, &k);
	if (!same_look(&k, as))
		return false;
	*out = as->frame;
	note_single(w, p, &k, out);
	return true;
}

/*
 * Struct pages of RUN from I on that look as the last one. Returns their number; their frames
 * are written.
 */
static uint64_t add_like_last(struct frame_reader *w, const struct page_run *run, uint64_t i)
{
	const struct pagefmt *f = w->f;
	const struct last_page *last = w->single.used ? &w->single : &w->tail;
	const uint8_t *p = run->p + i * f->size;
	uint64_t n = run->n - i, pfn = run->pfn + i, kva = run->kva + i * f->size;
	struct frame *out;

	if (!last->used)
		return 0;
	if (w->single.used)
		n = pages_like_single(f, p, pages_below(last->end, pfn, n), &last->words);
	else
		n = pages_like_tail(f, p, n, &last->words, folio_left(f, &w->folio, kva));
	if (!n)
		return 0;
	out = frame_of(w, pfn);
	frames_repeat(out, &last->frame, n);
	w->sums.existing += n;
	w->like_tail = w->single.used ? 0 : w->like_tail + n;
	return n;
}

static void keep_single(struct frame_reader *w, const uint8_t *p, uint64_t pfn,
			const struct frame *fr)
{
	struct look k = look_at(w, p, pfn);

	if (!is_told_by_look(w->f, &k))
		return;
	k.frame = *fr;
	k.used = true;
	*slot_of(w, &k) = k;
	note_single(w, p, &k, fr);
}

/* The tail at P has the frame FR. BEFORE: tails of its folio before it that have one frame. */
static void keep_tail(struct frame_reader *w, const uint8_t *p, const struct frame *fr,
		      uint64_t before)
{
	bool same = before && w->tail.frame.flags == fr->flags &&
		    w->tail.frame.mapcount == fr->mapcount;

	w->tail = (struct last_page){
		.words = alike_words(w->f, p),
		.frame = *fr,
		.used = page_tails_by_word(w->f) && w->folio.readable && !w->folio.pte_mapped,
	};
	if (!same)
		w->tails_at = 0;
	if (w->tail.used)
		w->like_tail = (same ? before : 0) + 1;
}

/* Struct page I of RUN. */
static void decode_page(struct frame_reader *w, const struct page_run *run, uint64_t i)
{
	const struct pagefmt *f = w->f;
	uint64_t pfn = run->pfn + i, kva = run->kva + i * f->size, head;
	const uint8_t *p = run->p + i * f->size;
	struct frame *out = frame_of(w, pfn);
	uint64_t tails = w->like_tail;
	enum page_role role;

	w->sums.existing++;
	w->like_tail = 0;
	w->single.used = false;
	if (decode_again(w, p, pfn, out))
		return;
	role = page_role(f, p, kva, run->len - (kva - run->here_kva), &head);
	if (role == PAGE_UNSET) {
		out->flags = FR_EXISTS | FR_BLANK;
		return;
	}
	if (role == PAGE_SINGLE || role == PAGE_ASTRAY) {
		decode_single(w, p, pfn, kva, out);
		if (role == PAGE_ASTRAY) {
			out->flags |= FR_TAIL;
			w->sums.lost_heads++;
			return;
		}
		keep_single(w, p, pfn, out);
		return;
	}
	if (w->folio.kva != head) {
		if (!folio_read(f, w->strip.r, head, run->here, run->here_kva, run->len, &w->folio))
			w->sums.lost_heads++;
		w->sums.pte_mapped += w->folio.pte_mapped;
		tails = 0;
	}
	decode_part(w, p, role == PAGE_TAIL, out);
	if (role == PAGE_TAIL)
		keep_tail(w, p, out, tails);
}

/*
 * The tails of a large hugetlb page share one page of memory (hugetlb vmemmap optimization,
 * f41f2ed43ca5, v5.14): it was just read, for the struct pages before these.
 */
static void add_tails(struct frame_reader *w, const struct page_run *run)
{
	w->sums.existing += run->n;
	if (w->alike && run->pfn == w->first_pfn + w->alike) {
		w->alike += run->n;
		return;
	}
	settle(w, run->pfn + run->n - w->first_pfn);
	frames_repeat(frame_of(w, run->pfn), &w->tail.frame, run->n);
	w->like_tail += run->n;
}

static void add_run(struct frame_reader *w, const struct page_run *run)
{
	uint64_t end = run->pfn + run->n;

	if (end - w->first_pfn > w->ready)
		settle(w, end - w->first_pfn);
	for (uint64_t i = 0, n; i < run->n; i += n) {
		n = run->p ? add_like_last(w, run, i) : 0;
		if (n)
			continue;
		n = 1;
		if (run->p) {
			decode_page(w, run, i);
			continue;
		}
		frame_of(w, run->pfn + i)->flags = FR_UNREAD;
		w->sums.unread++;
		w->like_tail = 0;
	}
	if (run->p == run->here && run->n * w->f->size == run->len && w->like_tail >= run->n)
		w->tails_at = run->at;
}

static void frame_run(struct frame_reader *w, const struct page_run *run)
{
	if (run->p && run->p == run->here && run->at && run->at == w->tails_at &&
	    folio_left(w->f, &w->folio, run->kva) >= run->n)
		add_tails(w, run);
	else
		add_run(w, run);
	/* all of the chunk so far have one frame: those that follow may be put off */
	if (w->tails_at && !w->alike && w->ready < w->n && w->like_tail == w->ready &&
	    run->pfn + run->n == w->first_pfn + w->ready)
		w->alike = w->ready;
}

static void any_run(void *arg, const struct page_run *run)
{
	struct frame_reader *w = arg;

	frame_run(w, run);
	if (w->also)
		w->also->run(w->also->arg, w->worker, w->strip.r, run);
}

static void mark_device(struct frame_reader *w, uint64_t pfn, uint64_t end)
{
	settle(w, end - w->first_pfn);
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
	w->n = end - pfn;
	w->ready = min_u64(w->n, ALIKE_AFTER * w->strip.page_size / w->f->size);
	w->alike = 0;
	w->buddy_end = 0;
	w->folio = (struct folio_view){ 0 };
	w->tail.used = w->single.used = false;
	w->tails_at = w->like_tail = 0;
	w->sums = (struct frame_sums){ 0 };
	memset(frames, 0, w->ready * sizeof(*frames));
	for (; i < m->n && m->v[i].pfn < end; i++) {
		const struct memmap_range *g = &m->v[i];
		uint64_t lo = max_u64(pfn, g->pfn), hi = min_u64(end, g->end);

		page_strip_read(&w->strip, lo, hi, g->page_kva + (lo - g->pfn) * w->f->size);
		if (g->offline)
			mark_device(w, lo, hi);
	}
	i = search_first(m->ndevices, mid, m->devices[mid].end <= pfn);
	for (; i < m->ndevices && m->devices[i].pfn < end; i++)
		mark_device(w, max_u64(pfn, m->devices[i].pfn), min_u64(end, m->devices[i].end));
	w->sums.alike = w->alike == w->n;
	if (!w->sums.alike)
		settle(w, w->n);
	*sums = w->sums;
	return w->any;
}

struct frame_reader *frame_reader_new(const struct kernel *k, const struct pagefmt *f)
{
	struct frame_reader *w = heap_array(struct frame_reader, 1);

	w->k = k;
	w->f = f;
	w->strip = (struct page_strip){
		.r = reader_new_forward(k->dump),
		.page_size = dump_page_size(k->dump),
		.size = f->size,
		.run = any_run,
		.arg = w,
	};
	return w;
}

void frame_read_also(struct frame_reader *w, const struct page_scan *also, unsigned worker)
{
	w->also = also;
	w->worker = worker;
}

void frame_reader_free(struct frame_reader *w)
{
	reader_free(w->strip.r);
	free(w);
}
