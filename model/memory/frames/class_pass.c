/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * class_pass.c - the life of the pass over the page array, and what its threads found, put together.
 */
#include "model/memory/frames/class_pass.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/census.h"
#include "facts/layout/page.h"
#include "model/kernel/page/zero.h"
#include "model/memory/frames/frames.h"

_Static_assert(PAGE_CLASSES <= BYTE_CLASS + 1, "a class takes 6 bits");

static const enum layout_id word_flags[WORD_BITS] = {
	[BIT_WRITEBACK] = E_PG_WRITEBACK,
	[BIT_UNEVICTABLE] = E_PG_UNEVICTABLE,
	[BIT_MLOCKED] = E_PG_MLOCKED,
	[BIT_ACTIVE] = E_PG_ACTIVE,
};

static const struct {
	enum layout_id id;
	enum lost_of_page is;
} deciding[] = {
	{ M_PAGE_MAPPING, LOST_MAPPING }, { M_PAGE_MAPCOUNT, LOST_MAPCOUNT },
	{ M_PAGE_TYPE, LOST_OTHER }, { M_PAGE_REFCOUNT, LOST_OTHER },
	{ M_PAGE_COMPOUND_HEAD, LOST_OTHER }, { E_PG_LRU, LOST_OTHER },
	{ E_PG_SLAB, LOST_OTHER }, { E_PG_RESERVED, LOST_OTHER },
	{ E_PG_SWAPCACHE, LOST_OTHER }, { E_PG_HEAD, LOST_OTHER },
	{ E_PGTY_BUDDY, LOST_OTHER }, { E_PGTY_OFFLINE, LOST_OTHER },
	{ E_PGTY_TABLE, LOST_OTHER }, { E_PGTY_HUGETLB, LOST_OTHER },
	{ E_PGTY_SLAB, LOST_OTHER },
};

static unsigned lost_of_page(const struct layout *l)
{
	unsigned lost = 0;

	for (size_t i = 0; i < ARRAY_LEN(deciding); i++)
		if (layout_lost(l, deciding[i].id))
			lost |= deciding[i].is;
	return lost;
}

static void init_pass(struct class_pass *c, const struct kernel *k, struct reader *r)
{
	const struct layout *l = &k->layout;

	pagefmt_init(&c->fmt, k);
	c->lost = lost_of_page(l);
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
	enum status torn = kernel_contradicts(c->k);

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
