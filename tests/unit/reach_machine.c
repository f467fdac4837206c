/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/reach_machine.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "facts/layout/base.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"
#include "model/kernel/source.h"

enum { C_FLAGS = 0, C_SIZE = 4, C_OBJECT_SIZE = 8, C_OO = 12, C_OFFSET = 16, C_LIST = 24, C_NAME = 40, C_RANDOM = 48,
       C_CPU = 56,
       C_ALIASES = 64 };
enum { CACHES = 2, SLAB_BIT = 1 << 7 };

static const struct source from_dump = { .has = SOURCE_MEMORY | SOURCE_COUNTERS };

void rm_put(struct reach_machine *m, uint64_t pa, uint64_t v, unsigned size)
{
	fake_put_uint(m->f, pa, v, size);
}

static void put_word(struct reach_machine *m, uint64_t pa, uint64_t v)
{
	rm_put(m, pa, v, m->f->dump.word_size);
}

void rm_point(struct reach_machine *m, uint64_t pa, uint64_t to)
{
	put_word(m, pa, to ? fake_kva(m->f, to) : 0);
}

uint64_t rm_object(uint64_t slab, unsigned i)
{
	return slab + (uint64_t)i * RM_SIZE;
}

uint64_t rm_page(const struct reach_machine *m, uint64_t pa)
{
	return fake_kva(m->f, RM_PAGES + (pa >> 12) * RM_STRUCT_PAGE);
}

static void state(struct fake *f)
{
	unsigned word = f->dump.word_size;

	fake_size(f, S_PAGE, RM_STRUCT_PAGE);
	fake_members(f, { M_PAGE_FLAGS, 0, word }, { M_PAGE_COMPOUND_HEAD, 8, word }, { M_PAGE_LRU, 8, 2 * word },
		     { M_PAGE_COMPOUND_ORDER, 16, 1 }, { M_PAGE_MAPPING, 24, word },
		     { M_PAGE_PRIVATE, RM_PAGE_PRIVATE, word }, { M_PAGE_REFCOUNT, 52, 4 }, { M_PAGE_MAPCOUNT, 48, 4 });
	fake_enum(f, E_PG_SLAB, 7);
	fake_enum(f, E_PG_HEAD, 16);
	fake_members(f, { M_SLAB_CACHE, RM_PAGE_CACHE, word }, { M_SLAB_FREELIST, RM_PAGE_FREELIST, word },
		     { M_SLAB_INUSE, RM_PAGE_INUSE, 2 }, { M_SLAB_OBJECTS, RM_PAGE_OBJECTS, 2 }, { M_LIST_NEXT, 0, word },
		     { M_LIST_PREV, word, word });
	fake_members(f, { M_CACHE_FLAGS, C_FLAGS, 4 }, { M_CACHE_SIZE, C_SIZE, 4 }, { M_CACHE_OBJECT_SIZE, C_OBJECT_SIZE, 4 },
		     { M_CACHE_OO, C_OO, 4 }, { M_CACHE_OFFSET, C_OFFSET, 4 }, { M_CACHE_LIST, C_LIST, 2 * word },
		     { M_CACHE_NAME, C_NAME, word }, { M_CACHE_CPU, C_CPU, word }, { M_KCC_FREELIST, 0, word });
	fake_members(f, { M_VM_ADDR, 8, word }, { M_VM_SIZE, 16, word });
	fake_symbol(f, Y_SLAB_CACHES, fake_kva(f, RM_CACHES));
	fake_symbol(f, Y_IMAGE_START, fake_kva(f, RM_IMAGE));
	fake_symbol(f, Y_IMAGE_END, fake_kva(f, RM_IMAGE + 0x1000));
}

static void put_cache(struct reach_machine *m, unsigned i, const char *name)
{
	uint64_t at = RM_CACHE + 0x100 * i, next = i + 1 < CACHES ? at + 0x100 + C_LIST : RM_CACHES;
	unsigned word = m->f->dump.word_size;

	rm_put(m, at + C_FLAGS, 0, 4);
	rm_put(m, at + C_SIZE, RM_SIZE, 4);
	rm_put(m, at + C_OBJECT_SIZE, RM_OBJECT, 4);
	rm_put(m, at + C_OO, RM_PER_SLAB, 4);
	rm_put(m, at + C_OFFSET, RM_LINK, 4);
	rm_point(m, at + C_LIST, next);
	rm_point(m, at + C_LIST + word, i ? at - 0x100 + C_LIST : RM_CACHES);
	rm_point(m, at + C_NAME, RM_NAME + 0x40 * i);
	put_word(m, at + C_RANDOM, m->random);
	rm_point(m, at + C_CPU, RM_PERCPU + 0x40 * i);
	rm_point(m, RM_PERCPU + 0x40 * i, 0);
	fake_put(m->f, RM_NAME + 0x40 * i, name, strlen(name) + 1);
}

static void put_slab(struct reach_machine *m, uint64_t pa, unsigned cache)
{
	uint64_t page = RM_PAGES + (pa >> 12) * RM_STRUCT_PAGE;

	put_word(m, page, SLAB_BIT);
	rm_point(m, page + RM_PAGE_CACHE, RM_CACHE + 0x100 * cache);
	rm_point(m, page + RM_PAGE_FREELIST, 0);
	rm_put(m, page + RM_PAGE_INUSE, RM_PER_SLAB, 2);
	rm_put(m, page + RM_PAGE_OBJECTS, RM_PER_SLAB, 2);
	rm_put(m, pa, 0, 1);
	m->chunk[pa >> 12] = CLASS_SLAB;
}

static uint64_t encoded(const struct reach_machine *m, uint64_t v, uint64_t at)
{
	if (!has(&m->f->kernel, M_CACHE_RANDOM))
		return v;
	if (m->link == LINK_XOR)
		return v ^ m->random ^ at;
	return v ^ m->random ^
	       (m->f->dump.word_size == 4 ? __builtin_bswap32((uint32_t)at) : __builtin_bswap64(at));
}

void rm_free_from(struct reach_machine *m, uint64_t slab, unsigned from)
{
	uint64_t page = RM_PAGES + (slab >> 12) * RM_STRUCT_PAGE;

	rm_point(m, page + RM_PAGE_FREELIST, rm_object(slab, from));
	rm_put(m, page + RM_PAGE_INUSE, from, 2);
	for (unsigned i = from; i < RM_PER_SLAB; i++) {
		uint64_t next = i + 1 < RM_PER_SLAB ? fake_kva(m->f, rm_object(slab, i + 1)) : 0;
		uint64_t at = rm_object(slab, i) + RM_LINK;

		put_word(m, at, encoded(m, next, fake_kva(m->f, at)));
	}
}

static void put_frames(struct reach_machine *m)
{
	m->f->kernel.memmap.v = &m->range;
	m->f->kernel.memmap.n = 1;
	m->f->kernel.memmap.page_size = RM_STRUCT_PAGE;
	m->f->kernel.memmap.max_pfn = RM_FRAMES;
	m->range = (struct memmap_range){ .end = RM_FRAMES, .page_kva = fake_kva(m->f, RM_PAGES) };
	m->chunk = heap_calloc(FRAME_CHUNK, 1);
	m->c.chunk = &m->chunk;
	m->c.nchunks = 1;
	m->census.classes = &m->c;
	m->census.ram = RM_FRAMES;
	for (uint64_t pfn = 0; pfn < RM_FRAMES; pfn++) {
		uint64_t at = RM_PAGES + pfn * RM_STRUCT_PAGE;

		m->chunk[pfn] = CLASS_FREE;
		for (unsigned i = 0; i < RM_STRUCT_PAGE; i += 8)
			fake_put(m->f, at + i, &(uint64_t){ 0 }, 8);
		fake_put(m->f, at + 48, &(uint32_t){ UINT32_MAX }, 4);
	}
	m->chunk[RM_IMAGE >> 12] = CLASS_IMAGE;
	rm_put(m, RM_IMAGE, 0, 8);
	put_slab(m, RM_SLAB, 0);
	put_slab(m, RM_SECOND, 1);
	for (unsigned i = 0; i < 3; i++) {
		m->chunk[(RM_BLOCK >> 12) + i] = CLASS_UNKNOWN;
		rm_put(m, RM_BLOCK + 0x1000 * i, 0, 8);
		/* the second page belongs to the first */
		rm_put(m, RM_PAGES + ((RM_BLOCK >> 12) + i) * RM_STRUCT_PAGE + 52, i != 1, 4);
	}
	m->chunk[RM_FILE >> 12] = CLASS_FILE;
}

void rm_add_cache(struct reach_machine *m, const char *name, unsigned aliases)
{
	uint64_t at = RM_CACHE + 0x100 * CACHES;

	put_cache(m, CACHES, name);
	put_slab(m, RM_THIRD, CACHES);
	rm_point(m, at - 0x100 + C_LIST, at + C_LIST);
	rm_point(m, RM_CACHES + m->f->dump.word_size, at + C_LIST);
	fake_member(m->f, M_CACHE_ALIASES, C_ALIASES, 4);
	rm_put(m, at + C_ALIASES, aliases, 4);
}

struct reach_machine *rm_new(unsigned word, bool big, enum slab_link link)
{
	static uint64_t percpu[1];
	struct reach_machine *m = heap_array(struct reach_machine, 1);

	m->f = fake_new(word, big);
	m->random = word == 4 ? 0x5a17c3e9 : 0x5a17c3e9d0461b27;
	m->f->kernel.source = &from_dump;
	m->f->kernel.jobs = 1;
	m->f->kernel.percpu = percpu;
	m->f->kernel.ncpus = 1;
	m->s.k = &m->f->kernel;
	state(m->f);
	m->link = link;
	if (link != LINK_PLAIN)
		fake_member(m->f, M_CACHE_RANDOM, C_RANDOM, word);
	rm_point(m, RM_CACHES, RM_CACHE + C_LIST);
	rm_point(m, RM_CACHES + word, RM_CACHE + 0x100 * (CACHES - 1) + C_LIST);
	put_cache(m, 0, "first");
	put_cache(m, 1, "second");
	put_frames(m);
	return m;
}

struct reach *rm_build(struct reach_machine *m, enum reach_doubt *why)
{
	return reach_over(&m->s, &m->census, why);
}

bool rm_reached(const struct reach_machine *m, const struct reach *x, uint64_t pa)
{
	uint64_t node = reach_at(x, fake_kva(m->f, pa), NULL);

	return node != REACH_NONE && reach_bit(x->reached, node);
}

void rm_free(struct reach_machine *m)
{
	arena_release(&m->mem);
	free(m->chunk);
	fake_free(m->f);
	free(m);
}
