/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * classes.c - the class of each page frame, from its struct page.
 *
 * Pages of a compound page are what its head is. Of a block of several pages that is not
 * compound only the first has a reference; the others show nothing (CLASS_UNKNOWN), as do pages
 * on the per-CPU lists. PG_reserved (memory that the page allocator never had, include/linux/
 * page-flags.h) is divided by the resource tree.
 */
#include "model/page/classes.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "model/page/frames.h"
#include "model/page/owners.h"
#include "model/page/pagefmt.h"
#include "model/page/scan.h"
#include "model/shared.h"
#include "model/system/resources.h"
#include "model/usage/account.h"

_Static_assert(PAGE_CLASSES <= BYTE_CLASS + 1, "a class takes 6 bits");

/*
 * While the pass runs, MAYBE marks a page of a large folio that may be mapped, because the folio's
 * counts say that some of its pages are: if no page of the machine has a count of its own
 * (CONFIG_NO_PAGE_MAPCOUNT, 6.15), these count as mapped, as in the kernel's own counters. After
 * it no byte has that mark.
 */
#define MAYBE BYTE_MARK

enum word_bit { BIT_WRITEBACK, BIT_UNEVICTABLE, BIT_MLOCKED, BIT_ACTIVE, WORD_BITS };

static const enum layout_id word_flags[WORD_BITS] = {
	[BIT_WRITEBACK] = E_PG_WRITEBACK,
	[BIT_UNEVICTABLE] = E_PG_UNEVICTABLE,
	[BIT_MLOCKED] = E_PG_MLOCKED,
	[BIT_ACTIVE] = E_PG_ACTIVE,
};

/* One thread's. */
struct class_worker {
	struct reader *r;	   /* for other memory than struct pages */
	struct cache_owners owners;
	struct cache_owner *owner; /* of the page that is decoded; NULL: none */
	struct folio_view folio;
	uint64_t buddy_end; /* pages below it follow a free block's head */
	uint64_t pool_head; /* the latest page, or head, of a page_pool */
	size_t resource;    /* place in the resource tree */
	uint64_t chunk_no;  /* of the latest run */
	uint8_t *chunk;
	struct class_counts count[PAGE_CLASSES];
	uint64_t maybe, own_mapped, unread, lost_heads, lost_mappings;
	uint64_t hugetlb_cached;
};

struct class_pass {
	const struct kernel *k;
	struct pagefmt fmt;
	uint64_t word[WORD_BITS];
	uint32_t kmalloc, zsmalloc; /* types in the top byte; 0: not told apart */
	uint64_t zero, huge_zero;   /* pfns; UINT64_MAX: none */
	struct arena mem;
	struct resources resources;
	struct page_classes *ret;
	bool keep_owners;
	struct page_scan scan;
	uint8_t *done;		    /* [chunks]: a worker has it, or had it */
	struct class_worker *workers[JOBS_MAX];
};

/* What is known of one page: the facts of its own struct page, and of its folio's head. */
struct one_page {
	uint64_t pfn;
	uint32_t fr;		   /* FR_* */
	uint32_t type;		   /* of the head */
	uint32_t refs;		   /* of the head */
	uint64_t own_flags, flags; /* of the page, of the head */
	uint64_t mapping;
	bool mapped, maybe;
};

/* ---- the class of one page ------------------------------------------------------------ */

static enum page_class class_of_reserved(const struct class_pass *p, struct class_worker *w,
					 uint64_t pfn)
{
	uint64_t first = pfn << p->k->page_shift,
		 last = first + (UINT64_C(1) << p->k->page_shift) - 1;
	const char *name, *end;

	if (!p->resources.v.n)
		return CLASS_BOOT;
	name = resource_name(&p->resources, first, &w->resource);
	if (name && str_begins(name, "Kernel "))
		return CLASS_IMAGE;
	if (name && !strcmp(name, "Crash kernel"))
		return CLASS_CRASH;
	end = resource_name(&p->resources, last, &w->resource);
	if (end && str_begins(end, "Kernel "))
		return CLASS_IMAGE;
	/* the kernel rounds RAM to whole pages */
	if (!name || strcmp(name, "System RAM") || !end || strcmp(end, "System RAM"))
		return CLASS_HOLE;
	return CLASS_BOOT;
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

static void count_page(const struct class_pass *p, struct class_worker *w, enum page_class c,
		       const struct one_page *g)
{
	struct class_counts n = { .pages = 1, .mapped = g->mapped };

	if (c >= CLASS_ANON && c <= CLASS_HUGETLB) {
		n.dirty = !!(g->fr & FR_DIRTY);
		n.writeback = !!(g->flags & p->word[BIT_WRITEBACK]);
		n.unevictable = !!(g->flags & p->word[BIT_UNEVICTABLE]);
		n.mlocked = !!(g->flags & p->word[BIT_MLOCKED]);
		n.active = !!(g->flags & p->word[BIT_ACTIVE]);
	}
	class_counts_add(&w->count[c], &n);
	if (!w->owner)
		return;
	class_counts_add(&w->owner->count, &n);
	w->owner->maybe += g->maybe;
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
	if (g->fr & FR_BUDDY)
		w->buddy_end = g->pfn + (UINT64_C(1) << page_block_order(f, p, g->pfn));
	else if (!g->refs && g->pfn < w->buddy_end)
		g->fr |= FR_BUDDY;
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
	w->own_mapped += v->pte_mapped && own;
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
	count_page(c, w, class, &g);
	if (g.maybe)
		w->maybe++;
	if (class == CLASS_HUGETLB && role == PAGE_HEAD && g.fr & FR_CACHE)
		w->hugetlb_cached++;
	return (uint8_t)(class | (g.maybe ? MAYBE : 0) | (g.mapped ? BYTE_MAPPED : 0));
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

static void class_run(void *arg, unsigned worker, struct reader *r, const struct page_run *run)
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
			to[i] = decode_page(c, w, r, run, i);
			continue;
		}
		to[i] = CLASS_UNREAD;
		w->count[CLASS_UNREAD].pages++;
		w->unread++;
	}
}

static void init_pass(struct class_pass *c, const struct kernel *k, struct reader *r)
{
	const struct layout *l = &k->layout;

	pagefmt_init(&c->fmt, k);
	for (unsigned i = 0; i < WORD_BITS; i++)
		c->word[i] = pagefmt_flag(&c->fmt, word_flags[i]);
	c->kmalloc = (uint32_t)layout_enum(l, E_PGTY_LARGE_KMALLOC, 0);
	c->zsmalloc = (uint32_t)layout_enum(l, E_PGTY_ZSMALLOC, 0);
	zero_frames(k, r, &c->zero, &c->huge_zero);
	resources_read(k, r, &c->mem, &c->resources);
}

void class_counts_add(struct class_counts *to, const struct class_counts *n)
{
	to->pages += n->pages;
	to->mapped += n->mapped;
	to->dirty += n->dirty;
	to->writeback += n->writeback;
	to->unevictable += n->unevictable;
	to->mlocked += n->mlocked;
	to->active += n->active;
}

static void add_worker(struct class_pass *c, const struct class_worker *w, struct class_worker *sum)
{
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		class_counts_add(&c->ret->count[i], &w->count[i]);
	c->ret->hugetlb_cached += w->hugetlb_cached;
	sum->maybe += w->maybe;
	sum->own_mapped += w->own_mapped;
	sum->unread += w->unread;
	sum->lost_heads += w->lost_heads;
	sum->lost_mappings += w->lost_mappings;
}

static enum page_class mapped_class(enum page_class c)
{
	switch (c) {
	case CLASS_FILE: return CLASS_FILE_MAPPED;
	case CLASS_SHMEM: return CLASS_SHMEM_MAPPED;
	default: return c;
	}
}

/* Settles the bytes with MAYBE. */
static void settle(struct page_classes *c, bool mapped)
{
	for (uint64_t no = 0; no < c->nchunks; no++)
		for (uint64_t i = 0; c->chunk[no] && i < FRAME_CHUNK; i++) {
			uint8_t *b = &c->chunk[no][i];

			if (!(*b & MAYBE))
				continue;
			*b &= (uint8_t)~MAYBE;
			if (!mapped)
				continue;
			c->count[*b].mapped++;
			*b |= BYTE_MAPPED;
			page_class_move(c, b, mapped_class(*b & BYTE_CLASS));
		}
}

static void mark_devices(struct page_classes *c, uint64_t pfn, uint64_t end)
{
	for (; pfn < end; pfn++) {
		enum page_class from = page_class_at(c, pfn);

		if (from != CLASS_NONE && from != CLASS_UNREAD)
			page_class_move(c, page_class_place(c, pfn), CLASS_DEVICE);
	}
}

static void tell(const struct class_pass *c, const struct class_worker *sum)
{
	enum status torn = c->k->dump->live ? ST_TORN : ST_CORRUPT;

	if (sum->unread)
		issue_add(c->k->issues, ST_NODATA, "struct page", sum->unread,
			  "struct pages that the dump does not hold");
	if (sum->lost_heads)
		issue_add(c->k->issues, torn, "compound page", sum->lost_heads,
			  "tail pages whose head is not readable");
	if (sum->lost_mappings)
		issue_add(c->k->issues, torn, "page mapping", sum->lost_mappings,
			  "pages whose address_space is not readable");
}

static int by_mapping(const void *a, const void *b)
{
	const struct cache_owner *x = a, *y = b;

	return x->mapping < y->mapping ? -1 : x->mapping > y->mapping;
}

/* BYTE_MAPPED: pages that may be mapped are. */
static void take_owners(struct page_classes *c, const struct cache_owners *o, bool mapped)
{
	c->nowners = o->v.n;
	c->owners = heap_array(struct cache_owner, c->nowners);
	if (c->nowners)
		memcpy(c->owners, o->v.v, c->nowners * sizeof(*c->owners));
	for (size_t i = 0; i < c->nowners; i++)
		c->owners[i].count.mapped += mapped ? c->owners[i].maybe : 0;
	qsort(c->owners, c->nowners, sizeof(*c->owners), by_mapping);
}

struct class_pass *page_classes_begin(const struct kernel *k, bool owners)
{
	struct class_pass *c = heap_array(struct class_pass, 1);
	const struct memmap *m = &k->memmap;
	struct reader *r = kernel_reader(k);

	c->k = k;
	c->ret = heap_array(struct page_classes, 1);
	c->keep_owners = owners;
	if (m->n) {
		init_pass(c, k, r);
		c->ret->nchunks = ((m->max_pfn - 1) >> FRAME_CHUNK_SHIFT) + 1;
		c->ret->chunk = heap_array(uint8_t *, c->ret->nchunks);
	}
	c->done = heap_array(uint8_t, c->ret->nchunks);
	c->scan = (struct page_scan){ .run = class_run, .arg = c, .done = c->done };
	reader_free(r);
	return c;
}

const struct page_scan *page_classes_take(struct class_pass *c, unsigned worker, uint64_t chunk)
{
	if (worker >= JOBS_MAX || __atomic_exchange_n(&c->done[chunk], 1, __ATOMIC_RELAXED))
		return NULL;
	return &c->scan;
}

static void end_worker(struct class_pass *c, struct class_worker *w, struct class_worker *sum)
{
	add_worker(c, w, sum);
	cache_owners_add(&sum->owners, &w->owners);
	cache_owners_release(&w->owners);
	reader_free(w->r);
	free(w);
}

/* All workers' into SUM and C->ret; ends them. */
static void end_workers(struct class_pass *c, struct class_worker *sum)
{
	struct reader *r = kernel_reader(c->k);

	cache_owners_init(&sum->owners, c->k, r, true);
	for (unsigned i = 0; i < JOBS_MAX; i++)
		if (c->workers[i])
			end_worker(c, c->workers[i], sum);
	reader_free(r);
}

static void pass_free(struct class_pass *c)
{
	arena_release(&c->mem);
	free(c->done);
	free(c);
}

struct page_classes *page_classes_end(struct class_pass *c)
{
	struct page_classes *ret = c->ret;
	const struct memmap *m = &c->k->memmap;
	struct class_worker sum = { .maybe = 0 };

	page_scan(c->k, c->fmt.size, &c->scan);
	end_workers(c, &sum);
	cache_owners_tell(&sum.owners);
	ret->all_owners = sum.owners.whole;
	if (ret->all_owners)
		take_owners(ret, &sum.owners, !sum.own_mapped);
	cache_owners_release(&sum.owners);
	if (sum.maybe)
		settle(ret, !sum.own_mapped);
	for (uint32_t i = 0; i < m->n; i++)
		if (m->v[i].offline)
			mark_devices(ret, m->v[i].pfn, m->v[i].end);
	for (uint32_t i = 0; i < m->ndevices; i++)
		mark_devices(ret, m->devices[i].pfn, m->devices[i].end);
	tell(c, &sum);
	pass_free(c);
	return ret;
}

void page_classes_drop(struct class_pass *c)
{
	struct class_worker sum = { .maybe = 0 };

	if (!c)
		return;
	end_workers(c, &sum);
	cache_owners_release(&sum.owners);
	page_classes_free(c->ret);
	pass_free(c);
}

struct page_classes *page_classes_build(const struct kernel *k, bool owners)
{
	return page_classes_end(page_classes_begin(k, owners));
}

void page_classes_free(struct page_classes *c)
{
	if (!c)
		return;
	for (uint64_t i = 0; i < c->nchunks; i++)
		free(c->chunk[i]);
	free(c->chunk);
	free(c->owners);
	free(c);
}

static void *make_classes(const struct snapshot *s, struct arena *mem)
{
	struct class_pass *begun = s->classes;

	(void)mem;
	if (!begun)
		return page_classes_build(s->k, false);
	frames_classify(&s->frames, NULL);
	/* what is kept beside S's arrays is no part of what reports may not change */
	((struct snapshot *)s)->classes = NULL;
	return page_classes_end(begun);
}

static void release_classes(void *view)
{
	page_classes_free(view);
}

struct page_classes *page_classes_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { make_classes, release_classes };

	return shared_view(s, SHARED_CLASSES, &maker);
}
