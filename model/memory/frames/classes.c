/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * classes.c - the class of each page frame, from its struct page.
 *
 * Pages of a compound page are what its head is. Of a block of several pages that is not
 * compound only the first has a reference; the others show nothing (CLASS_UNKNOWN), as do pages
 * on the per-CPU lists. PG_reserved (memory that the page allocator never had, include/linux/
 * page-flags.h) is divided by the resource tree.
 */
#include "model/memory/frames/class_pass.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/memory/frames/frames.h"

/* What is known of one page: the facts of its own struct page, and of its folio's head. */
struct one_page {
	uint64_t pfn;
	uint32_t fr;		   /* FR_* */
	uint32_t type;		   /* of the head */
	uint32_t refs;		   /* of the head */
	uint64_t own_flags, flags; /* of the page, of the head */
	uint64_t mapping;
	bool mapped, maybe;
	bool own_mapped;	   /* a page of a partly mapped folio has a count of its own */
};

/* ---- the class of one page ------------------------------------------------------------ */

static enum page_class class_of_reserved(const struct class_pass *p, struct class_worker *w,
					 uint64_t pfn)
{
	uint64_t first = pfn << p->k->page_shift,
		 last = first + (UINT64_C(1) << p->k->page_shift) - 1;
	const struct resource_span *begin, *end;

	if (!p->resources.v.n)
		return p->resources.torn ? CLASS_UNKNOWN : CLASS_BOOT;
	begin = resource_at(&p->resources, first, &w->resource);
	if (begin && str_begins(begin->name, "Kernel "))
		return CLASS_IMAGE;
	if (begin && !strcmp(begin->name, "Crash kernel"))
		return CLASS_CRASH;
	end = resource_at(&p->resources, last, &w->resource);
	if (end && str_begins(end->name, "Kernel "))
		return CLASS_IMAGE;
	if (p->resources.torn && !(begin && end))
		return CLASS_UNKNOWN;
	/* the kernel rounds RAM to whole pages */
	return begin && begin->ram && end && end->ram ? CLASS_BOOT : CLASS_HOLE;
}

static enum page_class class_of_cache(const struct class_pass *p, struct class_worker *w,
				      const struct one_page *g)
{
	w->owner = cache_owners_at(&w->owners, w->r, g->mapping);
	switch (w->owner->kind) {
	case CACHE_SHMEM: return g->mapped ? CLASS_SHMEM_MAPPED : CLASS_SHMEM;
	case CACHE_SECRETMEM: return CLASS_SECRETMEM;
	case CACHE_BDEV: return CLASS_BDEV;
	case CACHE_FILE: return g->mapped ? CLASS_FILE_MAPPED : CLASS_FILE;
	case CACHE_PERF: w->owner = NULL; return CLASS_PERF;
	case CACHE_LOST: break;
	}
	/* the page is in a cache, whoever owns it */
	w->lost_mappings++;
	if (g->flags & p->fmt.swapbacked)
		return g->mapped ? CLASS_SHMEM_MAPPED : CLASS_SHMEM;
	return g->mapped ? CLASS_FILE_MAPPED : CLASS_FILE;
}

static enum page_class class_of_typed(const struct class_pass *p, const struct one_page *g)
{
	if (p->fmt.type_form != TYPE_BYTE || !type_is_type(&p->fmt, g->type))
		return CLASS_NONE;
	if (p->kmalloc && g->type >> 24 == p->kmalloc)
		return CLASS_KMALLOC;
	if (p->zsmalloc && g->type >> 24 == p->zsmalloc)
		return CLASS_MOVABLE;
	return CLASS_NONE;
}

static enum page_class class_of_anon(const struct one_page *g)
{
	if (g->fr & FR_KSM)
		return CLASS_KSM;
	if (g->fr & FR_SWAPCACHE && !g->mapped && !g->maybe)
		return CLASS_SWAPCACHE;
	return CLASS_ANON;
}

/* The huge zero page is of the order of its head: 2 MiB on x86, 16 MiB with hash tables of 64K pages. */
static bool is_zero_page(const struct class_pass *p, const struct one_page *g)
{
	unsigned order = g->fr >> FR_ORDER_SHIFT;

	return g->pfn == p->zero || (p->huge_zero != UINT64_MAX && g->pfn >= p->huge_zero &&
				     order < 32 && g->pfn - p->huge_zero < UINT64_C(1) << order);
}

static enum page_class class_of_page(const struct class_pass *p, struct class_worker *w,
				     const struct one_page *g)
{
	enum page_class typed = class_of_typed(p, g);

	if (g->fr & FR_BLANK)
		return CLASS_HOLE;
	if (g->fr & FR_OFFLINE)
		return CLASS_OFFLINE;
	if (g->fr & FR_HWPOISON)
		return CLASS_POISON;
	if (g->fr & FR_BUDDY)
		return CLASS_FREE;
	if (is_zero_page(p, g))
		return CLASS_ZERO;
	if (g->fr & FR_SLAB)
		return CLASS_SLAB;
	if (g->fr & FR_PGTABLE)
		return CLASS_TABLES;
	if (g->fr & FR_HUGETLB)
		return g->refs ? CLASS_HUGETLB : CLASS_HUGETLB_FREE;
	if (typed)
		return typed;
	if (g->fr & FR_RESERVED)
		return class_of_reserved(p, w, g->pfn);
	if (page_is_movable_kernel(g->mapping) && !p->zsmalloc)
		return CLASS_MOVABLE;
	if (g->fr & FR_ANON)
		return class_of_anon(g);
	if (g->fr & FR_CACHE)
		return class_of_cache(p, w, g);
	if (g->fr & FR_SWAPCACHE)
		return CLASS_SWAPCACHE;
	if (g->fr & FR_LRU)
		return CLASS_TRUNCATED;
	if (g->fr >> FR_ORDER_SHIFT && g->refs == 1 && !g->mapped && !g->maybe)
		return CLASS_COMPOUND;
	return CLASS_UNKNOWN;
}

/*
 * CLASS, which a page has because others were ruled out: not if what rules them out is on types that could not be
 * read. Then nothing describes the page.
 */
static enum page_class unless_lost(const struct class_pass *p, enum page_class class)
{
	switch (class) {
	case CLASS_COMPOUND:
	case CLASS_UNKNOWN: return p->lost & LOST_ANY ? CLASS_UNREAD : class;
	case CLASS_TRUNCATED:
	case CLASS_SWAPCACHE: return p->lost & LOST_MAPPING ? CLASS_UNREAD : class;
	case CLASS_FILE:
	case CLASS_SHMEM: return p->lost & LOST_MAPCOUNT ? CLASS_UNREAD : class;
	default: return class;
	}
}

static void counts_times(struct class_counts *c, uint64_t n)
{
	c->pages *= n;
	c->mapped *= n;
	c->dirty *= n;
	c->writeback *= n;
	c->unevictable *= n;
	c->mlocked *= n;
	c->active *= n;
}

/* Counts N pages like the last one. */
static void count_like_last(struct class_worker *w, uint64_t n)
{
	const struct last_page *l = &w->last;
	struct class_counts count = l->count;

	counts_times(&count, n);
	class_counts_add(&w->count[l->class], &count);
	if (l->owner) {
		class_counts_add(&l->owner->count, &count);
		l->owner->maybe += n * l->maybe;
	}
	w->maybe += n * l->maybe;
	w->own_mapped += n * l->own_mapped;
}

static void count_page(const struct class_pass *p, struct class_worker *w, enum page_class c,
		       const struct one_page *g)
{
	struct class_counts n = { .pages = 1, .mapped = g->mapped };

	if (page_class_is(c, CF_USER)) {
		n.dirty = !!(g->fr & FR_DIRTY);
		n.writeback = !!(g->flags & p->word[BIT_WRITEBACK]);
		n.unevictable = !!(g->flags & p->word[BIT_UNEVICTABLE]);
		n.mlocked = !!(g->flags & p->word[BIT_MLOCKED]);
		n.active = !!(g->flags & p->word[BIT_ACTIVE]);
	}
	w->last.class = c;
	w->last.owner = w->owner;
	w->last.count = n;
	w->last.maybe = g->maybe;
	w->last.own_mapped = g->own_mapped;
	count_like_last(w, 1);
}

/* ---- struct pages ----------------------------------------------------------------------- */

static void take_single(const struct class_pass *c, struct class_worker *w, const uint8_t *p,
			uint64_t kva, struct one_page *g)
{
	const struct pagefmt *f = &c->fmt;
	bool counted = f->mapcount_form == MAPCOUNT_NONE;

	g->flags = g->own_flags;
	g->type = page_type(f, p);
	g->refs = page_refcount(f, p);
	g->mapping = page_mapping(f, p);
	g->fr = FR_EXISTS | flags_class(f, g->flags) | type_class(f, g->type);
	g->fr |= mapping_class(f, g->mapping, g->fr);
	if (page_is_blank(f, p, kva))
		g->fr |= FR_BLANK;
	if (counted)
		g->mapped = page_counted(f, p, g->refs, &g->fr) != 0;
	else if (!(g->fr & (FR_SLAB | FR_BLANK)) && !page_is_movable_kernel(g->mapping))
		/* to 4.17 the word counts the objects of a slab; 0 is one mapping */
		g->mapped = page_own_mapcount(f, g->type) != 0;
	w->last.end = UINT64_MAX;
	if (g->fr & FR_BUDDY) {
		w->buddy_end = g->pfn + (UINT64_C(1) << page_block_order(f, p, g->pfn));
		w->last.end = 0;
	} else if (!g->refs && g->pfn < w->buddy_end) {
		g->fr |= FR_BUDDY;
		w->last.end = w->buddy_end;
	}
}

static void take_part(const struct class_pass *c, struct class_worker *w, const uint8_t *p,
		      bool tail, struct one_page *g)
{
	const struct folio_view *v = &w->folio;
	const struct pagefmt *f = &c->fmt;
	uint32_t own = page_own_mapcount(f, page_type(f, p));

	/* the _mapcount of a tail is its pins (70b50f94f164, v3.2): a huge page is mapped whole */
	if (f->mapcount_form == MAPCOUNT_OWN)
		own = tail && !(v->fr & (FR_ANON | FR_HUGETLB)) ? 0 : page_own_mapcount(f, v->type);
	g->flags = v->flags;
	g->type = v->type;
	g->refs = v->refcount;
	g->mapping = v->mapping;
	g->fr = FR_EXISTS | v->fr | (flags_class(f, g->own_flags) & (FR_RESERVED | FR_HWPOISON));
	g->mapped = !(v->fr & FR_SLAB) && own + v->add != 0;
	g->maybe = v->pte_mapped && !g->mapped;
	g->own_mapped = v->pte_mapped && own;
}

/* Does what was found of the page G hold for any that is like it? Not if its address or the mark
   of a page_pool had a say. */
static bool holds_for_others(const struct class_worker *w, enum page_class class,
			     const struct one_page *g)
{
	if (g->fr & (FR_RESERVED | FR_BLANK) || (w->owner && w->owner->kind == CACHE_LOST))
		return false;
	switch (class) {
	case CLASS_UNKNOWN:
	case CLASS_COMPOUND:
	case CLASS_PAGE_POOL:
	case CLASS_ZERO:
	case CLASS_UNREAD: return false;
	default: return true;
	}
}

static void keep_last(const struct class_pass *c, struct class_worker *w, const uint8_t *p,
		      enum page_role role, const struct one_page *g)
{
	struct last_page *l = &w->last;

	/* of 2.4 other words count, too */
	if (c->fmt.mapcount_form == MAPCOUNT_NONE || !holds_for_others(w, l->class, g))
		return;
	l->words = alike_words(&c->fmt, p);
	/* without both it may be blank, which is no matter of its words */
	l->single = role == PAGE_SINGLE && (l->words.refs || l->words.type);
	l->tail = role == PAGE_TAIL && page_tails_by_word(&c->fmt);
}

/* Struct pages of RUN from I on that are as the last one. Returns their number; they are counted. */
static uint64_t take_like_last(const struct class_pass *c, struct class_worker *w,
			       const struct page_run *run, uint64_t i, uint8_t *to)
{
	const struct pagefmt *f = &c->fmt;
	const struct last_page *l = &w->last;
	const uint8_t *p = run->p + i * f->size;
	uint64_t pfn = run->pfn + i, most = run->n - i, n;

	if (!l->single && !l->tail)
		return 0;
	/* a zero page is told by its number */
	if (c->zero >= pfn)
		most = pages_below(c->zero, pfn, most);
	if (c->huge_zero >= pfn)
		most = pages_below(c->huge_zero, pfn, most);
	if (l->single)
		n = pages_like_single(f, p, pages_below(l->end, pfn, most), &l->words);
	else
		n = pages_like_tail(f, p, most, &l->words,
				    folio_left(f, &w->folio, run->kva + i * f->size));
	memset(to, l->byte, n);
	count_like_last(w, n);
	return n;
}

static uint8_t decode_page(const struct class_pass *c, struct class_worker *w, struct reader *r,
			   const struct page_run *run, uint64_t i)
{
	const struct pagefmt *f = &c->fmt;
	uint64_t kva = run->kva + i * f->size, head;
	const uint8_t *p = run->p + i * f->size;
	struct one_page g = { .pfn = run->pfn + i, .own_flags = page_flags(f, p) };
	enum page_role role = page_role(f, p, kva, run->len - (kva - run->here_kva), &head);
	enum page_class class;

	w->last.single = w->last.tail = false;
	if (role == PAGE_HEAD || role == PAGE_TAIL) {
		if (w->folio.kva != head)
			folio_read(f, r, head, run->here, run->here_kva, run->len, &w->folio);
		if (!w->folio.readable) {
			w->lost_heads++;
			w->count[CLASS_UNREAD].pages++;
			return CLASS_UNREAD;
		}
		take_part(c, w, p, role == PAGE_TAIL, &g);
	} else if (role == PAGE_UNSET) {
		g.fr = FR_BLANK;
	} else {
		take_single(c, w, p, kva, &g);
		w->lost_heads += role == PAGE_ASTRAY;
	}
	w->owner = NULL;
	class = class_of_page(c, w, &g);
	if ((class == CLASS_UNKNOWN || class == CLASS_COMPOUND) && page_is_of_pool(f, p))
		w->pool_head = kva;
	if ((class == CLASS_UNKNOWN || class == CLASS_COMPOUND) &&
	    w->pool_head == (role == PAGE_TAIL ? head : kva))
		class = CLASS_PAGE_POOL;
	class = unless_lost(c, class);
	count_page(c, w, class, &g);
	if (class == CLASS_HUGETLB && role == PAGE_HEAD && g.fr & FR_CACHE)
		w->hugetlb_cached++;
	keep_last(c, w, p, role, &g);
	return w->last.byte =
		       (uint8_t)(class | (g.maybe ? MAYBE : 0) | (g.mapped ? BYTE_MAPPED : 0));
}

/*
 * A frame whose struct page is not in the dump, at KVA. The struct pages before it may tell: it is
 * part of a free block, or of a compound page that nobody maps, whose frames are of one class.
 * BEFORE: the byte of the frame before it in its chunk; NULL: there is none.
 */
static uint8_t lost_page(const struct class_pass *c, struct class_worker *w, uint64_t pfn,
			 uint64_t kva, const uint8_t *before)
{
	enum page_class class = CLASS_UNREAD;

	if (pfn < w->buddy_end)
		class = CLASS_FREE;
	else if (before && *before <= BYTE_CLASS && w->folio.readable && kva > w->folio.kva &&
		 folio_left(&c->fmt, &w->folio, kva))
		class = (enum page_class) * before;
	w->count[class].pages++;
	w->unread++;
	return (uint8_t) class;
}

/* ---- the pass ------------------------------------------------------------------------------ */

static struct class_worker *worker_of(struct class_pass *c, unsigned worker)
{
	struct class_worker *w = c->workers[worker];

	if (!w) {
		w = c->workers[worker] = heap_array(struct class_worker, 1);
		w->chunk_no = UINT64_MAX;
		w->r = kernel_reader(c->k);
		cache_owners_init(&w->owners, c->k, w->r, c->keep_owners);
	}
	return w;
}

void class_run(void *arg, unsigned worker, struct reader *r, const struct page_run *run)
{
	struct class_pass *c = arg;
	struct class_worker *w = worker_of(c, worker);
	uint64_t no = run->pfn >> FRAME_CHUNK_SHIFT;
	uint8_t *to;

	if (w->chunk_no != no) {
		w->chunk_no = no;
		w->resource = 0;
		w->buddy_end = 0;
		w->chunk = c->ret->chunk[no];
		if (!w->chunk)
			w->chunk = c->ret->chunk[no] = heap_array(uint8_t, FRAME_CHUNK);
	}
	to = &w->chunk[run->pfn & (FRAME_CHUNK - 1)];
	for (uint64_t i = 0; i < run->n; i++) {
		if (run->p) {
			i += take_like_last(c, w, run, i, &to[i]);
			if (i < run->n)
				to[i] = decode_page(c, w, r, run, i);
			continue;
		}
		to[i] = lost_page(c, w, run->pfn + i, run->kva + i * c->fmt.size,
				  (run->pfn + i) & (FRAME_CHUNK - 1) ? &to[i] - 1 : NULL);
	}
}
