/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generations and lists of one group on one node, and the rate of the clock's ticks, which no type tells. */
#include "facts/layout/base.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/kmem.h"
#include "facts/layout/system.h"
#include "model/kernel/zone/lru_age.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define SECOND UINT64_C(1000000000)

static uint64_t jiffies(uint64_t hz, uint64_t seconds)
{
	return (uint32_t)(-300 * hz) + hz * seconds;
}

TEST(rate)
{
	CHECK_EQ(lru_tick_rate(jiffies(250, 62), 62 * SECOND), 250);
	CHECK_EQ(lru_tick_rate(jiffies(1000, 62), 62 * SECOND), 1000);
	CHECK_EQ(lru_tick_rate(jiffies(100, 400), 401 * SECOND), 100);
	CHECK_EQ(lru_tick_rate(jiffies(1000, 400000), 400000 * SECOND), 1000);
	CHECK_EQ(lru_tick_rate(jiffies(300, 9), 9 * SECOND), 300);
	/* no rate fits */
	CHECK_EQ(lru_tick_rate(jiffies(250, 620), 62 * SECOND), 0);
	CHECK_EQ(lru_tick_rate(12345, 62 * SECOND), 0);
}

/* A node with one zone; a group, whose nodeinfo[] has one element; all of the latter at PER_NODE. */
enum { ZONE = 0x1000, NAME = 0x2000, MEMCG = 0x3000, PER_NODE = 0x4000, ROOT = 0x5000, TICKS = 0x5008 };
enum { NODEINFO = 16, LRUVEC = 64, GEN = 32, SIZES = 0, MAX_SEQ = 0, MIN_SEQ = 8, TIMES = 24, PAGES = 56, ON = 120 };
enum { GEN_AT = PER_NODE + LRUVEC + GEN, ZONE_BYTES = 0x100 };

struct rig {
	struct fake *f;
	struct snapshot s;
	struct cgroup group;
	struct arena mem;
	struct lru_ages ages;
};

static void put(struct rig *r, uint64_t at, int64_t v)
{
	fake_put_uint(r->f, at, (uint64_t)v, 8);
}

static void one_node(struct fake *f)
{
	fake_members(f, { M_ZONE_NAME, 0, 8 }, { M_ZONE_START_PFN, 8, 8 }, { M_ZONE_SPANNED, 16, 8 },
		     { M_ZONE_PRESENT, 24, 8 }, { M_AREA_NR_FREE, 16, 8 }, { M_LIST_NEXT, 0, 8 },
		     { M_LIST_PREV, 8, 8 });
	fake_size(f, S_ZONE, ZONE_BYTES);
	fake_symbol(f, Y_ONE_PGDAT, fake_kva(f, ZONE));
	fake_array(f, M_PGDAT_ZONES, 0, ZONE_BYTES, 1);
	fake_array(f, M_ZONE_WATERMARK, 32, 8, 3);
	fake_array(f, M_ZONE_FREE_AREA, 64, 24, 1);
	fake_array(f, M_AREA_LISTS, 0, 16, 1);
	fake_array(f, M_ZONE_VM_STAT, 128, 8, 2);
	fake_enum(f, E_NR_FREE_PAGES, 0);
	for (unsigned i = 0; i < ZONE_BYTES; i += 8)
		fake_put_uint(f, ZONE + i, 0, 8);
	fake_put(f, NAME, "Normal", 7);
	fake_put_uint(f, ZONE, fake_kva(f, NAME), 8);
	fake_put_uint(f, ZONE + 24, 0x1000, 8);
}

static void start(struct rig *r, bool on)
{
	*r = (struct rig){ .f = fake_new(8, false) };
	one_node(r->f);
	fake_members(r->f, { M_MEMCG_CSS, 0, 8 }, { M_MEMCG_NODEINFO, NODEINFO, 0 }, { M_MCPN_LRUVEC, LRUVEC, 256 },
		     { M_MCPN_LRU_SIZE, SIZES, 40 }, { M_LRUVEC_GEN, GEN, 128 }, { M_LRU_GEN_MAX_SEQ, MAX_SEQ, 8 },
		     { M_LRU_GEN_PAGES, PAGES, 64 }, { M_LRU_GEN_ENABLED, ON, 1 });
	fake_array(r->f, M_LRU_GEN_MIN_SEQ, MIN_SEQ, 8, 2);
	fake_array(r->f, M_LRU_GEN_TIMES, TIMES, 8, 4);
	fake_symbol(r->f, Y_ROOT_MEM_CGROUP, fake_kva(r->f, ROOT));
	fake_symbol(r->f, Y_JIFFIES, fake_kva(r->f, TICKS));
	for (unsigned i = 0; i < 0x200; i += 8)
		put(r, PER_NODE + i, 0);
	put(r, ROOT, (int64_t)fake_kva(r->f, MEMCG));
	put(r, MEMCG + NODEINFO, (int64_t)fake_kva(r->f, PER_NODE));
	put(r, TICKS, (int64_t)jiffies(250, 100));
	fake_put_uint(r->f, GEN_AT + ON, on, 1);
	/* inactive and active anon, the same of file, unevictable */
	for (unsigned i = 0; i < 5; i++)
		put(r, PER_NODE + SIZES + 8 * i, 10 + i);
	r->f->kernel.memmap.max_pfn = 0x1000;
	r->group = (struct cgroup){ .css = fake_kva(r->f, MEMCG), .parent = NONE, .memory = true };
	r->s = (struct snapshot){ .k = &r->f->kernel, .cgroups = &r->group, .ncgroups = 1,
				  .machine.uptime = 100 * SECOND };
}

static uint64_t build(struct rig *r)
{
	CHECK_EQ(lru_ages_build(&r->s, &r->mem, &r->ages), ST_OK);
	return fake_issues(r->f, "lruvec");
}

static void end(struct rig *r)
{
	arena_release(&r->mem);
	fake_free(r->f);
}

TEST(lists)
{
	struct rig r;

	start(&r, false);
	CHECK_EQ(build(&r), 0);
	if (CHECK(r.ages.n == 3 && !r.ages.generations)) {
		const struct lru_age *v = r.ages.v;

		CHECK(v[0].kind == LRU_INACTIVE && v[0].anon == 10 && v[0].file == 12 && !v[0].youngest);
		CHECK(v[1].kind == LRU_ACTIVE && v[1].anon == 11 && v[1].file == 13 && v[1].youngest);
		CHECK(v[2].kind == LRU_UNEVICTABLE && v[2].file == 14);
	}
	end(&r);
}

/* Generations 5 to 7: anonymous pages from 6 on, files from 5. Generation 6 is element 2. */
static void three(struct rig *r)
{
	start(r, true);
	put(r, GEN_AT + MAX_SEQ, 7);
	put(r, GEN_AT + MIN_SEQ, 6);
	put(r, GEN_AT + MIN_SEQ + 8, 5);
	put(r, GEN_AT + TIMES + 8 * 2, (int64_t)jiffies(250, 96));
	put(r, GEN_AT + PAGES + 16 * 1, 99);		/* too old to count */
	put(r, GEN_AT + PAGES + 16 * 1 + 8, 4);
	put(r, GEN_AT + PAGES + 16 * 2, 20);
	put(r, GEN_AT + PAGES + 16 * 2 + 8, -3);	/* below zero for a moment */
}

TEST(generations)
{
	struct rig r;

	three(&r);
	CHECK_EQ(build(&r), 0);
	if (CHECK(r.ages.n == 4 && r.ages.generations)) {
		const struct lru_age *v = r.ages.v;

		CHECK(v[0].seq == 5 && v[0].anon == 0 && v[0].file == 4 && !v[0].youngest);
		CHECK(v[1].seq == 6 && v[1].anon == 20 && v[1].file == 0 && v[1].youngest);
		CHECK_EQ(v[1].ms, 4000);
		CHECK(v[2].seq == 7 && v[3].kind == LRU_UNEVICTABLE && v[3].file == 14);
	}
	end(&r);
}

TEST(damage)
{
	struct rig r;

	three(&r);
	put(&r, GEN_AT + PAGES + 16 * 2, 0x1001);	/* more than the machine has */
	CHECK_EQ(build(&r), 1);
	CHECK(r.ages.n == 4 && r.ages.v[1].anon == LRU_UNKNOWN);
	put(&r, GEN_AT + MIN_SEQ + 8, 3);		/* more than 4 generations */
	CHECK_EQ(build(&r), 2);
	CHECK(r.ages.n == 1 && r.ages.v[0].kind == LRU_UNEVICTABLE);
	put(&r, GEN_AT + MAX_SEQ, -1);			/* a page of ones: the last number that there is */
	put(&r, GEN_AT + MIN_SEQ, -1);
	put(&r, GEN_AT + MIN_SEQ + 8, -1);
	CHECK_EQ(build(&r), 2);
	CHECK_EQ(r.ages.n, 2);
	put(&r, MEMCG + NODEINFO, 8);			/* are there generations? Nothing is told */
	CHECK_EQ(build(&r), 3);
	CHECK_EQ(r.ages.n, 0);
	end(&r);
}
