/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab.c - reads the list of slab caches.
 *
 * Sources: mm/slab.h, mm/slab_common.c, mm/slub.c, read in 5.10, 6.1, 6.12, 7.2; mm/slab.c in
 * 2.6.32, 3.16, 4.19. A cache is allocated with room for nr_node_ids nodes only, so that it is read
 * member by member.
 */
#include "model/kernel/slab/slab.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"

#define CACHES_MAX (1u << 16)
#define NAME_BYTES 128
#define OO_SHIFT 16		/* struct kmem_cache_order_objects: order above, objects below */
#define SCANNED 10000u		/* slabs of a list that slabinfo looks at (v6.10) */
#define SHEAVES_MAX 1024u	/* of a barn: it has 10 at most */
#define FULL_SHEAVES 10u	/* MAX_FULL_SHEAVES, mm/slub.c: with so many a full one is flushed */
#define RECLAIM_ACCOUNT 0x20000u	/* SLAB_RECLAIM_ACCOUNT, until v6.11 or near a macro */

struct walker {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	uint64_t nodes;			/* nr_node_ids */
	uint64_t slabs_max;		/* no list is longer */
	bool slub;
	bool missing;			/* a member of this cache was not readable */
};

static void damage(const struct walker *w, enum status st, const struct slab_cache *c,
		   const char *what)
{
	issue_add(w->k->issues, st, "slab cache", 1, "%s: %s", c->name, what);
}

static uint64_t get(struct walker *w, uint64_t object, enum layout_id id)
{
	uint64_t v;

	if (!kmember_u64(w->k, w->r, object, id, &v))
		return v;
	w->missing |= has(w->k, id);
	return SLAB_UNKNOWN;
}

/* *SUM += V, unless one of them is unknown. */
static void add(uint64_t *sum, uint64_t v)
{
	*sum = *sum == SLAB_UNKNOWN || v == SLAB_UNKNOWN ? SLAB_UNKNOWN : *sum + v;
}

/* Free objects of the slab at KVA (struct slab, struct page before it), which names its cache. */
static uint64_t free_of_slab(struct walker *w, struct slab_cache *c, uint64_t kva)
{
	uint64_t objects = get(w, kva, M_SLAB_OBJECTS), inuse = get(w, kva, M_SLAB_INUSE);

	if (objects == SLAB_UNKNOWN || inuse == SLAB_UNKNOWN)
		return SLAB_UNKNOWN;
	if (!objects || inuse > objects ||
	    (has(w->k, M_SLAB_CACHE) && get(w, kva, M_SLAB_CACHE) != c->addr)) {
		damage(w, ST_CORRUPT, c, "a slab on its lists");
		return SLAB_UNKNOWN;
	}
	return objects - inuse;
}

/* ---- a node's list ------------------------------------------------------------------- */

/* What slabinfo makes of a list of N slabs; ENDS: free objects of those at both ends
   (count_partial_free_approx()). */
static uint64_t estimate(uint64_t ends, uint64_t n, uint64_t objects)
{
	return min_u64(ends / SCANNED * n + ends % SCANNED * n / SCANNED, objects);
}

static void add_partial(struct walker *w, struct slab_cache *c, uint64_t node, uint64_t objects)
{
	static const struct era estimates = { V(6, 10), 0 };
	uint64_t n = get(w, node, M_KCN_NR_PARTIAL), sum = 0, ends = 0;
	uint32_t to_list = layout_offset(&w->k->layout, M_SLAB_LIST);
	struct listwalk l = listwalk_start(w->k, w->r,
					   node + layout_offset(&w->k->layout, M_KCN_PARTIAL),
					   w->slabs_max);

	while (listwalk_next(&l)) {
		uint64_t free_objects = free_of_slab(w, c, l.node - to_list);

		add(&sum, free_objects);
		if (l.seen <= SCANNED / 2 || l.seen + SCANNED / 2 > n)
			add(&ends, free_objects);
	}
	if (l.st || l.seen != n) {
		damage(w, l.st ? l.st : ST_CORRUPT, c, "a list of partial slabs");
		sum = ends = SLAB_UNKNOWN;
	}
	add(&c->partial, n);
	add(&c->partial_free, sum);
	if (n > SCANNED && in_era(w->k, estimates) && ends != SLAB_UNKNOWN)
		sum = estimate(ends, n, objects);
	add(&c->shown_free, sum);
}

/* Room for free objects in a sheaf with SIZE of them; every sheaf of a cache has the same capacity. */
static void add_room(struct walker *w, struct slab_cache *c, uint64_t sheaves, uint64_t size)
{
	uint64_t capacity = get(w, c->addr, M_CACHE_SHEAF_CAPACITY);

	if (capacity == SLAB_UNKNOWN || size == SLAB_UNKNOWN)
		c->sheaf_room = SLAB_UNKNOWN;
	else if (sheaves * capacity > size)
		add(&c->sheaf_room, sheaves * capacity - size);
}

/* Free objects in the full sheaves that a node keeps. */
static void add_barn(struct walker *w, struct slab_cache *c, uint64_t barn)
{
	uint32_t to_list = layout_offset(&w->k->layout, M_SHEAF_LIST);
	struct listwalk l = listwalk_start(w->k, w->r,
					   barn + layout_offset(&w->k->layout, M_BARN_FULL),
					   SHEAVES_MAX);

	while (listwalk_next(&l))
		add(&c->sheaves, get(w, l.node - to_list, M_SHEAF_SIZE));
	if (l.st) {
		damage(w, l.st, c, "the sheaves of a node");
		c->sheaves = SLAB_UNKNOWN;
	}
	if (l.seen < FULL_SHEAVES)
		add_room(w, c, FULL_SHEAVES - l.seen, l.st ? SLAB_UNKNOWN : 0);
}

/* ---- SLAB: each node has three lists of slabs, whose objects are all in use, some, or none ------ */

/* The slabs in the list LIST of the node at NODE. */
static uint64_t slabs_in(struct walker *w, const struct slab_cache *c, uint64_t node,
			 enum layout_id list)
{
	struct listwalk l =
		listwalk_start(w->k, w->r, node + layout_offset(&w->k->layout, list), w->slabs_max);

	while (listwalk_next(&l))
		;
	if (!l.st)
		return l.seen;
	damage(w, l.st, c, "a list of slabs");
	return SLAB_UNKNOWN;
}

/* get_slabinfo(), mm/slab.c: objects are those of all slabs, and free ones are counted. */
static void add_lists(struct walker *w, struct slab_cache *c, uint64_t node)
{
	uint64_t partial = slabs_in(w, c, node, M_KCN_SLABS_PARTIAL), slabs = partial, objects;

	add(&slabs, slabs_in(w, c, node, M_KCN_SLABS_FULL));
	add(&slabs, slabs_in(w, c, node, M_KCN_SLABS_FREE));
	if (slabs == SLAB_UNKNOWN || c->per_slab == SLAB_UNKNOWN ||
	    __builtin_mul_overflow(slabs, c->per_slab, &objects))
		objects = SLAB_UNKNOWN;
	add(&c->partial, partial);
	add(&c->slabs, slabs);
	add(&c->objects, objects);
	add(&c->shown_free, get(w, node, M_KCN_FREE_OBJECTS));
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Where the cache has its nodes, and how many it may have. */
static uint64_t nodes_of(struct walker *w, const struct slab_cache *c, uint32_t *n,
			 uint64_t *stride)
{
	const struct fact *f = &w->k->layout.v[M_CACHE_NODES];
	uint64_t at = c->addr + f->m.offset;
	bool pointer = f->alt >= 3;

	*n = pointer ? NODES_MAX : f->m.count;
	*stride = pointer ? w->k->dump->word_size : f->m.stride;
	return pointer && read_kva_word(w->r, at, &at) ? 0 : at;
}

static void no_numbers(struct slab_cache *c)
{
	c->slabs = c->objects = c->partial = c->partial_free = c->shown_free = SLAB_UNKNOWN;
}

/* AT: the node's place in the cache. */
static void add_node(struct walker *w, struct slab_cache *c, uint64_t at)
{
	unsigned word = w->k->dump->word_size;
	uint64_t node, barn = 0, objects;
	enum status st =
		read_kva_word(w->r, at + layout_offset(&w->k->layout, M_PER_NODE_NODE), &node);

	if (!st && !node)
		return;
	if (st || !kernel_ptr_ok(w->k, node, word)) {
		damage(w, st ? st : ST_CORRUPT, c, "a node of it");
		no_numbers(c);
		return;
	}
	if (!w->slub) {
		add_lists(w, c, node);
		return;
	}
	objects = get(w, node, M_KCN_OBJECTS);
	add(&c->slabs, get(w, node, M_KCN_NR_SLABS));
	add(&c->objects, objects);
	if (has(w->k, M_KCN_PARTIAL))
		add_partial(w, c, node, objects);
	if (has(w->k, M_PER_NODE_BARN))
		read_kva_word(w->r, at + layout_offset(&w->k->layout, M_PER_NODE_BARN), &barn);
	else if (has(w->k, M_KCN_BARN))
		kmember_u64(w->k, w->r, node, M_KCN_BARN, &barn);
	if (barn && has(w->k, M_BARN_FULL))
		add_barn(w, c, barn);
}

/* ---- what CPUs hold -------------------------------------------------------------------- */

static void add_cpu_list(struct walker *w, struct slab_cache *c, uint64_t cpu)
{
	uint64_t slab = get(w, cpu, M_KCC_PARTIAL), n = 0;
	/* the first one has their number (put_cpu_partial(), mm/slub.c) */
	uint64_t counted = slab && slab != SLAB_UNKNOWN && has(w->k, M_SLAB_SLABS)
				   ? get(w, slab, M_SLAB_SLABS)
				   : SLAB_UNKNOWN;

	for (; slab && slab != SLAB_UNKNOWN && n <= w->slabs_max; n++) {
		if (!kernel_ptr_ok(w->k, slab, w->k->dump->word_size)) {
			slab = SLAB_UNKNOWN;
			break;
		}
		add(&c->cpu_partial_free, free_of_slab(w, c, slab));
		slab = get(w, slab, M_SLAB_NEXT);
	}
	if (!slab && counted != SLAB_UNKNOWN && counted != n)
		slab = SLAB_UNKNOWN;
	add(&c->cpu_partial, slab ? SLAB_UNKNOWN : n);
	if (slab)
		damage(w, ST_CORRUPT, c, "the list of partial slabs of a CPU");
}

static void add_cpu_sheaves(struct walker *w, struct slab_cache *c, uint64_t cpu)
{
	static const enum layout_id ids[] = { M_SHEAVES_MAIN, M_SHEAVES_SPARE, M_SHEAVES_RCU };

	/* objects of the last are still in use by readers, and free soon */
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		uint64_t sheaf = has(w->k, ids[i]) ? get(w, cpu, ids[i]) : 0, size = sheaf;

		if (sheaf && sheaf != SLAB_UNKNOWN)
			size = get(w, sheaf, M_SHEAF_SIZE);
		add(&c->sheaves, size);
		/* a CPU without a spare takes an empty one; that for RCU goes to the node when it is full */
		if (ids[i] != M_SHEAVES_RCU)
			add_room(w, c, 1, size);
	}
}

static void read_cpus(struct walker *w, struct slab_cache *c)
{
	bool lists = has(w->k, M_CACHE_CPU) && has(w->k, M_KCC_PARTIAL) && has(w->k, M_SLAB_NEXT);
	bool sheaves = has(w->k, M_CACHE_SHEAVES);
	uint64_t cpu = lists ? get(w, c->addr, M_CACHE_CPU) : 0;
	uint64_t sheaf = sheaves ? get(w, c->addr, M_CACHE_SHEAVES) : 0;
	uint64_t mask = w->k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX;

	c->cpu_partial = c->cpu_partial_free = lists ? 0 : SLAB_UNKNOWN;
	c->sheaves = sheaves ? c->sheaves : SLAB_UNKNOWN;
	c->sheaf_room = sheaves ? c->sheaf_room : 0;
	for (uint32_t i = 0; i < w->k->ncpus; i++) {
		if (cpu && cpu != SLAB_UNKNOWN)
			add_cpu_list(w, c, (cpu + w->k->percpu[i]) & mask);
		if (sheaf && sheaf != SLAB_UNKNOWN)
			add_cpu_sheaves(w, c, (sheaf + w->k->percpu[i]) & mask);
	}
}

/* ---- caches ------------------------------------------------------------------------------ */

static void read_nodes(struct walker *w, struct slab_cache *c)
{
	uint32_t n;
	uint64_t stride, at = nodes_of(w, c, &n, &stride);

	if (!has(w->k, w->slub ? M_KCN_NR_SLABS : M_KCN_SLABS_FULL))
		c->slabs = c->objects = SLAB_UNKNOWN;
	if (!has(w->k, w->slub ? M_KCN_PARTIAL : M_KCN_SLABS_PARTIAL))
		c->partial = c->shown_free = SLAB_UNKNOWN;
	if (!w->slub || !has(w->k, M_KCN_PARTIAL))
		c->partial_free = SLAB_UNKNOWN;
	if (!at)
		no_numbers(c);
	for (uint32_t i = 0; at && i < w->nodes && i < n; i++)
		add_node(w, c, at + i * stride);
	if (!w->slub && c->objects != SLAB_UNKNOWN && c->shown_free != SLAB_UNKNOWN &&
	    c->shown_free > c->objects) {
		damage(w, ST_CORRUPT, c, "more free objects than objects");
		c->shown_free = SLAB_UNKNOWN;
	}
}

/* A slab holds as many objects as fit (calculate_sizes(), mm/slub.c); until v4.17 it may keep an rcu_head. */
static void check_sizes(const struct walker *w, struct slab_cache *c)
{
	uint64_t bytes = UINT64_C(1) << (w->k->page_shift + c->order), size = c->size;
	uint64_t rcu_head = 2 * w->k->dump->word_size;

	if (size != SLAB_UNKNOWN && (!size || size > bytes)) {
		damage(w, ST_CORRUPT, c, "the size of its objects");
		c->size = size = SLAB_UNKNOWN;
	}
	if (c->object_size != SLAB_UNKNOWN &&
	    (!c->object_size || (size != SLAB_UNKNOWN && c->object_size > size))) {
		damage(w, ST_CORRUPT, c, "the size of what is asked for");
		c->object_size = SLAB_UNKNOWN;
	}
	if (!c->per_slab || (size != SLAB_UNKNOWN && c->per_slab != bytes / size &&
			     c->per_slab != (bytes - rcu_head) / size)) {
		damage(w, ST_CORRUPT, c, "the objects of a slab");
		c->per_slab = SLAB_UNKNOWN;
	}
}

/* Bytes and objects of a slab. */
static void read_sizes(struct walker *w, struct slab_cache *c)
{
	uint64_t oo = get(w, c->addr, M_CACHE_OO), order = get(w, c->addr, M_CACHE_GFPORDER);

	c->flags = get(w, c->addr, M_CACHE_FLAGS);
	c->size = get(w, c->addr, M_CACHE_SIZE);
	c->object_size = get(w, c->addr, M_CACHE_OBJECT_SIZE);
	if (w->slub) {
		bool known = has(w->k, M_CACHE_OO) && oo != SLAB_UNKNOWN;

		c->per_slab = known ? oo & ((1u << OO_SHIFT) - 1) : SLAB_UNKNOWN;
		c->order = known ? (unsigned)min_u64(oo >> OO_SHIFT, 31) : 0;
		if (known)
			check_sizes(w, c);
		return;
	}
	c->per_slab = get(w, c->addr, M_CACHE_NUM);
	c->order = order == SLAB_UNKNOWN ? 0 : (unsigned)min_u64(order, 31);
	if (!has(w->k, M_CACHE_OBJECT_SIZE)) /* to 3.5 */
		c->object_size = c->size;
}

/* Until v5.9 the name of a control group, which may have letters of any language, is part of it. */
static bool is_name(const char *s)
{
	for (const char *p = s; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return *s > ' ';
}

static void read_cache(struct walker *w, struct slab_cache *c)
{
	uint64_t name = get(w, c->addr, M_CACHE_NAME);
	char buf[NAME_BYTES];

	w->missing = false;
	c->name = "?";
	if (!name || name == SLAB_UNKNOWN || read_kva_str(w->r, name, buf, sizeof(buf)))
		damage(w, ST_NODATA, c, "its name");
	else if (!is_name(buf))
		damage(w, ST_CORRUPT, c, "its name");
	else
		c->name = arena_strdup(w->mem, buf);
	read_sizes(w, c);
	c->found_slabs = c->found_pages = c->found_objects = c->found_inuse = SLAB_UNKNOWN;
	read_nodes(w, c);
	read_cpus(w, c);
	if (w->missing)
		damage(w, ST_NODATA, c, "some of its numbers");
}

enum status slab_caches_build(const struct snapshot *s, struct arena *mem, bool pages,
			      struct slab_caches *ret)
{
	struct walker w = { .k = s->k, .mem = mem, .slabs_max = s->k->memmap.max_pfn, .nodes = 1 };
	VEC(struct slab_cache) v = { 0 };
	struct listwalk l;
	uint64_t nodes;

	*ret = (struct slab_caches){ 0 };
	if (!s->k->dump || !has(s->k, Y_SLAB_CACHES) || !has(s->k, M_CACHE_LIST) ||
	    !has(s->k, M_CACHE_NAME))
		return ST_ABSENT;
	w.r = kernel_reader(s->k);
	w.slub = ret->slub = has(s->k, M_CACHE_OO) || !has(s->k, M_CACHE_NUM);
	if (!kvar_u64(s->k, w.r, Y_NR_NODE_IDS, 4, &nodes))
		w.nodes = min_u64(nodes, NODES_MAX);
	l = listwalk_start(s->k, w.r, layout_symbol(&s->k->layout, Y_SLAB_CACHES), CACHES_MAX);
	while (listwalk_next(&l)) {
		struct slab_cache *c = vec_push(mem, &v);

		c->addr = l.node - layout_offset(&s->k->layout, M_CACHE_LIST);
		read_cache(&w, c);
	}
	ret->v = v.v;
	ret->n = (uint32_t)v.n;
	ret->whole = !l.st;
	if (l.st)
		issue_add(s->k->issues, l.st, "slab cache", 1, "list after %" PRIu64 " caches",
			  l.seen);
	reader_free(w.r);
	if (pages)
		slab_pages_count(s, ret);
	return ST_OK;
}

bool slab_is_reclaimable(const struct kernel *k, const struct slab_cache *c)
{
	int64_t bit = layout_enum(&k->layout, E_SLAB_RECLAIM_BIT, -1);
	uint64_t flag = bit >= 0 && bit < 64 ? UINT64_C(1) << bit : RECLAIM_ACCOUNT;

	return c->flags != SLAB_UNKNOWN && c->flags & flag;
}
