/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.c - slabs and blocks of all frames, areas of vmalloc, and where their addresses lie. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "model/kernel/page/scan.h"
#include "model/memory/reach/scan.h"

#define BLOCK_MAX      1024u /* pages of a block that is not compound: MAX_ORDER */
#define SLAB_ORDER_MAX 10u
#define OBJECTS_MAX    32767u /* of a slab: 15 bits */
#define SPARSE	       (1u << 21) /* pages: two arenas of BPF, of 4 GiB each */

bool reach_is_block(enum page_class c)
{
	switch (c) {
	case CLASS_KMALLOC:
	case CLASS_UNKNOWN:
	case CLASS_COMPOUND:
	case CLASS_VMAP:
	case CLASS_DMA:
	case CLASS_BLOCK:
	case CLASS_FRAGS:
	case CLASS_PAGE_POOL:
	case CLASS_TRACE:
	case CLASS_SWAP_MAP:
	case CLASS_KFENCE: return true;
	default: /* of processes and files, free, roots, or data that nobody keeps pointers in */
		return false;
	}
}

/* ---- the linear map ---------------------------------------------------------------------- */

/* Caches are objects of slabs, except the first ones: the linear map is where they are. With 32 bits it may
   end before memory does: it is mapped in one piece. */
static bool find_linear(struct reach *x, struct reader *r)
{
	const struct kernel *k = x->k;
	uint64_t start = layout_symbol(&k->layout, Y_IMAGE_START),
		 end = layout_symbol(&k->layout, Y_IMAGE_END);
	uint64_t pa, run = 0, at;

	for (uint32_t i = 0; i < x->caches.n; i++) {
		at = x->caches.v[i].addr;
		if ((at >= start && at < end) || reader_kvtop(r, at, &pa, &run) ||
		    pa >> k->page_shift >= x->max_pfn)
			continue;
		x->linear = at - pa;
		x->linear_end = x->linear + (x->max_pfn << k->page_shift);
		if (k->dump->word_size == 4 && k->arch->by_rule &&
		    k->arch->by_rule(k->dump, at, &pa, &run))
			continue;
		if (k->dump->word_size == 4)
			x->linear_end = min_u64(min_u64(at + run, x->linear_end), UINT32_MAX);
		return x->linear_end > x->linear;
	}
	return false;
}

static void find_span(struct reach *x)
{
	const struct memmap *m = &x->k->memmap;

	x->least = x->linear;
	x->most = x->linear_end;
	for (uint32_t i = 0; i < x->nareas; i++) {
		x->least = min_u64(x->least, x->areas[i].start);
		x->most = max_u64(x->most, x->areas[i].start + x->areas[i].size);
	}
	for (uint32_t i = 0; i < m->n; i++) {
		x->least = min_u64(x->least, m->v[i].page_kva);
		x->most = max_u64(x->most,
				  m->v[i].page_kva + (m->v[i].end - m->v[i].pfn) * m->page_size);
	}
}

/* ---- areas -------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct vmalloc_area *p = a, *q = b;

	return p->start < q->start ? -1 : p->start > q->start;
}

/* Stacks that are of no task that is listed: kept for the next task, of idle tasks, of interrupts. */
static bool is_stack(const char *caller)
{
	static const char *const names[] = { "alloc_thread_stack", "dup_task_struct",
					     "copy_process",	   "kernel_clone",
					     "irq_init",	   "alloc_vmap_stack",
					     "init_irq_stack" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strstr(caller, names[i]))
			return true;
	return false;
}

static enum reach_area use_of(struct reach *x, struct ksyms *ks, struct reader *r,
			      const struct vmalloc_area *a)
{
	const char *caller = a->sym.name ? a->sym.name : "";
	uint64_t pa;
	enum page_class c;

	if (a->flags & AREA_IOREMAP)
		return AREA_LEFT;
	if (is_stack(caller) || vmalloc_of_percpu(a) || strstr(caller, "module") ||
	    strstr(caller, "execmem") || ksyms_module_at(ks, a->start))
		return AREA_LEFT;
	if (!(a->flags & AREA_ALLOC))
		return AREA_READ;
	if (reader_kvtop(r, a->start, &pa, NULL))
		return AREA_JUDGED;
	c = page_class_at(x->census->classes, pa >> x->k->page_shift);
	return c == CLASS_STACK || c == CLASS_MODULE || c == CLASS_PERCPU ? AREA_LEFT : AREA_JUDGED;
}

/*
 * Pages of each area that is read: together no more than the machine has, as areas of a damaged list may overlap. Of
 * those that do not count their pages, which may be a sparse range, SPARSE more are tried; the others go first.
 */
static void bound_areas(struct reach *x)
{
	uint64_t left = x->max_pfn, cut = 0;

	x->area_pages = arena_array(&x->mem, uint32_t, x->nareas);
	for (int counted = 1; counted >= 0; counted--, left += SPARSE)
		for (uint32_t i = 0; i < x->nareas; i++) {
			const struct vmalloc_area *a = &x->areas[i];
			uint64_t n = a->npages ? a->npages : a->size >> x->k->page_shift;

			if (x->area_use[i] == AREA_LEFT || (a->npages != 0) != counted)
				continue;
			cut += n > left;
			x->area_pages[i] = (uint32_t)min_u64(min_u64(n, left), UINT32_MAX);
			left -= x->area_pages[i];
		}
	if (cut)
		issue_add(x->k->issues, ST_LIMIT, "vmalloc area", cut,
			  "areas have more pages than the machine: not searched for pointers");
}

static void find_areas(struct reach *x, struct reader *r)
{
	struct vmalloc va;
	struct ksyms ks;

	if (vmalloc_build(x->s, &x->mem, &va))
		return;
	ksyms_init(&ks, x->k, r, &x->mem);
	x->areas = va.v;
	for (uint32_t i = 0; i < va.n; i++)
		if (va.v[i].kind == AREA_OF_VM && va.v[i].start + va.v[i].size > va.v[i].start)
			x->areas[x->nareas++] = va.v[i];
	sort_array(x->areas, x->nareas, sizeof(*x->areas), by_start);
	x->area_use = arena_array(&x->mem, uint8_t, x->nareas);
	for (uint32_t i = 0; i < x->nareas; i++)
		x->area_use[i] = (uint8_t)use_of(x, &ks, r, &x->areas[i]);
	bound_areas(x);
}

/* ---- slabs and blocks --------------------------------------------------------------------------- */

struct builder {
	struct reach *x;
	struct reader *r;
	struct folio_view folio;
	enum page_class block; /* of the block that may go on */
	uint64_t bad;	       /* slabs */
};

static struct reach_unit *add_unit(struct reach *x, uint64_t pfn, uint32_t cache, uint32_t n)
{
	struct reach_unit *u = vec_push(&x->mem, &x->units);

	*u = (struct reach_unit){ .pfn = pfn, .first = x->unit_nodes, .cache = cache, .n = n };
	x->unit_nodes += cache == REACH_BLOCK ? 1 : n;
	reach_set(x->begins, pfn);
	reach_set(x->held, pfn);
	return u;
}

static uint64_t slab_member(const struct builder *b, uint64_t kva, enum layout_id id)
{
	uint64_t v;

	return kmember_u64(b->x->k, b->r, kva, id, &v) ? 0 : v;
}

static void take_slab(struct builder *b, const struct page_run *run, uint64_t pfn, uint64_t kva,
		      bool compound)
{
	struct reach *x = b->x;
	uint64_t objects = slab_member(b, kva, M_SLAB_OBJECTS),
		 cache = slab_member(b, kva, M_SLAB_CACHE), pages = 1;
	uint32_t i = cache ? hash_get(&x->by_cache, cache) : HASH_NONE;

	if (compound &&
	    folio_read(&x->fmt, b->r, kva, run->here, run->here_kva, run->len, &b->folio) &&
	    b->folio.order <= SLAB_ORDER_MAX)
		pages = UINT64_C(1) << b->folio.order;
	pages = min_u64(pages, x->max_pfn - pfn);
	if (i == HASH_NONE || !x->free_lists.form[i].known || !objects || objects > OBJECTS_MAX ||
	    x->free_lists.form[i].left + objects * x->caches.v[i].size >
		    pages << x->k->page_shift) {
		b->bad++;
		x->slab_pages += pages;
		x->slab_unread += pages;
		return;
	}
	add_unit(x, pfn, i, (uint32_t)objects);
	x->slab_pages += pages;
	for (uint64_t p = 1; p < pages; p++)
		reach_set(x->held, pfn + p);
}

static void take_block(struct builder *b, uint64_t pfn, enum page_role role, uint32_t refs,
		       enum page_class c)
{
	struct reach *x = b->x;
	struct reach_unit *u = x->units.n ? &x->units.v[x->units.n - 1] : NULL;
	bool more = u && u->cache == REACH_BLOCK && u->pfn + u->n == pfn && b->block == c &&
		    (role == PAGE_TAIL || (role == PAGE_SINGLE && !refs && u->n < BLOCK_MAX));

	b->block = c;
	if (!more) {
		add_unit(x, pfn, REACH_BLOCK, 1);
		return;
	}
	u->n++;
	reach_set(x->held, pfn);
}

static void take_run(void *arg, const struct page_run *run)
{
	struct builder *b = arg;
	const struct pagefmt *f = &b->x->fmt;

	for (uint64_t i = 0; run->p && i < run->n; i++) {
		const uint8_t *p = run->p + i * f->size;
		uint64_t kva = run->kva + i * f->size, pfn = run->pfn + i, head;
		enum page_class c = page_class_at(b->x->census->classes, pfn);
		enum page_role role = page_role(f, p, kva, run->len - (kva - run->here_kva), &head);

		if (pfn >= b->x->max_pfn || reach_bit(b->x->held, pfn))
			continue;
		if (c != CLASS_SLAB)
			take_block(b, pfn, role, page_refcount(f, p), c);
		else if (role == PAGE_HEAD || role == PAGE_SINGLE)
			take_slab(b, run, pfn, kva, role == PAGE_HEAD);
	}
}

static bool is_wanted(const struct reach *x, uint64_t pfn)
{
	enum page_class c = page_class_at(x->census->classes, pfn);

	return c == CLASS_SLAB || reach_is_block(c);
}

static void find_units(struct reach *x, struct reader *r)
{
	const struct memmap *m = &x->k->memmap;
	struct builder b = { .x = x, .r = r, .block = CLASS_NONE };
	struct page_strip strip = { .r = r,
				    .page_size = dump_page_size(x->k->dump),
				    .size = x->fmt.size,
				    .run = take_run,
				    .arg = &b };

	for (uint32_t i = 0; i < m->n; i++)
		for (uint64_t pfn = m->v[i].pfn, end; pfn < m->v[i].end; pfn = end) {
			end = pfn + 1;
			if (!is_wanted(x, pfn))
				continue;
			while (end < m->v[i].end && is_wanted(x, end))
				end++;
			page_strip_read(&strip, pfn, end,
					m->v[i].page_kva + (pfn - m->v[i].pfn) * x->fmt.size);
		}
	if (b.bad)
		issue_add(x->k->issues, ST_CORRUPT, "slab", b.bad,
			  "its cache or its number of objects");
}

static void make_ranks(struct reach *x)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i <= x->max_pfn / 512; i++) {
		x->rank[i] = n;
		for (uint64_t w = i * 8; w < i * 8 + 8; w++)
			n += (uint32_t)__builtin_popcountll(x->begins[w]);
	}
}

/* ---- all -------------------------------------------------------------------------------------------- */

static uint64_t *bits(struct reach *x, uint64_t n)
{
	return arena_array(&x->mem, uint64_t, n / 64 + 1);
}

static enum reach_doubt prepare(struct reach *x, struct reader *r)
{
	const struct kernel *k = x->k;
	bool listed = !slab_caches_build(x->s, &x->mem, false, &x->caches);

	if (listed && !x->caches.slub)
		return REACH_NOT_SLUB;
	if (!listed || !x->caches.whole || !has(k, M_VM_ADDR) || !has(k, Y_IMAGE_START) ||
	    slab_free_init(&x->free_lists, k, r, &x->caches, &x->mem) || !find_linear(x, r))
		return REACH_NO_TYPES;
	for (uint32_t i = 0; i < x->caches.n; i++)
		if (x->caches.v[i].addr)
			hash_put(&x->by_cache, x->caches.v[i].addr, i);
	return REACH_SOUND;
}

enum reach_doubt reach_units_build(struct reach *x)
{
	struct reader *r = kernel_reader(x->k);
	enum reach_doubt why;

	x->max_pfn = x->k->memmap.max_pfn;
	pagefmt_init(&x->fmt, x->k);
	why = prepare(x, r);
	if (why) {
		reader_free(r);
		return why;
	}
	/* ranks are read in groups of 8 words */
	x->held = bits(x, (x->max_pfn / 512 + 1) * 512);
	x->begins = bits(x, (x->max_pfn / 512 + 1) * 512);
	x->rank = arena_array(&x->mem, uint32_t, x->max_pfn / 512 + 1);
	find_areas(x, r);
	find_units(x, r);
	make_ranks(x);
	find_span(x);
	x->nodes = x->unit_nodes + x->nareas;
	x->freed = bits(x, x->nodes);
	x->reached = bits(x, x->nodes);
	x->waits = bits(x, x->nodes);
	x->units_wait = bits(x, x->units.n + x->nareas);
	reader_free(r);
	return REACH_SOUND;
}
