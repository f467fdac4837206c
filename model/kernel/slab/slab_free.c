/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab_free.c - free objects of SLUB (mm/slub.c, read in 5.10, 6.1, 6.12, 7.3).
 *
 * A free object has the address of the next one in it. A slab has one list, and the CPU that takes from a slab
 * another. Objects in sheaves are in use to their slab.
 */
#include "model/kernel/slab/slab_free.h"

#include "dumpread/base/bytes.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"

#define SHEAF_MAX 1024u		/* objects; the capacity is 32 or so */
#define SHEAVES_MAX 1024u	/* of a barn: it has 10 of each kind at most */

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

static void damage(const struct slab_free *f, enum status st, uint32_t cache, const char *what)
{
	issue_add(f->k->issues, st, "slab cache", 1, "%s: %s", f->sc->v[cache].name, what);
}

static void see_sheaf(const struct slab_free *f, struct reader *r, uint32_t cache, uint64_t sheaf,
		      const struct slab_free_ops *ops)
{
	unsigned word = f->k->dump->word_size;
	uint64_t n, kva, at = sheaf + layout_offset(&f->k->layout, M_SHEAF_OBJECTS);
	enum status st = kmember_u64(f->k, r, sheaf, M_SHEAF_SIZE, &n);

	if (!st && n > SHEAF_MAX)
		st = ST_CORRUPT;
	for (uint64_t i = 0; !st && i < n; i++) {
		st = read_kva_word(r, at + i * word, &kva);
		if (!st)
			ops->object(ops->arg, kva);
	}
	if (st)
		damage(f, st, cache, "a sheaf");
}

static void see_cpu_sheaves(const struct slab_free *f, struct reader *r, uint32_t cache,
			    uint64_t cpu, const struct slab_free_ops *ops)
{
	/* those of the last are free as soon as their readers end: nobody may point to them */
	static const enum layout_id ids[] = { M_SHEAVES_MAIN, M_SHEAVES_SPARE, M_SHEAVES_RCU };
	uint64_t sheaf;

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		if (!has(f->k, ids[i]))
			continue;
		if (kmember_u64(f->k, r, cpu, ids[i], &sheaf))
			damage(f, ST_NODATA, cache, "the sheaves of a CPU");
		else if (sheaf)
			see_sheaf(f, r, cache, sheaf, ops);
	}
}

static void see_barn(const struct slab_free *f, struct reader *r, uint32_t cache, uint64_t barn,
		     const struct slab_free_ops *ops)
{
	const struct layout *l = &f->k->layout;
	struct listwalk w =
		listwalk_start(f->k, r, barn + layout_offset(l, M_BARN_FULL), SHEAVES_MAX);

	while (listwalk_next(&w))
		see_sheaf(f, r, cache, w.node - layout_offset(l, M_SHEAF_LIST), ops);
	if (w.st)
		damage(f, w.st, cache, "the sheaves of a node");
}

/* The places of nodes in a cache, as slab.c has them. */
static void see_nodes(const struct slab_free *f, struct reader *r, uint32_t cache,
		      const struct slab_free_ops *ops)
{
	const struct kernel *k = f->k;
	const struct member *m = &k->layout.v[M_CACHE_NODES].m;
	uint64_t nodes = 1, node, barn;

	if (!has(k, M_CACHE_NODES) || !has(k, M_BARN_FULL) ||
	    kvar_u64(k, r, Y_NR_NODE_IDS, 4, &nodes))
		return;
	for (uint64_t i = 0; i < min_u64(nodes, min_u64(m->count, NODES_MAX)); i++) {
		uint64_t at = f->sc->v[cache].addr + m->offset + i * m->stride;

		barn = 0;
		if (has(k, M_PER_NODE_BARN))
			kmember_u64(k, r, at, M_PER_NODE_BARN, &barn);
		else if (has(k, M_KCN_BARN) && !read_kva_word(r, at, &node) && node)
			kmember_u64(k, r, node, M_KCN_BARN, &barn);
		if (barn)
			see_barn(f, r, cache, barn, ops);
	}
}

static void see_cpu(const struct slab_free *f, struct reader *r, uint32_t cache, uint64_t cpu,
		    const struct slab_free_ops *ops)
{
	uint64_t first;

	if (kmember_u64(f->k, r, cpu, M_KCC_FREELIST, &first))
		damage(f, ST_NODATA, cache, "the free objects of a CPU");
	else if (first)
		ops->list(ops->arg, first);
}

static void see_cache(const struct slab_free *f, struct reader *r, uint32_t cache,
		      const struct slab_free_ops *ops)
{
	const struct kernel *k = f->k;
	uint64_t mask = k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX, cpu = 0, sheaves = 0;
	bool lists = has(k, M_CACHE_CPU) && has(k, M_KCC_FREELIST);
	bool has_sheaves = has(k, M_CACHE_SHEAVES) && has(k, M_SHEAF_OBJECTS) &&
			   has(k, M_SHEAF_SIZE);

	if ((lists && kmember_u64(k, r, f->sc->v[cache].addr, M_CACHE_CPU, &cpu)) ||
	    (has_sheaves && kmember_u64(k, r, f->sc->v[cache].addr, M_CACHE_SHEAVES, &sheaves)))
		damage(f, ST_NODATA, cache, "what its CPUs have");
	for (uint32_t i = 0; i < k->ncpus; i++) {
		if (cpu && ops->list)
			see_cpu(f, r, cache, (cpu + k->percpu[i]) & mask, ops);
		if (sheaves && ops->object)
			see_cpu_sheaves(f, r, cache, (sheaves + k->percpu[i]) & mask, ops);
	}
	if (has_sheaves && ops->object)
		see_nodes(f, r, cache, ops);
}

void slab_free_outside(const struct slab_free *f, struct reader *r, const struct slab_free_ops *ops)
{
	for (uint32_t i = 0; i < f->sc->n; i++)
		see_cache(f, r, i, ops);
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
