/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc.c - reads the lists of vmalloc areas.
 *
 * Sources: mm/vmalloc.c, read in 5.10, 6.1, 6.12, 7.2; vmlist of 2.6.32, 3.10 in
 * include/linux/vmalloc.h. Areas that wait to be freed are listed last, as in /proc/vmallocinfo.
 */
#include "model/kernel/vmalloc/vmalloc.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "facts/layout/signs.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/zone/zones.h"

#define AREAS_MAX (1u << 24)
#define VMAP_NODES_MAX 1024u	/* one for each CPU, 128 at most */
#define VM_ALLOC 2u		/* include/linux/vmalloc.h */
#define VM_UNINITIALIZED 0x20u
#define VM_FLAG_BITS 20		/* more than any release has */
#define MARKED_RAM 1u		/* VMAP_RAM of vmap_area.flags (v6.3) */

struct walker {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	VEC(struct vmalloc_area) v;
	struct ksyms ks;
};

static void list_damage(const struct walker *w, enum status st)
{
	issue_add(w->k->issues, st, "vmalloc area", 1, "list after %zu areas", w->v.n);
}

static bool get(const struct walker *w, uint64_t object, enum layout_id id, uint64_t *ret)
{
	*ret = 0;
	return !has(w->k, id) || !kmember_u64(w->k, w->r, object, id, ret);
}

/* ---- one area -------------------------------------------------------------------------- */

/*
 * Flags of areas are low bits, and each with pages has one; vmalloc() sets VM_UNINITIALIZED until the area has
 * its pages. A caller is code; the areas of early boot have none.
 */
static bool vm_sound(const struct kernel *k, const struct vmalloc_area *a)
{
	const struct layout *l = &k->layout;
	/* of the image: text, and text that was given back after the boot */
	bool data = a->caller >= layout_symbol(l, Y_ETEXT) &&
		    a->caller < layout_symbol(l, Y_IMAGE_END) &&
		    (a->caller < layout_symbol(l, Y_SINITTEXT) ||
		     a->caller >= layout_symbol(l, Y_INIT_END)) &&
		    has(k, Y_ETEXT) && has(k, Y_SINITTEXT) && has(k, Y_INIT_END);
	bool complete = (a->flags & (VM_ALLOC | VM_UNINITIALIZED)) == VM_ALLOC;

	return (a->flags || !a->npages) && !(a->flags >> VM_FLAG_BITS) &&
	       !(complete && a->pages && has(k, M_VM_NR_PAGES) && !a->npages) &&
	       (!a->caller || (kernel_static_ok(k, a->caller, 1) && !data));
}

static bool read_vm(struct walker *w, uint64_t vm, struct vmalloc_area *a)
{
	uint64_t order;

	if (!kernel_ptr_ok(w->k, vm, w->k->dump->word_size) || !get(w, vm, M_VM_ADDR, &a->start) ||
	    !get(w, vm, M_VM_SIZE, &a->size) || !get(w, vm, M_VM_FLAGS_OF_AREA, &a->flags) ||
	    !get(w, vm, M_VM_PAGES, &a->pages) || !get(w, vm, M_VM_NR_PAGES, &a->npages) ||
	    !get(w, vm, M_VM_PHYS, &a->phys) || !get(w, vm, M_VM_CALLER, &a->caller) ||
	    !get(w, vm, M_VM_PAGE_ORDER, &order))
		return false;
	if (!vm_sound(w->k, a))
		issue_add(w->k->issues, ST_CORRUPT, "vmalloc area", 1, "vm_struct at %#" PRIx64,
			  vm);
	a->page_order = (unsigned)min_u64(order, 31);
	/* the pages of an area fit in it */
	if (a->npages > a->size >> w->k->page_shift) {
		issue_add(w->k->issues, ST_CORRUPT, "vmalloc area", 1,
			  "%" PRIu64 " pages in %" PRIu64 " bytes", a->npages, a->size);
		a->npages = 0;
	}
	a->sym = ksyms_at(&w->ks, a->caller);
	return true;
}

static void count_mapped(struct walker *w, struct vmalloc_area *a)
{
	enum status st = vmalloc_sparse_pages(w->k, w->r, a, &a->mapped, NULL, NULL);

	if (st)
		issue_add(w->k->issues, st, "vmalloc area", 1, "page tables of that at %#" PRIx64,
			  a->start);
}

static void add_va(struct walker *w, uint64_t va, bool lazy)
{
	struct vmalloc_area a = { .kind = lazy ? AREA_LAZY : AREA_OF_VM };
	uint64_t start, end, vm = 0, flags = 0;
	bool ok = get(w, va, M_VA_START, &a.start) && get(w, va, M_VA_END, &end) &&
		  (lazy || get(w, va, M_VA_VM, &vm)) && get(w, va, M_VA_FLAGS, &flags) &&
		  end > a.start;

	start = a.start;
	if (ok && vm) {
		/* setup_vmalloc_vm() copies both */
		ok = read_vm(w, vm, &a) && a.start == start && a.size == end - start;
	} else if (ok) {
		a.size = end - a.start;
	}
	if (!ok) {
		issue_add(w->k->issues, ST_CORRUPT, "vmalloc area", 1, "at %#" PRIx64, va);
		return;
	}
	if (!lazy && !vm)
		a.kind = !kernel_rule(w->k, RULE_VMALLOC_RAM_MARKED) || flags & MARKED_RAM
				 ? AREA_RAM
				 : AREA_ENDING;
	if (a.kind == AREA_OF_VM && a.flags & AREA_SPARSE)
		count_mapped(w, &a);
	*vec_push(w->mem, &w->v) = a;
}

/* ---- lists ------------------------------------------------------------------------------ */

static void walk(struct walker *w, uint64_t head, bool lazy)
{
	struct listwalk l = listwalk_start(w->k, w->r, head, AREAS_MAX);

	while (listwalk_next(&l))
		add_va(w, l.node - layout_offset(&w->k->layout, M_VA_LIST), lazy);
	if (l.st)
		list_damage(w, l.st);
}

/* Until 5.10: a list of one direction through vmap_area.purge_list. */
static void walk_lazy(struct walker *w)
{
	uint64_t node, n = 0;
	enum status st = kvar_u64(w->k, w->r, Y_VMAP_LAZY_FIRST, 0, &node);

	for (; !st && node; n++) {
		if (n > AREAS_MAX || !kernel_ptr_ok(w->k, node, w->k->dump->word_size)) {
			st = ST_CORRUPT;
			break;
		}
		add_va(w, node - layout_offset(&w->k->layout, M_VA_LAZY), true);
		st = read_kva_word(w->r, node, &node);
	}
	if (st)
		list_damage(w, st);
}

static void walk_nodes(struct walker *w)
{
	const struct layout *l = &w->k->layout;
	uint64_t nodes, n, size = layout_size(l, S_VMAP_NODE);

	if (kvar_u64(w->k, w->r, Y_VMAP_NODES, 0, &nodes) ||
	    kvar_u64(w->k, w->r, Y_NR_VMAP_NODES, 4, &n) || n > VMAP_NODES_MAX ||
	    !kernel_ptr_ok(w->k, nodes, w->k->dump->word_size)) {
		list_damage(w, ST_CORRUPT);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		walk(w, nodes + i * size + layout_offset(l, M_VMAP_NODE_BUSY), false);
	for (uint64_t i = 0; i < n && has(w->k, M_VMAP_NODE_LAZY); i++)
		walk(w, nodes + i * size + layout_offset(l, M_VMAP_NODE_LAZY), true);
}

/* To 3.9: vm_structs in a list of one direction, by address. */
static void walk_vmlist(struct walker *w)
{
	uint64_t vm, last = 0;
	enum status st = kvar_u64(w->k, w->r, Y_VMLIST, 0, &vm);

	while (!st && vm) {
		struct vmalloc_area a = { .kind = AREA_OF_VM };

		if (!read_vm(w, vm, &a) || (w->v.n && a.start <= last)) {
			st = ST_CORRUPT;
			break;
		}
		last = a.start;
		*vec_push(w->mem, &w->v) = a;
		st = kmember_u64(w->k, w->r, vm, M_VM_NEXT, &vm);
	}
	if (st)
		list_damage(w, st);
}

static bool has_vmlist(const struct kernel *k)
{
	uint64_t at = layout_symbol(&k->layout, Y_VMLIST);

	return has(k, Y_VMLIST) && (at < layout_symbol(&k->layout, Y_INIT_BEGIN) ||
				    at >= layout_symbol(&k->layout, Y_INIT_END));
}

static bool known(const struct kernel *k)
{
	if (!has(k, M_VM_ADDR) || !has(k, M_VM_SIZE) || !has(k, M_VM_FLAGS_OF_AREA))
		return false;
	if (has(k, Y_VMAP_NODES))
		return has(k, M_VMAP_NODE_BUSY) && has(k, S_VMAP_NODE) && has(k, M_VA_LIST);
	return (has(k, Y_VMAP_AREAS) && has(k, M_VA_LIST) && has(k, M_VA_VM)) || has_vmlist(k);
}

enum status vmalloc_build(const struct snapshot *s, struct arena *mem, struct vmalloc *ret)
{
	struct walker w = { .k = s->k, .mem = mem };

	*ret = (struct vmalloc){ .phys_bytes = s->k->layout.v[M_VM_PHYS].m.size };
	if (!s->k->dump || !known(s->k))
		return ST_ABSENT;
	w.r = kernel_reader(s->k);
	ksyms_init(&w.ks, s->k, w.r, mem);
	if (has(s->k, Y_VMAP_NODES)) {
		walk_nodes(&w);
	} else if (has(s->k, Y_VMAP_AREAS) && has(s->k, M_VA_VM)) {
		walk(&w, layout_symbol(&s->k->layout, Y_VMAP_AREAS), false);
		if (has(s->k, Y_VMAP_LAZY))
			walk(&w, layout_symbol(&s->k->layout, Y_VMAP_LAZY), true);
		else if (has(s->k, Y_VMAP_LAZY_FIRST) && has(s->k, M_VA_LAZY))
			walk_lazy(&w);
	} else {
		walk_vmlist(&w);
	}
	reader_free(w.r);
	ret->v = w.v.v;
	ret->n = (uint32_t)w.v.n;
	return ST_OK;
}

bool vmalloc_of_percpu(const struct vmalloc_area *a)
{
	return a->flags & AREA_ALLOC && a->sym.name && !strncmp(a->sym.name, "pcpu_", 5);
}

const struct vmalloc_area *vmalloc_at(const struct vmalloc *va, uint64_t addr)
{
	for (uint32_t i = 0; i < va->n; i++)
		if (addr >= va->v[i].start && addr - va->v[i].start < va->v[i].size)
			return &va->v[i];
	return NULL;
}

/* ---- nodes of its pages ------------------------------------------------------------------ */

bool vmalloc_nodes(const struct kernel *k, struct reader *r, const struct zones *zs,
		   const struct vmalloc_area *a, uint64_t *count)
{
	unsigned word = k->dump->word_size;
	uint64_t step = UINT64_C(1) << a->page_order, page, pfn;

	for (uint64_t i = 0; i < a->npages; i += step) {
		uint32_t node = NONE;

		if (!read_kva_word(r, a->pages + i * word, &page) &&
		    memmap_page_pfn(&k->memmap, page, &pfn))
			node = zones_node_of(zs, pfn);
		if (node == NONE)
			return false;
		count[node] += step;
	}
	return true;
}
