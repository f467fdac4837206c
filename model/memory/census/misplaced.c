/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misplaced.c - claims that contradict a frame's struct page or another claim; the lists of free
 * blocks (mm/page_alloc.c, struct free_area) against the classes and against their counts.
 */
#include "model/memory/census/misplaced.h"

#include <inttypes.h>

#include "facts/layout/kmem.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/page_list.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/zone/zones.h"

static const char in_use[] =
	"the page is handed out and can be handed out again: freed twice, or used after it was freed";
static const char shared[] =
	"two owners believe that they have the page alone: one of them freed it";
static const char mapped[] =
	"a process maps memory of the kernel's own: its map count is wrong, or the page has two owners";
static const char no_ram[] =
	"an owner has a page whose struct page says that it is no RAM: it was overwritten";
static const char lost[] = "free memory that nobody can get: the list was cut or overwritten";
static const char length[] =
	"the list was changed without its count: damage, or a bug in the allocator";
static const char locked[] = "a CPU held the lock of the zone when the machine stopped";
static const char strange[] = "a list of free pages leads out of its zone: it was overwritten";

struct walk {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct page_classes *c;
	struct misplaced_list *ret;
	const struct zone *z;
	bool busy; /* the zone's lock was held */
	struct class_conflict on_list[PAGE_CLASSES], twice, outside;
};

static void add(struct misplaced_list *ret, struct arena *mem, const char *what, const char *means,
		const struct class_conflict *n)
{
	*vec_push(mem, &ret->v) = (struct misplaced){ .what = what,
						      .means = means,
						      .pfn = n->pfn,
						      .frames = n->frames,
						      .kernel = UINT64_MAX,
						      .found = UINT64_MAX };
}

static void note(struct class_conflict *n, uint64_t pfn)
{
	if (!n->frames++)
		n->pfn = pfn;
}

/* ---- claims ---------------------------------------------------------------------------- */

/* Did claims note frames of class C because a process maps them? */
static bool mapped_only(enum page_class c)
{
	return c == CLASS_UNKNOWN || c == CLASS_BOOT || c == CLASS_COMPOUND;
}

/*
 * What is mapped with vmap() belongs to anybody; page tables may have the type of a table, or be
 * objects of a slab (ppc, i386 with PAE); stacks and per-CPU variables may lie in areas of vmalloc.
 */
static bool contradicts(enum page_class is, enum page_class to)
{
	if (to == CLASS_VMAP || to == CLASS_MEMMAP)
		return false;
	/* firmware has tables in memory of its own */
	if (is == CLASS_HOLE)
		return page_class_is(to, CF_PRIVATE) && to != CLASS_TABLES_OWN;
	if (mapped_only(is))
		return true;
	if ((is == CLASS_TABLES || is == CLASS_SLAB) &&
	    (to == CLASS_TABLES || to == CLASS_TABLES_OWN))
		return false;
	if (is == CLASS_FREE_CPU || to == CLASS_FREE_CPU)
		return true;
	return page_class_is(is, CF_SHOWN) && is != to;
}

static const char *meaning(enum page_class is, enum page_class to)
{
	if (is == CLASS_HOLE)
		return no_ram;
	if (mapped_only(is))
		return mapped;
	return is == CLASS_FREE || is == CLASS_FREE_CPU || to == CLASS_FREE_CPU ? in_use : shared;
}

uint64_t misplaced_claims(const struct page_classes *c)
{
	uint64_t n = 0;

	for (unsigned is = 0; is < PAGE_CLASSES; is++)
		for (unsigned to = 0; to < PAGE_CLASSES; to++)
			if (contradicts((enum page_class)is, (enum page_class)to))
				n += c->conflict[is][to].frames;
	return n;
}

static void add_claims(const struct page_classes *c, struct arena *mem, struct misplaced_list *ret)
{
	for (unsigned is = 0; is < PAGE_CLASSES; is++)
		for (unsigned to = 0; to < PAGE_CLASSES; to++) {
			const struct class_conflict *n = &c->conflict[is][to];

			if (!n->frames || !contradicts((enum page_class)is, (enum page_class)to))
				continue;
			add(ret, mem,
			    is == to ? arena_printf(mem, "%s: twice", page_class_name(is))
			    : mapped_only((enum page_class)is)
				    ? arena_printf(mem, "mapped, and %s", page_class_name(to))
				    : arena_printf(mem, "%s, and %s", page_class_name(is),
						   page_class_name(to)),
			    meaning((enum page_class)is, (enum page_class)to), n);
		}
}

static void add_cpu_lists(const struct census *c, struct arena *mem, struct misplaced_list *ret)
{
	for (uint32_t i = 0; i < c->ncpu_lists; i++) {
		const struct census_cpu_list *l = &c->cpu_lists[i];

		*vec_push(mem, &ret->v) = (struct misplaced){
			.what = arena_printf(mem, "free pages of CPU %u in zone %s", l->cpu,
					     l->zone),
			.means = length,
			.pfn = UINT64_MAX,
			.frames = UINT64_MAX,
			.kernel = (uint64_t)l->counted,
			.found = l->listed,
		};
	}
}

/* ---- free lists ------------------------------------------------------------------------ */

static void take_block(struct walk *w, uint64_t pfn, unsigned order)
{
	uint64_t pages = UINT64_C(1) << order;

	w->ret->blocks++;
	if (pfn < w->z->start_pfn || pfn + pages > w->z->start_pfn + w->z->spanned ||
	    pfn & (pages - 1)) {
		note(&w->outside, pfn);
		return;
	}
	for (uint64_t i = pfn; i < pfn + pages; i++) {
		enum page_class c = page_class_at(w->c, i);

		if (!page_classes_mark(w->c, i))
			note(&w->twice, i);
		else if (c != CLASS_FREE)
			note(&w->on_list[c], i);
	}
}

/* Blocks in the list at HEAD. False: it is damaged, and an issue. */
static bool walk_list(struct walk *w, uint64_t head, unsigned order, uint64_t *n)
{
	struct listwalk l = listwalk_start(w->k, w->r, head, (w->k->memmap.max_pfn >> order) + 1);
	uint64_t pfn;

	while (page_list_next(&l, &pfn))
		take_block(w, pfn, order);
	*n += l.seen;
	if (l.st)
		issue_add(w->k->issues, l.st, "free list", 1,
			  "%s, order %u: after %" PRIu64 " blocks", w->z->name, order, l.seen);
	return !l.st;
}

static void walk_order(struct walk *w, unsigned order, unsigned ntypes)
{
	const struct layout *l = &w->k->layout;
	const struct member *area = &l->v[M_ZONE_FREE_AREA].m, *lists = &l->v[M_AREA_LISTS].m;
	uint64_t at = w->z->addr + area->offset + (uint64_t)order * area->stride, n = 0;
	bool whole = true;

	for (unsigned t = 0; t < ntypes; t++)
		whole &= walk_list(w, at + lists->offset + (uint64_t)t * lists->stride, order, &n);
	if (!whole || w->z->nr_free[order] == ZONE_UNKNOWN || n == w->z->nr_free[order])
		return;
	*vec_push(w->mem, &w->ret->v) = (struct misplaced){
		.what = arena_printf(w->mem, "free blocks of order %u in zone %s", order,
				     w->z->name),
		.means = w->busy ? locked : length,
		.pfn = UINT64_MAX,
		.frames = UINT64_MAX,
		.kernel = w->z->nr_free[order],
		.found = n,
		.explained = w->busy,
	};
}

static void walk_zones(struct walk *w, const struct zones *zs)
{
	uint64_t lock;

	for (uint32_t i = 0; i < zs->n; i++) {
		w->z = &zs->v[i];
		if (!w->z->present)
			continue;
		w->busy = has(w->k, M_ZONE_LOCK) &&
			  !read_kva_uint(w->r,
					 w->z->addr + layout_offset(&w->k->layout, M_ZONE_LOCK), 4,
					 &lock) &&
			  lock;
		for (unsigned o = 0; o < zs->norders; o++)
			walk_order(w, o, zs->ntypes);
	}
}

/* Frames that look free and are on no list. */
static void add_unlisted(struct walk *w)
{
	struct class_conflict n = { 0 };

	for (uint64_t pfn = 0; pfn < w->k->memmap.max_pfn; pfn++) {
		if (!w->c->chunk[pfn >> FRAME_CHUNK_SHIFT])
			pfn |= FRAME_CHUNK - 1;
		else if (page_class_at(w->c, pfn) == CLASS_FREE && !page_class_marked(w->c, pfn))
			note(&n, pfn);
	}
	if (n.frames)
		add(w->ret, w->mem, "marked free, on no free list", lost, &n);
}

static void compare_lists(struct walk *w)
{
	struct zones zs;

	if (zones_build(w->s, w->mem, 0, &zs) || !has(w->k, M_PAGE_LRU))
		return;
	walk_zones(w, &zs);
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (w->on_list[i].frames)
			add(w->ret, w->mem,
			    arena_printf(w->mem, "on a free list, and %s", page_class_name(i)),
			    in_use, &w->on_list[i]);
	if (w->twice.frames)
		add(w->ret, w->mem, "twice on free lists", in_use, &w->twice);
	if (w->outside.frames)
		add(w->ret, w->mem, "on the free list of another zone or order", strange,
		    &w->outside);
	add_unlisted(w);
}

void misplaced_find(const struct snapshot *s, const struct census *c, struct arena *mem,
		    struct misplaced_list *ret)
{
	struct walk w = { .s = s, .k = s->k, .mem = mem, .c = c->classes, .ret = ret };

	*ret = (struct misplaced_list){ .blocks = 0 };
	if (!s->k->dump || !s->k->memmap.n)
		return;
	w.r = kernel_reader(s->k);
	page_classes_unmark(c->classes); /* owners may have marked frames */
	add_claims(c->classes, mem, ret);
	add_cpu_lists(c, mem, ret);
	compare_lists(&w);
	bad_pages_find(s, mem, ret);
	reader_free(w.r);
}
