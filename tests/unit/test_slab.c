/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slab caches of SLAB, which keeps its slabs in three lists of each node (mm/slab.c). */
#include "model/kmem/slab.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum {
	HEAD = 0x1000, CACHE = 0x2000, NAME = 0x2800, ARRAY = 0x2900, NODE = 0x3000, SLABS = 0x4000,
	/* of a cache */
	LIST = 0, SIZE = 16, NUM = 20, ORDER = 24, NAMED = 32, NODES = 40,
	/* of a node: lists of 16 bytes, then the free objects */
	PARTIAL = 0, FULL = 16, FREE = 32, FREE_OBJECTS = 48,
};

static void put(struct fake *f, uint64_t at, uint64_t v)
{
	fake_put_uint(f, at, v, 8);
}

/* A list of N slabs from SLABS + FROM on, linked into AT. */
static void put_list(struct fake *f, uint64_t at, uint64_t from, unsigned n)
{
	uint64_t last = at;

	for (unsigned i = 0; i < n; i++) {
		uint64_t slab = SLABS + from + 32 * i;

		put(f, last, fake_kva(f, slab));
		put(f, slab + 8, fake_kva(f, last));
		last = slab;
	}
	put(f, last, fake_kva(f, at));
	put(f, at + 8, fake_kva(f, last));
}

/* RHEL 6's: one cache of 10 objects in slabs of two pages; 1 slab is partial, 3 are full, 2 free. */
static struct fake *slab(bool pointer)
{
	struct fake *f = fake_new(8, false);

	fake_symbol(f, Y_SLAB_CACHES, fake_kva(f, HEAD));
	fake_member(f, M_LIST_NEXT, 0, 8);
	fake_member(f, M_LIST_PREV, 8, 8);
	fake_member(f, M_CACHE_LIST, LIST, 16);
	fake_member(f, M_CACHE_NAME, NAMED, 8);
	fake_member(f, M_CACHE_SIZE, SIZE, 4);
	fake_member(f, M_CACHE_NUM, NUM, 4);
	fake_member(f, M_CACHE_GFPORDER, ORDER, 4);
	fake_array(f, M_CACHE_NODES, NODES, 8, 4);
	f->kernel.layout.v[M_CACHE_NODES].alt = pointer ? 4 : 2;
	fake_member(f, M_KCN_SLABS_PARTIAL, PARTIAL, 16);
	fake_member(f, M_KCN_SLABS_FULL, FULL, 16);
	fake_member(f, M_KCN_SLABS_FREE, FREE, 16);
	fake_member(f, M_KCN_FREE_OBJECTS, FREE_OBJECTS, 8);
	put(f, HEAD, fake_kva(f, CACHE));
	put(f, HEAD + 8, fake_kva(f, CACHE));
	put(f, CACHE, fake_kva(f, HEAD));
	put(f, CACHE + 8, fake_kva(f, HEAD));
	fake_put_uint(f, CACHE + SIZE, 800, 4);
	fake_put_uint(f, CACHE + NUM, 10, 4);
	fake_put_uint(f, CACHE + ORDER, 1, 4);
	put(f, CACHE + NAMED, fake_kva(f, NAME));
	fake_put(f, NAME, "dentry", 7);
	put(f, pointer ? CACHE + NODES : ARRAY, pointer ? fake_kva(f, ARRAY) : 0);
	put(f, pointer ? ARRAY : CACHE + NODES, fake_kva(f, NODE));
	put_list(f, NODE + PARTIAL, 0, 1);
	put_list(f, NODE + FULL, 0x100, 3);
	put_list(f, NODE + FREE, 0x200, 2);
	put(f, NODE + FREE_OBJECTS, 24);
	f->kernel.memmap.max_pfn = FAKE_PAGES;
	return f;
}

static void read(struct fake *f, struct arena *mem, struct slab_caches *sc)
{
	struct snapshot s = { .k = &f->kernel };

	*mem = (struct arena){ 0 };
	CHECK_EQ(slab_caches_build(&s, mem, true, sc), ST_OK);
}

static void test_lists(void)
{
	for (int pointer = 0; pointer < 2; pointer++) {
		struct fake *f = slab(pointer);
		struct slab_caches sc;
		struct arena mem;

		read(f, &mem, &sc);
		CHECK(sc.n == 1 && sc.whole && !sc.slub);
		CHECK_STR(sc.v[0].name, "dentry");
		CHECK_EQ(sc.v[0].slabs, 6);
		CHECK_EQ(sc.v[0].partial, 1);
		CHECK_EQ(sc.v[0].objects, 60);
		CHECK_EQ(sc.v[0].shown_free, 24);
		CHECK_EQ(sc.v[0].object_size, 800);
		/* 2.6.32's struct page does not name the cache */
		CHECK_EQ(sc.v[0].found_pages, 12);
		CHECK_EQ(sc.v[0].found_slabs, 6);
		CHECK_EQ(sc.v[0].found_inuse, 36);
		CHECK_EQ(fake_issues(f, "slab cache"), 0);
		arena_release(&mem);
		fake_free(f);
	}
}

static void test_damage(void)
{
	struct fake *f = slab(false);
	struct slab_caches sc;
	struct arena mem;

	/* a list that leads to nothing */
	put(f, SLABS + 0x100, 1);
	read(f, &mem, &sc);
	CHECK(sc.v[0].slabs == SLAB_UNKNOWN && sc.v[0].objects == SLAB_UNKNOWN);
	CHECK(sc.v[0].found_pages == SLAB_UNKNOWN && sc.v[0].found_inuse == SLAB_UNKNOWN);
	CHECK_EQ(sc.v[0].partial, 1);
	CHECK_EQ(fake_issues(f, "slab cache"), 1);
	arena_release(&mem);
	put_list(f, NODE + FULL, 0x100, 3);
	/* more free objects than there are */
	put(f, NODE + FREE_OBJECTS, 61);
	read(f, &mem, &sc);
	CHECK(sc.v[0].found_inuse == SLAB_UNKNOWN && sc.v[0].objects == 60);
	CHECK_EQ(fake_issues(f, "slab cache"), 2);
	arena_release(&mem);
	/* a node that is nowhere */
	put(f, CACHE + NODES, 8);
	read(f, &mem, &sc);
	CHECK(sc.v[0].slabs == SLAB_UNKNOWN && sc.v[0].shown_free == SLAB_UNKNOWN);
	CHECK(fake_issues(f, "slab cache") > 1);
	arena_release(&mem);
	fake_free(f);
}

/* Struct pages behind the last page of RAM that nobody set up (PAGE_POISON_PATTERN) are in no slab. */
static void test_never_set_up(void)
{
	enum { PAGES = 0x10000, STRUCT_PAGE = 64, OF_SLABS = 12, UNSET = 4, CACHE_AT = 24 };
	struct fake *f = slab(false);
	struct memmap_range range = { .end = OF_SLABS + UNSET, .page_kva = fake_kva(f, PAGES) };
	struct slab_caches sc;
	struct arena mem;

	fake_size(f, S_PAGE, STRUCT_PAGE);
	fake_member(f, M_PAGE_FLAGS, 0, 8);
	fake_member(f, M_SLAB_CACHE, CACHE_AT, 8);
	fake_enum(f, E_PG_SLAB, 7);
	f->kernel.memmap.v = &range;
	f->kernel.memmap.n = 1;
	f->kernel.memmap.page_size = STRUCT_PAGE;
	for (uint64_t i = 0; i < OF_SLABS + UNSET; i++) {
		uint64_t at = PAGES + i * STRUCT_PAGE;

		for (uint64_t word = 0; word < STRUCT_PAGE; word += 8)
			put(f, at + word, i < OF_SLABS ? 0 : UINT64_MAX);
		if (i < OF_SLABS) {
			put(f, at, 1 << 7);
			put(f, at + CACHE_AT, fake_kva(f, CACHE));
		}
	}
	read(f, &mem, &sc);
	CHECK_EQ(sc.v[0].found_pages, OF_SLABS);
	CHECK_EQ(sc.stray_slabs, 0);
	CHECK_EQ(sc.stray_pages, 0);
	put(f, PAGES + CACHE_AT, 0);		/* names no cache */
	arena_release(&mem);
	read(f, &mem, &sc);
	CHECK_EQ(sc.stray_slabs, 1);
	arena_release(&mem);
	fake_free(f);
}

int main(void)
{
	test_lists();
	test_damage();
	test_never_set_up();
	return check_done();
}
