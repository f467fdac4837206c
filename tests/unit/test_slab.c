/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slab caches of SLAB, which keeps its slabs in three lists of each node (mm/slab.c). */
#include "facts/layout/kmem.h"
#include "facts/layout/page.h"
#include "model/kernel/slab/slab.h"
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"
#include "tests/unit/slab_machine.h"

static void read(struct fake *f, struct arena *mem, struct slab_caches *sc)
{
	struct snapshot s = { .k = &f->kernel };

	*mem = (struct arena){ 0 };
	CHECK_EQ(slab_caches_build(&s, mem, true, sc), ST_OK);
}

TEST(lists)
{
	for (int pointer = 0; pointer < 2; pointer++) {
		struct fake *f = sl_lists(pointer);
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

TEST(damage)
{
	struct fake *f = sl_lists(false);
	struct slab_caches sc;
	struct arena mem;

	/* a list that leads to nothing */
	sl_put(f, SL_SLABS + 0x100, 1);
	read(f, &mem, &sc);
	CHECK(sc.v[0].slabs == SLAB_UNKNOWN && sc.v[0].objects == SLAB_UNKNOWN);
	CHECK(sc.v[0].found_pages == SLAB_UNKNOWN && sc.v[0].found_inuse == SLAB_UNKNOWN);
	CHECK_EQ(sc.v[0].partial, 1);
	CHECK_EQ(fake_issues(f, "slab cache"), 1);
	arena_release(&mem);
	sl_list(f, SL_NODE + SL_FULL, 0x100, 3);
	/* more free objects than there are */
	sl_put(f, SL_NODE + SL_FREE_OBJECTS, 61);
	read(f, &mem, &sc);
	CHECK(sc.v[0].found_inuse == SLAB_UNKNOWN && sc.v[0].objects == 60);
	CHECK_EQ(fake_issues(f, "slab cache"), 2);
	arena_release(&mem);
	/* a node that is nowhere */
	sl_put(f, SL_CACHE + SL_NODES, 8);
	read(f, &mem, &sc);
	CHECK(sc.v[0].slabs == SLAB_UNKNOWN && sc.v[0].shown_free == SLAB_UNKNOWN);
	CHECK(fake_issues(f, "slab cache") > 1);
	arena_release(&mem);
	fake_free(f);
}

/* Struct pages behind the last page of RAM that nobody set up (PAGE_POISON_PATTERN) are in no slab. */
TEST(never_set_up)
{
	enum { PAGES_AT = 0x10000, OF_SLABS = 12, UNSET = 4, CACHE_AT = 24 };
	struct fake *f = sl_lists(false);
	struct memmap_range range = { .end = OF_SLABS + UNSET, .page_kva = fake_kva(f, PAGES_AT) };
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
		uint64_t at = PAGES_AT + i * STRUCT_PAGE;

		for (uint64_t word = 0; word < STRUCT_PAGE; word += 8)
			sl_put(f, at + word, i < OF_SLABS ? 0 : UINT64_MAX);
		if (i < OF_SLABS) {
			sl_put(f, at, 1 << 7);
			sl_put(f, at + CACHE_AT, fake_kva(f, SL_CACHE));
		}
	}
	read(f, &mem, &sc);
	CHECK_EQ(sc.v[0].found_pages, OF_SLABS);
	CHECK_EQ(sc.stray_slabs, 0);
	CHECK_EQ(sc.stray_pages, 0);
	sl_put(f, PAGES_AT + CACHE_AT, 0);		/* names no cache */
	arena_release(&mem);
	read(f, &mem, &sc);
	CHECK_EQ(sc.stray_slabs, 1);
	arena_release(&mem);
	fake_free(f);
}

TEST(slub)
{
	struct held_machine *m = hm_slub();
	struct slab_caches sc;
	struct arena mem;

	read(m->f, &mem, &sc);
	if (CHECK(sc.n == 1 && sc.whole && sc.slub)) {
		CHECK_STR(sc.v[0].name, "task_struct");
		CHECK_EQ(sc.v[0].slabs, 512);
		CHECK_EQ(sc.v[0].found_slabs, 512);
		CHECK_EQ(sc.v[0].found_objects, 512 * PER_SLAB);
		CHECK_EQ(sc.v[0].found_inuse, 512 * PER_SLAB - 3);
		CHECK_EQ(sc.v[0].partial, 1);
		CHECK_EQ(sc.v[0].partial_free, 2);
		CHECK_EQ(sc.v[0].cpu_partial, 1);
		CHECK_EQ(sc.v[0].cpu_partial_free, 1);
		CHECK_EQ(sc.v[0].sheaves, 7 + 7 + 3 + 30);
		/* of two CPUs, of which one has no spare; nine more of the node */
		CHECK_EQ(sc.v[0].sheaf_room, 23 + 30 + 23 + 27 + 9 * 30);
	}
	CHECK_EQ(issues_total(m->f->kernel.issues), 0);
	arena_release(&mem);
	hm_free(m);
}
