/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Badness and oom_score by release. The expected figures were worked out by hand from
 * oom_badness() and proc_oom_score() of the releases named.
 */
#include <string.h>

#include "facts/layout/task.h"
#include "model/cause/choice/badness.h"
#include "model/kernel/source.h"
#include "tests/unit/check.h"

static struct kernel kernel_of(const char *release)
{
	struct release v = { 0 };
	struct kernel k = { 0 };

	release_parse(release, &v);
	rules_decide(&v, NULL, &k.rules);
	return k;
}

/* A process of 20000 + 3000 + 100 pages on a machine of 1000123 pages. */
static int64_t points(const char *release, int adj, bool admin)
{
	struct badness_of of = { .rss = 20000, .swap = 3000, .tables = 100,
				 .oom_score_adj = adj, .admin = admin };
	struct kernel k = kernel_of(release);
	struct badness b = badness_compute(&k, &of, 1000123);

	CHECK(b.known && !b.unkillable);
	return b.points;
}

TEST(points)
{
	struct badness_of none = { .oom_score_adj = -1000 };
	struct kernel old = kernel_of("2.6.35"), now = kernel_of("7.3");

	CHECK(!badness_compute(&old, &none, 1000123).known);
	CHECK(badness_compute(&now, &none, 1000123).unkillable);
	CHECK(!badness_compute(&now, &none, 0).known);
	/* 23000 * 1000 / 1000123 = 22; with 100 pages of tables 23 */
	CHECK_EQ((uint64_t)points("2.6.36", 0, false), 22);
	CHECK_EQ((uint64_t)points("2.6.39", 0, false), 23);
	CHECK_EQ((uint64_t)points("3.4", 0, true), 1);
	CHECK_EQ((uint64_t)points("3.4", 990, false), 1000);
	/* pages; 1000123 / 1000 = 1000 of them for each step of the adjustment */
	CHECK_EQ((uint64_t)points("3.5", 0, false), 23100);
	CHECK_EQ((uint64_t)points("3.13", 40, true), 33100);
	CHECK_EQ((uint64_t)points("3.14", 40, true), 23100 - 693 + 40000);
	CHECK_EQ((uint64_t)points("4.16", 0, true), 23100 - 693);
	CHECK_EQ((uint64_t)points("4.17", 0, true), 23100);
	/* below 0 */
	CHECK_EQ((uint64_t)points("5.8", -500, false), 1);
	CHECK_EQ((uint64_t)points("5.4.143", -500, false), 1);
	CHECK_EQ((uint64_t)points("5.4.144", -500, false), (uint64_t)(23100 - 500000));
	CHECK_EQ((uint64_t)points("5.9", -500, false), (uint64_t)(23100 - 500000));
}

struct place {
	struct kernel k;
	struct snapshot s;
	struct task task[3];
	struct proc proc[3];
	struct mm mm[2];
	struct zone_count info[2];
};

static const struct source memory = { .has = SOURCE_MEMORY | SOURCE_COUNTERS };

/* init, a kernel thread's place, and one process of 23100 pages as above, in pages of 4 KiB. */
static void place_init(struct place *p, const char *release)
{
	memset(p, 0, sizeof(*p));
	p->k.page_shift = 12;
	p->k.source = &memory;
	p->k.rules = kernel_of(release).rules;
	p->info[0] = (struct zone_count){ "MemTotal", UINT64_C(800123) << 12 };
	p->info[1] = (struct zone_count){ "SwapTotal", UINT64_C(200000) << 12 };
	for (uint32_t i = 0; i < 3; i++) {
		p->task[i] = (struct task){ .pid = (int32_t)i + 1, .proc = i,
					    .mm = i == 1 ? NONE : i / 2 };
		p->proc[i] = (struct proc){ .pid = (int32_t)i + 1, .ppid = (int32_t)i,
					    .first_task = i, .ntasks = 1, .leader = i,
					    .mm = p->task[i].mm, .adj_known = true };
	}
	p->mm[1].counter_approx[RSS_ANON] = 15000;
	p->mm[1].counter_approx[RSS_FILE] = 4000;
	p->mm[1].counter_approx[RSS_SHMEM] = 1000;
	p->mm[1].counter_approx[RSS_SWAP] = 3000;
	p->mm[1].counter[RSS_ANON] = 50000;
	p->mm[1].pgtables_bytes = 100 << 12 | 0xfff;
	p->mm[0] = p->mm[1];
	p->s = (struct snapshot){ .k = &p->k, .tasks = p->task, .ntasks = 3, .procs = p->proc,
				  .nprocs = 3, .mms = p->mm, .nmms = 2 };
	p->s.machine.meminfo = p->info;
	p->s.machine.nmeminfo = 2;
}

TEST(score)
{
	struct place p;

	place_init(&p, "6.1");
	CHECK_EQ(badness_total(&p.s), 1000123);
	/* (1000 + 23100 * 1000 / 1000123) * 2 / 3 = 1023 * 2 / 3 */
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 682);
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[0]), 0); /* init */
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[1]), 0); /* no mm */
	p.proc[2].oom_score_adj = -500;
	/* (23100 - 500000) * 1000 / 1000123 = -476, towards 0 */
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 349);
	p.proc[2].oom_score_adj = 0;
	p.mm[1].flags = 1u << 21;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 0); /* reaped */
	p.mm[1].flags = 0;
	p.task[2].in_vfork = true;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 0);
	place_init(&p, "5.8");
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 23);
	/* RHEL 6: thousandths, with the tables; a task that shares the mm is exempt */
	place_init(&p, "2.6.39");
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 23);
	p.mm[1].oom_disabled = true;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 0);
	place_init(&p, "7.0");
	/* 50000 + 100 pages */
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 700);
}

TEST(unknown)
{
	struct place p;

	place_init(&p, "6.1");
	p.proc[2].mm_unread = true;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), UINT64_MAX);
	place_init(&p, "6.1");
	p.proc[2].adj_known = false;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), UINT64_MAX);
	place_init(&p, "6.1");
	p.s.machine.nmeminfo = 1;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), UINT64_MAX);
	/* shares the mm of its parent, and nothing tells whether by vfork() */
	place_init(&p, "6.1");
	p.k.layout.v[M_TASK_VFORK_DONE].alt = -1;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 682);
	p.proc[2].ppid = 1;
	p.task[2].mm = p.proc[2].mm = 0;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), UINT64_MAX);
	/* nothing tells who is an administrator */
	place_init(&p, "4.16");
	p.k.layout.v[M_CRED_CAPS].alt = -1;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), UINT64_MAX);
	p.k.layout.v[M_CRED_CAPS].alt = 0;
	CHECK_EQ(proc_oom_score(&p.s, &p.proc[2]), 23);
}
