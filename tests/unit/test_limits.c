/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and events of control groups, and pressure, in memory laid out by hand. */
#include "facts/layout/cgroup.h"
#include "model/kernel/cgroup/memcg_limits.h"
#include "model/kernel/machine/psi.h"
#include "tests/unit/check.h"
#include "tests/unit/group_machine.h"

TEST(values)
{
	struct group_machine r;
	struct memcg_limits *l;

	gm_start(&r);
	r.groups[1].dying = true;
	gm_put(&r, GM_MEM(1) + GM_CSS_REF + 8, fake_kva(r.f, GM_REF));
	gm_put(&r, GM_REF, 321);
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
	gm_end(&r);
}

/* res_counter, to 3.18: bytes, and all hierarchies are v1. */
TEST(res_counter)
{
	struct group_machine r;
	struct memcg_limits *l;

	gm_start(&r);
	r.f->kernel.layout.v[Y_CGRP_DFL_ROOT].alt = -1;
	r.f->kernel.layout.v[M_MEMCG_MAX].alt = 2;
	gm_put(&r, GM_MEM(2) + GM_MAX, 8192);
	gm_put(&r, GM_MEM(2) + GM_MEMSW_MAX, INT64_MAX);
	l = memcg_limits_read(&r.s, &r.mem);
	CHECK(l[2].legacy);
	CHECK_EQ(l[2].v[MEMCG_MAX], 2);
	CHECK_EQ(l[2].v[MEMCG_MEMSW_MAX], MEMCG_NO_LIMIT);
	gm_end(&r);
}

TEST(unread)
{
	struct group_machine r;
	struct memcg_limits *l;

	gm_start(&r);
	fake_drop(r.f, GM_MEM(1));
	l = memcg_limits_read(&r.s, &r.mem);
	CHECK_EQ(l[1].v[MEMCG_MAX], UINT64_MAX);
	CHECK(fake_issues(r.f, "cgroup") > 0);
	gm_end(&r);
}

/* Which hierarchy a group is in is not known: its values may be another's. */
TEST(no_root)
{
	static const uint64_t lies[] = { 0x1000, 0, FAKE_BASE + 0x10000000 };

	for (unsigned i = 0; i < 3; i++) {
		struct group_machine r;

		gm_start(&r);
		gm_put(&r, GM_CGROUP(1) + GM_CG_ROOT, lies[i]);
		memcg_limits_read(&r.s, &r.mem);
		CHECK_EQ(fake_issues(r.f, "cgroup"), 1);
		CHECK(!psi_of_cgroups(&r.s, &r.mem)[1].known);
		CHECK_EQ(fake_issues(r.f, "pressure"), i < 2);
		gm_end(&r);
	}
}

TEST(psi)
{
	struct group_machine r;
	struct psi p, *v;

	gm_start(&r);
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
	gm_put(&r, GM_OWN + GM_AVG, 102 << 11);
	gm_put(&r, GM_OWN + GM_AVG + 2 * 3 * 8, 102 << 11);
	CHECK(!psi_of_cgroups(&r.s, &r.mem)[1].known);
	CHECK_EQ(fake_issues(r.f, "pressure"), 1);
	gm_put(&r, GM_KEY, 1);
	CHECK(!psi_of_machine(&r.f->kernel, &p));
	gm_end(&r);
}
