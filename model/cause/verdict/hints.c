/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hints.c - whose memory it may be, where no symbol says so: the module that words of its pages
 * point to. A guess.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/slab/slab.h"

#define AREAS 64u	/* that are looked at */
#define WORDS 64u	/* of each */
#define MODULES 32u	/* of more, the first ones are counted */

struct votes {
	const char *module[MODULES];
	unsigned n[MODULES], looked;
};

/* The module that more than half of the looks voted for. */
static const char *elected(const struct votes *v)
{
	for (unsigned i = 0; i < MODULES && v->module[i]; i++)
		if (v->n[i] * 2 > v->looked)
			return v->module[i];
	return NULL;
}

static bool is_of(const struct vmalloc_area *a, const struct vmalloc_area *like)
{
	return (a->flags & AREA_ALLOC) && a->caller == like->caller;
}

/* One vote of an area for each module, however often it points there. */
static void vote(struct votes *v, const struct ksyms *ks, const uint8_t *data, unsigned word,
		 unsigned words, bool big_endian)
{
	bool voted[MODULES] = { false };

	for (unsigned at = 0; at < words * word; at += word) {
		const char *name = ksyms_module_at(ks, load_uint(data + at, word, big_endian));
		unsigned i = 0;

		while (name && i < MODULES && v->module[i] && strcmp(v->module[i], name))
			i++;
		if (!name || i == MODULES || voted[i])
			continue;
		v->module[i] = name;
		v->n[i]++;
		voted[i] = true;
	}
}

const char *vmalloc_points_to(const struct gather *g, const struct vmalloc *va,
			      const struct vmalloc_area *like)
{
	const struct kernel *k = g->s->k;
	struct reader *r = kernel_reader(k);
	uint8_t data[WORDS * 8];
	struct votes v = { .looked = 0 };
	struct ksyms ks;

	if (!r)
		return NULL;
	ksyms_init(&ks, k, r, g->mem);
	for (uint32_t i = 0; i < va->n && v.looked < AREAS; i++) {
		if (!is_of(&va->v[i], like) ||
		    read_kva(r, va->v[i].start, data, WORDS * k->dump->word_size))
			continue;
		v.looked++;
		vote(&v, &ks, data, k->dump->word_size, WORDS, k->dump->big_endian);
	}
	reader_free(r);
	return elected(&v);
}

/* ---- slabs ------------------------------------------------------------------------------- */

#define TRIES 1024u	/* frames of slabs that are looked at */

static void vote_of_frame(struct votes *v, const struct ksyms *ks, const struct kernel *k,
			  struct reader *r, uint64_t pfn)
{
	unsigned word = k->dump->word_size;
	struct page_ref ref = { 0 };

	if (reader_page(r, pfn, &ref))
		return;
	v->looked++;
	vote(v, ks, ref.data, word, dump_page_size(k->dump) / word, k->dump->big_endian);
	reader_release(r, &ref);
}

const char *slab_points_to(const struct gather *g, const struct page_classes *c, uint64_t cache)
{
	const struct kernel *k = g->s->k;
	struct reader *r = kernel_reader(k);
	uint64_t all = c->count[CLASS_SLAB].pages, step = all / TRIES + 1, at = 0, of;
	struct votes v = { .looked = 0 };
	struct pagefmt fmt;
	struct ksyms ks;

	if (!r || !has(k, M_SLAB_CACHE)) {
		reader_free(r);
		return NULL;
	}
	pagefmt_init(&fmt, k);
	ksyms_init(&ks, k, r, g->mem);
	for (uint64_t pfn = 0; pfn < k->memmap.max_pfn && v.looked < AREAS; pfn++)
		if (page_class_at(c, pfn) == CLASS_SLAB && !(at++ % step) &&
		    !slab_cache_of(k, r, &fmt, pfn, &of) && of == cache)
			vote_of_frame(&v, &ks, k, r, pfn);
	reader_free(r);
	return elected(&v);
}
