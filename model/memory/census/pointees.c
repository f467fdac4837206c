/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pointees.c - addresses of the kernel, and what lies there. */
#include "model/memory/census/pointees.h"

#include <string.h>

#include "dumpread/base/search.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "model/kernel/kobj.h"
#include "model/kernel/slab/slab.h"

#define NAMES_MAX (1u << 16)

static uint32_t intern_as(struct pointees *p, enum pointee_kind kind, const char *before,
			  const char *name)
{
	char text[SYMBOL_NAME_MAX + 64];
	uint64_t key;
	uint32_t i;

	snprintf(text, sizeof(text), "%s%s", before, name);
	key = hash_str(text);
	i = hash_get(&p->names, key);
	if (i != HASH_NONE || p->v.n >= NAMES_MAX)
		return i;
	i = (uint32_t)p->v.n;
	hash_put(&p->names, key, i);
	*vec_push(p->mem, &p->v) = (struct pointee){ arena_strdup(p->mem, text), kind };
	return i;
}

static uint32_t intern(struct pointees *p, const char *before, const char *name)
{
	return intern_as(p, POINTEE_OTHER, before, name);
}

static int by_start(const void *a, const void *b)
{
	const struct vmalloc_area *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void init_caches(struct pointees *p, const struct snapshot *s)
{
	struct slab_caches sc;

	p->caches.mem = p->mem;
	if (!has(s->k, M_SLAB_CACHE) || slab_caches_build(s, p->mem, false, &sc))
		return;
	for (uint32_t i = 0; i < sc.n; i++) {
		uint32_t name = intern(p, "slab ", sc.v[i].name);

		if (sc.v[i].addr && name != HASH_NONE)
			hash_put(&p->caches, sc.v[i].addr, name);
	}
}

void pointees_init(struct pointees *p, const struct snapshot *s, struct reader *r, struct ksyms *ks,
		   const struct page_classes *c, struct arena *mem)
{
	struct vmalloc va;

	*p = (struct pointees){
		.k = s->k, .r = r, .mem = mem, .classes = c, .ks = ks, .names.mem = mem
	};
	pagefmt_init(&p->fmt, s->k);
	p->image_start = layout_symbol(&s->k->layout, Y_IMAGE_START);
	p->image_end = layout_symbol(&s->k->layout, Y_IMAGE_END);
	if (!vmalloc_build(s, mem, &va)) {
		p->areas = va.v;
		p->nareas = va.n;
		sort_array(p->areas, p->nareas, sizeof(*p->areas), by_start);
	}
	init_caches(p, s);
}

/* The cache of the slab that frame PFN is in. */
static uint32_t cache_of(struct pointees *p, uint64_t pfn)
{
	uint64_t cache;
	uint32_t i;

	if (slab_cache_of(p->k, p->r, &p->fmt, pfn, &cache) || !cache ||
	    (i = hash_get(&p->caches, cache)) == HASH_NONE)
		return intern(p, "page of ", page_class_name(CLASS_SLAB));
	return i;
}

static uint32_t area_of(struct pointees *p, uint64_t word)
{
	size_t i = search_first(p->nareas, mid, p->areas[mid].start <= word);
	const struct vmalloc_area *a = i ? &p->areas[i - 1] : NULL;

	if (!a || word - a->start >= a->size)
		return HASH_NONE;
	return intern(p, "vmalloc ", a->sym.name ? a->sym.name : "");
}

static uint32_t symbol_of(struct pointees *p, uint64_t word)
{
	struct symbol_place at;

	if (word < p->image_start || word >= p->image_end)
		return HASH_NONE;
	if (!symbols_at(&p->k->dump->symbols, word, &at)) {
		ksyms_tell_lost(p->k, word);
		at.name[0] = 0;
	}
	return intern_as(p, POINTEE_IMAGE, at.name[0] ? "" : "kernel image", at.name);
}

uint32_t pointee_of(struct pointees *p, uint64_t word)
{
	const char *module;
	uint64_t pfn, pa;
	uint32_t i;

	if (!kernel_ptr_ok(p->k, word, 1))
		return HASH_NONE;
	module = ksyms_module_at(p->ks, word);
	if (module)
		return intern_as(p, POINTEE_MODULE, "module ", module);
	i = symbol_of(p, word);
	if (i == HASH_NONE)
		i = area_of(p, word);
	if (i != HASH_NONE)
		return i;
	if (memmap_page_pfn(&p->k->memmap, word, &pfn))
		return intern(p, "struct page of ",
			      page_class_name(page_class_at(p->classes, pfn)));
	if (reader_kvtop(p->r, word, &pa, NULL))
		return HASH_NONE;
	pfn = pa >> p->k->page_shift;
	switch (page_class_at(p->classes, pfn)) {
	case CLASS_NONE: return HASH_NONE;
	case CLASS_SLAB: return cache_of(p, pfn);
	case CLASS_UNKNOWN:
		return intern_as(p, POINTEE_UNKNOWN, "page of ", page_class_name(CLASS_UNKNOWN));
	default: return intern(p, "page of ", page_class_name(page_class_at(p->classes, pfn)));
	}
}
