/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unknown.c - one pass over the struct pages of unknown frames makes blocks of them, and blocks
 * make groups. Of each group some pages, at equal distances, are read.
 */
#include "model/memory/census/unknown.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/kernel/origin/origin.h"
#include "model/kernel/page/scan.h"
#include "model/kernel/zone/zones.h"
#include "model/memory/census/page_charge.h"
#include "model/memory/census/pointees.h"

#define GROUPS_MAX (1u << 16)
#define PAGES_MAX 4096u		/* read of all groups together */
#define BLOCK_MAX 1024u		/* pages of a block that is not compound: MAX_ORDER */
#define FEW 50u			/* 2 % */

/* What makes a group; all bytes are compared. */
struct key {
	uint64_t tag, pages, css;
	uint32_t stack, zone;
	uint32_t refs;
	bool compound, mapped, pad[2];
};

struct sample {
	uint64_t pfn[UNKNOWN_SAMPLES];
	uint32_t n;
	uint64_t step;			/* one of so many frames is kept */
};

struct group {
	struct unknown_group u;
	struct key key;
	struct sample sample;
};

struct finder {
	const struct kernel *k;
	const struct snapshot *s;
	struct reader *r;
	struct arena *mem;
	const struct page_classes *classes;
	struct pagefmt fmt;
	struct zones zones;
	struct ksyms ks;
	struct origins origins;
	struct pointees pointees;
	struct hash css, by_key;
	VEC(struct group) groups;
	struct folio_view folio;
	/* the block that is being read */
	struct key block;
	uint64_t head, n;
};

/* ---- groups --------------------------------------------------------------------------- */

static void keep(struct sample *s, uint64_t at, uint64_t pfn)
{
	uint32_t n = 0;

	if (at % s->step)
		return;
	if (s->n == UNKNOWN_SAMPLES) {
		for (uint32_t i = 0; i < s->n; i += 2)
			s->pfn[n++] = s->pfn[i];
		s->n = n;
		s->step *= 2;
		if (at % s->step)
			return;
	}
	s->pfn[s->n++] = pfn;
}

static struct group *group_of(struct finder *f, const struct key *key)
{
	uint64_t h = hash_bytes(key, sizeof(*key));
	uint32_t i = hash_get(&f->by_key, h);
	struct group *g;

	if (i != HASH_NONE)
		return &f->groups.v[i];
	if (f->groups.n == GROUPS_MAX) /* the rest is in the last one */
		return &f->groups.v[GROUPS_MAX - 1];
	hash_put(&f->by_key, h, (uint32_t)f->groups.n);
	g = vec_push(f->mem, &f->groups);
	*g = (struct group){ .key = *key, .u.pfn = f->head, .sample.step = 1 };
	return g;
}

static void end_block(struct finder *f)
{
	struct group *g;

	if (!f->n)
		return;
	f->block.pages = f->n;
	g = group_of(f, &f->block);
	for (uint64_t i = 0; i < f->n; i++)
		keep(&g->sample, g->u.frames + i, f->head + i);
	g->u.frames += f->n;
	g->u.blocks++;
	f->n = 0;
}

/* ---- struct pages ---------------------------------------------------------------------- */

static uint32_t zone_of(const struct zones *zs, uint64_t pfn)
{
	for (uint32_t i = 0; i < zs->n; i++)
		if (pfn >= zs->v[i].start_pfn && pfn - zs->v[i].start_pfn < zs->v[i].spanned)
			return i;
	return NONE;
}

static void begin_block(struct finder *f, const uint8_t *p, uint64_t pfn, bool compound,
			uint32_t refs, bool mapped)
{
	struct origin from;

	end_block(f);
	from = origin_of(&f->origins, pfn, page_flags(&f->fmt, p));
	f->block = (struct key){ .tag = from.tag,
				 .stack = from.stack,
				 .css = page_charge(&f->fmt, f->r, p),
				 .zone = zone_of(&f->zones, pfn),
				 .refs = refs < 2 ? refs : 2,
				 .compound = compound,
				 .mapped = mapped };
	f->head = pfn;
	f->n = 1;
}

/* Of a block that is not compound only the first page has a reference; it is aligned. */
static bool continues(const struct finder *f, uint64_t pfn)
{
	uint64_t at = pfn - f->head;

	return f->n && at == f->n && !f->block.compound && f->block.refs && at < BLOCK_MAX &&
	       !(f->head & at);
}

/* Is PFN the next page of the compound page that is being read, whose head is at HEAD? */
static bool of_block(const struct finder *f, uint64_t pfn, uint64_t head)
{
	uint64_t first;

	return f->n && f->block.compound && pfn == f->head + f->n &&
	       memmap_page_pfn(&f->k->memmap, head, &first) && first == f->head;
}

static void take_page(struct finder *f, const struct page_run *run, uint64_t i)
{
	const struct pagefmt *fmt = &f->fmt;
	uint64_t pfn = run->pfn + i, kva = run->kva + i * fmt->size, head;
	const uint8_t *p = run->p + i * fmt->size;
	enum page_role role = page_role(fmt, p, kva, run->len - (kva - run->here_kva), &head);
	uint32_t refs = page_refcount(fmt, p);

	if (role == PAGE_TAIL ? of_block(f, pfn, head)
			      : role != PAGE_HEAD && !refs && continues(f, pfn)) {
		f->n++;
	} else if (role == PAGE_HEAD || role == PAGE_TAIL) {
		folio_read(fmt, f->r, head, run->here, run->here_kva, run->len, &f->folio);
		begin_block(f, p, pfn, true, f->folio.refcount,
			    f->folio.pte_mapped || f->folio.entire);
	} else {
		begin_block(f, p, pfn, false, refs, page_own_mapcount(fmt, page_type(fmt, p)) != 0);
	}
}

static void unknown_run(void *arg, const struct page_run *run)
{
	struct finder *f = arg;

	for (uint64_t i = 0; run->p && i < run->n; i++)
		take_page(f, run, i);
}

/* Runs of unknown frames that lie in one piece of the page array. */
static void read_all(struct finder *f)
{
	const struct memmap *m = &f->k->memmap;
	struct page_strip strip = { .r = f->r,
				    .page_size = dump_page_size(f->k->dump),
				    .size = f->fmt.size,
				    .run = unknown_run,
				    .arg = f };

	for (uint32_t i = 0; i < m->n; i++)
		for (uint64_t pfn = m->v[i].pfn, end; pfn < m->v[i].end; pfn = end) {
			end = pfn + 1;
			if (page_class_at(f->classes, pfn) != CLASS_UNKNOWN)
				continue;
			while (end < m->v[i].end && page_class_at(f->classes, end) == CLASS_UNKNOWN)
				end++;
			page_strip_read(&strip, pfn, end,
					m->v[i].page_kva + (pfn - m->v[i].pfn) * f->fmt.size);
		}
	end_block(f);
}

/* ---- contents --------------------------------------------------------------------------- */

struct hits {
	uint64_t *n;			/* [cap] by index in pointees.v */
	size_t cap;
	uint64_t all;
};

static void hit(struct finder *f, struct hits *h, uint64_t word)
{
	uint32_t i = word ? pointee_of(&f->pointees, word) : HASH_NONE;

	if (i == HASH_NONE)
		return;
	if (i >= h->cap) {
		h->n = arena_grow(f->mem, h->n, h->cap, (size_t)i * 2 + 64, sizeof(*h->n));
		h->cap = (size_t)i * 2 + 64;
	}
	h->n[i]++;
	h->all++;
}

/* The largest of H, taken out; HASH_NONE: there is none of at least LEAST. */
static size_t largest(struct hits *h, uint64_t least)
{
	size_t best = 0;

	for (size_t i = 0; i < h->cap; i++)
		if (h->n[i] > h->n[best])
			best = i;
	return h->cap && h->n[best] && h->n[best] >= least ? best : HASH_NONE;
}

/*
 * The names with the most hits, and how many hits there were; H is empty afterwards. Symbols of
 * the kernel image with few hits each are one name: tables of functions have many.
 */
static uint64_t take_top(const struct finder *f, struct hits *h, struct unknown_hit *to)
{
	uint64_t all = h->all, image = 0, few = all / FEW;
	unsigned t = 0;
	size_t i;

	while (t < UNKNOWN_TOP - 1 && (i = largest(h, few)) != HASH_NONE) {
		const struct pointee *to_what = &f->pointees.v.v[i];

		to[t++] = (struct unknown_hit){ to_what->name, h->n[i], to_what->kind };
		h->n[i] = 0;
	}
	for (i = 0; i < h->cap; i++) {
		image += f->pointees.v.v[i < f->pointees.v.n ? i : 0].kind == POINTEE_IMAGE
				 ? h->n[i]
				 : 0;
		h->n[i] = 0;
	}
	if (image > few)
		to[t] = (struct unknown_hit){ "other kernel symbols", image, POINTEE_IMAGE };
	h->all = 0;
	return all;
}

static void read_page(struct finder *f, struct unknown_group *u, struct hits *h, uint64_t pfn)
{
	unsigned word = f->k->dump->word_size;
	uint32_t bytes = dump_page_size(f->k->dump);
	struct page_ref ref = { 0 };

	if (reader_page(f->r, pfn, &ref)) {
		u->absent++;
		return;
	}
	if (!u->sampled++) {
		u->uniform = true;
		u->value = load_uint(ref.data, word, f->k->dump->big_endian);
	}
	for (uint32_t at = 0; at < bytes; at += word) {
		uint64_t v = load_uint(ref.data + at, word, f->k->dump->big_endian);

		u->uniform &= v == u->value;
		u->zeros += !v;
		hit(f, h, v);
	}
	u->words += bytes / word;
	reader_release(f->r, &ref);
}

/* Pointers of the struct page: of its mapping, its owner, its neighbours in a list. */
static void read_struct_page(struct finder *f, struct hits *h, uint64_t pfn)
{
	const struct pagefmt *fmt = &f->fmt;
	uint64_t kva = memmap_page_kva(&f->k->memmap, pfn), head;
	uint8_t raw[2 * STRUCT_PAGE_MAX];
	size_t n = page_role_size(fmt, kva);

	if (!kva || read_kva(f->r, kva, raw, n) || page_role(fmt, raw, kva, n, &head) == PAGE_TAIL)
		return;
	for (uint32_t at = 0; at + fmt->word <= fmt->size; at += fmt->word) {
		uint64_t v = page_word(fmt, raw, at);

		/* an empty list is at itself */
		if (at != fmt->flags && v - kva >= fmt->size)
			hit(f, h, v);
	}
}

static void sample_groups(struct finder *f)
{
	struct hits words = { 0 }, page = { 0 };
	uint32_t left = PAGES_MAX;

	pointees_init(&f->pointees, f->s, f->r, &f->ks, f->classes, f->mem);
	for (size_t i = 0; i < f->groups.n; i++) {
		struct unknown_group *u = &f->groups.v[i].u;
		const struct sample *s = &f->groups.v[i].sample;

		for (uint32_t j = 0; j < s->n && left; j++, left--) {
			read_page(f, u, &words, s->pfn[j]);
			read_struct_page(f, &page, s->pfn[j]);
		}
		u->addresses = take_top(f, &words, u->to);
		u->page_addresses = take_top(f, &page, u->page_to);
	}
}

/* ---- all -------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->u.frames != y->u.frames)
		return x->u.frames > y->u.frames ? -1 : 1;
	return x->u.pfn < y->u.pfn ? -1 : x->u.pfn > y->u.pfn;
}

static void name_group(const struct finder *f, struct group *g)
{
	const struct key *k = &g->key;
	uint32_t i = k->css ? hash_get(&f->css, k->css) : HASH_NONE;

	g->u.pages = k->pages;
	g->u.refs = k->refs;
	g->u.compound = k->compound;
	g->u.mapped = k->mapped;
	if (k->zone < f->zones.n)
		g->u.node_zone = arena_printf(f->mem, "%" PRId32 " %s",
					      f->zones.nodes[f->zones.v[k->zone].node].id,
					      f->zones.v[k->zone].name);
	if (i != HASH_NONE)
		g->u.cgroup = f->s->cgroups[i].path;
	if (k->tag)
		g->u.site = origin_site(&f->origins, k->tag, f->mem);
	if (k->stack)
		g->u.stack = origin_stack(&f->origins, k->stack, f->mem);
}

void unknown_build(const struct snapshot *s, const struct census *c, struct arena *mem,
		   struct unknown *ret)
{
	struct finder f = { .k = s->k,
			    .s = s,
			    .mem = mem,
			    .classes = c->classes,
			    .css.mem = mem,
			    .by_key.mem = mem };

	*ret = (struct unknown){ 0 };
	f.r = kernel_reader(s->k);
	pagefmt_init(&f.fmt, s->k);
	ksyms_init(&f.ks, s->k, f.r, mem);
	ret->origins = origins_init(&f.origins, s->k, f.r, &f.ks);
	if (zones_build(s, mem, 0, &f.zones))
		f.zones.n = 0;
	for (uint32_t i = 0; i < s->ncgroups; i++)
		if (s->cgroups[i].memory && s->cgroups[i].css)
			hash_put(&f.css, s->cgroups[i].css, i);
	read_all(&f);
	sort_array(f.groups.v, f.groups.n, sizeof(*f.groups.v), by_size);
	sample_groups(&f);
	ret->v = arena_array(mem, struct unknown_group, f.groups.n);
	ret->n = f.groups.n;
	for (size_t i = 0; i < f.groups.n; i++) {
		name_group(&f, &f.groups.v[i]);
		ret->v[i] = f.groups.v[i].u;
	}
	if (f.origins.unread)
		issue_add(s->k->issues, ST_NODATA, "page_ext", f.origins.unread,
			  "of frames whose use is unknown");
	reader_free(f.r);
}
