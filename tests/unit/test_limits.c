/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and events of control groups, and pressure, in memory laid out by hand. */
#include "model/cgroup/memcg_limits.h"
#include "model/system/psi.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* A mem_cgroup: its css, then what is read. */
enum {
	CSS_CGROUP = 8, CSS_REF = 16, USAGE = 64, MAX = 72, MEMSW_MAX = 80, SOFT = 88, FAILCNT = 96,
	GROUP = 104, PEAK = 112, EVENTS = 128, LOCAL = 256, CG_ROOT = 8, CG_PSI = 16,
	AVG = 0, TOTAL = 256, UPDATED = 512,
};

#define MEM(n) (0x10000 + (n) * 0x1000)
#define CGROUP(n) (0x20000 + (n) * 0x1000)
#define ROOT 0x30000		/* struct cgroup_root of cgroup2; its cgroup is at the start */
#define REF 0x31000
#define SYSTEM 0x32000
#define OWN 0x33000
#define KEY 0x34000

struct rig {
	struct fake *f;
	struct snapshot s;
	struct cgroup groups[3];
	struct arena mem;
};

static void layout(struct fake *f)
{
	fake_member(f, M_MEMCG_CSS, 0, 56);
	fake_member(f, M_CSS_CGROUP, CSS_CGROUP, 8);
	fake_member(f, M_CSS_REF, CSS_REF, 16);
	fake_member(f, M_REF_DATA, 8, 8);
	fake_member(f, M_REF_COUNT, 0, 8);
	fake_member(f, M_MEMCG_USAGE, USAGE, 8);
	fake_member(f, M_MEMCG_MAX, MAX, 8);
	fake_member(f, M_MEMCG_MEMSW_MAX, MEMSW_MAX, 8);
	fake_member(f, M_MEMCG_SOFT, SOFT, 8);
	fake_member(f, M_MEMCG_FAILCNT, FAILCNT, 8);
	fake_member(f, M_MEMCG_OOM_GROUP, GROUP, 1);
	fake_member(f, M_MEMCG_RES_PEAK, PEAK, 8);
	fake_array(f, M_MEMCG_EVENTS, EVENTS, 8, 10);
	fake_array(f, M_MEMCG_EVENTS_LOCAL, LOCAL, 8, 10);
	fake_enum(f, E_MEMCG_OOM, 3);
	fake_enum(f, E_MEMCG_SWAP_FAIL, 9);
	fake_enum(f, E_MEMCG_SOCK_THROTTLED, 10);	/* beyond the array */
	fake_member(f, M_CGROUP_ROOT, CG_ROOT, 8);
	fake_member(f, M_CGROOT_CGRP, 0, 512);
	fake_symbol(f, Y_CGRP_DFL_ROOT, fake_kva(f, ROOT));
	fake_member(f, M_CGROUP_PSI, CG_PSI, 8);
	f->kernel.layout.v[M_CGROUP_PSI].m.is_pointer = true;
	fake_member(f, M_PSI_AVG, AVG, 168);
	fake_member(f, M_PSI_TOTAL, TOTAL, 112);
	fake_member(f, M_PSI_UPDATED, UPDATED, 8);
	fake_enum(f, E_PSI_MEM_SOME, 2);
	fake_enum(f, E_PSI_MEM_FULL, 3);
	fake_symbol(f, Y_PSI_SYSTEM, fake_kva(f, SYSTEM));
	fake_symbol(f, Y_PSI_DISABLED, fake_kva(f, KEY));
}

static void put(struct rig *r, uint64_t pa, uint64_t v)
{
	fake_put_uint(r->f, pa, v, 8);
}

/* The root, a group of cgroup2, and one of a legacy hierarchy. */
static void start(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	r->f = fake_new(8, false);
	layout(r->f);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t cgrp = i ? CGROUP(i) : ROOT;

		r->groups[i] = (struct cgroup){ .css = fake_kva(r->f, MEM(i)), .memory = true,
						.parent = i == 1 ? 0 : NONE };
		put(r, MEM(i) + CSS_CGROUP, fake_kva(r->f, cgrp));
		put(r, cgrp + CG_ROOT, fake_kva(r->f, i == 2 ? CGROUP(2) : ROOT));
		put(r, MEM(i) + MAX, 1000 + i);
		put(r, MEM(i) + USAGE, (uint64_t)-3);
		put(r, MEM(i) + MEMSW_MAX, INT64_MAX >> 12);
		put(r, MEM(i) + SOFT, 55);
		put(r, MEM(i) + FAILCNT, 66);
		put(r, MEM(i) + GROUP, 1);
		put(r, MEM(i) + PEAK, 77);
		put(r, MEM(i) + EVENTS + 3 * 8, 5);
		put(r, MEM(i) + LOCAL + 3 * 8, 4);
		put(r, MEM(i) + EVENTS + 9 * 8, 9);
	}
	put(r, KEY, 0);
	put(r, CGROUP(1) + CG_PSI, fake_kva(r->f, OWN));
	put(r, SYSTEM + TOTAL + 3 * 8, 7000);
	put(r, OWN + TOTAL + 3 * 8, 1000);
	/* full, over 60 s: 12.5 percent */
	put(r, OWN + AVG + (3 * 3 + 1) * 8, (12 << 11) + 1024);
	put(r, OWN + UPDATED, 12345);
	r->s = (struct snapshot){ .k = &r->f->kernel, .cgroups = r->groups, .ncgroups = 3 };
}

static void end(struct rig *r)
{
	arena_release(&r->mem);
	fake_free(r->f);
}

static void test_values(void)
{
	struct rig r;
	struct memcg_limits *l;

	start(&r);
	r.groups[1].dying = true;
	put(&r, MEM(1) + CSS_REF + 8, fake_kva(r.f, REF));
	put(&r, REF, 321);
	l = memcg_limits_read(&r.s, &r.mem);
	CHECK(l[0].root && !l[0].legacy && !l[1].root && l[2].legacy);
	CHECK_EQ(l[0].v[MEMCG_MAX], UINT64_MAX);	/* the root of v2 has no limits */
	CHECK_EQ(l[1].v[MEMCG_MAX], 1001);
	CHECK_EQ(l[1].v[MEMCG_USAGE], 0);		/* below zero for a moment */
	CHECK_EQ(l[1].v[MEMCG_PEAK], 77);
	CHECK_EQ(l[1].v[MEMCG_OOM_GROUP], 1);
	CHECK_EQ(l[1].v[MEMCG_SOFT], UINT64_MAX);	/* of v1 */
	CHECK_EQ(l[1].v[MEMCG_FAILCNT], UINT64_MAX);
	CHECK_EQ(l[1].count[MEMCG_COUNT_OOM], 5);
	CHECK_EQ(l[1].local[MEMCG_COUNT_OOM], 4);
	CHECK_EQ(l[1].count[MEMCG_COUNT_SWAP_FAIL], 9);
	CHECK_EQ(l[1].count[MEMCG_COUNT_SOCK], UINT64_MAX);
	CHECK_EQ(l[1].count[MEMCG_COUNT_LOW], UINT64_MAX);
	CHECK_EQ(l[1].refs, 321);
	CHECK_EQ(l[2].refs, UINT64_MAX);
	CHECK_EQ(l[2].v[MEMCG_MAX], 1002);
	CHECK_EQ(l[2].v[MEMCG_MEMSW_MAX], MEMCG_NO_LIMIT);
	CHECK_EQ(l[2].v[MEMCG_SOFT], 55);
	CHECK_EQ(l[2].v[MEMCG_FAILCNT], 66);
	CHECK_EQ(l[2].v[MEMCG_OOM_GROUP], UINT64_MAX);
	CHECK_EQ(l[2].count[MEMCG_COUNT_OOM], UINT64_MAX);
	CHECK_EQ(fake_issues(r.f, "cgroup"), 0);
	end(&r);
}

/* res_counter, to 3.18: bytes, and all hierarchies are v1. */
static void test_res_counter(void)
{
	struct rig r;
	struct memcg_limits *l;

	start(&r);
	r.f->kernel.layout.v[Y_CGRP_DFL_ROOT].alt = -1;
	r.f->kernel.layout.v[M_MEMCG_MAX].alt = 2;
	put(&r, MEM(2) + MAX, 8192);
	put(&r, MEM(2) + MEMSW_MAX, INT64_MAX);
	l = memcg_limits_read(&r.s, &r.mem);
	CHECK(l[2].legacy);
	CHECK_EQ(l[2].v[MEMCG_MAX], 2);
	CHECK_EQ(l[2].v[MEMCG_MEMSW_MAX], MEMCG_NO_LIMIT);
	end(&r);
}

static void test_unread(void)
{
	struct rig r;
	struct memcg_limits *l;

	start(&r);
	fake_drop(r.f, MEM(1));
	l = memcg_limits_read(&r.s, &r.mem);
	CHECK_EQ(l[1].v[MEMCG_MAX], UINT64_MAX);
	CHECK(fake_issues(r.f, "cgroup") > 0);
	end(&r);
}

static void test_psi(void)
{
	struct rig r;
	struct psi p, *v;

	start(&r);
	CHECK(psi_of_machine(&r.f->kernel, &p));
	CHECK_EQ(p.total[PSI_MEMORY_FULL], 7000);
	CHECK(p.has[PSI_MEMORY_SOME] && !p.has[PSI_IO_SOME]);
	v = psi_of_cgroups(&r.s, &r.mem);
	CHECK_EQ(v[0].total[PSI_MEMORY_FULL], 7000);	/* the root's is the machine's */
	CHECK_EQ(v[1].total[PSI_MEMORY_FULL], 1000);
	CHECK_EQ(psi_percent100(v[1].avg[PSI_MEMORY_FULL][1]), 1250);
	CHECK_EQ(v[1].avg[PSI_MEMORY_FULL][0], 0);
	CHECK_EQ(v[1].updated, 12345);
	CHECK(!v[2].known);				/* v1 has none */
	CHECK_EQ(fake_issues(r.f, "pressure"), 0);
	/* more than all of the time */
	put(&r, OWN + AVG, 102 << 11);
	put(&r, OWN + AVG + 2 * 3 * 8, 102 << 11);
	CHECK(!psi_of_cgroups(&r.s, &r.mem)[1].known);
	CHECK_EQ(fake_issues(r.f, "pressure"), 1);
	put(&r, KEY, 1);
	CHECK(!psi_of_machine(&r.f->kernel, &p));
	end(&r);
}

int main(void)
{
	test_values();
	test_res_counter();
	test_unread();
	test_psi();
	return check_done();
}
