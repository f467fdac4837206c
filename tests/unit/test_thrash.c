/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Was a machine thrashing: counters and pressure put together by hand. */
#include "reports/machine/thrash_text.h"

#include <math.h>
#include <string.h>

#include "facts/layout/pressure.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define SYSTEM 0x10000		/* psi_system */
#define TASK 0x20000
#define DELAYS 0x21000
enum { AVG = 0, TOTAL = 256, UPDATED = 512, MEMSTALL = 8, TASK_DELAYS = 16 };

struct rig {
	struct fake *f;
	struct snapshot s;
	struct zone_count lines[8];
	struct task tasks[2];
	struct proc procs[2];
	struct arena mem;
	struct thrash t;
};

static void line(struct rig *r, const char *name, uint64_t v)
{
	r->lines[r->s.machine.nvmstat++] = (struct zone_count){ name, v };
}

static void put(struct rig *r, uint64_t pa, uint64_t v)
{
	fake_put_uint(r->f, pa, v, 8);
}

/* Pressure in percent over 10 s, averaged AGE seconds before the dump. */
static void pressure(struct rig *r, uint64_t some, uint64_t full, unsigned age)
{
	put(r, SYSTEM + AVG + 2 * 3 * 8, some << 11);
	put(r, SYSTEM + AVG + 3 * 3 * 8, full << 11);
	put(r, SYSTEM + UPDATED, r->s.machine.uptime - age * UINT64_C(1000000000));
}

static void total(struct rig *r, uint64_t some, uint64_t full)
{
	put(r, SYSTEM + TOTAL + 2 * 8, some * 1000000000);
	put(r, SYSTEM + TOTAL + 3 * 8, full * 1000000000);
}

/* Process 1 and process 50 with one thread each; up for SECONDS. */
static void start(struct rig *r, unsigned seconds)
{
	memset(r, 0, sizeof(*r));
	r->f = fake_new(8, false);
	fake_members(r->f, { M_PSI_AVG, AVG, 168 }, { M_PSI_TOTAL, TOTAL, 112 },
		     { M_PSI_UPDATED, UPDATED, 8 });
	fake_enum(r->f, E_PSI_IO_SOME, 0);
	fake_enum(r->f, E_PSI_IO_FULL, 1);
	fake_enum(r->f, E_PSI_MEM_SOME, 2);
	fake_enum(r->f, E_PSI_MEM_FULL, 3);
	fake_symbol(r->f, Y_PSI_SYSTEM, fake_kva(r->f, SYSTEM));
	fake_members(r->f, { M_TASK_MEMSTALL, MEMSTALL, 4 }, { M_TASK_DELAYS, TASK_DELAYS, 8 },
		     { M_DELAY_THRASH, 24, 8 });
	put(r, TASK + TASK_DELAYS, fake_kva(r->f, DELAYS));
	put(r, DELAYS + 24, 777);
	put(r, TASK + MEMSTALL, 0);
	put(r, TASK + 0x100 + MEMSTALL, 0);
	put(r, TASK + 0x100 + TASK_DELAYS, 0);
	for (unsigned i = 0; i < 2; i++) {
		r->tasks[i] = (struct task){ .addr = fake_kva(r->f, TASK + i * 0x100), .proc = i,
					     .state = i ? 'D' : 'S', .pid = i ? 50 : 1 };
		r->procs[i] = (struct proc){ .pid = i ? 50 : 1, .leader = i, .first_task = i,
					     .ntasks = 1, .mm = NONE, .maj_flt = 100 * seconds,
					     .min_flt = 7, .start_boottime = 1000 + i };
	}
	r->s = (struct snapshot){
		.k = &r->f->kernel, .tasks = r->tasks, .ntasks = 2, .procs = r->procs, .nprocs = 2,
		.machine = { .uptime = seconds * UINT64_C(1000000000), .vmstat = r->lines },
	};
	total(r, 0, 0);
	pressure(r, 0, 0, 1);
}

static const struct thrash *answer(struct rig *r, struct rig *before)
{
	thrash_read(&r->s, before ? &before->s : NULL, &r->mem, &r->t);
	return &r->t;
}

static void end(struct rig *r)
{
	arena_release(&r->mem);
	fake_free(r->f);
}

static void refaults(struct rig *r, uint64_t anon, uint64_t file)
{
	line(r, "workingset_refault_anon", anon);
	line(r, "workingset_refault_file", file);
}

static void one(uint64_t anon, uint64_t file, unsigned some, unsigned full, unsigned age,
		enum thrash_answer want, enum thrash_of of, enum thrash_certainty certainty)
{
	struct rig r;

	start(&r, 100);
	refaults(&r, anon, file);
	pressure(&r, some, full, age);
	answer(&r, NULL);
	CHECK_EQ(r.t.answer, want);
	CHECK_EQ(r.t.of, of);
	CHECK_EQ(r.t.certainty, certainty);
	CHECK(thrash_reason_text(&r.t.reason, &r.mem) != NULL);
	end(&r);
}

TEST(answers)
{
	/* nothing came back: whatever tasks waited for, it was not thrashing */
	one(0, 0, 50, 40, 1, THRASH_NO, THRASH_OF_NONE, THRASH_STRONG);
	one(10, 1000, 50, 40, 1, THRASH_YES, THRASH_OF_FILES, THRASH_FAIR);
	one(1000, 10, 5, 10, 1, THRASH_YES, THRASH_OF_ANON, THRASH_FAIR);
	one(1000, 900, 30, 0, 1, THRASH_YES, THRASH_OF_BOTH, THRASH_FAIR);
	one(1000, 900, 5, 2, 1, THRASH_UNKNOWN, THRASH_OF_BOTH, THRASH_FAIR);
	one(1000, 900, 0, 0, 1, THRASH_NO, THRASH_OF_BOTH, THRASH_FAIR);
	/* averages of a minute ago */
	one(1000, 900, 50, 40, 60, THRASH_UNKNOWN, THRASH_OF_BOTH, THRASH_WEAK);
}

/* SOME memory pressure, tasks wait for disks; process 50, which is in D, had FAULTS major faults. */
static void disk(unsigned memory, unsigned io, uint64_t majors, uint64_t again, uint64_t faults,
		 enum thrash_answer want)
{
	struct rig r;

	start(&r, 100);
	refaults(&r, again, 0);
	line(&r, "pgmajfault", majors);
	pressure(&r, 0, 0, 1);
	put(&r, SYSTEM + AVG + 2 * 3 * 8, memory);
	put(&r, SYSTEM + AVG + 0 * 3 * 8, (uint64_t)io << 11);
	put(&r, SYSTEM + AVG + 1 * 3 * 8, (uint64_t)io << 11);
	r.procs[0].maj_flt = 100;
	r.procs[1].maj_flt = faults;
	answer(&r, NULL);
	CHECK_EQ(r.t.answer, want);
	end(&r);
}

TEST(disk)
{
	/* 0.5 % of the time for memory, 90 % for disks */
	disk(1024, 90, 2000, 1800, 1900, THRASH_YES);
	/* a disk that is busy for other reasons: nothing is reclaimed */
	disk(0, 90, 2000, 1800, 1900, THRASH_NO);
	disk(1024, 5, 2000, 1800, 1900, THRASH_NO);
	/* programs that start: their pages were not there before */
	disk(1024, 90, 2000, 300, 1900, THRASH_NO);
	/* who waits now is not who had the faults */
	disk(1024, 90, 2000, 1800, 50, THRASH_NO);
}

TEST(tasks)
{
	struct rig r;

	start(&r, 100);
	refaults(&r, 0, 100);
	pressure(&r, 50, 40, 1);
	put(&r, TASK + 0x100 + MEMSTALL, 1);
	answer(&r, NULL);
	CHECK_EQ(r.t.certainty, THRASH_STRONG);	/* a task waited at that moment */
	CHECK_EQ(r.t.stalled, 1);
	CHECK_EQ(r.t.blocked, 1);
	CHECK_EQ(r.t.procs[1].stalled, 1);
	CHECK_EQ(r.t.procs[0].delay[2], 777);
	CHECK_EQ(r.t.procs[0].delay[0], UINT64_MAX);
	CHECK_EQ(r.t.procs[1].delay[2], UINT64_MAX);
	end(&r);
}

/* Without PSI, and before refaults of anonymous memory were counted. */
TEST(old_kernel)
{
	struct rig r;

	start(&r, 100);
	r.f->kernel.layout.v[Y_PSI_SYSTEM].alt = -1;
	line(&r, "workingset_refault", 10);
	line(&r, "pswpin", 500);
	answer(&r, NULL);
	CHECK_EQ(r.t.answer, THRASH_UNKNOWN);
	CHECK_EQ(r.t.of, THRASH_OF_ANON);
	CHECK_EQ(r.t.certainty, THRASH_WEAK);
	CHECK_EQ(r.t.stalled, UINT64_MAX);
	CHECK(isnan(r.t.full));
	end(&r);
}

TEST(two)
{
	struct rig a, b;

	start(&a, 100);
	refaults(&a, 100000, 50);
	total(&a, 10, 5);
	start(&b, 120);
	refaults(&b, 100000, 4050);
	total(&b, 18, 9);	/* of 20 s: 8 and 4 */
	answer(&b, &a);
	CHECK(b.t.seconds == 20);
	CHECK(b.t.some > 39.9 && b.t.some < 40.1 && b.t.full > 19.9 && b.t.full < 20.1);
	CHECK_EQ(b.t.answer, THRASH_YES);
	CHECK_EQ(b.t.of, THRASH_OF_FILES);	/* what came back before does not count */
	CHECK_EQ(b.t.certainty, THRASH_STRONG);
	CHECK_EQ(b.t.procs[1].maj_flt, 2000);
	for (size_t i = 0; i < b.t.figures.n; i++)
		if (!strcmp(b.t.figures.v[i].name, "workingset_refault_file")) {
			CHECK_EQ(b.t.figures.v[i].value, 4000);
			CHECK(b.t.figures.v[i].rate == 200);
		}
	/* of another boot */
	a.procs[0].start_boottime++;
	answer(&b, &a);
	CHECK(b.t.seconds == 0);
	end(&a);
	end(&b);
}
