/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_frames.c - the frame array: struct pages of several kernels.
 */
#include "model/memory/frames/classes.h"
#include "model/memory/frames/lost.h"

#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/page.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define MAP 0x400000ull		/* physical address of the page array */
#define FRAMES 1024u

/* struct page { flags 0; word 1 lru, compound; 2; mapping 3; private 5; mapcount; refcount } */
enum { O_FLAGS, O_COMPOUND = 1, O_MAPPING = 3, O_PRIVATE = 5, O_COUNTS = 6, WORDS = 8 };

enum { F_REFERENCED = 2, F_DIRTY = 4, F_LRU, F_HEAD, F_SLAB, F_RESERVED = 10, F_SWAPBACKED,
       F_DOUBLE, F_OWNER };

struct rig {
	struct fake *f;
	struct snapshot s;
	struct memmap_range range;
	unsigned word;
};

static uint64_t page_pa(const struct rig *g, uint64_t pfn)
{
	return MAP + pfn * WORDS * g->word;
}

static uint64_t page_kva(const struct rig *g, uint64_t pfn)
{
	return fake_kva(g->f, page_pa(g, pfn));
}

static void set(struct rig *g, uint64_t pfn, unsigned slot, uint64_t v)
{
	fake_put_uint(g->f, page_pa(g, pfn) + slot * g->word, v, g->word);
}

static void counts(struct rig *g, uint64_t pfn, uint32_t mapcount, uint32_t refs)
{
	fake_put_uint(g->f, page_pa(g, pfn) + O_COUNTS * g->word, mapcount, 4);
	fake_put_uint(g->f, page_pa(g, pfn) + O_COUNTS * g->word + 4, refs, 4);
}

/* FRAMES unused struct pages. */
static void blank(struct rig *g)
{
	uint8_t *raw = calloc(FRAMES, WORDS * g->word);

	if (!raw)
		abort();
	for (unsigned i = 0; i < FRAMES; i++)
		store_uint(raw + (size_t)(i * WORDS + O_COUNTS) * g->word, UINT32_MAX, 4,
			   g->f->dump.big_endian);
	fake_put(g->f, MAP, raw, (size_t)FRAMES * WORDS * g->word);
	free(raw);
}

static struct rig *rig_new(unsigned word, bool big)
{
	static const struct { enum layout_id id; int bit; } flags[] = {
		{ E_PG_REFERENCED, F_REFERENCED }, { E_PG_DIRTY, F_DIRTY },
		{ E_PG_LRU, F_LRU }, { E_PG_HEAD, F_HEAD }, { E_PG_RESERVED, F_RESERVED },
		{ E_PG_SWAPBACKED, F_SWAPBACKED }, { E_PG_SWAPCACHE, F_OWNER },
		{ E_PG_OWNER_PRIV_1, F_OWNER },
	};
	struct rig *g = calloc(1, sizeof(*g));

	if (!g)
		abort();
	g->f = fake_new(word, big);
	g->word = word;
	g->range = (struct memmap_range){ .end = FRAMES, .page_kva = page_kva(g, 0) };
	g->f->kernel.memmap = (struct memmap){ .v = &g->range, .n = 1,
					       .page_size = WORDS * word, .max_pfn = FRAMES,
					       .kva_ascends = true };
	g->s.k = &g->f->kernel;
	fake_size(g->f, S_PAGE, WORDS * word);
	fake_members(g->f, { M_PAGE_FLAGS, 0, word }, { M_PAGE_LRU, word, 2 * word },
		     { M_PAGE_MAPPING, O_MAPPING * word, word },
		     { M_PAGE_PRIVATE, O_PRIVATE * word, word },
		     { M_PAGE_MAPCOUNT, O_COUNTS * word, 4 },
		     { M_PAGE_REFCOUNT, O_COUNTS * word + 4, 4 });
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		fake_enum(g->f, flags[i].id, flags[i].bit);
	blank(g);
	return g;
}

static void rig_free(struct rig *g)
{
	frames_free(&g->s.frames);
	fake_free(g->f);
	free(g);
}

static void build(struct rig *g)
{
	frames_free(&g->s.frames);
	frames_open(&g->s);
	frames_load_all(&g->s);
	frames_tell(&g->s);
}

static uint32_t flags_of(const struct rig *g, uint64_t pfn)
{
	return frame_at(&g->s.frames, pfn)->flags;
}

static uint32_t mapcount_of(const struct rig *g, uint64_t pfn)
{
	return frame_at(&g->s.frames, pfn)->mapcount;
}

static unsigned order_of(const struct rig *g, uint64_t pfn)
{
	return flags_of(g, pfn) >> FR_ORDER_SHIFT;
}

/* A compound page of 1 << ORDER pages at PFN, its tails pointing to the head. */
static void compound(struct rig *g, uint64_t pfn, unsigned order)
{
	set(g, pfn, O_FLAGS, 1u << F_HEAD | 1u << F_LRU | 1u << F_SWAPBACKED);
	set(g, pfn, O_MAPPING, fake_kva(g->f, 0x9000) | 1);
	counts(g, pfn, UINT32_MAX, 5);
	for (unsigned i = 1; i < 1u << order; i++)
		set(g, pfn + i, O_COMPOUND, page_kva(g, pfn) | 1);
}

static void era_6_12(struct rig *g)
{
	fake_member(g->f, M_PAGE_COMPOUND_HEAD, g->word, g->word);
	fake_member(g->f, M_PAGE_TYPE, O_COUNTS * g->word, 4);
	fake_enum(g->f, E_PGTY_BUDDY, 0xf0);
	fake_enum(g->f, E_PGTY_OFFLINE, 0xf1);
	fake_enum(g->f, E_PGTY_TABLE, 0xf2);
	fake_enum(g->f, E_PGTY_HUGETLB, 0xf4);
	fake_enum(g->f, E_PGTY_SLAB, 0xf5);
	/* of the second page: flags, head, large, nr mapped, entire, ... , mm ids */
	fake_member(g->f, M_FOLIO_FLAGS_1, WORDS * g->word, g->word);
	fake_member(g->f, M_FOLIO_LARGE_MAPCOUNT, (WORDS + 2) * g->word, 4);
	fake_member(g->f, M_FOLIO_ENTIRE_MAPCOUNT, (WORDS + 3) * g->word, 4);
}

static void large(struct rig *g, uint64_t pfn, unsigned order, int mapcount, int entire)
{
	set(g, pfn + 1, O_FLAGS, order);
	fake_put_uint(g->f, page_pa(g, pfn + 1) + 2 * g->word, (uint32_t)(mapcount - 1), 4);
	fake_put_uint(g->f, page_pa(g, pfn + 1) + 3 * g->word, (uint32_t)(entire - 1), 4);
}

static void test_small(unsigned word, bool big)
{
	struct rig *g = rig_new(word, big);

	era_6_12(g);
	set(g, 1, O_FLAGS, 1u << F_LRU | 1u << F_SWAPBACKED | 1u << F_DIRTY);
	set(g, 1, O_MAPPING, fake_kva(g->f, 0x9000) | 1);
	counts(g, 1, 0, 1);
	set(g, 2, O_FLAGS, 1u << F_LRU | 1u << F_REFERENCED);
	set(g, 2, O_MAPPING, fake_kva(g->f, 0x9000));
	counts(g, 2, 6, 9);
	set(g, 3, O_MAPPING, fake_kva(g->f, 0x9000) | 3);
	counts(g, 3, 1, 2);
	set(g, 4, O_FLAGS, 1u << F_SWAPBACKED | 1u << F_OWNER);
	counts(g, 5, 0xf2000000, 1);
	counts(g, 6, 0xf5000000, 1);
	set(g, 6, O_MAPPING, 0x12345);		/* private to the slab */
	counts(g, 7, 0x80000001, 1);		/* an overflown count is a type to 6.12 */
	set(g, 8, O_FLAGS, 1u << F_RESERVED);
	set(g, 20, O_MAPPING, 1);		/* of KSM in 2.6.32 */
	counts(g, 20, 1, 2);
	build(g);
	CHECK_EQ(flags_of(g, 20), FR_EXISTS | FR_ANON | FR_KSM | FR_SHARED_FOLIO);
	CHECK_EQ(flags_of(g, 1), FR_EXISTS | FR_ANON | FR_SWAPBACKED | FR_DIRTY | FR_LRU |
		 FR_SINGLE);
	CHECK_EQ(mapcount_of(g, 1), 1);
	CHECK_EQ(flags_of(g, 2), FR_EXISTS | FR_LRU | FR_REFERENCED | FR_CACHE | FR_SHARED_FOLIO);
	CHECK_EQ(mapcount_of(g, 2), 7);
	CHECK_EQ(flags_of(g, 3), FR_EXISTS | FR_ANON | FR_KSM | FR_SHARED_FOLIO);
	CHECK_EQ(flags_of(g, 4), FR_EXISTS | FR_SWAPBACKED | FR_SWAPCACHE);
	CHECK_EQ(flags_of(g, 5), FR_EXISTS | FR_PGTABLE | FR_SINGLE);
	CHECK_EQ(flags_of(g, 6), FR_EXISTS | FR_SLAB | FR_SINGLE);
	CHECK_EQ(mapcount_of(g, 5), 0);
	CHECK_EQ(mapcount_of(g, 6), 0);
	CHECK_EQ(mapcount_of(g, 7), 0);
	CHECK_EQ(flags_of(g, 8), FR_EXISTS | FR_RESERVED);
	CHECK_EQ(flags_of(g, 9), FR_EXISTS);
	CHECK_EQ(g->s.frames.existing, FRAMES);
	CHECK(!frame_at(&g->s.frames, 1 << FRAME_CHUNK_SHIFT));
	rig_free(g);
}

/* Neighbours that are alike in all but one word: each has what its own words say. OLD: as to 4.3. */
static void test_alike_but_one(unsigned word, bool big, bool old)
{
	static const uint32_t flags[] = { 0, 1u << F_DIRTY }, refs[] = { 1, 2, 0 };
	enum { N = 300, ZERO = 96, ZERO_PFN = 0xa000 };
	struct rig *g = rig_new(word, big);
	struct page_classes *c;
	uint64_t anon = 0, dirty = 0;
	unsigned at[4] = { 0 };			/* flags, mapping, mapcount, refs */

	if (old) {
		fake_enum(g->f, E_PG_TAIL, F_DOUBLE);
		fake_member(g->f, M_PAGE_FIRST_PAGE, O_PRIVATE * word, word);
	} else {
		era_6_12(g);
	}
	for (unsigned i = 0; i < N; i++) {
		if (i % 4 % 3)			/* else as the one before */
			at[i / 4 % 4]++;
		set(g, 8 + i, O_FLAGS, flags[at[0] / 2 % 2] | 1u << F_LRU);
		set(g, 8 + i, O_MAPPING, at[1] % 3 ? fake_kva(g->f, 0x9000) + at[1] % 3 - 1 : 0);
		counts(g, 8 + i, at[2] % 4, refs[at[3] % 3]);
	}
	build(g);
	fake_symbol(g->f, Y_ZERO_PFN, fake_kva(g->f, ZERO_PFN));
	fake_put_uint(g->f, ZERO_PFN, 8 + ZERO, word);
	c = page_classes_build(&g->f->kernel, true);
	for (unsigned i = 0, n[4] = { 0 }; i < N; i++) {
		uint32_t want = FR_EXISTS | FR_LRU;

		if (i % 4 % 3)
			n[i / 4 % 4]++;
		want |= n[0] / 2 % 2 ? FR_DIRTY : 0;
		want |= n[1] % 3 == 1 ? FR_CACHE : n[1] % 3 ? FR_ANON : 0;
		want |= n[2] % 4 ? FR_SHARED_FOLIO : 0;
		want |= refs[n[3] % 3] == 1 ? FR_SINGLE : 0;
		CHECK_EQ(flags_of(g, 8 + i), want);
		CHECK_EQ(mapcount_of(g, 8 + i), n[2] % 4 + 1);
		CHECK_EQ(page_class_at(c, 8 + i), i == ZERO ? CLASS_ZERO :
			 want & FR_ANON ? CLASS_ANON :
			 want & FR_CACHE ? CLASS_FILE_MAPPED : CLASS_TRUNCATED);
		anon += page_class_at(c, 8 + i) == CLASS_ANON;
		dirty += page_class_at(c, 8 + i) == CLASS_ANON && want & FR_DIRTY;
	}
	CHECK_EQ(c->count[CLASS_ANON].pages, anon);
	CHECK_EQ(c->count[CLASS_ANON].mapped, anon);
	CHECK_EQ(c->count[CLASS_ANON].dirty, dirty);
	page_classes_free(c);
	rig_free(g);
}

/* The class of PFN if the fact ID is on types that could not be read (LOST), or is not there at all. */
static enum page_class class_without(struct rig *g, enum layout_id id, bool lost, uint64_t pfn)
{
	struct fact *f = &g->f->kernel.layout.v[id], was = *f;
	struct page_classes *c;
	enum page_class ret;

	f->alt = lost ? FACT_LOST : -1;
	c = page_classes_build(&g->f->kernel, true);
	ret = page_class_at(c, pfn);
	page_classes_free(c);
	*f = was;
	return ret;
}

/* A class that a page has because others are ruled out is not told where that cannot be done. */
static void test_lost_facts(void)
{
	struct rig *g = rig_new(8, false);
	enum { ANON = 8, TRUNCATED, IN_USE, CACHED };

	era_6_12(g);
	for (unsigned pfn = ANON; pfn <= CACHED; pfn++)
		counts(g, pfn, 0xffffffff, 1);
	counts(g, ANON, 0, 1);
	set(g, ANON, O_FLAGS, 1u << F_LRU);
	set(g, ANON, O_MAPPING, fake_kva(g->f, 0x9000) + 1);
	set(g, TRUNCATED, O_FLAGS, 1u << F_LRU);
	set(g, CACHED, O_MAPPING, fake_kva(g->f, 0x9000));
	build(g);
	CHECK_EQ(class_without(g, E_PG_ACTIVE, true, ANON), CLASS_ANON);
	CHECK_EQ(class_without(g, E_PG_ACTIVE, true, TRUNCATED), CLASS_TRUNCATED);
	CHECK_EQ(class_without(g, E_PG_ACTIVE, true, IN_USE), CLASS_UNKNOWN);
	CHECK_EQ(class_without(g, E_PG_ACTIVE, true, CACHED), CLASS_FILE);
	CHECK_EQ(class_without(g, M_PAGE_MAPPING, true, ANON), CLASS_UNREAD);
	CHECK_EQ(class_without(g, M_PAGE_MAPPING, true, TRUNCATED), CLASS_UNREAD);
	CHECK_EQ(class_without(g, M_PAGE_MAPPING, true, IN_USE), CLASS_UNREAD);
	CHECK_EQ(class_without(g, M_PAGE_MAPCOUNT, true, TRUNCATED), CLASS_TRUNCATED);
	CHECK_EQ(class_without(g, M_PAGE_MAPCOUNT, true, CACHED), CLASS_UNREAD);
	CHECK_EQ(class_without(g, E_PGTY_TABLE, true, IN_USE), CLASS_UNREAD);
	CHECK_EQ(class_without(g, E_PG_RESERVED, true, IN_USE), CLASS_UNREAD);
	CHECK_EQ(class_without(g, E_PG_RESERVED, false, IN_USE), CLASS_UNKNOWN);
	CHECK_EQ(class_without(g, E_PG_RESERVED, true, TRUNCATED), CLASS_TRUNCATED);
	rig_free(g);
}

static void test_buddy(void)
{
	struct rig *g = rig_new(8, false);
	struct page_classes *c;

	era_6_12(g);
	counts(g, 16, 0xf0000000, 0);
	set(g, 16, O_PRIVATE, 3);
	counts(g, 20, 0, 1);			/* allocated meanwhile */
	counts(g, 33, 0xf0000000, 0);
	set(g, 33, O_PRIVATE, 4);		/* not aligned: not believed */
	counts(g, 64, 0xf0000000, 0);
	set(g, 64, O_PRIVATE, 60);
	build(g);
	CHECK_EQ(flags_of(g, 16), FR_EXISTS | FR_BUDDY | 3u << FR_ORDER_SHIFT);
	CHECK_EQ(flags_of(g, 23), FR_EXISTS | FR_BUDDY | 3u << FR_ORDER_SHIFT);
	CHECK_EQ(flags_of(g, 20), FR_EXISTS | FR_SINGLE);
	CHECK_EQ(flags_of(g, 24), FR_EXISTS);
	CHECK_EQ(flags_of(g, 33), FR_EXISTS | FR_BUDDY);
	CHECK_EQ(flags_of(g, 34), FR_EXISTS);
	CHECK_EQ(flags_of(g, 65), FR_EXISTS);
	c = page_classes_build(&g->f->kernel, false);
	CHECK_EQ(page_class_at(c, 23), CLASS_FREE);
	CHECK_EQ(page_class_at(c, 24), CLASS_UNKNOWN);	/* as 23, and behind the block */
	CHECK_EQ(page_class_at(c, 34), CLASS_UNKNOWN);
	CHECK_EQ(c->count[CLASS_FREE].pages, 7 + 1 + 1);
	page_classes_free(c);
	rig_free(g);
}

/* A folio of 16 pages: mapped once whole, two of its pages once more. */
static void test_folio(unsigned word, bool big)
{
	struct rig *g = rig_new(word, big);

	era_6_12(g);
	compound(g, 64, 4);
	large(g, 64, 4, 3, 1);
	counts(g, 65, 0, 0);
	counts(g, 79, 0, 0);
	build(g);
	CHECK_EQ(flags_of(g, 64), FR_EXISTS | FR_HEAD | FR_ANON | FR_LRU | FR_SWAPBACKED |
		 FR_SHARED_FOLIO | 4u << FR_ORDER_SHIFT);
	CHECK_EQ(flags_of(g, 70), FR_EXISTS | FR_TAIL | FR_ANON | FR_LRU | FR_SWAPBACKED |
		 FR_SHARED_FOLIO | 4u << FR_ORDER_SHIFT);
	CHECK_EQ(mapcount_of(g, 64), 1);
	CHECK_EQ(mapcount_of(g, 65), 2);
	CHECK_EQ(mapcount_of(g, 66), 1);
	CHECK_EQ(mapcount_of(g, 79), 2);
	CHECK_EQ(frame_found(&g->s.frames, 70), 0);
	CHECK(!g->s.frames.average);
	CHECK_EQ(flags_of(g, 80), FR_EXISTS);
	rig_free(g);
}

/* CONFIG_NO_PAGE_MAPCOUNT: parts are mapped, and no page records it. */
static void test_average(void)
{
	struct rig *g = rig_new(8, false);

	era_6_12(g);
	fake_member(g->f, M_FOLIO_MM_IDS, (WORDS + 4) * 8, 8);
	compound(g, 64, 4);
	large(g, 64, 4, 1 + 40, 1);		/* 40 / 16 = 2.5, rounded to 3 */
	compound(g, 128, 4);
	large(g, 128, 4, 1, 0);			/* one page of sixteen: at least 1 */
	fake_put_uint(g->f, page_pa(g, 65) + 4 * 8, UINT64_C(1) << 63, 8);
	build(g);
	CHECK(g->s.frames.average);
	CHECK_EQ(mapcount_of(g, 64), 4);
	CHECK_EQ(mapcount_of(g, 77), 4);
	CHECK_EQ(mapcount_of(g, 130), 1);
	CHECK(flags_of(g, 77) & FR_SHARED_FOLIO);
	CHECK(!(flags_of(g, 130) & FR_SHARED_FOLIO));
	CHECK_EQ(frame_found(&g->s.frames, 77), 0);
	rig_free(g);
}

/* 7.1: compound_info is a mask of the struct page's own address. */
static void test_mask(void)
{
	struct rig *g = rig_new(8, false);
	struct page_classes *c;

	era_6_12(g);
	fake_member(g->f, M_PAGE_COMPOUND_INFO, 8, 8);
	compound(g, 64, 4);
	large(g, 64, 4, 1, 1);
	for (unsigned i = 1; i < 16; i++)
		set(g, 64 + i, O_COMPOUND, ~(UINT64_C(16) * 64 - 1) | 1);
	/* the next folio has the same mask, and other counts */
	compound(g, 80, 4);
	large(g, 80, 4, 3, 3);
	for (unsigned i = 1; i < 16; i++)
		set(g, 80 + i, O_COMPOUND, ~(UINT64_C(16) * 64 - 1) | 1);
	compound(g, 128, 4);			/* a pointer still works */
	large(g, 128, 4, 2, 2);
	compound(g, 144, 4);			/* nobody maps it */
	large(g, 144, 4, 0, 0);
	/* of two large ones the second has lost its head: its tails are not those of the first */
	for (unsigned pfn = 256; pfn < 512; pfn += 128) {
		compound(g, pfn, 7);
		large(g, pfn, 7, 1, 1);
		for (unsigned i = 1; i < 128; i++)
			set(g, pfn + i, O_COMPOUND, ~(UINT64_C(128) * 64 - 1) | 1);
	}
	fake_drop(g->f, page_pa(g, 384));
	build(g);
	CHECK_EQ(mapcount_of(g, 383), 1);
	CHECK(flags_of(g, 384) & FR_UNREAD && flags_of(g, 448) & FR_UNREAD);
	CHECK_EQ(mapcount_of(g, 90), 3);
	CHECK_EQ(mapcount_of(g, 150), 0);
	c = page_classes_build(&g->f->kernel, true);
	CHECK_EQ(c->count[CLASS_ANON].pages, 64 + 128);
	CHECK_EQ(c->count[CLASS_ANON].mapped, 48 + 128);
	CHECK_EQ(c->count[CLASS_UNREAD].pages, 128);
	CHECK(page_class_mapped(c, 70) && page_class_mapped(c, 95) && !page_class_mapped(c, 159));
	page_classes_free(c);
	CHECK_EQ(mapcount_of(g, 70), 1);
	CHECK_EQ(order_of(g, 70), 4);
	CHECK_EQ(mapcount_of(g, 140), 2);
	rig_free(g);
}

/* Of lost struct pages those before them tell: they are in a free block, or in a compound page that
   nobody maps. Where a part of one is mapped they do not tell whether it is this part. */
static void test_lost_parts(void)
{
	struct rig *g = rig_new(8, false);
	struct page_classes *c;

	era_6_12(g);
	counts(g, 0, 0xf0000000, 0);
	set(g, 0, O_PRIVATE, 7);
	compound(g, 128, 7);
	large(g, 128, 7, 0, 0);
	compound(g, 256, 7);
	large(g, 256, 7, 1, 0);
	for (unsigned pfn = 64; pfn < 384; pfn += 128)
		fake_drop(g->f, page_pa(g, pfn));
	fake_drop(g->f, page_pa(g, 448));	/* single pages before it */
	c = page_classes_build(&g->f->kernel, false);
	CHECK_EQ(c->count[CLASS_FREE].pages, 128);
	CHECK_EQ(page_class_at(c, 127), CLASS_FREE);
	CHECK_EQ(page_class_at(c, 192), CLASS_ANON);
	CHECK_EQ(page_class_at(c, 255), CLASS_ANON);
	CHECK_EQ(page_class_at(c, 320), CLASS_UNREAD);
	CHECK_EQ(page_class_at(c, 448), CLASS_UNREAD);
	CHECK_EQ(c->count[CLASS_UNREAD].pages, 64 + 64);
	/* a list of the kernel tells as well */
	CHECK_EQ(page_classes_claim(c, 448, CLASS_STACK), CLAIM_TAKEN);
	CHECK_EQ(c->count[CLASS_UNREAD].pages, 64 + 63);
	page_classes_free(c);
	rig_free(g);
}

/* 5.10: file pages count whole mappings in each part, anonymous ones do not. */
static void test_double_map(void)
{
	struct rig *g = rig_new(8, false);

	fake_members(g->f, { M_PAGE_COMPOUND_HEAD, 8, 8 }, { M_PAGE_COMPOUND_MAPCOUNT, 3 * 8, 4 },
		     { M_PAGE_COMPOUND_ORDER, 2 * 8, 1 });
	fake_enum(g->f, E_PG_DOUBLE_MAP, F_DOUBLE);
	compound(g, 64, 4);
	fake_put_uint(g->f, page_pa(g, 65) + 2 * 8, 4, 1);
	fake_put_uint(g->f, page_pa(g, 65) + 3 * 8, 1, 4);	/* mapped whole, twice */
	set(g, 65, O_FLAGS, 1u << F_DOUBLE);
	for (unsigned i = 0; i < 16; i++)
		counts(g, 64 + i, 0, i ? 0 : 3);
	compound(g, 128, 4);
	set(g, 128, O_MAPPING, fake_kva(g->f, 0x9000));
	fake_put_uint(g->f, page_pa(g, 129) + 2 * 8, 4, 1);
	fake_put_uint(g->f, page_pa(g, 129) + 3 * 8, 1, 4);
	counts(g, 140, 4, 0);
	g->f->kernel.rules.on[RULE_FILE_THP_OWN] = true;
	build(g);
	CHECK_EQ(mapcount_of(g, 70), 2);	/* 1 + 2 - 1 */
	CHECK_EQ(mapcount_of(g, 140), 5);
	CHECK_EQ(mapcount_of(g, 141), 0);
	CHECK_EQ(order_of(g, 141), 4);
	g->f->kernel.rules.on[RULE_FILE_THP_OWN] = false;	/* 4.5 */
	build(g);
	CHECK_EQ(mapcount_of(g, 141), 2);
	rig_free(g);
}

/* To 4.3: a flag and a pointer; the order is in the list_head of the second page. */
static void test_first_page(unsigned word, bool big)
{
	struct rig *g = rig_new(word, big);

	fake_enum(g->f, E_PG_TAIL, F_DOUBLE);
	fake_member(g->f, M_PAGE_FIRST_PAGE, O_PRIVATE * word, word);
	fake_symbol(g->f, Y_FREE_HUGE_PAGE, fake_kva(g->f, 0x7000));
	compound(g, 64, 4);
	for (unsigned i = 1; i < 16; i++) {
		set(g, 64 + i, O_COMPOUND, 0);
		set(g, 64 + i, O_FLAGS, 1u << F_DOUBLE);
		set(g, 64 + i, O_PRIVATE, page_kva(g, 64));
	}
	set(g, 65, O_COMPOUND, fake_kva(g->f, 0x7000));
	set(g, 65, O_COMPOUND + 1, 4);
	counts(g, 64, 2, 4);
	build(g);
	CHECK(flags_of(g, 64) & FR_HEAD);
	CHECK(flags_of(g, 70) & FR_TAIL);
	CHECK(flags_of(g, 70) & FR_HUGETLB);
	CHECK_EQ(order_of(g, 70), 4);
	CHECK_EQ(mapcount_of(g, 64), 3);
	CHECK_EQ(mapcount_of(g, 70), 0);
	rig_free(g);
}

static void test_damage(void)
{
	struct rig *g = rig_new(8, false);

	era_6_12(g);
	compound(g, 64, 4);
	large(g, 64, 4, 1, 1);
	set(g, 70, O_COMPOUND, 0x1234567 | 1);		/* no pointer */
	set(g, 71, O_COMPOUND, fake_kva(g->f, 0xfff000) | 1);	/* not in the dump */
	fake_drop(g->f, page_pa(g, 512));		/* 64 struct pages */
	g->range.end = FRAMES + 4096 * 64;		/* far beyond what is mapped */
	g->f->kernel.memmap.max_pfn = g->range.end;
	build(g);
	CHECK_EQ(fake_issues(g->f, "compound page"), 2);
	CHECK(flags_of(g, 71) & FR_UNREAD);
	CHECK_EQ(flags_of(g, 512), FR_UNREAD);
	CHECK(g->s.frames.unread >= 64);
	CHECK_EQ(g->s.frames.existing, g->range.end);	/* at most: the rest is not mapped */
	rig_free(g);
}

static uint64_t unread_of(const struct rig *g, unsigned who)
{
	frames_serve(&g->s, who);
	return g->s.frames.unread;
}

/* Of two chunks that lack a page of struct pages each, one was asked for by the walk. */
static void test_lost_by_asker(void)
{
	struct rig *g = rig_new(8, false);
	struct frames *f = &g->s.frames;
	uint64_t far = FRAME_CHUNK + 8, walk, all;
	uint8_t page[0x1000] = { 0 };

	fake_put(g->f, page_pa(g, far - 8), page, sizeof(page));
	fake_drop(g->f, page_pa(g, 512));
	fake_drop(g->f, page_pa(g, far));
	g->range.end = g->f->kernel.memmap.max_pfn = FRAME_CHUNK + 64;
	frames_open(&g->s);
	frames_ask_as(f, FRAMES_WALK);
	CHECK_EQ(flags_of(g, 512), FR_UNREAD);
	walk = f->unread;
	frames_ask_as(f, FRAMES_FOUND);
	frames_load_all(&g->s);
	all = f->unread;
	frames_tell(&g->s);
	CHECK(walk && all > walk);
	CHECK_EQ(frames_tell_of(&g->s, FRAMES_WALK, NULL), walk);
	CHECK_EQ(frames_tell_of(&g->s, FRAMES_FOUND, NULL), all - walk);
	CHECK_EQ(frames_tell_of(&g->s, FRAMES_SIZES, NULL), 0);
	/* a report has those of the walk, and its own from when it asks for them */
	CHECK_EQ(unread_of(g, FRAMES_WALK), walk);
	CHECK_EQ(flags_of(g, 512), FR_UNREAD);
	CHECK_EQ(f->unread, walk);
	CHECK_EQ(flags_of(g, far), FR_UNREAD);
	CHECK_EQ(f->unread, all);
	CHECK_EQ(unread_of(g, FRAMES_WALK), walk);
	CHECK_EQ(unread_of(g, FRAMES_OPEN), 0);
	/* those of a view are of each report that asks for the view */
	frames_ask_as(f, FRAMES_VIEW);
	CHECK_EQ(flags_of(g, far), FR_UNREAD);
	CHECK_EQ(unread_of(g, FRAMES_WALK), walk);
	frames_ask_also(f, FRAMES_VIEW);
	CHECK_EQ(f->unread, all);
	/* chunks that are read again */
	frames_drop(f);
	CHECK_EQ(unread_of(g, FRAMES_WALK), walk);
	CHECK_EQ(flags_of(g, far), FR_UNREAD);
	CHECK_EQ(f->unread, all);
	CHECK_EQ(unread_of(g, FRAMES_WALK | FRAMES_FOUND), all);
	frames_serve_end(&g->s);
	frames_tell(&g->s);
	CHECK_EQ(f->unread, all);
	CHECK_EQ(fake_issues(g->f, "struct page"), all);
	rig_free(g);
}

/* Struct pages of 56 bytes do not divide a page: some lie across two. */
static void test_odd_size(void)
{
	struct rig *g = rig_new(8, false);
	uint64_t pa = MAP + 146 * 56;		/* the second page begins in its midst */

	era_6_12(g);
	fake_size(g->f, S_PAGE, 56);
	g->f->kernel.memmap.page_size = 56;
	fake_put_uint(g->f, pa, 1u << F_LRU, 8);
	fake_put_uint(g->f, pa + O_COUNTS * 8, 3, 4);
	build(g);
	CHECK_EQ(mapcount_of(g, 146), 4);
	CHECK(flags_of(g, 146) & FR_LRU);
	rig_free(g);
}

/* zsmalloc of 4.8 and later: mapping is movable operations | 2, _mapcount an offset. */
/* Zeros, as memmap_init_zone() leaves pages that it skips: they count no mapping. */
static void test_nothing(void)
{
	struct rig *g = rig_new(8, false);

	counts(g, 0, 0, 0);
	set(g, 0, O_FLAGS, 1 << F_RESERVED);
	counts(g, 1, 0, 0);
	counts(g, 2, 0, 1);	/* in use: mapped once */
	/* in 4.18, with an empty list; and what page_init_poison() left */
	counts(g, 4, 0, 0);
	set(g, 4, O_FLAGS, 1 << F_RESERVED);
	set(g, 4, O_COMPOUND, page_kva(g, 4) + O_COMPOUND * g->word);
	for (unsigned i = 0; i < WORDS; i++)
		set(g, 5, i, UINT64_MAX);
	build(g);
	CHECK(frame_at(&g->s.frames, 0)->flags & FR_BLANK);
	CHECK(frame_at(&g->s.frames, 1)->flags & FR_BLANK);
	CHECK(!(frame_at(&g->s.frames, 2)->flags & FR_BLANK));
	CHECK(!(frame_at(&g->s.frames, 3)->flags & FR_BLANK));
	CHECK_EQ(frame_at(&g->s.frames, 4)->flags, FR_EXISTS | FR_RESERVED | FR_BLANK);
	CHECK_EQ(frame_at(&g->s.frames, 5)->flags, FR_EXISTS | FR_BLANK);
	CHECK_EQ(frame_at(&g->s.frames, 5)->mapcount, 0);
	CHECK_EQ(issues_total(g->s.k->issues), 0);
	rig_free(g);
}

static void test_zsmalloc(void)
{
	struct rig *g = rig_new(8, false);

	set(g, 40, O_MAPPING, fake_kva(g->f, 0x9000) | 2);
	counts(g, 40, 6208, 1);
	set(g, 41, O_MAPPING, fake_kva(g->f, 0x9000));
	counts(g, 41, 2, 4);
	build(g);
	CHECK_EQ(mapcount_of(g, 40), 0);
	CHECK(!(flags_of(g, 40) & (FR_ANON | FR_CACHE)));
	CHECK_EQ(mapcount_of(g, 41), 3);
	rig_free(g);
}

/* Pages of tails that are one page of memory (hugetlb vmemmap optimization). */
static void test_shared_tails(void)
{
	struct rig *g = rig_new(8, false);
	struct memmap_range shared[] = {
		{ .pfn = 0, .end = 128, .page_kva = page_kva(g, 0) },
		{ .pfn = 128, .end = 192, .page_kva = page_kva(g, 64) },
		{ .pfn = 192, .end = 256, .page_kva = page_kva(g, 192) },
		{ .pfn = 256, .end = 320, .page_kva = page_kva(g, 64) },
	};

	era_6_12(g);
	compound(g, 0, 7);
	large(g, 0, 7, 1, 1);
	compound(g, 192, 6);
	large(g, 192, 6, 2, 2);
	g->f->kernel.memmap.v = shared;
	g->f->kernel.memmap.n = 4;
	g->f->kernel.memmap.max_pfn = 320;
	build(g);
	for (uint64_t pfn = 1; pfn < 320; pfn++) {
		bool second = pfn >= 192 && pfn < 256;

		if (pfn == 192)
			continue;
		CHECK(flags_of(g, pfn) & FR_TAIL);
		CHECK_EQ(order_of(g, pfn), second ? 6 : 7);
		CHECK_EQ(mapcount_of(g, pfn), second ? 2 : 1);
	}
	rig_free(g);
}

/*
 * Chunks 1 and 2 have nothing but tails of one folio, in one page of memory. Chunk 0 has tails of another one; in 3
 * struct pages are missing, in 4 the last are of the other folio, 5 ends in its middle. Chunk 0 has too many runs to
 * be shared, 3 to 5 could be.
 */
static void test_alike_chunks(void)
{
	enum { ORDER = 18, CHUNKS = 6, HOLE = 3 * FRAME_CHUNK + 640, OTHER = 5 * FRAME_CHUNK - 64,
	       END = CHUNKS * FRAME_CHUNK - FRAME_CHUNK / 2 };
	static struct memmap_range shared[CHUNKS * FRAME_CHUNK / 64];
	struct rig *g = rig_new(8, false);
	const struct frame_sum *sum;
	uint32_t n = 0;

	era_6_12(g);
	compound(g, 0, 7);
	large(g, 0, ORDER, 3, 3);
	compound(g, 192, 6);
	large(g, 192, 6, 2, 2);
	for (uint64_t pfn = 0; pfn < END; pfn += 64) {
		uint64_t like = pfn < FRAME_CHUNK || pfn == OTHER ? 192 : 64;

		if (pfn != HOLE)
			shared[n++] = (struct memmap_range){ .pfn = pfn,
							     .end = pfn + 64,
							     .page_kva = page_kva(g, like) };
	}
	g->f->kernel.memmap.v = shared;
	g->f->kernel.memmap.n = n;
	g->f->kernel.memmap.max_pfn = CHUNKS * FRAME_CHUNK;
	build(g);
	for (uint64_t pfn = FRAME_CHUNK; pfn < CHUNKS * FRAME_CHUNK; pfn++) {
		const struct frame *f = frame_at(&g->s.frames, pfn);
		bool hole = (pfn >= HOLE && pfn < HOLE + 64) || pfn >= END;
		uint32_t mapcount = hole ? 0 : pfn >= OTHER && pfn < OTHER + 64 ? 2 : 3;

		if (pfn != OTHER && (f->mapcount != mapcount || !hole != !!(f->flags & FR_TAIL))) {
			CHECK_EQ(pfn, 0);
			break;
		}
	}
	for (uint64_t c = 0; c < CHUNKS; c++)
		CHECK(g->s.frames.chunk[c]->shared == (!c ? 0 : c == 1 || c == 2 ? 2 : 1) &&
		      g->s.frames.chunk[c]->alike == (c == 1 || c == 2));
	CHECK(g->s.frames.chunk[1] == g->s.frames.chunk[2]);
	sum = g->s.frames.store->sum;
	CHECK(sum[1].there == FRAME_CHUNK && sum[1].mapped == FRAME_CHUNK);
	for (uint64_t c = 1; c < 3; c++) {
		uint64_t all = 0;

		for (uint64_t i = 0; i < FRAME_CHUNK; i++)
			all += 3 * frame_weight(c * FRAME_CHUNK + i);
		CHECK_EQ(sum[c].expected, all);
	}
	CHECK_EQ(sum[3].there, FRAME_CHUNK - 64);
	CHECK_EQ(sum[5].there, FRAME_CHUNK / 2);
	CHECK_EQ(g->s.frames.store->kept, (CHUNKS - 1) * FRAMES_CHUNK_BYTES);
	frames_drop(&g->s.frames);
	CHECK_EQ(mapcount_of(g, 2 * FRAME_CHUNK), 3);
	CHECK_EQ(g->s.frames.store->kept, FRAMES_CHUNK_BYTES);
	rig_free(g);
}

/*
 * In each chunk one page of struct pages is another, in every second of them at the same place as in the chunk KINDS
 * before. Some of the KINDS different chunks have the same place in frame_store.same.
 */
static void test_same_chunks(void)
{
	enum { KINDS = 96, CHUNKS = 2 * KINDS, PAGES = FRAME_CHUNK / 64 };
	static struct memmap_range some[CHUNKS * PAGES];
	struct rig *g = rig_new(8, false);
	unsigned shared = 0, wrong = 0;

	era_6_12(g);
	compound(g, 0, 7);
	large(g, 0, 7, 3, 3);
	compound(g, 192, 6);
	large(g, 192, 6, 2, 2);
	for (unsigned i = 0; i < CHUNKS * PAGES; i++) {
		bool other = i % PAGES == i / PAGES % KINDS + (i / PAGES > KINDS && i / PAGES % 2);

		some[i] = (struct memmap_range){ .pfn = (uint64_t)i * 64,
						 .end = (uint64_t)(i + 1) * 64,
						 .page_kva = page_kva(g, other ? 192 : 64) };
	}
	g->f->kernel.memmap.v = some;
	g->f->kernel.memmap.n = CHUNKS * PAGES;
	g->f->kernel.memmap.max_pfn = CHUNKS * FRAME_CHUNK;
	build(g);
	for (uint64_t i = 0; i < CHUNKS * PAGES; i++)
		wrong += mapcount_of(g, i * 64) != (some[i].page_kva == page_kva(g, 192) ? 2 : 3);
	CHECK_EQ(wrong, 0);
	for (unsigned i = 0; i < CHUNKS; i++)
		shared += g->s.frames.chunk[i] != NULL && g->s.frames.chunk[i]->shared > 1;
	CHECK(shared > KINDS / 2 && shared <= CHUNKS);
	CHECK(g->s.frames.chunk[0] == g->s.frames.chunk[KINDS]);
	CHECK(g->s.frames.chunk[1] != g->s.frames.chunk[KINDS + 1]);
	CHECK(g->s.frames.store->kept < CHUNKS * FRAMES_CHUNK_BYTES - shared / 3 * FRAMES_CHUNK_BYTES);
	frames_drop(&g->s.frames);
	CHECK_EQ(mapcount_of(g, KINDS * FRAME_CHUNK), 2);
	CHECK_EQ(g->s.frames.store->kept, FRAMES_CHUNK_BYTES);
	rig_free(g);
}

int main(void)
{
	for (unsigned word = 4; word <= 8; word += 4)
		for (int big = 0; big < 2; big++) {
			test_small(word, big);
			test_folio(word, big);
			test_first_page(word, big);
		}
	test_alike_but_one(8, false, false);
	test_alike_but_one(8, true, false);
	test_alike_but_one(4, false, false);
	test_alike_but_one(8, false, true);
	test_alike_but_one(4, true, true);
	test_lost_facts();
	test_buddy();
	test_shared_tails();
	test_alike_chunks();
	test_same_chunks();
	test_average();
	test_mask();
	test_lost_parts();
	test_double_map();
	test_damage();
	test_lost_by_asker();
	test_odd_size();
	test_zsmalloc();
	test_nothing();
	return check_done();
}
