/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan.c - words of pages, and which of them are addresses of nodes. */
#include "model/memory/reach/scan.h"

#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/search.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"

/* ---- addresses -------------------------------------------------------------------------- */

/* Units that begin at frames up to PFN. */
static uint64_t rank_of(const struct reach *x, uint64_t pfn)
{
	uint64_t n = x->rank[pfn / 512], w = pfn / 512 * 8;

	for (; w < pfn / 64; w++)
		n += (uint64_t)__builtin_popcountll(x->begins[w]);
	return n + (uint64_t)__builtin_popcountll(x->begins[w] & (~UINT64_C(0) >> (63 - pfn % 64)));
}

static uint64_t in_frame(const struct reach *x, uint64_t pfn, uint64_t kva, uint64_t *unit)
{
	const struct reach_unit *u;
	uint64_t base, i;

	if (!reach_bit(x->held, pfn))
		return REACH_NONE;
	*unit = rank_of(x, pfn) - 1;
	u = &x->units.v[*unit];
	if (u->cache == REACH_BLOCK)
		return u->first;
	base = reach_slab(x, u);
	i = kva < base ? UINT64_MAX : (kva - base) / x->caches.v[u->cache].size;
	return i < u->n ? u->first + i : REACH_NONE;
}

static uint64_t in_area(const struct reach *x, uint64_t word, uint64_t *unit)
{
	uint32_t i = search_first(x->nareas, mid, x->areas[mid].start <= word);

	if (!i || word - x->areas[i - 1].start >= x->areas[i - 1].size)
		return REACH_NONE;
	*unit = x->units.n + i - 1;
	return x->unit_nodes + i - 1;
}

uint64_t reach_at(const struct reach *x, uint64_t word, uint64_t *unit)
{
	uint64_t pfn, node, place = 0;

	unit = unit ? unit : &place;
	if (word >= x->linear && word < x->linear_end)
		return in_frame(x, (word - x->linear) >> x->k->page_shift, word, unit);
	node = in_area(x, word, unit);
	/* bits 0 and 1 of the address of a struct page are marks */
	if (node != REACH_NONE || !memmap_page_pfn(&x->k->memmap, word & ~UINT64_C(3), &pfn) ||
	    pfn >= x->max_pfn)
		return node;
	if (!reach_bit(x->held, pfn))
		return REACH_NONE;
	*unit = rank_of(x, pfn) - 1;
	/* the struct page of a slab is no object of it */
	return x->units.v[*unit].cache == REACH_BLOCK ? x->units.v[*unit].first : REACH_NONE;
}

/* A word of the piece that is read, at address AT. */
static bool word_at(const struct reach_scan *sc, uint64_t at, uint64_t *ret)
{
	const struct dump *d = sc->x->k->dump;

	if (at < sc->kva || at - sc->kva > sc->len - d->word_size)
		return false;
	*ret = load_uint(sc->p + (at - sc->kva), d->word_size, d->big_endian);
	return true;
}

static bool is_static(const struct reach *x, uint64_t word)
{
	return word >= layout_symbol(&x->k->layout, Y_IMAGE_START) &&
	       word < layout_symbol(&x->k->layout, Y_IMAGE_END);
}

/*
 * Is a struct vmap_area at VA? It has two addresses of which the second is higher, as an array of addresses may have;
 * but then follow links to others of its kind. Of what is free the end may be where an area begins.
 */
static bool is_vmap_area(const struct reach_scan *sc, uint64_t va)
{
	const struct reach *x = sc->x;
	const struct layout *l = &x->k->layout;
	uint64_t start, end, next, prev, list = va + layout_offset(l, M_VA_LIST);

	if (!has(x->k, M_VA_END) || !has(x->k, M_VA_LIST) ||
	    !word_at(sc, va + layout_offset(l, M_VA_START), &start) ||
	    !word_at(sc, va + layout_offset(l, M_VA_END), &end) || !word_at(sc, list, &next) ||
	    !word_at(sc, list + x->k->dump->word_size, &prev))
		return false;
	return start < end && !((start | end) & (x->fmt.page_mask)) &&
	       (next - x->linear < x->linear_end - x->linear || is_static(x, next)) &&
	       (prev - x->linear < x->linear_end - x->linear || is_static(x, prev));
}

/* vm_struct.addr, vmap_area.va_start and va_end say where areas are: they do not keep them. */
static bool says_itself(const struct reach_scan *sc, uint64_t at, const struct vmalloc_area *a)
{
	const struct layout *l = &sc->x->k->layout;
	uint64_t size;

	return (word_at(sc, at + layout_offset(l, M_VM_SIZE) - layout_offset(l, M_VM_ADDR),
			&size) &&
		size == a->size) ||
	       is_vmap_area(sc, at - layout_offset(l, M_VA_START)) ||
	       is_vmap_area(sc, at - layout_offset(l, M_VA_END));
}

uint64_t reach_target(const struct reach_scan *sc, uint64_t at, uint64_t word, uint64_t *unit)
{
	const struct reach *x = sc->x;
	uint64_t node = reach_at(x, word, unit);

	if (node == REACH_NONE || node < x->unit_nodes || sc->from == REACH_NONE)
		return node;
	if (word == x->areas[node - x->unit_nodes].start &&
	    says_itself(sc, at, &x->areas[node - x->unit_nodes]))
		return REACH_NONE;
	return node;
}

/* ---- words ---------------------------------------------------------------------------------- */

void reach_scan_words(struct reach_scan *sc, const uint8_t *p, uint64_t kva, uint64_t len)
{
	const struct dump *d = sc->x->k->dump;
	uint64_t least = sc->x->least, span = sc->x->most - least;
	bool big = d->big_endian;

	sc->p = p;
	sc->kva = kva;
	sc->len = len;
	if (d->word_size == 8)
		for (uint64_t i = 0; i + 8 <= len; i += 8) {
			uint64_t word = load64(p + i, big);

			if (word - least < span)
				sc->hit(sc, kva + i, word);
		}
	else
		for (uint64_t i = 0; i + 4 <= len; i += 4) {
			uint64_t word = load32(p + i, big);

			if (word - least < span)
				sc->hit(sc, kva + i, word);
		}
}

void reach_scan_page(struct reach_scan *sc, uint64_t pfn, uint64_t kva, uint32_t from, uint32_t to)
{
	struct page_ref ref = { 0 };

	sc->pages++;
	if (reader_page(sc->r, pfn, &ref)) {
		sc->unread++;
		return;
	}
	reach_scan_words(sc, ref.data + from, kva + from, to - from);
	reader_release(sc->r, &ref);
}

void reach_scan_kva(struct reach_scan *sc, uint64_t kva, uint64_t end)
{
	uint32_t page = UINT32_C(1) << sc->x->k->page_shift;
	uint64_t pa;

	kva &= ~(uint64_t)(sc->x->k->dump->word_size - 1);
	while (kva < end) {
		uint32_t from = (uint32_t)(kva & (page - 1)),
			 to = (uint32_t)min_u64(page, from + (end - kva));

		if (reader_kvtop(sc->r, kva - from, &pa, NULL)) {
			sc->pages++;
			sc->unread++;
			sc->unmapped++;
		} else {
			reach_scan_page(sc, pa >> sc->x->k->page_shift, kva - from, from, to);
		}
		kva += page - from;
	}
}

void reach_scan_struct_page(struct reach_scan *sc, uint64_t pfn)
{
	const struct reach *x = sc->x;
	uint64_t kva = memmap_page_kva(&x->k->memmap, pfn);
	uint8_t raw[STRUCT_PAGE_MAX];

	if (kva && !read_kva(sc->r, kva, raw, x->fmt.size))
		reach_scan_words(sc, raw, kva, x->fmt.size);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void describe_in(const struct reach *x, const struct reach_unit *u, uint64_t node,
			struct reach_node *ret)
{
	*ret = (struct reach_node){ .unit = u, .class = page_class_at(x->census->classes, u->pfn) };
	if (u->cache == REACH_BLOCK) {
		ret->kva = x->linear + (u->pfn << x->k->page_shift);
		ret->size = (uint64_t)u->n << x->k->page_shift;
		return;
	}
	ret->kva = reach_slab(x, u) + (node - u->first) * x->caches.v[u->cache].size;
	ret->size = x->caches.v[u->cache].object_size;
}

void reach_describe(const struct reach *x, uint64_t node, struct reach_node *ret)
{
	uint64_t i;

	if (node < x->unit_nodes) {
		i = search_first(x->units.n, mid, x->units.v[mid].first <= node) - 1;
		describe_in(x, &x->units.v[i], node, ret);
		return;
	}
	*ret = (struct reach_node){ .class = CLASS_VMALLOC,
				    .area = &x->areas[node - x->unit_nodes] };
	ret->kva = ret->area->start;
	ret->size = ret->area->npages << x->k->page_shift;
}

/* Linear memory: an object may lie in several pages. */
static void scan_linear(struct reach_scan *sc, uint64_t kva, uint64_t len)
{
	const struct reach *x = sc->x;
	uint32_t page = UINT32_C(1) << x->k->page_shift;

	while (len) {
		uint32_t from = (uint32_t)(kva & (page - 1)),
			 n = (uint32_t)min_u64(page - from, len);

		reach_scan_page(sc, (kva - x->linear) >> x->k->page_shift, kva - from, from,
				from + n);
		kva += n;
		len -= n;
	}
}

/* Bytes of an object that are read: a sheaf has old pointers at its end. */
static uint64_t object_bytes(struct reach_scan *sc, const struct reach_node *n)
{
	const struct reach *x = sc->x;
	uint32_t off = (uint32_t)(n->kva & ((UINT64_C(1) << x->k->page_shift) - 1)),
		 size = (uint32_t)n->size;
	struct page_ref ref = { 0 };

	if (!has(x->k, M_SHEAF_OBJECTS) || off + n->size > UINT64_C(1) << x->k->page_shift ||
	    reader_page(sc->r, (n->kva - x->linear) >> x->k->page_shift, &ref))
		return n->size;
	size = slab_sheaf_bytes(&x->free_lists, &x->by_cache, n->unit->cache, ref.data + off, size);
	reader_release(sc->r, &ref);
	return size;
}

static void scan_area(struct reach_scan *sc, uint64_t area)
{
	const struct kernel *k = sc->x->k;
	const struct vmalloc_area *a = &sc->x->areas[area];
	uint64_t page = UINT64_C(1) << k->page_shift, pa;

	for (uint64_t i = 0; i < sc->x->area_pages[area]; i++)
		if (!reader_kvtop(sc->r, a->start + i * page, &pa, NULL))
			reach_scan_page(sc, pa >> k->page_shift, a->start + i * page, 0,
					(uint32_t)page);
}

void reach_scan_node(struct reach_scan *sc, uint64_t node, uint64_t unit)
{
	const struct reach *x = sc->x;
	struct reach_node n;

	sc->from = node;
	if (unit >= x->units.n) {
		if (x->area_use[unit - x->units.n] != AREA_LEFT)
			scan_area(sc, unit - x->units.n);
		return;
	}
	describe_in(x, &x->units.v[unit], node, &n);
	if (n.unit->cache != REACH_BLOCK) {
		scan_linear(sc, n.kva,
			    object_bytes(sc, &n) & ~(uint64_t)(x->k->dump->word_size - 1));
		return;
	}
	scan_linear(sc, n.kva, n.size);
	for (uint64_t i = 0; i < n.unit->n; i++)
		reach_scan_struct_page(sc, n.unit->pfn + i);
}

/* ---- visits -------------------------------------------------------------------------------------- */

uint64_t reach_nodes_of(const struct reach *x, uint64_t unit, uint64_t *n)
{
	const struct reach_unit *u = unit < x->units.n ? &x->units.v[unit] : NULL;

	*n = u && u->cache != REACH_BLOCK ? u->n : 1;
	return u ? u->first : x->unit_nodes + unit - x->units.n;
}

static void visit(struct reach *x, struct reach_scan *sc, uint64_t unit)
{
	uint64_t n, first = reach_nodes_of(x, unit, &n);

	do {
		for (uint64_t i = first; i < first + n; i++)
			if (reach_take(x->waits, i))
				reach_scan_node(sc, i, unit);
	} while (reach_take(x->units_wait, unit));
}

bool reach_sweep(struct reach *x, struct reach_scan *sc, uint64_t from, uint64_t end, bool down)
{
	bool any = false;

	for (uint64_t i = 0; i < end - from; i++) {
		uint64_t unit = down ? end - 1 - i : from + i;

		if (!__atomic_load_n(&x->units_wait[unit / 64], __ATOMIC_RELAXED)) {
			/* to the last bit of this word */
			i += min_u64(down ? unit % 64 : 63 - unit % 64, end - from - i);
			continue;
		}
		if (!reach_take(x->units_wait, unit))
			continue;
		visit(x, sc, unit);
		any = true;
	}
	return any;
}

/* ---- threads ------------------------------------------------------------------------------------- */

struct reach_scan *reach_scans_new(const struct reach *x,
				   void (*hit)(struct reach_scan *sc, uint64_t at, uint64_t word),
				   void *arg)
{
	struct reach_scan *v = heap_array(struct reach_scan, JOBS_MAX);

	for (unsigned i = 0; i < JOBS_MAX; i++)
		v[i] = (struct reach_scan){ .x = x, .hit = hit, .arg = arg, .from = REACH_NONE };
	return v;
}

struct reach_scan *reach_scan_of(struct reach_scan *v, unsigned worker)
{
	if (!v[worker].r)
		v[worker].r = kernel_reader(v[worker].x->k);
	return &v[worker];
}

void reach_scans_free(struct reach_scan *v, uint64_t *pages, uint64_t *unread, uint64_t *unmapped)
{
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		if (pages)
			*pages += v[i].pages;
		if (unread)
			*unread += v[i].unread;
		if (unmapped)
			*unmapped += v[i].unmapped;
		reader_free(v[i].r);
	}
	free(v);
}
