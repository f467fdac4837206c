/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What CPUs keep of a zone: its lists of free pages, and counts that they have not folded in. */
#include "model/kernel/zone/zones.h"

#include "facts/layout/base.h"
#include "facts/layout/census.h"
#include "facts/layout/kmem.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"
#include "model/kernel/machine/system.h"
#include "model/memory/census/claims.h"
#include "model/memory/census/misplaced.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { ZONE = 0x1000, AREA_BYTES = 24, NAME = 0x2000, PAGESET_BYTES = 64 };
/* Members of the zone; of a CPU's pageset, which is in it. */
enum { SPANNED = 16, PRESENT = 24, MARKS = 32, AREAS = 64, STAT = 128, PAGESET = 192 };
enum { COUNT = 0, LISTS = 8, NLISTS = 2, DIFF = 48 };

struct one_zone {
	struct fake *f;
	struct snapshot s;
	struct arena mem;
};

static struct one_zone *one_zone(void)
{
	static struct one_zone m;
	static uint32_t possible[1];
	struct fake *f = fake_new(8, false);
	const struct { enum layout_id id; uint32_t offset, size; } members[] = {
		{ M_ZONE_NAME, 0, 8 }, { M_ZONE_START_PFN, 8, 8 }, { M_ZONE_SPANNED, SPANNED, 8 },
		{ M_ZONE_PRESENT, PRESENT, 8 }, { M_AREA_NR_FREE, 16, 8 }, { M_LIST_NEXT, 0, 8 },
		{ M_LIST_PREV, 8, 8 }, { M_PCP_COUNT, COUNT, 4 },
	};

	m = (struct one_zone){ .f = f, .s.k = &f->kernel };
	f->kernel.memmap.max_pfn = 0x1000;
	f->kernel.possible = possible;
	f->kernel.ncpus = 1;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		fake_member(f, members[i].id, members[i].offset, members[i].size);
	fake_size(f, S_ZONE, 0x200);
	fake_symbol(f, Y_ONE_PGDAT, fake_kva(f, ZONE));
	fake_array(f, M_PGDAT_ZONES, 0, 0x200, 1);
	fake_array(f, M_ZONE_WATERMARK, MARKS, 8, 3);
	fake_array(f, M_ZONE_FREE_AREA, AREAS, AREA_BYTES, 1);
	fake_array(f, M_AREA_LISTS, 0, 16, 1);
	fake_array(f, M_ZONE_VM_STAT, STAT, 8, 2);
	fake_array(f, M_ZONE_PCP, PAGESET, PAGESET_BYTES, 4);
	fake_array(f, M_PCP_LISTS, LISTS, 16, NLISTS);
	fake_array(f, M_ZONE_CPU_STATS, PAGESET, PAGESET_BYTES, 4);
	fake_array(f, M_ZONE_STAT_DIFF, DIFF, 1, 2);
	fake_enum(f, E_NR_FREE_PAGES, 0);
	for (unsigned i = 0; i < 0x200; i += 8)
		fake_put_uint(f, ZONE + i, 0, 8);
	fake_put(f, NAME, "Normal", 7);
	fake_put_uint(f, ZONE, fake_kva(f, NAME), 8);
	fake_put_uint(f, ZONE + SPANNED, 0x1000, 8);
	fake_put_uint(f, ZONE + PRESENT, 0x1000, 8);
	for (unsigned i = 0; i < NLISTS; i++) {
		uint64_t head = ZONE + PAGESET + LISTS + i * 16;

		fake_put_uint(f, head, fake_kva(f, head), 8);
	}
	return &m;
}

static void release(struct one_zone *m)
{
	arena_release(&m->mem);
	fake_free(m->f);
}

static uint64_t issues_of_zones(struct one_zone *m)
{
	struct zones zs;

	CHECK(!zones_build(&m->s, &m->mem, 0, &zs));
	CHECK(zs.n == 1 && zs.v[0].ncpus == 1);
	return fake_issues(m->f, "zone");
}

/* A CPU counts pages and its lists are empty, or it counts none and one has a page. */
TEST(lists)
{
	struct one_zone *m = one_zone();

	CHECK_EQ(issues_of_zones(m), 0);
	fake_put_uint(m->f, ZONE + PAGESET + COUNT, 1, 4);
	CHECK_EQ(issues_of_zones(m), 1);
	fake_put_uint(m->f, ZONE + PAGESET + LISTS + 16, fake_kva(m->f, 0x3008), 8);
	CHECK_EQ(issues_of_zones(m), 1);
	fake_put_uint(m->f, ZONE + PAGESET + COUNT, 0, 4);
	CHECK_EQ(issues_of_zones(m), 2);
	release(m);
}

/*
 * Four pages on a CPU's list. The link of the second to the third is broken: the third and the
 * fourth are found from the end.
 */
TEST(broken_list)
{
	enum { PAGES_AT = 0x800000, STRUCT_PAGE = 64, LRU = 8, N = 4 };
	static uint8_t chunk[1u << FRAME_CHUNK_SHIFT];
	uint8_t *chunks[] = { chunk };
	struct page_classes classes = { .nchunks = 1, .chunk = chunks };
	struct one_zone *m = one_zone();
	struct memmap_range pages = { .end = 0x1000, .page_kva = fake_kva(m->f, PAGES_AT) };
	struct census c = { .classes = &classes };
	uint64_t head = ZONE + PAGESET + LISTS, last = head;

	m->f->kernel.memmap = (struct memmap){
		.v = &pages, .n = 1, .page_size = STRUCT_PAGE, .max_pfn = 0x1000
	};
	fake_member(m->f, M_PAGE_LRU, LRU, 16);
	for (unsigned i = 0; i <= N; i++) {
		uint64_t at = i < N ? PAGES_AT + i * STRUCT_PAGE + LRU : head;

		fake_put_uint(m->f, last, fake_kva(m->f, at), 8);
		fake_put_uint(m->f, at + 8, fake_kva(m->f, last), 8);
		last = at;
	}
	for (unsigned i = 1; i < NLISTS; i++)
		fake_put_uint(m->f, head + i * 16 + 8, fake_kva(m->f, head + i * 16), 8);
	fake_put_uint(m->f, ZONE + PAGESET + COUNT, N, 4);
	memset(chunk, CLASS_UNKNOWN, sizeof(chunk));
	CHECK(claim_free_on_cpus(&m->s, m->f->r, &m->mem, &c));
	CHECK_EQ(classes.count[CLASS_FREE_CPU].pages, N);
	CHECK_EQ(c.ncpu_lists, 0);

	memset(chunk, CLASS_UNKNOWN, sizeof(chunk));
	memset(classes.count, 0, sizeof(classes.count));
	fake_put_uint(m->f, PAGES_AT + STRUCT_PAGE + LRU, 0x1234, 8);
	CHECK(!claim_free_on_cpus(&m->s, m->f->r, &m->mem, &c));
	CHECK_EQ(fake_issues(m->f, "per-CPU list of free pages"), 1);
	CHECK_EQ(classes.count[CLASS_FREE_CPU].pages, N);
	CHECK_EQ(misplaced_claims(&classes), 0);
	release(m);
}

/* Where a CPU has DIFF pages that are not folded in yet. */
static int64_t pending_of(struct one_zone *m, uint8_t diff)
{
	struct system y = { .k = &m->f->kernel, .mem = &m->mem };

	fake_put_uint(m->f, ZONE + PAGESET + DIFF, diff, 1);
	y.r = m->f->r;			/* a new one: memory has changed */
	return counter_pending(&y, E_NR_FREE_PAGES);
}

/* A CPU folds its count in when that passes the threshold, 125 at most. */
TEST(pending)
{
	struct one_zone *m = one_zone();

	CHECK_EQ(pending_of(m, (uint8_t)-125), -125);
	CHECK_EQ(fake_issues(m->f, "vm counters"), 0);
	CHECK_EQ(pending_of(m, 127), INT64_MIN);
	CHECK_EQ(fake_issues(m->f, "vm counters"), 1);
	CHECK_EQ(pending_of(m, 0x80), INT64_MIN);
	CHECK(counter_is_held_back(&(struct system){ .k = &m->f->kernel }, E_NR_FREE_PAGES));
	m->f->kernel.layout.v[M_ZONE_STAT_DIFF].alt = -1;	/* a kernel that holds nothing back */
	CHECK(!counter_is_held_back(&(struct system){ .k = &m->f->kernel }, E_NR_FREE_PAGES));
	release(m);
}
