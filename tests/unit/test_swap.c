/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of the types of swap entries, and the references of a slot. */
#include "model/kernel/page/swap.h"

#include "facts/layout/page.h"
#include "facts/layout/swap.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define SI 0x2000		/* struct swap_info_struct { flags, max, map, type } */
#define MAP 0x10000
#define VARS 0x1000
#define PAGES 0x100000		/* struct pages, 64 bytes each: lru at 8 */
#define CLUSTERS 0x20000	/* { table, extend } */
#define TABLE 0x30000
#define EXTEND 0x31000
#define OTHER_TABLE 0x32000

static void rule(struct fake *f, enum rule r)
{
	f->kernel.rules.on[r] = true;
}

static unsigned kinds(const struct swaps *w, enum swap_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 32; i++)
		n += w->kind[i] == kind;
	return n;
}

/* Debian's 6.1: no device memory, pte markers by a symbol, an error type. */
static void test_kinds_6_1(void)
{
	struct fake *f = fake_new(8, false);
	struct swaps w;

	fake_enum(f, E_PG_HWPOISON, 22);
	fake_enum(f, E_PG_ANON_EXCLUSIVE, 17);
	fake_symbol(f, Y_MIGRATE_PAGES, FAKE_BASE);
	fake_symbol(f, Y_MIGRATE_VMA_SETUP, FAKE_BASE);
	fake_symbol(f, Y_PTE_MARKER, FAKE_BASE);
	rule(f, RULE_DEVPRIVATE_IS_PAGE);
	rule(f, RULE_SWP_DEVICE_EXCLUSIVE);
	rule(f, RULE_SWP_SWAPIN_ERROR);
	swaps_init(&w, &f->kernel, f->r);
	CHECK_EQ(kinds(&w, SWAP_SLOT), 26);
	CHECK_EQ(w.kind[25], SWAP_SLOT);
	CHECK_EQ(w.kind[26], SWAP_HWPOISON);
	CHECK_EQ(w.kind[27], SWAP_MIGRATION);
	CHECK_EQ(w.kind[29], SWAP_MIGRATION);
	CHECK_EQ(w.kind[30], SWAP_OTHER);
	CHECK_EQ(w.kind[31], SWAP_OTHER);
	fake_free(f);
}

/* 7.x with device memory: two private types, one exclusive. */
static void test_kinds_7(void)
{
	struct fake *f = fake_new(8, false);
	struct swaps w;

	fake_enum(f, E_PG_HWPOISON, 21);
	fake_enum(f, E_PG_ANON_EXCLUSIVE, 11);
	fake_symbol(f, Y_MIGRATE_PAGES, FAKE_BASE);
	fake_symbol(f, Y_MAKE_DEVICE_EXCLUSIVE, FAKE_BASE);
	rule(f, RULE_DEVPRIVATE_IS_PAGE);
	rule(f, RULE_SWP_DEVICE_EXCLUSIVE);
	rule(f, RULE_SWP_PTE_MARKER);
	f->dump.vmcoreinfo = "NUMBER(MAX_PHYSMEM_BITS)=46\n";
	swaps_init(&w, &f->kernel, f->r);
	CHECK_EQ(kinds(&w, SWAP_SLOT), 24);
	CHECK_EQ(w.kind[24], SWAP_HWPOISON);
	CHECK_EQ(kinds(&w, SWAP_MIGRATION), 3);
	CHECK_EQ(w.kind[28], SWAP_DEVICE_PRIVATE);
	CHECK_EQ(w.kind[29], SWAP_DEVICE_PRIVATE);
	CHECK_EQ(w.kind[30], SWAP_DEVICE_EXCLUSIVE);
	CHECK_EQ(w.kind[31], SWAP_OTHER);
	CHECK_EQ(w.pfn_mask, (UINT64_C(1) << 34) - 1);
	fake_free(f);
}

/* 2.4 and 2.6.11: all are areas. */
static void test_kinds_old(void)
{
	struct fake *f = fake_new(4, true);
	struct swaps w;

	swaps_init(&w, &f->kernel, f->r);
	CHECK_EQ(kinds(&w, SWAP_SLOT), 32);
	CHECK_EQ(w.pfn_mask, UINT64_MAX);
	fake_free(f);
}

/* One area at SI, found through a pointer in swap_info[]. */
static struct fake *area(unsigned word, bool big, uint64_t max)
{
	struct fake *f = fake_new(word, big);

	fake_symbol(f, Y_SWAP_INFO, fake_kva(f, VARS));
	fake_symbol(f, Y_NR_SWAPFILES, fake_kva(f, VARS + 0x100));
	fake_size(f, S_SWAP_INFO, 64);
	fake_members(f, { M_SI_FLAGS, 0, word }, { M_SI_MAX, 8, 4 }, { M_SI_TYPE, 12, 1 });
	fake_put_uint(f, VARS, fake_kva(f, SI), word);
	fake_put_uint(f, VARS + 0x100, 1, 4);
	fake_put_uint(f, SI, 1 | 2, word);
	fake_put_uint(f, SI + 8, max, 4);
	fake_put_uint(f, SI + 60, 0, 4);
	return f;
}

static uint32_t count(struct fake *f, unsigned type, uint64_t offset)
{
	struct swap_cursor c;
	struct swaps w;
	struct swap_slot slot, again;
	bool there;

	swaps_init(&w, &f->kernel, f->r);
	swap_cursor_init(&c, &w, f->r);
	there = swap_slot_read(&c, type, offset, &slot);
	CHECK_EQ(swap_slot_read(&c, type, offset, &again), there);
	CHECK(!there || again.count == slot.count);
	swap_cursor_release(&c);
	return there ? slot.count : 0;
}

/* There is a slot, and its count cannot be read. */
static bool count_is_lost(struct fake *f, unsigned type, uint64_t offset)
{
	struct swap_slot slot;
	struct swap_cursor c;
	struct swaps w;
	bool lost;

	swaps_init(&w, &f->kernel, f->r);
	swap_cursor_init(&c, &w, f->r);
	lost = swap_slot_read(&c, type, offset, &slot) && slot.used && slot.lost;
	swap_cursor_release(&c);
	return lost;
}

/* Flags of a slot: u used, b bad, c cached, s shmem; "?" unreadable. */
static const char *slot_flags(struct fake *f, uint64_t offset, char buf[8])
{
	struct swap_slot slot;
	struct swap_cursor c;
	struct swaps w;
	bool ok;

	swaps_init(&w, &f->kernel, f->r);
	swap_cursor_init(&c, &w, f->r);
	ok = swap_slot_read(&c, 0, offset, &slot);
	swap_cursor_release(&c);
	snprintf(buf, 8, "%s%s%s%s%s", ok ? "" : "?", slot.used ? "u" : "", slot.bad ? "b" : "",
		 slot.cached ? "c" : "", slot.shmem ? "s" : "");
	return buf;
}

/* A count that could not be read is lost; of an area that the kernel does not have there is none. */
static void test_lost(void)
{
	struct fake *f = area(8, false, 8192);
	struct swap_cursor c;
	struct swap_slot slot;
	struct swaps w;

	fake_member(f, M_SI_SWAP_MAP, 16, 8);
	fake_put_uint(f, SI + 16, fake_kva(f, 0x7fff0000), 8);	/* beyond the image */
	swaps_init(&w, &f->kernel, f->r);
	swap_cursor_init(&c, &w, f->r);
	CHECK(!swap_slot_read(&c, 0, 3, &slot) && slot.lost);
	CHECK(!swap_slot_read(&c, 5, 3, &slot) && !slot.lost);
	swap_cursor_release(&c);
	fake_free(f);
}

static void test_map(unsigned word, bool big)
{
	char flags[8];
	struct fake *f = area(word, big, 8192);

	fake_member(f, M_SI_SWAP_MAP, 16, word);
	fake_put_uint(f, SI + 16, fake_kva(f, MAP), word);
	fake_put_uint(f, MAP + 5, 1, 1);
	fake_put_uint(f, MAP + 6, 0x40 | 3, 1);		/* in swap cache too */
	fake_put_uint(f, MAP + 4096 + 7, 62, 1);
	CHECK_EQ(count(f, 0, 5), 1);
	CHECK_EQ(count(f, 0, 6), 3);
	CHECK_EQ(count(f, 0, 4096 + 7), 62);
	CHECK_EQ(count(f, 0, 9), 0);
	CHECK_EQ(fake_issues(f, "swap slot"), 0);
	CHECK_EQ(count(f, 0, 8192), 0);		/* beyond the area */
	fake_put_uint(f, MAP + 10, 0x3f, 1);		/* bad */
	fake_put_uint(f, MAP + 11, 0xbf, 1);		/* of shmem */
	fake_put_uint(f, MAP + 12, 0x40, 1);		/* no user, in swap cache */
	CHECK_STR(slot_flags(f, 5, flags), "u");
	CHECK_STR(slot_flags(f, 6, flags), "uc");
	CHECK_STR(slot_flags(f, 9, flags), "");
	CHECK_STR(slot_flags(f, 10, flags), "b");
	CHECK_STR(slot_flags(f, 11, flags), "us");
	CHECK_STR(slot_flags(f, 12, flags), "uc");
	CHECK_STR(slot_flags(f, 8192, flags), "?");
	CHECK_EQ(count(f, 0, 11), 1);
	CHECK_EQ(count(f, 0, 12), 0);
	CHECK_EQ(count(f, 1, 5), 0);		/* no such area */
	CHECK_EQ(count(f, 63, 5), 0);
	CHECK_EQ(fake_issues(f, "swap slot"), 7);	/* nothing refers to slots that are not there */
	fake_drop(f, MAP + 4096);			/* the count is not 0, but unknown */
	CHECK_EQ(count(f, 0, 4096 + 7), 0);
	CHECK(fake_issues(f, "swap slot") > 0);
	CHECK_EQ(fake_issues(f, "swap area"), 0);
	fake_drop(f, VARS);				/* nor is the number of areas */
	CHECK_EQ(count(f, 0, 5), 0);
	CHECK(fake_issues(f, "swap area") > 0);
	fake_put_uint(f, VARS, fake_kva(f, SI), word);
	fake_put_uint(f, VARS + 0x100, 1, 4);
	fake_put_uint(f, SI, 0, word);		/* not in use */
	CHECK_EQ(count(f, 0, 5), 0);
	fake_free(f);
}

/* 62 users in the map, the rest in pages on the lru list of the map's page. */
static void test_continued(void)
{
	struct fake *f = area(8, false, 4096);
	struct memmap_range range = { .pfn = 0, .end = 256, .page_kva = fake_kva(f, PAGES) };
	uint64_t map_page = PAGES + (MAP >> 12) * 64, more = PAGES + 0x50 * 64;

	fake_member(f, M_SI_SWAP_MAP, 16, 8);
	fake_put_uint(f, SI + 16, fake_kva(f, MAP), 8);
	fake_member(f, M_PAGE_LRU, 8, 16);
	f->kernel.memmap = (struct memmap){ .v = &range, .n = 1, .page_size = 64,
					    .max_pfn = 256, .kva_ascends = true };
	fake_put_uint(f, MAP + 10, 0x80 | 62, 1);
	fake_put_uint(f, map_page + 8, fake_kva(f, more + 8), 8);
	fake_put_uint(f, 0x50000 + 10, 2, 1);
	CHECK_EQ(count(f, 0, 10), 62 + 2 * 63);
	/* and once more, followed by itself: a list that never ends */
	fake_put_uint(f, 0x50000 + 10, 0x80 | 1, 1);
	fake_put_uint(f, more + 8, fake_kva(f, more + 8), 8);
	CHECK(count_is_lost(f, 0, 10));
	/* a wild pointer */
	fake_put_uint(f, map_page + 8, 0x123456789abcull, 8);
	CHECK(count_is_lost(f, 0, 10));
	/* the page of the list is lost */
	fake_put_uint(f, map_page + 8, fake_kva(f, more + 8), 8);
	fake_put_uint(f, 0x50000 + 10, 2, 1);
	CHECK(!count_is_lost(f, 0, 10));
	fake_drop(f, 0x50000);
	CHECK(count_is_lost(f, 0, 10));
	fake_free(f);
}

/* A kernel without swap has no such names; where the names are lost, areas are not known. */
static void test_names_lost(void)
{
	struct fake *f = area(8, false, 4096);
	struct swap_slot slot;
	struct swap_cursor c;
	struct swaps w;

	f->kernel.layout.v[Y_SWAP_INFO].alt = -1;
	f->kernel.layout.v[Y_SWAP_INFO].addr = 0;
	swaps_init(&w, &f->kernel, f->r);
	swap_cursor_init(&c, &w, f->r);
	CHECK(!swap_slot_read(&c, 0, 10, &slot) && !slot.lost);
	swap_cursor_release(&c);
	f->dump.kallsyms_lost = ST_CORRUPT;
	swaps_init(&w, &f->kernel, f->r);
	swap_cursor_init(&c, &w, f->r);
	CHECK(!swap_slot_read(&c, 0, 10, &slot) && slot.lost);
	swap_cursor_release(&c);
	fake_free(f);
}

static void test_map_2_6(void)
{
	struct fake *f = area(4, false, 100);

	/* to 2.6.32: an array of structs, elements of two bytes */
	f->kernel.layout.v[M_SI_TYPE].alt = -1;
	fake_symbol(f, Y_SWAP_INFO, fake_kva(f, SI));
	fake_member(f, M_SI_SWAP_MAP, 16, 4);
	fake_put_uint(f, SI + 16, fake_kva(f, MAP), 4);
	fake_put_uint(f, MAP + 2 * 7, 0x8000 | 5, 2);
	CHECK_EQ(count(f, 0, 7), 5);
	fake_free(f);
}

static void test_table(unsigned word, bool big)
{
	struct fake *f = area(word, big, 4096);
	uint64_t top = UINT64_C(1) << (8 * word - 4);
	char flags[8];

	fake_member(f, M_SI_CLUSTER_INFO, 16, word);
	fake_size(f, S_SWAP_CLUSTER, 2 * word);
	fake_member(f, M_SWAP_CLUSTER_TABLE, 0, word);
	fake_member(f, M_SWAP_CLUSTER_EXTEND, word, word);
	fake_array(f, M_SWAP_TABLE_ENTRIES, 0, word, 512);
	fake_put_uint(f, SI + 16, fake_kva(f, CLUSTERS), word);
	fake_put_uint(f, CLUSTERS + 2 * word, fake_kva(f, TABLE), word);
	fake_put_uint(f, CLUSTERS + 3 * word, 0, word);
	fake_put_uint(f, TABLE + 3 * word, top * 2 | 0x71, word);	/* swapped out */
	fake_put_uint(f, TABLE + 4 * word, top * 7 | 0x1232, word);	/* in swap cache */
	fake_put_uint(f, TABLE + 5 * word, ~UINT64_C(7), word);		/* bad */
	fake_put_uint(f, TABLE + 6 * word, top * 15 | 1, word);		/* many */
	CHECK_EQ(count(f, 0, 512 + 3), 2);
	CHECK_EQ(count(f, 0, 512 + 4), 7);
	CHECK_EQ(count(f, 0, 512 + 5), 0);
	CHECK_EQ(count(f, 0, 512 + 6), 15);
	CHECK_EQ(count(f, 0, 512 + 7), 0);
	CHECK_EQ(count(f, 0, 3), 0);		/* a cluster without a table */
	CHECK_STR(slot_flags(f, 512 + 3, flags), "u");
	CHECK_STR(slot_flags(f, 512 + 4, flags), "uc");
	CHECK_STR(slot_flags(f, 512 + 5, flags), "b");
	CHECK_STR(slot_flags(f, 512 + 7, flags), "");
	CHECK_STR(slot_flags(f, 3, flags), "");
	fake_put_uint(f, CLUSTERS + 3 * word, fake_kva(f, EXTEND), word);
	fake_put_uint(f, EXTEND + 6 * 4, 1000, 4);
	CHECK_EQ(count(f, 0, 512 + 6), 1000);
	CHECK(!count_is_lost(f, 0, 512 + 6));
	fake_drop(f, EXTEND);
	CHECK(count_is_lost(f, 0, 512 + 6));
	CHECK(fake_issues(f, "swap slot") > 0);
	fake_free(f);
}

/* A running machine: a cluster gets another table, in another page. */
static void test_released(void)
{
	struct fake *f = area(8, false, 4096);
	uint64_t top = UINT64_C(1) << 60;
	struct swap_slot slot;
	struct swap_cursor c;
	struct reader *r;
	struct swaps w;

	fake_member(f, M_SI_CLUSTER_INFO, 16, 8);
	fake_size(f, S_SWAP_CLUSTER, 16);
	fake_member(f, M_SWAP_CLUSTER_TABLE, 0, 8);
	fake_member(f, M_SWAP_CLUSTER_EXTEND, 8, 8);
	fake_array(f, M_SWAP_TABLE_ENTRIES, 0, 8, 512);
	fake_put_uint(f, SI + 16, fake_kva(f, CLUSTERS), 8);
	fake_put_uint(f, CLUSTERS, fake_kva(f, TABLE), 8);
	fake_put_uint(f, CLUSTERS + 8, 0, 8);
	fake_put_uint(f, TABLE + 3 * 8, top * 2 | 0x71, 8);
	f->dump.live = true;
	r = reader_new(&f->dump);
	swaps_init(&w, &f->kernel, r);
	swap_cursor_init(&c, &w, r);
	CHECK(swap_slot_read(&c, 0, 3, &slot));
	CHECK_EQ(slot.count, 2);
	fake_put_uint(f, CLUSTERS, fake_kva(f, OTHER_TABLE), 8);
	fake_put_uint(f, OTHER_TABLE + 3 * 8, top * 5 | 0x71, 8);
	fake_put_uint(f, TABLE + 3 * 8, 0, 8);
	swap_cursor_release(&c);
	reader_renew(r);
	CHECK(swap_slot_read(&c, 0, 3, &slot));
	CHECK_EQ(slot.count, 5);
	/* the same table, another count */
	fake_put_uint(f, OTHER_TABLE + 3 * 8, top * 6 | 0x71, 8);
	swap_cursor_release(&c);
	reader_renew(r);
	CHECK(swap_slot_read(&c, 0, 3, &slot));
	CHECK_EQ(slot.count, 6);
	swap_cursor_release(&c);
	reader_free(r);
	fake_free(f);
}

/* An absurd count of areas, wild pointers. */
static void test_hostile(void)
{
	struct fake *f = area(8, false, 8192);

	fake_member(f, M_SI_SWAP_MAP, 16, 8);
	fake_put_uint(f, SI + 16, 0xffff888fffffff00ull, 8);
	fake_put_uint(f, VARS + 0x100, UINT32_MAX, 4);
	fake_put_uint(f, VARS + 8, 0xdeadbeef, 8);
	CHECK_EQ(count(f, 0, 5), 0);
	CHECK_EQ(count(f, 1, 5), 0);
	CHECK(fake_issues(f, "swap area") > 0);
	fake_free(f);
}

int main(void)
{
	test_kinds_6_1();
	test_kinds_7();
	test_kinds_old();
	for (unsigned word = 4; word <= 8; word += 4)
		for (int big = 0; big < 2; big++) {
			test_map(word, big);
			test_table(word, big);
		}
	test_lost();
	test_continued();
	test_names_lost();
	test_map_2_6();
	test_released();
	test_hostile();
	return check_done();
}
