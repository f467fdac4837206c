/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab_charge.c - one parallel pass over all struct pages, for the vector of each slab.
 *
 * 5.9 and 5.10: page.obj_cgroups; from bcfe06bf2622 (v5.11) page.memcg_data, and slab.memcg_data with
 * d122019bf061 (v5.17): an array of struct obj_cgroup *, one of each object; bit 0 of the word says so.
 * From 21c690a349ba (v6.10) slab.obj_exts: an array of struct slabobj_ext. In 7.2 the step from one to the
 * next is slab.stride; in 7.3 a slab says in a bit that it lies in the objects, with their size as the
 * step, and in another whether it has obj_cgroups at all. Read in 5.10, 5.15, 6.1, 6.12, 6.19, 7.2, 7.3.
 */
#include "model/kernel/slab/slab_charge.h"

#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/search.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/page/scan.h"
#include "model/kernel/slab/slab_page.h"

#define VECTOR_FLAGS UINT64_C(7)
#define VECTOR_HERE 1u		/* MEMCG_DATA_OBJCGS, MEMCG_DATA_OBJEXTS */
#define STEP_MAX (1u << 16)	/* bytes: no object of a slab with a vector is larger */
#define PIECE 4096u		/* bytes of a vector that are read at once */

struct tally {
	struct arena mem;
	struct hash by_key;		/* key_of() + 1 -> index in v */
	VEC(struct slab_charge) v;
	struct hash objcgs;		/* struct obj_cgroup -> index in s->cgroups + 1, 0: none of them */
	uint64_t unread, bad;
};

struct pass {
	const struct kernel *k;
	const struct slab_caches *sc;
	struct pagefmt f;
	struct hash caches, groups;	/* address -> index */
	uint32_t ext;			/* bytes of an element */
	struct tally *tallies[JOBS_MAX];
};

uint64_t slab_charged_size(const struct kernel *k, const struct slab_cache *c)
{
	return c->size == SLAB_UNKNOWN ? SLAB_UNKNOWN : c->size + k->dump->word_size;
}

static void count(struct tally *t, uint32_t cache, uint32_t cgroup)
{
	uint64_t key = ((uint64_t)cache << 32 | cgroup) + 1;
	uint32_t i = hash_get(&t->by_key, key);

	if (i == HASH_NONE) {
		i = (uint32_t)t->v.n;
		hash_put(&t->by_key, key, i);
		*vec_push(&t->mem, &t->v) = (struct slab_charge){ cache, cgroup, 0 };
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): I is one of v */
	t->v.v[i].objects++;
}

/* The group that the obj_cgroup at ADDR charges: an index in s->cgroups, or NONE. */
static uint32_t group_of(struct pass *p, struct tally *t, struct reader *r, uint64_t addr)
{
	uint32_t at = hash_get(&t->objcgs, addr);
	uint64_t memcg = 0;

	if (at != HASH_NONE)
		return at - 1;
	if (!kernel_ptr_ok(p->k, addr, p->k->dump->word_size) ||
	    kmember_u64(p->k, r, addr, M_OBJCG_MEMCG, &memcg) || !memcg)
		at = HASH_NONE;
	else
		at = hash_get(&p->groups, memcg + layout_offset(&p->k->layout, M_MEMCG_CSS));
	t->bad += at == HASH_NONE;
	at = at == HASH_NONE ? NONE : at;
	hash_put(&t->objcgs, addr, at + 1);
	return at;
}

/* N objects of CACHE, whose elements begin at AT and are STEP bytes apart. */
static void read_vector(struct pass *p, struct tally *t, struct reader *r, uint32_t cache,
			uint64_t at, uint64_t n, uint64_t step)
{
	unsigned word = p->k->dump->word_size;
	uint8_t piece[PIECE];
	uint64_t many = step <= 4 * word ? PIECE / step : 1, now;

	for (uint64_t i = 0; i < n; i += now) {
		now = min_u64(many, n - i);
		if (read_kva(r, at + i * step, piece, now > 1 ? now * step : word)) {
			t->unread++;
			return;
		}
		for (uint64_t j = 0; j < now; j++) {
			uint64_t objcg = load_uint(piece + j * step, word, p->k->dump->big_endian);

			if (objcg)
				count(t, cache, group_of(p, t, r, objcg));
		}
	}
}

/* Bytes from one element to the next; 0: this form is not known. *OTHER: the vector has no groups. */
static uint64_t step_of(const struct pass *p, const uint8_t *raw, const struct slab_cache *c,
			bool *other)
{
	*other = has(p->k, M_SLAB_EXT_OBJCG) && !slab_page_u64(&p->f, raw, M_SLAB_EXT_OBJCG);
	if (has(p->k, M_SLAB_EXT_INSIDE) && slab_page_u64(&p->f, raw, M_SLAB_EXT_INSIDE))
		return c->size == SLAB_UNKNOWN ? 0 : c->size;
	if (has(p->k, M_SLAB_STRIDE))
		return slab_page_u64(&p->f, raw, M_SLAB_STRIDE);
	return p->ext;
}

static void read_slab(struct pass *p, struct tally *t, struct reader *r, const uint8_t *raw)
{
	uint64_t data = slab_page_u64(&p->f, raw, M_SLAB_VECTOR), at = data & ~VECTOR_FLAGS, step,
		 n;
	uint32_t cache;
	bool other;

	/* the flag alone: there was no memory for it (6.12) */
	if (!(data & VECTOR_HERE) || !at)
		return;
	cache = hash_get(&p->caches, slab_page_u64(&p->f, raw, M_SLAB_CACHE));
	if (cache == HASH_NONE)
		return; /* slab_pages_count() tells */
	step = step_of(p, raw, &p->sc->v[cache], &other);
	if (other)
		return;
	n = p->sc->slub ? slab_page_u64(&p->f, raw, M_SLAB_OBJECTS) : p->sc->v[cache].per_slab;
	if (step < p->k->dump->word_size || step > STEP_MAX || n == SLAB_UNKNOWN ||
	    !kernel_ptr_ok(p->k, at, p->k->dump->word_size))
		t->unread++;
	else
		read_vector(p, t, r, cache, at, min_u64(n, UINT16_MAX), step);
}

static struct tally *tally_of(struct pass *p, unsigned worker)
{
	struct tally *t = p->tallies[worker];

	if (!t) {
		t = p->tallies[worker] = heap_array(struct tally, 1);
		t->by_key.mem = t->objcgs.mem = &t->mem;
	}
	return t;
}

static void charge_run(void *arg, unsigned worker, struct reader *r, const struct page_run *run)
{
	struct pass *p = arg;
	struct tally *t = tally_of(p, worker);

	if (!run->p)
		t->unread += run->n;
	for (uint64_t i = 0; run->p && i < run->n; i++) {
		const uint8_t *raw = run->p + i * p->f.size;
		uint64_t kva = run->kva + i * p->f.size;

		if (slab_page_is_first(&p->f, raw, kva, run->len - (kva - run->here_kva)))
			read_slab(p, t, r, raw);
	}
}

static int in_order(const void *a, const void *b)
{
	const struct slab_charge *x = a, *y = b;

	if (x->cache != y->cache)
		return x->cache < y->cache ? -1 : 1;
	return x->cgroup < y->cgroup ? -1 : x->cgroup > y->cgroup;
}

/* All tallies into RET, which is sorted; one of each cache and group. */
static uint64_t add_up(struct pass *p, struct arena *mem, struct slab_charges *ret)
{
	VEC(struct slab_charge) all = { 0 };
	uint64_t bad = 0;

	for (unsigned w = 0; w < JOBS_MAX; w++) {
		struct tally *t = p->tallies[w];

		for (size_t i = 0; t && i < t->v.n; i++)
			*vec_push(mem, &all) = t->v.v[i];
		if (!t)
			continue;
		ret->unread += t->unread;
		bad += t->bad;
		arena_release(&t->mem);
		free(t);
	}
	sort_array(all.v, all.n, sizeof(*all.v), in_order);
	ret->v = all.v;
	for (size_t i = 0; i < all.n; i++) {
		if (ret->n && !in_order(&all.v[ret->n - 1], &all.v[i]))
			all.v[ret->n - 1].objects += all.v[i].objects;
		else
			all.v[ret->n++] = all.v[i];
	}
	return bad;
}

/* An element: a pointer, or since v6.10 a struct. */
static uint32_t element(const struct kernel *k)
{
	return k->layout.v[M_SLAB_VECTOR].alt == 0 ? (uint32_t)layout_size(&k->layout, S_SLAB_EXT)
						   : k->dump->word_size;
}

enum status slab_charges_build(const struct snapshot *s, const struct slab_caches *sc,
			       struct arena *mem, struct slab_charges *ret)
{
	struct arena scratch = { 0 };
	struct pass p = { .k = s->k, .sc = sc, .caches.mem = &scratch, .groups.mem = &scratch };
	struct page_scan scan = { .run = charge_run, .arg = &p };
	uint64_t bad;

	*ret = (struct slab_charges){ 0 };
	if (!s->k->memmap.n || !has(s->k, M_SLAB_VECTOR) || !has(s->k, M_SLAB_CACHE) ||
	    !has(s->k, M_OBJCG_MEMCG) || !has(s->k, M_MEMCG_CSS))
		return ST_ABSENT;
	pagefmt_init(&p.f, s->k);
	p.ext = element(s->k);
	for (uint32_t i = 0; i < sc->n; i++)
		hash_put(&p.caches, sc->v[i].addr, i);
	for (uint32_t i = 0; i < s->ncgroups; i++)
		if (s->cgroups[i].css)
			hash_put(&p.groups, s->cgroups[i].css, i);
	page_scan(s->k, p.f.size, &scan);
	bad = add_up(&p, mem, ret);
	if (bad)
		issue_add(s->k->issues, kernel_contradicts(s->k), "slab", bad,
			  "objects charged to no known group");
	if (ret->unread)
		issue_add(s->k->issues, ST_NODATA, "slab", ret->unread,
			  "who is charged with its objects");
	arena_release(&scratch);
	return ST_OK;
}
