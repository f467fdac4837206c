/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread.c - one pass over the classes, or for orders and control groups over the struct pages,
 * counts frames by key and class. A key is 0 (not known) or one more than an index; of control
 * groups it is the address of the css.
 */
#include "model/memory/census/spread.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/search.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/origin.h"
#include "model/kernel/page/scan.h"
#include "model/kernel/zone/zones.h"
#include "model/memory/census/page_charge.h"

#define GROUPS_MAX (1u << 20)	/* keys of one thread; the rest has none */

struct count {
	uint64_t key;
	uint64_t pages[PAGE_CLASSES];
};

struct tally {
	struct arena mem;
	struct hash by_key;
	VEC(struct count) v;
	uint32_t last;			/* of the latest frame; an index in v */
	struct folio_view folio;
	uint64_t buddy_end, buddy_key;
};

struct pass {
	const struct kernel *k;
	const struct snapshot *s;
	const struct page_classes *c;
	enum spread_by by;
	struct zones zones;
	struct pagefmt fmt;
	struct tally *tallies[JOBS_MAX];
};

static void count_frames(struct tally *t, uint64_t key, enum page_class c, uint64_t n)
{
	uint32_t i;

	if (t->last < t->v.n && t->v.v[t->last].key == key) {
		t->v.v[t->last].pages[c] += n;
		return;
	}
	t->by_key.mem = &t->mem;
	i = hash_get(&t->by_key, key + 1);
	if (i == HASH_NONE && t->v.n >= GROUPS_MAX && key) {
		count_frames(t, 0, c, n);
		return;
	}
	if (i == HASH_NONE) {
		i = (uint32_t)t->v.n;
		hash_put(&t->by_key, key + 1, i);
		vec_push(&t->mem, &t->v)->key = key;
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): I is one of v */
	t->v.v[i].pages[c] += n;
	t->last = i;
}

static struct tally *tally_of(struct pass *p, unsigned worker)
{
	if (!p->tallies[worker])
		p->tallies[worker] = heap_array(struct tally, 1);
	return p->tallies[worker];
}

/* ---- by place: zones, and the type of a pageblock --------------------------------------- */

/* Frames of zone Z from PFN to END of class counts under KEY. */
static void count_range(struct pass *p, uint64_t pfn, uint64_t end, uint64_t key)
{
	struct tally *t = tally_of(p, 0);

	for (; pfn < end; pfn++) {
		enum page_class c = page_class_at(p->c, pfn);

		if (c != CLASS_NONE)
			count_frames(t, key, c, 1);
		else if (!p->c->chunk[pfn >> FRAME_CHUNK_SHIFT])
			pfn |= FRAME_CHUNK - 1;
	}
}

/* The only zone with PFN; NONE: there is none, or more than one. *END: up to where that holds. */
static uint32_t zone_of(const struct zones *zs, uint64_t pfn, uint64_t *end)
{
	uint32_t found = NONE, n = 0;

	for (uint32_t i = 0; i < zs->n; i++) {
		uint64_t from = zs->v[i].start_pfn, to = from + zs->v[i].spanned;

		if (!zs->v[i].present)
			continue;
		if (pfn < from)
			*end = min_u64(*end, from);
		if (pfn < from || pfn >= to)
			continue;
		*end = min_u64(*end, to);
		found = i;
		n++;
	}
	return n == 1 ? found : NONE;
}

static bool count_blocks(struct pass *p, struct reader *r, uint32_t zone, uint64_t pfn,
			 uint64_t end)
{
	const struct zones *zs = &p->zones;
	struct pageblocks b;
	uint64_t step = UINT64_C(1) << zs->block_order, next;
	unsigned type;

	if (zone == NONE || !pageblocks_init(&b, p->k, r, zs, &zs->v[zone])) {
		count_range(p, pfn, end, 0);
		return zone == NONE;
	}
	for (; pfn < end; pfn = next) {
		bool known;

		next = min_u64((pfn | (step - 1)) + 1, end);
		known = !pageblock_type(&b, pfn & ~(step - 1), &type) && type < zs->ntypes;
		count_range(p, pfn, next, known ? type + 1 : 0);
	}
	return true;
}

static enum status count_places(struct pass *p, struct reader *r)
{
	uint64_t max = p->k->memmap.max_pfn, end;

	for (uint64_t pfn = 0; pfn < max; pfn = end) {
		uint32_t z;

		end = max;
		z = zone_of(&p->zones, pfn, &end);
		if (p->by == SPREAD_MIGRATETYPE) {
			if (!count_blocks(p, r, z, pfn, end))
				return ST_ABSENT;
		} else if (p->by == SPREAD_NODE) {
			count_range(p, pfn, end, z == NONE ? 0 : p->zones.v[z].node + 1);
		} else {
			count_range(p, pfn, end, z == NONE ? 0 : z + 1);
		}
	}
	return ST_OK;
}

/* ---- by struct page ---------------------------------------------------------------------- */

/* Of a free block all frames have the order that its first one has. */
static uint64_t order_key(struct pass *p, struct tally *t, const uint8_t *raw, uint64_t pfn,
			  enum page_class c)
{
	uint32_t fr = type_class(&p->fmt, page_type(&p->fmt, raw)) |
		      flags_class(&p->fmt, page_flags(&p->fmt, raw));
	uint32_t order;

	if (c != CLASS_FREE)
		return 1;
	if (fr & FR_BUDDY && pfn >= t->buddy_end) {
		order = page_block_order(&p->fmt, raw, pfn);
		t->buddy_end = pfn + (UINT64_C(1) << order);
		t->buddy_key = order + 1;
	}
	return pfn < t->buddy_end ? t->buddy_key : 1;
}

static uint64_t page_key(struct pass *p, struct tally *t, struct reader *r,
			 const struct page_run *run, uint64_t i)
{
	const struct pagefmt *f = &p->fmt;
	uint64_t pfn = run->pfn + i, kva = run->kva + i * f->size, head;
	const uint8_t *raw = run->p + i * f->size;
	uint8_t first[STRUCT_PAGE_MAX];
	enum page_role role = page_role(f, raw, kva, run->len - (kva - run->here_kva), &head);
	bool part = role == PAGE_HEAD || role == PAGE_TAIL;

	if (p->by == SPREAD_ORDER) {
		if (!part)
			return order_key(p, t, raw, pfn, page_class_at(p->c, pfn));
		if (t->folio.kva != head)
			folio_read(f, r, head, run->here, run->here_kva, run->len, &t->folio);
		return t->folio.readable ? t->folio.order + 1 : 0;
	}
	if (role == PAGE_TAIL)
		return head >= run->here_kva && head - run->here_kva + f->size <= run->len
			       ? page_charge(f, r, run->here + (head - run->here_kva))
		       : !read_kva(r, head, first, f->size) ? page_charge(f, r, first)
							    : 0;
	return page_charge(f, r, raw);
}

static void spread_run(void *arg, unsigned worker, struct reader *r, const struct page_run *run)
{
	struct pass *p = arg;
	struct tally *t = tally_of(p, worker);

	for (uint64_t i = 0; i < run->n; i++)
		count_frames(t, run->p ? page_key(p, t, r, run, i) : 0,
			     page_class_at(p->c, run->pfn + i), 1);
}

/* ---- parts ------------------------------------------------------------------------------- */

static const char *name_of(const struct pass *p, uint64_t key, const struct hash *css,
			   struct arena *mem)
{
	const struct zone *z;
	uint32_t i;

	if (!key)
		return NULL;
	switch (p->by) {
	case SPREAD_NODE: return arena_printf(mem, "%" PRId32, p->zones.nodes[key - 1].id);
	case SPREAD_ZONE:
		z = &p->zones.v[key - 1];
		return arena_printf(mem, "%" PRId32 " %s", p->zones.nodes[z->node].id, z->name);
	case SPREAD_MIGRATETYPE: return p->zones.type_name[key - 1];
	case SPREAD_ORDER: return arena_printf(mem, "%" PRIu64, key - 1);
	case SPREAD_CGROUP:
	case SPREADS: break;
	}
	i = hash_get(css, key);
	return i == HASH_NONE ? arena_printf(mem, "(%#" PRIx64 ")", key) : p->s->cgroups[i].path;
}

static uint64_t pages_of(const struct count *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		n += !page_class_is(i, CF_NO_RAM) ? c->pages[i] : 0;
	return n;
}

static int by_key(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static int by_pages(const void *a, const void *b)
{
	uint64_t x = pages_of(a), y = pages_of(b);

	return x != y ? (x > y ? -1 : 1) : by_key(a, b);
}

static void make_parts(struct pass *p, struct tally *sum, struct arena *mem, struct spread *ret)
{
	struct hash css = { .mem = mem };

	for (uint32_t i = 0; i < p->s->ncgroups; i++)
		if (p->s->cgroups[i].css)
			hash_put(&css, p->s->cgroups[i].css, i);
	sort_array(sum->v.v, sum->v.n, sizeof(*sum->v.v),
		   p->by == SPREAD_CGROUP ? by_pages : by_key);
	ret->n = (uint32_t)sum->v.n;
	ret->v = arena_array(mem, struct spread_part, ret->n);
	for (uint32_t i = 0; i < ret->n; i++) {
		ret->v[i].key = name_of(p, sum->v.v[i].key, &css, mem);
		memcpy(ret->v[i].pages, sum->v.v[i].pages, sizeof(ret->v[i].pages));
	}
}

static void add_up(struct pass *p, struct tally *sum)
{
	for (unsigned w = 0; w < JOBS_MAX; w++) {
		struct tally *t = p->tallies[w];

		for (size_t i = 0; t && i < t->v.n; i++)
			for (unsigned c = 0; c < PAGE_CLASSES; c++)
				if (t->v.v[i].pages[c])
					count_frames(sum, t->v.v[i].key, (enum page_class)c,
						     t->v.v[i].pages[c]);
		if (t)
			arena_release(&t->mem);
		free(t);
	}
}

const char *const spread_names[SPREADS + 1] = { "node", "zone", "migratetype", "order", "cgroup" };

enum spread_by spread_named(const char *name)
{
	unsigned i = 0;

	while (i < SPREADS && strcmp(spread_names[i], name))
		i++;
	return (enum spread_by)i;
}

enum status spread_build(const struct snapshot *s, const struct census *c, enum spread_by by,
			 struct arena *mem, struct spread *ret)
{
	struct pass p = { .k = s->k, .s = s, .c = c->classes, .by = by };
	struct page_scan scan = { .run = spread_run, .arg = &p };
	bool places = by == SPREAD_NODE || by == SPREAD_ZONE || by == SPREAD_MIGRATETYPE;
	enum status st = zones_build(s, mem, 0, &p.zones);
	struct tally sum = { .last = 0 };
	struct reader *r;

	*ret = (struct spread){ .n = 0 };
	if (by == SPREAD_CGROUP)
		st = has(s->k, M_PAGE_MEMCG) && has(s->k, M_MEMCG_CSS) ? ST_OK : ST_ABSENT;
	if (st && by != SPREAD_ORDER)
		return st;
	r = kernel_reader(s->k);
	pagefmt_init(&p.fmt, s->k);
	st = ST_OK;
	if (places)
		st = count_places(&p, r);
	else
		page_scan(s->k, p.fmt.size, &scan);
	add_up(&p, &sum);
	make_parts(&p, &sum, mem, ret);
	arena_release(&sum.mem);
	reader_free(r);
	return st;
}
