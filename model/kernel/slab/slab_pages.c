/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab_pages.c - one parallel pass over all struct pages, for the slabs of each cache.
 *
 * The first page of a slab says which cache it belongs to, and how many objects it has and has
 * handed out. The pass finds slabs that are in no list: full ones, and those that a CPU takes
 * from. Nothing is kept for a frame.
 */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "facts/layout/kmem.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/page/scan.h"
#include "model/kernel/slab/slab.h"
#include "model/kernel/slab/slab_page.h"

#define SLAB_ORDER_MAX 10u	/* of a folio; larger is damage */

enum status slab_cache_of(const struct kernel *k, struct reader *r, const struct pagefmt *f,
			  uint64_t pfn, uint64_t *cache)
{
	uint64_t kva = memmap_page_kva(&k->memmap, pfn), head;
	uint8_t raw[2 * STRUCT_PAGE_MAX];
	size_t n = page_role_size(f, kva);
	enum status st;

	if (!kva || !has(k, M_SLAB_CACHE))
		return ST_ABSENT;
	st = read_kva(r, kva, raw, n);
	if (!st && page_role(f, raw, kva, n, &head) == PAGE_ASTRAY)
		return ST_CORRUPT;
	return st ? st : kmember_u64(k, r, head, M_SLAB_CACHE, cache);
}

struct tally {
	uint64_t slabs, pages, objects, inuse;
	uint64_t part;			/* of the slabs: some of their objects are free */
	uint64_t bad;			/* of the slabs: their numbers contradict each other */
};

struct pass {
	const struct kernel *k;
	struct pagefmt f;
	struct hash by_addr;		/* cache -> its index */
	struct worker *workers;
	uint32_t ncaches;
	bool slub;
};

struct worker {
	struct tally *v;		/* [ncaches + 1]: the last is of strays */
	uint64_t unread;		/* struct pages */
};

uint64_t slab_page_u64(const struct pagefmt *f, const uint8_t *raw, enum layout_id id)
{
	const struct member *m = &f->k->layout.v[id].m;
	uint64_t v;

	if (!has(f->k, id) || m->offset + m->size > f->size || m->size > 8)
		return 0;
	v = load_uint(raw + m->offset, m->size, f->big);
	return m->bit_size && m->bit_size < 64
		       ? v >> m->bit_offset & ((UINT64_C(1) << m->bit_size) - 1)
		       : v;
}

/* Pages of the slab whose first struct page is at KVA, in RUN. */
static uint64_t pages_of(const struct pass *p, struct reader *r, const struct page_run *run,
			 uint64_t kva)
{
	struct folio_view v;

	if (!folio_read(&p->f, r, kva, run->here, run->here_kva, run->len, &v))
		return 1;
	return v.order <= SLAB_ORDER_MAX ? UINT64_C(1) << v.order : 1;
}

static void count(const struct pass *p, struct worker *w, struct reader *r,
		  const struct page_run *run, uint64_t i)
{
	const uint8_t *raw = run->p + i * p->f.size;
	uint32_t at = hash_get(&p->by_addr, slab_page_u64(&p->f, raw, M_SLAB_CACHE));
	struct tally *t = &w->v[at == HASH_NONE ? p->ncaches : at];
	uint64_t objects = slab_page_u64(&p->f, raw, M_SLAB_OBJECTS),
		 inuse = slab_page_u64(&p->f, raw, M_SLAB_INUSE);
	bool no_list = has(p->k, M_SLAB_FREELIST) && !slab_page_u64(&p->f, raw, M_SLAB_FREELIST);

	t->pages += page_flags(&p->f, raw) & p->f.head
			    ? pages_of(p, r, run, run->kva + i * p->f.size)
			    : 1;
	t->slabs++;
	if (!p->slub)
		return;
	t->objects += objects;
	t->inuse += inuse;
	t->part += inuse < objects;
	/* without a list of free objects, all are in use, or the CPU that took the list says so */
	t->bad += !objects || inuse > objects || (no_list && inuse < objects);
}

bool slab_page_is_first(const struct pagefmt *f, const uint8_t *raw, uint64_t kva, size_t len)
{
	uint64_t flags = page_flags(f, raw), head;
	enum page_role role;

	if (!(flags & f->slab_bit) && !(type_class(f, page_type(f, raw)) & FR_SLAB))
		return false;
	role = page_role(f, raw, kva, len, &head);
	return role != PAGE_TAIL && role != PAGE_UNSET;
}

static void slab_run(void *arg, unsigned worker, struct reader *r, const struct page_run *run)
{
	struct pass *p = arg;
	struct worker *w = &p->workers[worker];

	if (!w->v)
		w->v = heap_array(struct tally, p->ncaches + 1);
	if (!run->p)
		w->unread += run->n;
	for (uint64_t i = 0; run->p && i < run->n; i++) {
		uint64_t kva = run->kva + i * p->f.size;

		if (slab_page_is_first(&p->f, run->p + i * p->f.size, kva,
				       run->len - (kva - run->here_kva)))
			count(p, w, r, run, i);
	}
}

/* Pages of KFENCE are marked as slabs, and in no cache's counters. */
static bool has_kfence(const struct kernel *k)
{
	struct reader *r = kernel_reader(k);
	uint64_t pool = 0;

	if (has(k, Y_KFENCE_POOL) && kvar_u64(k, r, Y_KFENCE_POOL, 0, &pool))
		pool = 1;
	reader_free(r);
	return pool;
}

/* The slabs found are those that the cache counts; of its slabs with free objects, those on no list
   are the ones that CPUs take from. */
static void check(const struct kernel *k, const struct slab_cache *c, const struct tally *t)
{
	bool lists = c->partial != SLAB_UNKNOWN && c->cpu_partial != SLAB_UNKNOWN;

	if (t->bad)
		issue_add(k->issues, ST_CORRUPT, "slab", t->bad, "of %s: its numbers of objects",
			  c->name);
	if (c->slabs != SLAB_UNKNOWN && (t->slabs != c->slabs || t->objects != c->objects))
		issue_add(k->issues, ST_CORRUPT, "slab cache", 1,
			  "%s counts %llu slabs of %llu objects; found: %llu of %llu", c->name,
			  (unsigned long long)c->slabs, (unsigned long long)c->objects,
			  (unsigned long long)t->slabs, (unsigned long long)t->objects);
	else if (lists && t->part > c->partial + c->cpu_partial + k->ncpus)
		issue_add(k->issues, ST_CORRUPT, "slab cache", 1, "%s: slabs on none of its lists",
			  c->name);
}

/*
 * SLAB: struct page has no numbers of objects. To 3.6 it does not name the cache; to 3.12 each page of
 * a slab is marked, later its head (a57a49887eb3).
 */
static void of_nodes(const struct kernel *k, struct slab_cache *c)
{
	if (!has(k, M_SLAB_CACHE) && c->slabs != SLAB_UNKNOWN)
		c->found_pages = c->slabs << c->order;
	if (c->found_pages != SLAB_UNKNOWN)
		c->found_slabs = c->found_pages >> c->order;
	c->found_objects = c->objects;
	c->found_inuse = c->objects == SLAB_UNKNOWN || c->shown_free == SLAB_UNKNOWN
				 ? SLAB_UNKNOWN
				 : c->objects - c->shown_free;
}

static void check_nodes(const struct kernel *k, const struct slab_cache *c)
{
	if (c->slabs != SLAB_UNKNOWN && c->found_slabs != c->slabs)
		issue_add(k->issues, ST_CORRUPT, "slab cache", 1, "%s has %llu slabs, found: %llu",
			  c->name, (unsigned long long)c->slabs,
			  (unsigned long long)c->found_slabs);
}

static void add_up(struct slab_caches *sc, const struct worker *w, struct tally *sum)
{
	for (uint32_t i = 0; i < sc->n; i++) {
		sum[i].slabs += w->v[i].slabs;
		sum[i].objects += w->v[i].objects;
		sum[i].part += w->v[i].part;
		sum[i].bad += w->v[i].bad;
		struct slab_cache *c = &sc->v[i];

		c->found_slabs += w->v[i].slabs;
		c->found_pages += w->v[i].pages;
		c->found_objects += w->v[i].objects;
		c->found_inuse += w->v[i].inuse;
	}
	sc->stray_slabs += w->v[sc->n].slabs;
	sc->stray_pages += w->v[sc->n].pages;
}

void slab_pages_count(const struct snapshot *s, struct slab_caches *sc)
{
	struct arena mem = { 0 };
	struct pass p = { .k = s->k, .ncaches = sc->n, .slub = sc->slub, .by_addr.mem = &mem };
	struct page_scan scan = { .run = slab_run, .arg = &p };
	struct tally *sum;
	uint64_t unread = 0;

	for (uint32_t i = 0; !sc->slub && !has(s->k, M_SLAB_CACHE) && i < sc->n; i++)
		of_nodes(s->k, &sc->v[i]);
	if (!s->k->memmap.n || !has(s->k, M_SLAB_CACHE))
		return;
	pagefmt_init(&p.f, s->k);
	for (uint32_t i = 0; i < sc->n; i++) {
		struct slab_cache *c = &sc->v[i];

		hash_put(&p.by_addr, c->addr, i);
		c->found_slabs = c->found_pages = c->found_objects = c->found_inuse = 0;
	}
	p.workers = arena_array(&mem, struct worker, JOBS_MAX);
	sum = arena_calloc(&mem, sc->n + 1u, sizeof(*sum));
	page_scan(s->k, p.f.size, &scan);
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		if (!p.workers[i].v)
			continue;
		add_up(sc, &p.workers[i], sum);
		unread += p.workers[i].unread;
		free(p.workers[i].v);
	}
	for (uint32_t i = 0; !sc->slub && i < sc->n; i++)
		of_nodes(s->k, &sc->v[i]);
	if (unread)
		issue_add(s->k->issues, ST_NODATA, "struct page", unread, "in search of slabs");
	else if (!s->k->dump->live && !has_kfence(s->k))
		for (uint32_t i = 0; i < sc->n; i++)
			sc->slub ? check(s->k, &sc->v[i], &sum[i]) : check_nodes(s->k, &sc->v[i]);
	arena_release(&mem);
}
