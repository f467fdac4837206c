/* SPDX-License-Identifier: GPL-3.0-or-later */
/* holding.c - owners under construction: what an object has, and who holds it. */
#include "model/memory/owners/holding.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/holder.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "model/kernel/slab/slab.h"
#include "model/kernel/walk/rbtree.h"

#define CHUNK 64u		/* pointers read at once */
#define WORD_MAX 8u
#define CARRIERS_MAX 8u		/* sockets in sockets: unix_attach_fds() allows 4 */
#define STEPS_A_FRAME 32u	/* of all walkers: objects of slabs are smaller than frames */

struct held_by {
	uint32_t proc;
	struct held_by *next;
};

const char *owner_kind_name(enum owner_kind k)
{
	static const char *const names[] = {
#define K(kind, name, cause) name,
#include "model/memory/owners/kinds.def"
#undef K
	};

	return names[k];
}

void holding_init(struct holding *h, const struct snapshot *s, struct reader *r, struct arena *mem,
		  struct page_classes *c, const struct vmalloc *areas)
{
	*h = (struct holding){ .s = s, .k = s->k, .r = r, .mem = mem, .c = c, .areas = areas };
	h->by_object.mem = h->seen.mem = h->caches.mem = h->files.mem = mem;
	h->left = STEPS_A_FRAME * s->k->memmap.max_pfn;
	h->slab_left = c->count[CLASS_SLAB].pages << s->k->page_shift;
	h->percpu_left = s->k->memmap.max_pfn << s->k->page_shift;
	h->areas_start = UINT64_MAX;
	for (uint32_t i = 0; i < areas->n; i++) {
		h->areas_start = min_u64(h->areas_start, areas->v[i].start);
		h->areas_end = max_u64(h->areas_end, areas->v[i].start + areas->v[i].size);
	}
	pagefmt_init(&h->fmt, s->k);
}

/* ---- owners and their holders --------------------------------------------------------------- */

struct held *held_get(struct holding *h, enum owner_kind kind, uint64_t object, bool *fresh)
{
	uint32_t i = hash_get(&h->by_object, object);
	struct held *o;

	*fresh = i == HASH_NONE;
	if (!*fresh)
		return h->v.v[i].o;
	o = arena_array(h->mem, struct held, 1);
	*o = (struct held){ .kind = kind, .object = object, .what = "" };
	hash_put(&h->by_object, object, (uint32_t)h->v.n);
	vec_push(h->mem, &h->v)->o = o;
	return o;
}

void held_by(struct holding *h, struct held *o, uint32_t proc)
{
	struct held_by *b;

	if (o->holders && o->holders->proc == proc)
		return;
	b = arena_array(h->mem, struct held_by, 1);
	*b = (struct held_by){ .proc = proc, .next = o->holders };
	o->holders = b;
}

bool holding_knows(const struct holding *h, const enum layout_id *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!has(h->k, facts[i]))
			return false;
	return true;
}

uint64_t holding_get(struct holding *h, uint64_t object, enum layout_id id)
{
	uint64_t v;

	return object && has(h->k, id) && !kmember_u64(h->k, h->r, object, id, &v) ? v : 0;
}

void holding_damaged(const struct holding *h, const char *what, uint64_t addr)
{
	issue_add(h->k->issues, kernel_contradicts(h->k), "owner", 1, "%s at %#" PRIx64, what,
		  addr);
}

bool holding_mapped(struct holding *h, uint64_t kva)
{
	uint64_t pa;

	return kernel_ptr_ok(h->k, kva, h->k->dump->word_size) &&
	       !reader_kvtop(h->r, kva, &pa, NULL);
}

bool holding_allocated(const struct holding *h, uint64_t kva)
{
	uint64_t start = layout_symbol(&h->k->layout, Y_IMAGE_START);
	uint64_t end = layout_symbol(&h->k->layout, Y_IMAGE_END);

	return kernel_ptr_ok(h->k, kva, 8) && !(start && kva >= start && kva < end);
}

const struct vmalloc_area *holding_area(const struct holding *h, uint64_t kva)
{
	return kva >= h->areas_start && kva < h->areas_end ? vmalloc_at(h->areas, kva) : NULL;
}

bool holding_budget(struct holding *h, struct held *o, uint64_t n)
{
	if (n > h->left) {
		o->incomplete = true;
		return false;
	}
	h->left -= n;
	return true;
}

uint64_t held_member(struct holding *h, struct held *o, uint64_t object, enum layout_id id)
{
	uint64_t v;

	if (!has(h->k, id))
		return 0;
	if (kmember_u64(h->k, h->r, object, id, &v)) {
		o->incomplete = true;
		return 0;
	}
	return v;
}

/* ---- what they have -------------------------------------------------------------------------- */

void held_bytes(struct held *o, enum page_class class, uint64_t size, uint64_t pages)
{
	unsigned i = 0;

	while (i < o->nparts && o->part[i].class != class)
		i++;
	if (i == HELD_PARTS) {
		o->incomplete = true;
		return;
	}
	if (i == o->nparts)
		o->part[o->nparts++].class = class;
	o->part[i].size += size;
	o->part[i].pages += pages;
}

/* As held_bytes(), of *LEFT at most: a size is what a cache or a map says of itself. */
static void held_some(struct held *o, enum page_class class, uint64_t size, uint64_t *left)
{
	if (size > *left) {
		o->incomplete = true;
		return;
	}
	*left -= size;
	held_bytes(o, class, size, 0);
}

void held_percpu(struct holding *h, struct held *o, uint64_t size)
{
	held_some(o, CLASS_PERCPU, size, &h->percpu_left);
}

/* Can a frame of class C have an owner? Those of processes, files and slabs have their own. */
static bool may_own(enum page_class c, enum page_class to)
{
	return c == to || c == CLASS_VMALLOC || c == CLASS_VMAP || c == CLASS_KMALLOC;
}

/*
 * Pipes, sockets and io_uring also refer to pages of processes and files (splice(), MSG_ZEROCOPY, fixed
 * buffers). These stay what they are, but what no process maps and no file has is the owner's alone.
 */
static bool borrowed(struct holding *h, struct held *o, uint64_t pfn, enum page_class to)
{
	enum page_class class = page_class_at(h->c, pfn);

	if (to != CLASS_PIPE && to != CLASS_SOCKET && to != CLASS_URING)
		return false;
	if (!page_class_is(class, CF_USER))
		return false;
	if ((class == CLASS_ANON || class == CLASS_TRUNCATED) && !page_class_mapped(h->c, pfn) &&
	    page_classes_own(h->c, pfn))
		held_bytes(o, class, UINT64_C(1) << h->k->page_shift, 1);
	return true;
}

void held_frames(struct holding *h, struct held *o, uint64_t pfn, uint64_t n, enum page_class to)
{
	if (!holding_budget(h, o, n))
		return;
	for (uint64_t i = 0; i < n; i++) {
		enum page_class class;

		if (borrowed(h, o, pfn + i, to))
			continue;
		if (page_classes_claim(h->c, pfn + i, to) == CLAIM_NONE)
			continue;
		class = page_class_at(h->c, pfn + i);
		if (may_own(class, to) && page_classes_own(h->c, pfn + i))
			held_bytes(o, class, UINT64_C(1) << h->k->page_shift, 1);
	}
}

/* *PFN: the first frame of the folio of the struct page at KVA. Returns its pages; 0: damaged. */
static uint64_t folio_of(struct holding *h, uint64_t kva, uint64_t *pfn)
{
	uint8_t raw[2 * STRUCT_PAGE_MAX];
	size_t len = page_role_size(&h->fmt, kva);
	struct folio_view v;
	enum page_role role;
	uint64_t head;

	if (read_kva(h->r, kva, raw, len))
		return 0;
	role = page_role(&h->fmt, raw, kva, len, &head);
	if (role == PAGE_SINGLE)
		return memmap_page_pfn(&h->k->memmap, kva, pfn);
	if ((role != PAGE_HEAD && role != PAGE_TAIL) ||
	    !memmap_page_pfn(&h->k->memmap, head, pfn) ||
	    !folio_read(&h->fmt, h->r, head, raw, kva, 0, &v))
		return 0;
	return UINT64_C(1) << v.order;
}

void held_folio(struct holding *h, struct held *o, uint64_t page_kva, enum page_class to)
{
	uint64_t pfn, n = folio_of(h, page_kva, &pfn);

	if (!n)
		o->incomplete = true;
	else if (n > 1 && page_class_marked(h->c, pfn)) /* of many fragments, or all its pages */
		holding_budget(h, o, 1);
	else
		held_frames(h, o, pfn, n, to);
}

void held_linear(struct holding *h, struct held *o, uint64_t kva, uint64_t n, enum page_class to)
{
	uint64_t pa, page, pfn, pages;

	if (reader_kvtop(h->r, kva, &pa, NULL)) {
		o->incomplete = true;
		return;
	}
	page = memmap_page_kva(&h->k->memmap, pa >> h->k->page_shift);
	pages = page ? folio_of(h, page, &pfn) : 0;
	if (pages > 1)
		held_frames(h, o, pfn, pages, to);
	else
		held_frames(h, o, pa >> h->k->page_shift, n, to);
}

void held_page_array(struct holding *h, struct held *o, uint64_t array, uint64_t n,
		     enum page_class to)
{
	uint32_t word = h->k->dump->word_size;
	uint64_t page;

	if (n > h->k->memmap.max_pfn) {
		o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; array && i < n; i++) {
		if (read_kva_word(h->r, array + i * word, &page))
			o->incomplete = true;
		else if (page)
			held_folio(h, o, page, to);
	}
}

/* The pages of an area, by its array or by the kernel's page tables. */
static void held_area(struct holding *h, struct held *o, const struct vmalloc_area *v)
{
	unsigned word = h->k->dump->word_size;
	enum page_class to = v->flags & AREA_ALLOC ? CLASS_VMALLOC : CLASS_VMAP;
	uint8_t raw[CHUNK * WORD_MAX];
	uint64_t pfn, pages = v->pages ? v->npages : 0;

	if (!pages || !holding_budget(h, o, pages)) {
		o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; i < pages; i += CHUNK) {
		uint64_t n = min_u64(CHUNK, pages - i);

		if (read_kva(h->r, v->pages + i * word, raw, (size_t)n * word)) {
			o->incomplete = true;
			return;
		}
		for (uint64_t j = 0; j < n; j++)
			if (memmap_page_pfn(&h->k->memmap,
					    load_uint(raw + j * word, word, h->k->dump->big_endian),
					    &pfn))
				held_frames(h, o, pfn, 1, to);
			else
				o->incomplete = true;
	}
}

/* Bytes of an object of the slab whose first struct page is that of PFN; 0: not known. */
static uint64_t slab_object_size(struct holding *h, uint64_t pfn)
{
	uint64_t cache, size;
	uint32_t known;

	if (!has(h->k, M_CACHE_SIZE) || slab_cache_of(h->k, h->r, &h->fmt, pfn, &cache) || !cache)
		return 0;
	known = hash_get(&h->caches, cache);
	if (known != HASH_NONE)
		return known;
	if (kmember_u64(h->k, h->r, cache, M_CACHE_SIZE, &size) || size > UINT32_MAX - 1)
		return 0;
	hash_put(&h->caches, cache, (uint32_t)size);
	return size;
}

static void held_object(struct holding *h, struct held *o, uint64_t kva, uint64_t pfn)
{
	uint64_t size = slab_object_size(h, pfn);

	if (!size)
		o->incomplete = true;
	if (!size || hash_get(&h->seen, kva) != HASH_NONE || !holding_budget(h, o, 1))
		return;
	hash_put(&h->seen, kva, 0);
	held_some(o, CLASS_SLAB, size, &h->slab_left);
}

void held_memory(struct holding *h, struct held *o, uint64_t kva)
{
	const struct vmalloc_area *v = holding_area(h, kva);
	uint64_t pa, pfn;

	if (v) {
		held_area(h, o, v);
		return;
	}
	if (!kernel_ptr_ok(h->k, kva, 1) || reader_kvtop(h->r, kva, &pa, NULL)) {
		o->incomplete = true;
		return;
	}
	pfn = pa >> h->k->page_shift;
	if (page_class_at(h->c, pfn) == CLASS_SLAB)
		held_object(h, o, kva, pfn);
	else
		held_linear(h, o, kva, 1, CLASS_KMALLOC);
}

void held_tree(struct holding *h, struct held *o, uint64_t root, uint32_t offset,
	       void (*fn)(void *holding, struct held *o, uint64_t object))
{
	struct rbwalk w = rbwalk_start(h->k, h->r, root, UINT64_MAX);
	uint64_t node;

	if (!has(h->k, M_RB_LEFT))
		return;
	while (holding_budget(h, o, 1) && rbwalk_next(&w, &node))
		fn(h, o, node - offset);
	o->incomplete |= w.st != ST_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

struct procs {
	VEC(uint32_t) v;
	struct arena *mem;
};

/* Appends the holders of O, and of the sockets that carry it: ascending, each once. */
static uint32_t put_holders(const struct held *o, struct procs *to)
{
	size_t first = to->v.n, once = first;

	for (unsigned depth = 0; o && depth < CARRIERS_MAX; o = o->carrier, depth++)
		for (const struct held_by *b = o->holders; b; b = b->next)
			*vec_push(to->mem, &to->v) = b->proc;
	if (to->v.n == first)
		return 0;
	qsort(to->v.v + first, to->v.n - first, sizeof(*to->v.v), by_number);
	for (size_t i = first; i < to->v.n; i++)
		if (i == first || to->v.v[i] != to->v.v[i - 1])
			to->v.v[once++] = to->v.v[i];
	to->v.n = once;
	return (uint32_t)(once - first);
}

void holding_finish(struct holding *h, struct arena *mem, struct owners *ret)
{
	struct procs procs = { .mem = mem };
	size_t rows = 0;

	for (size_t i = 0; i < h->v.n; i++)
		rows += h->v.v[i].o->nparts;
	ret->v = arena_array(mem, struct owner, rows);
	for (size_t i = 0; i < h->v.n; i++) {
		const struct held *o = h->v.v[i].o;
		uint32_t first = (uint32_t)procs.v.n, n = put_holders(o, &procs);

		for (unsigned j = 0; j < o->nparts; j++)
			ret->v[ret->n++] = (struct owner){
				.kind = o->kind,
				.class = o->part[j].class,
				.object = o->object,
				.what = arena_strdup(mem, o->what),
				.size = o->part[j].size,
				.pages = o->part[j].pages,
				.first_holder = first,
				.nholders = n,
				.kernel = o->kernel,
				.incomplete = o->incomplete,
			};
	}
	ret->holder = procs.v.v;
}
