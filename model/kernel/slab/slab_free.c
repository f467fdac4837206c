/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab_free.c - free objects of SLUB (mm/slub.c, read in 5.10, 6.1, 6.12, 7.3).
 *
 * A free object has the address of the next one in it. A slab has one list, and the CPU that takes from a slab
 * another. Objects in sheaves are in use to their slab.
 */
#include "model/kernel/slab/slab_free.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"

/* The kernel has sheaves of 32 objects or so, and 10 of each kind in a barn; together they have no more objects than
   the cache. */
#define SHEAF_MAX 1024u
#define SHEAVES_MAX 1024u

static bool form_of(const struct kernel *k, struct reader *r, const struct slab_cache *c,
		    struct slab_form *f)
{
	uint64_t offset, left = 0, inuse = 0;

	if (kmember_u64(k, r, c->addr, M_CACHE_OFFSET, &offset) ||
	    (has(k, M_CACHE_RANDOM) && kmember_u64(k, r, c->addr, M_CACHE_RANDOM, &f->random)) ||
	    (has(k, M_CACHE_LEFT) && kmember_u64(k, r, c->addr, M_CACHE_LEFT, &left)) ||
	    (has(k, M_CACHE_INUSE) && kmember_u64(k, r, c->addr, M_CACHE_INUSE, &inuse)) ||
	    c->size == SLAB_UNKNOWN || c->object_size == SLAB_UNKNOWN || c->size > UINT32_MAX)
		return false;
	if (offset > c->size - k->dump->word_size || left >= c->size || inuse > c->size)
		return false;
	f->offset = (uint32_t)offset;
	f->left = (uint32_t)left;
	f->inuse = (uint32_t)inuse;
	return c->size >= k->dump->word_size;
}

enum status slab_free_init(struct slab_free *f, const struct kernel *k, struct reader *r,
			   const struct slab_caches *sc, struct arena *mem)
{
	uint64_t lost = 0;

	*f = (struct slab_free){ .k = k, .sc = sc };
	if (!sc->slub || !has(k, M_CACHE_OFFSET) || !has(k, M_SLAB_FREELIST) ||
	    !has(k, M_SLAB_OBJECTS) || !has(k, M_SLAB_CACHE))
		return ST_ABSENT;
	f->link = has(k, M_CACHE_RANDOM) ? LINK_XOR_SWAPPED : LINK_PLAIN;
	f->form = arena_array(mem, struct slab_form, sc->n);
	for (uint32_t i = 0; i < sc->n; i++) {
		f->form[i].known = form_of(k, r, &sc->v[i], &f->form[i]);
		lost += !f->form[i].known;
	}
	if (lost)
		issue_add(k->issues, ST_CORRUPT, "slab cache", lost,
			  "where free objects have their links");
	return ST_OK;
}

/* ---- lists ----------------------------------------------------------------------------- */

static uint64_t swapped(const struct slab_free *f, uint64_t v)
{
	return f->k->dump->word_size == 4 ? __builtin_bswap32((uint32_t)v) : __builtin_bswap64(v);
}

static uint64_t decode(const struct slab_free *f, enum slab_link link, uint64_t random, uint64_t v,
		       uint64_t at)
{
	switch (link) {
	case LINK_PLAIN: break;
	case LINK_XOR: return v ^ random ^ at;
	case LINK_XOR_SWAPPED: return v ^ random ^ swapped(f, at);
	}
	return v;
}

struct chain {
	const struct slab_free *f;
	struct reader *r;
	const struct slab_place *p;
	enum slab_link link;
	uint32_t seen;
	enum status st;
};

/* Moves *AT, the address of an object or 0, to the next one; *OBJECT is its number. */
static bool chain_next(struct chain *c, uint64_t *at, uint32_t *object)
{
	const struct slab_form *form = &c->f->form[c->p->cache];
	uint64_t size = c->f->sc->v[c->p->cache].size, off = *at - c->p->kva, next;

	if (!*at)
		return false;
	if (off / size >= c->p->n || off % size || c->seen == c->p->n) {
		c->st = ST_CORRUPT;
		return false;
	}
	c->st = read_kva_word(c->r, *at + form->offset, &next);
	if (c->st)
		return false;
	c->seen++;
	*object = (uint32_t)(off / size);
	*at = decode(c->f, c->link, form->random, next, *at + form->offset);
	return true;
}

bool slab_free_fits(const struct slab_free *f, struct reader *r, const struct slab_place *p,
		    uint64_t first, enum slab_link link, uint32_t *len)
{
	struct chain c = { f, r, p, link, 0, ST_OK };
	uint32_t object;

	while (chain_next(&c, &first, &object))
		;
	*len = c.seen;
	return !c.st;
}

enum status slab_free_each(const struct slab_free *f, struct reader *r, const struct slab_place *p,
			   uint64_t first, void (*fn)(void *arg, uint32_t object), void *arg)
{
	struct chain c = { f, r, p, f->link, 0, ST_OK };
	uint32_t object;

	while (chain_next(&c, &first, &object))
		fn(arg, object);
	return c.st;
}

/* ---- outside of slabs --------------------------------------------------------------------- */

/* One cache. */
struct outside {
	const struct slab_free *f;
	struct reader *r;
	const struct slab_free_ops *ops;
	uint32_t cache;
	uint64_t addr;	/* of the cache */
	uint64_t left;	/* objects that its sheaves may still have */
};

static void damage(const struct outside *o, enum status st, const char *what)
{
	issue_add(o->f->k->issues, st, "slab cache", 1, "%s: %s", o->f->sc->v[o->cache].name, what);
}

/* What all sheaves of the cache have is in its slabs; if these are not counted, memory bounds it. */
static uint64_t most_objects(const struct slab_free *f, uint32_t cache)
{
	const struct slab_cache *c = &f->sc->v[cache];
	uint64_t ram = f->k->memmap.max_pfn << f->k->page_shift;

	return f->form[cache].known ? min_u64(c->objects, ram / c->size) : 0;
}

static void see_sheaf(struct outside *o, uint64_t sheaf)
{
	const struct kernel *k = o->f->k;
	uint64_t n, kva, at = sheaf + layout_offset(&k->layout, M_SHEAF_OBJECTS);
	enum status st = kmember_u64(k, o->r, sheaf, M_SHEAF_SIZE, &n);

	if (!st && n > min_u64(SHEAF_MAX, o->left))
		st = ST_CORRUPT;
	for (uint64_t i = 0; !st && i < n; i++) {
		st = read_kva_word(o->r, at + i * k->dump->word_size, &kva);
		if (!st)
			o->ops->object(o->ops->arg, kva);
	}
	if (st)
		damage(o, st, "a sheaf");
	else
		o->left -= n;
}

static void see_cpu_sheaves(struct outside *o, uint64_t cpu)
{
	/* those of the last are free as soon as their readers end: nobody may point to them */
	static const enum layout_id ids[] = { M_SHEAVES_MAIN, M_SHEAVES_SPARE, M_SHEAVES_RCU };
	uint64_t sheaf;

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		if (!has(o->f->k, ids[i]))
			continue;
		if (kmember_u64(o->f->k, o->r, cpu, ids[i], &sheaf))
			damage(o, ST_NODATA, "the sheaves of a CPU");
		else if (sheaf)
			see_sheaf(o, sheaf);
	}
}

static void see_barn(struct outside *o, uint64_t barn)
{
	const struct layout *l = &o->f->k->layout;
	struct listwalk w =
		listwalk_start(o->f->k, o->r, barn + layout_offset(l, M_BARN_FULL), SHEAVES_MAX);
	uint64_t left;

	while (o->left && listwalk_next(&w)) {
		left = o->left;
		see_sheaf(o, w.node - layout_offset(l, M_SHEAF_LIST));
		/* of those that are full, one that has nothing ends the walk in time, too */
		o->left -= o->left == left;
	}
	if (!o->left && listwalk_next(&w))
		damage(o, ST_CORRUPT, "more in sheaves than it has objects");
	else if (w.st)
		damage(o, w.st, "the sheaves of a node");
}

/* The barn of the node whose place in the cache is AT; 0: it has none. */
static enum status barn_of(const struct outside *o, uint64_t at, uint64_t *barn)
{
	uint64_t node;
	enum status st;

	*barn = 0;
	if (has(o->f->k, M_PER_NODE_BARN))
		return kmember_u64(o->f->k, o->r, at, M_PER_NODE_BARN, barn);
	if (!has(o->f->k, M_KCN_BARN))
		return ST_OK;
	st = read_kva_word(o->r, at, &node);
	return st || !node ? st : kmember_u64(o->f->k, o->r, node, M_KCN_BARN, barn);
}

/* The places of nodes in a cache, as slab.c has them. */
static void see_nodes(struct outside *o)
{
	const struct kernel *k = o->f->k;
	const struct member *m = &k->layout.v[M_CACHE_NODES].m;
	uint64_t nodes = 1, barn;
	enum status st;

	if (!has(k, M_CACHE_NODES) || !has(k, M_BARN_FULL))
		return;
	/* without NUMA there is one node, and no such variable */
	if (has(k, Y_NR_NODE_IDS) && kvar_u64(k, o->r, Y_NR_NODE_IDS, 4, &nodes)) {
		damage(o, ST_NODATA, "the sheaves of its nodes");
		return;
	}
	for (uint64_t i = 0; i < min_u64(nodes, min_u64(m->count, NODES_MAX)); i++) {
		st = barn_of(o, o->addr + m->offset + i * m->stride, &barn);
		if (st)
			damage(o, st, "the sheaves of a node");
		else if (barn)
			see_barn(o, barn);
	}
}

static void see_cpu(const struct outside *o, uint64_t cpu)
{
	uint64_t first;

	if (kmember_u64(o->f->k, o->r, cpu, M_KCC_FREELIST, &first))
		damage(o, ST_NODATA, "the free objects of a CPU");
	else if (first)
		o->ops->list(o->ops->arg, first);
}

static void see_cache(struct outside *o)
{
	const struct kernel *k = o->f->k;
	uint64_t mask = k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX, cpu = 0, sheaves = 0;
	bool lists = has(k, M_CACHE_CPU) && has(k, M_KCC_FREELIST);
	bool has_sheaves = has(k, M_CACHE_SHEAVES) && has(k, M_SHEAF_OBJECTS) &&
			   has(k, M_SHEAF_SIZE);

	if ((lists && kmember_u64(k, o->r, o->addr, M_CACHE_CPU, &cpu)) ||
	    (has_sheaves && kmember_u64(k, o->r, o->addr, M_CACHE_SHEAVES, &sheaves)))
		damage(o, ST_NODATA, "what its CPUs have");
	for (uint32_t i = 0; i < k->ncpus; i++) {
		if (cpu && o->ops->list)
			see_cpu(o, (cpu + k->percpu[i]) & mask);
		if (sheaves && o->ops->object)
			see_cpu_sheaves(o, (sheaves + k->percpu[i]) & mask);
	}
	if (has_sheaves && o->ops->object)
		see_nodes(o);
}

void slab_free_outside(const struct slab_free *f, struct reader *r, const struct slab_free_ops *ops)
{
	for (uint32_t i = 0; i < f->sc->n; i++) {
		struct outside o = { f, r, ops, i, f->sc->v[i].addr, most_objects(f, i) };

		see_cache(&o);
	}
}

/* ---- sheaves as objects ---------------------------------------------------------------------- */

uint32_t slab_sheaf_bytes(const struct slab_free *f, const struct hash *by_addr, uint32_t cache,
			  const uint8_t *p, uint32_t size)
{
	const struct layout *l = &f->k->layout;
	unsigned word = f->k->dump->word_size;
	bool big = f->k->dump->big_endian;
	uint32_t head = layout_offset(l, M_SHEAF_OBJECTS),
		 to_cache = layout_offset(l, M_SHEAF_CACHE);
	uint32_t to_size = layout_offset(l, M_SHEAF_SIZE), bytes = l->v[M_SHEAF_SIZE].m.size, of;
	uint64_t n;

	if (!has(f->k, M_SHEAF_OBJECTS) || !has(f->k, M_SHEAF_CACHE) || !has(f->k, M_SHEAF_SIZE) ||
	    !str_begins(f->sc->v[cache].name, "kmalloc-") || head >= size ||
	    to_cache + word > size || to_size + bytes > size)
		return size;
	of = hash_get(by_addr, load_uint(p + to_cache, word, big));
	n = load_uint(p + to_size, bytes, big);
	return of == HASH_NONE || n > (size - head) / word ? size : head + (uint32_t)n * word;
}
