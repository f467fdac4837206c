/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.stat from flushed, pending and per-CPU counts, worked out by hand. */
#include "facts/layout/cgroup.h"
#include "facts/layout/system.h"
#include "model/kernel/cgroup/memcg.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* A mem_cgroup has its css first, then the members that are read. */
enum {
	VMSTATS = 64, PERCPU = 72, EVENTS = 80, LOW = 160, HIGH = 168, SWAP_MAX = 176, PEAK = 184,
	STATE = 0, PENDING = 256, CPU_STATE = 8, CPU_PREV = 264, SIZE = 1024,
	ITEMS = 32, NR_ANON = 3, NR_FILE = 5, NR_KERNEL_STACK = 7, INACTIVE_FILE = 11, PERCPU_B = 20,
};

#define MEM(n) (0x10000 + (n) * 0x4000)
#define STATS(n) (MEM(n) + 0x1000)
#define CPU(n, cpu) (MEM(n) + 0x2000 + (cpu) * 0x1000)	/* percpu: a page apart */
#define INDEX 0x8000

static uint64_t percpu[2] = { 0, 0x1000 };

struct rig {
	struct fake *f;
	struct snapshot s;
	struct cgroup groups[3];
	struct arena mem;
};

static void layout(struct fake *f)
{
	fake_members(f, { M_MEMCG_CSS, 0, 56 }, { M_MEMCG_VMSTATS_PERCPU, PERCPU, 8 },
		     { M_MEMCG_LOW, LOW, 8 }, { M_MEMCG_HIGH, HIGH, 8 },
		     { M_MEMCG_SWAP_MAX, SWAP_MAX, 8 }, { M_MEMCG_PEAK, PEAK, 8 });
	fake_array(f, M_MEMCG_EVENTS, EVENTS, 8, 9);
	fake_size(f, S_VMSTATS, SIZE);
	fake_size(f, S_VMSTATS_CPU, SIZE);
	f->kernel.layout.extent[S_VMSTATS] = f->kernel.layout.extent[S_VMSTATS_CPU] = SIZE;
	fake_enum(f, E_NR_ANON_MAPPED, NR_ANON);
	fake_enum(f, E_NR_FILE_PAGES, NR_FILE);
	fake_enum(f, E_NR_KERNEL_STACK, NR_KERNEL_STACK);
	fake_enum(f, E_NR_INACTIVE_FILE, INACTIVE_FILE);
	fake_enum(f, E_MEMCG_PERCPU, PERCPU_B);
	fake_enum(f, E_MEMCG_NR_STAT, ITEMS);
	fake_enum(f, E_MEMCG_OOM_KILL, 4);
	fake_enum(f, E_MEMCG_LOW, 0);
	f->kernel.ncpus = 2;
	f->kernel.percpu = percpu;
}

/* Root, a child, and a group of another hierarchy that the controller does not know. */
static void start(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	r->f = fake_new(8, false);
	layout(r->f);
	r->groups[0] = (struct cgroup){ .css = fake_kva(r->f, MEM(0)), .parent = NONE,
					.memory = true };
	r->groups[1] = (struct cgroup){ .css = fake_kva(r->f, MEM(1)), .parent = 0,
					.memory = true };
	r->groups[2] = (struct cgroup){ .css = 1, .parent = 0 };
	r->s = (struct snapshot){ .k = &r->f->kernel, .cgroups = r->groups, .ncgroups = 3 };
	for (int n = 0; n < 2; n++) {
		fake_put_uint(r->f, MEM(n) + LOW, 7, 8);
		fake_put_uint(r->f, MEM(n) + HIGH, INT64_MAX >> 12, 8);
		fake_put_uint(r->f, MEM(n) + EVENTS + 4 * 8, 11u + (unsigned)n, 8);
		fake_put_uint(r->f, MEM(n) + PERCPU, fake_kva(r->f, CPU(n, 0)), 8);
		fake_put_uint(r->f, STATS(n), 0, 8);
		fake_put_uint(r->f, CPU(n, 0), 0, 8);
		fake_put_uint(r->f, CPU(n, 1), 0, 8);
	}
}

static void end(struct rig *r)
{
	arena_release(&r->mem);
	fake_free(r->f);
}

static void put(struct rig *r, uint64_t pa, int item, int64_t v)
{
	fake_put_uint(r->f, pa + (unsigned)item * 8, (uint64_t)v, 8);
}

static void rstat(struct rig *r, bool pointer)
{
	fake_array(r->f, M_VMSTATS_STATE, STATE, 8, 32);
	fake_array(r->f, M_VMSTATS_PENDING, PENDING, 8, 32);
	fake_array(r->f, M_VMSTATS_CPU_STATE, CPU_STATE, 8, 32);
	fake_array(r->f, M_VMSTATS_CPU_PREV, CPU_PREV, 8, 32);
	fake_member(r->f, M_MEMCG_VMSTATS, VMSTATS, 8);
	r->f->kernel.layout.v[M_MEMCG_VMSTATS].m.is_pointer = pointer;
	for (int n = 0; n < 2; n++)
		fake_put_uint(r->f, MEM(n) + VMSTATS, fake_kva(r->f, STATS(n)), 8);
}

static void test_rstat(void)
{
	struct rig r;
	struct memcg *m;

	start(&r);
	rstat(&r, true);
	/* flushed into both; the child flushed 2 more that the root has yet to take;
	   the CPUs of the child have 5 less 1, and 3 that went away */
	put(&r, STATS(0) + STATE, NR_ANON, 100);
	put(&r, STATS(0) + PENDING, NR_ANON, 2);
	put(&r, STATS(1) + STATE, NR_ANON, 40);
	put(&r, CPU(1, 0) + CPU_STATE, NR_ANON, 5);
	put(&r, CPU(1, 0) + CPU_PREV, NR_ANON, 1);
	put(&r, CPU(1, 1) + CPU_STATE, NR_ANON, -3);
	put(&r, STATS(1) + STATE, NR_KERNEL_STACK, 16);
	put(&r, STATS(1) + STATE, PERCPU_B, 1234);
	put(&r, CPU(0, 1) + CPU_STATE, NR_FILE, -6);
	put(&r, STATS(1) + STATE, INACTIVE_FILE, 21);
	put(&r, CPU(1, 0) + CPU_STATE, INACTIVE_FILE, -1);
	m = memcgs_read(&r.s, &r.mem);
	CHECK_EQ(m[0].stat[MEMCG_STAT_ANON], (100 + 2 + 4 - 3) * 4096);
	CHECK_EQ(m[1].stat[MEMCG_STAT_ANON], (40 + 4 - 3) * 4096);
	CHECK_EQ(m[1].stat[MEMCG_STAT_KERNEL_STACK], 16 * 1024);
	CHECK_EQ(m[1].stat[MEMCG_STAT_PERCPU], 1234);
	CHECK_EQ(m[0].stat[MEMCG_STAT_FILE], 0);	/* below zero: read between two updates */
	CHECK_EQ(m[0].stat[MEMCG_STAT_SOCK], UINT64_MAX);
	CHECK_EQ(m[1].stat[MEMCG_STAT_INACTIVE_FILE], 20 * 4096);
	CHECK_EQ(m[0].stat[MEMCG_STAT_INACTIVE_ANON], UINT64_MAX);
	CHECK_EQ(m[1].low, 7);
	CHECK_EQ(m[1].high, UINT64_MAX);
	CHECK_EQ(m[0].event[MEMCG_EVENT_OOM_KILL], 11);
	CHECK_EQ(m[1].event[MEMCG_EVENT_OOM_KILL], 12);
	CHECK_EQ(m[1].event[MEMCG_EVENT_OOM], UINT64_MAX);
	CHECK_EQ(m[2].stat[MEMCG_STAT_ANON], UINT64_MAX);
	CHECK_EQ(fake_issues(r.f, "cgroup"), 0);
	end(&r);
}

/* A table has the element for each counter: from 1 on, or from 0 with 255 for unused. */
static void test_mapped(uint8_t unused, uint8_t anon)
{
	struct rig r;
	struct memcg *m;
	uint8_t map[ITEMS];

	start(&r);
	rstat(&r, true);
	memset(map, unused, sizeof(map));
	map[NR_ANON] = anon;
	fake_put(r.f, INDEX, map, sizeof(map));
	fake_symbol(r.f, Y_MEMCG_STATS_INDEX, fake_kva(r.f, INDEX));
	put(&r, STATS(1) + STATE, 9, 77);
	m = memcgs_read(&r.s, &r.mem);
	CHECK_EQ(m[1].stat[MEMCG_STAT_ANON], 77 * 4096);
	CHECK_EQ(m[1].stat[MEMCG_STAT_FILE], UINT64_MAX);
	end(&r);
}

/* 5.2 to 5.12: atomic counters in the mem_cgroup, batches in stat[]. */
static void test_batches(void)
{
	struct rig r;
	struct memcg *m;

	start(&r);
	fake_array(r.f, M_VMSTATS_CPU_STATE, CPU_STATE, 8, 32);
	fake_array(r.f, M_MEMCG_VMSTATS, 512, 8, 32);
	r.f->kernel.layout.v[M_MEMCG_VMSTATS].m.size = 32 * 8;
	put(&r, MEM(0) + 512, NR_ANON, 10);
	put(&r, MEM(1) + 512, NR_ANON, 8);
	put(&r, CPU(0, 1) + CPU_STATE, NR_ANON, 1);
	put(&r, CPU(1, 0) + CPU_STATE, NR_ANON, 31);
	m = memcgs_read(&r.s, &r.mem);
	CHECK_EQ(m[0].stat[MEMCG_STAT_ANON], (10 + 1 + 31) * 4096);
	CHECK_EQ(m[1].stat[MEMCG_STAT_ANON], (8 + 31) * 4096);
	/* 5.4: memory.stat prints counts of the controller's own; slabs are counted in pages */
	fake_enum(r.f, E_MEMCG_RSS, 25);
	fake_enum(r.f, E_NR_SLAB_RECLAIMABLE, 9);
	r.f->kernel.layout.v[E_NR_SLAB_RECLAIMABLE].alt = 1;
	put(&r, MEM(1) + 512, 25, 5);
	put(&r, MEM(1) + 512, 9, 3);
	m = memcgs_read(&r.s, &r.mem);
	CHECK_EQ(m[1].stat[MEMCG_STAT_ANON], 5 * 4096);
	CHECK_EQ(m[1].stat[MEMCG_STAT_SLAB_RECLAIMABLE], 3 * 4096);
	end(&r);
}

/* A statistic that is not in the dump is unknown, and an issue; the rest is shown. */
static void test_damage(void)
{
	struct rig r;
	struct memcg *m;

	start(&r);
	rstat(&r, true);
	put(&r, STATS(0) + STATE, NR_ANON, 100);
	fake_put_uint(r.f, MEM(1) + VMSTATS, 0x1234567, 8);
	m = memcgs_read(&r.s, &r.mem);
	CHECK_EQ(m[0].stat[MEMCG_STAT_ANON], 100 * 4096);
	CHECK_EQ(m[1].stat[MEMCG_STAT_ANON], UINT64_MAX);
	CHECK_EQ(m[1].low, 7);
	CHECK_EQ(fake_issues(r.f, "cgroup"), 1);
	end(&r);
}

int main(void)
{
	test_rstat();
	test_mapped(0, 10);
	test_mapped(UINT8_MAX, 9);
	test_batches();
	test_damage();
	return check_done();
}
