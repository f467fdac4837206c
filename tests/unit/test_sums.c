/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Totals over all rows, incomplete rows, sums that exceed their whole: by hand. */
#include <stdlib.h>
#include <string.h>

#include "model/memory/trust/attributed.h"
#include "model/memory/trust/bounds.h"
#include "model/memory/trust/incomplete.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

#define COLUMNS "pid,pss,uss,rss,swap,rss_kernel,comm"
#define LEGEND "* not all of it could be read (column incomplete says what): sizes are lower " \
	"bounds, - is unknown\n"

/* hand_snapshot(), but the child has its own mm, which maps nothing. */
struct two {
	struct hand h;
	struct mm mms[2];
};

static void two(struct two *t)
{
	struct mm *child = &t->mms[1];

	hand_snapshot(&t->h, 6, 1);
	t->mms[0] = t->h.mms[0];
	t->mms[0].nprocs = 1;
	*child = (struct mm){ .addr = 0xffff888000002000, .users = 1, .owner = 2, .nprocs = 1,
			      .exe = NONE, .map_count = 3, .first_vma = 3, .total_vm = 400,
			      .counter = { [RSS_FILE] = 100, [RSS_ANON] = 200 } };
	t->h.s.mms = t->mms;
	t->h.s.nmms = 2;
	t->h.procs[2].mm = 1;
}

static void check_report(struct two *t, const char *report, const char *format,
			 const char *columns, size_t top, const char *want)
{
	char *got = hand_print(&t->h, report, format, columns, NULL, NULL, top, NULL);

	CHECK_STR(got, want);
	free(got);
}

/* Only the kernel's counters of the largest process are known. */
TEST(unknown)
{
	struct two t;

	two(&t);
	t.mms[1].broken = true;
	check_report(&t, "procs", "text", COLUMNS, 0,
		     "  PID PSS USS RSS SWAP RSS_KERNEL COMM\n"
		     "   11   -   -   -    -       1200 child *\n"
		     "   10  12  12  28    4         28 sh\\x1b[2J\n"
		     "total  12  12  28    4       1228 *\n" LEGEND);
	check_report(&t, "procs", "text", COLUMNS, 1,
		     "  PID PSS USS RSS SWAP RSS_KERNEL COMM\n"
		     "   11   -   -   -    -       1200 child *\n"
		     "total  12  12  28    4       1228 *\n"
		     "1 of 2 rows\n" LEGEND);
	check_report(&t, "procs", "csv", "pid,pss,swap,incomplete", 0,
		     "pid,pss,swap,incomplete\n11,,,vmas\n10,12970,4096,\n");
	/* with the shell it is a group of one user, and a lower bound */
	check_report(&t, "users", "text", "procs,pss,swap,incomplete", 0,
		     "PROCS PSS SWAP INCOMPLETE\n    2  12    4 vmas *\n" LEGEND);
	t.h.procs[2].uid = t.h.procs[2].euid = 5;
	check_report(&t, "users", "text", "user,pss", 0,
		     "USER  PSS\n5       - *\n0      12\ntotal  12 *\n" LEGEND);
	check_report(&t, "programs", "text", "ram,pss,name", 0,
		     "RAM PSS NAME\n  -   - child *\n 12  12 sh\\x1b[2J\n 12  12 total *\n"
		     LEGEND);
	check_report(&t, "cgroups", "csv", "path,pss,incomplete", 0,
		     "path,pss,incomplete\n/user.slice,12970,\n");
}

/* A part is known: it is a lower bound, and the kernel's counters order it. */
TEST(part)
{
	struct two t;

	two(&t);
	t.mms[1].map_count = 0;
	t.mms[1].usage = (struct usage){ .rss = 4096, .pss = UINT64_C(4096) << PSS_SHIFT,
					 .private_clean = 4096, .lost = 8192 };
	check_report(&t, "procs", "text", COLUMNS, 0,
		     "  PID PSS USS RSS SWAP RSS_KERNEL COMM\n"
		     "   11   4   4   4    -       1200 child *\n"
		     "   10  12  12  28    4         28 sh\\x1b[2J\n"
		     "total  16  16  32    4       1228 *\n" LEGEND);
	/* only struct pages are missing: swap is known */
	t.mms[1].usage.lost = 0;
	t.mms[1].usage.unknown = 4096;
	check_report(&t, "procs", "csv", "pid,pss,shmem,swap,incomplete", 0,
		     "pid,pss,shmem,swap,incomplete\n11,4096,,0,struct pages\n10,12970,0,4096,\n");
	CHECK_STR(incomplete_text(INCOMPLETE_VMAS | INCOMPLETE_PAGES), "vmas, struct pages");
}

/* The mm itself is not readable; a kernel thread, in contrast, has none. */
TEST(no_mm)
{
	static const struct report_opts kernel = { .kernel_threads = true };
	struct two t;
	char *got;

	two(&t);
	t.h.procs[2].mm = NONE;
	t.h.procs[2].mm_unread = true;
	got = hand_print(&t.h, "procs", "csv", "pid,pss,rss_kernel,vsz,heap,incomplete", NULL, "pid",
			 0, &kernel);
	CHECK_STR(got, "pid,pss,rss_kernel,vsz,heap,incomplete\n2,0,0,0,0,\n"
		       "10,12970,28672,278528,0,\n11,,,,,mm\n");
	free(got);
	got = hand_print(&t.h, "summary", "csv", "pid,key,value,text", "section = process", NULL, 0,
			 NULL);
	CHECK(strstr(got, "\n11,pss,,child\n") != NULL);
	CHECK(strstr(got, "\n11,incomplete,,mm\n") != NULL);
	free(got);
}

/* Memory that the kernel counts as mapped and no process has; per-CPU counts are included. */
TEST(attributed)
{
	struct zone_count info[] = { { "AnonPages", 40960 }, { "Mapped", 8192 } };
	struct attributed a;
	struct two t;
	char *got;

	two(&t);
	t.mms[1].broken = true;
	t.h.s.machine.meminfo = info;
	t.h.s.machine.nmeminfo = 2;
	t.h.s.machine.mapped_on_cpus = -4096;
	attributed(&t.h.s, &a);
	CHECK_EQ(a.pss, 12970);
	CHECK_EQ(a.counted, 45056);
	CHECK_EQ(a.missing, 28672);	/* division cuts off less than a page */
	got = hand_print(&t.h, "procs", "text", "pid,pss", NULL, NULL, 0, NULL);
	CHECK_STR(got, "  PID PSS\n   11   - *\n   10  12\ntotal  12 *\n" LEGEND
		  "not attributed: 28 of the 44 KiB that the kernel counts as mapped (AnonPages, "
		  "Mapped) are in no pss\n");
	free(got);
	got = hand_print(&t.h, "summary", "csv", "key,value,unit", "section = processes", NULL, 0,
			 NULL);
	CHECK_STR(got, "key,value,unit\nin all processes,12970,bytes\nnot attributed,28672,bytes\n"
		       "mapped,45056,bytes\n");
	free(got);
	/* a parent that could not be read is not process 0 */
	t.h.procs[2].ppid = PID_UNKNOWN;
	got = hand_print(&t.h, "procs", "csv", "pid,ppid", "pid = 11", NULL, 0, NULL);
	CHECK_STR(got, "pid,ppid\n11,\n");
	free(got);
	/* the counts of CPUs are not known: so small a difference does not count */
	t.h.s.machine.mapped_on_cpus = INT64_MIN;
	t.h.s.k->ncpus = 1;
	CHECK(!attributed_text(&t.h.s, &t.h.s.mem));
	info[1].value = UINT64_MAX;
	attributed(&t.h.s, &a);
	CHECK_EQ(a.missing, UINT64_MAX);
}

/* Issues from bounds_check() over T after CHANGE was done to its first mm. */
static uint64_t bounds(struct two *t, void (*change)(struct two *t))
{
	two(t);
	t->mms[0].usage = (struct usage){ .rss = 40960, .pss = UINT64_C(20480) << PSS_SHIFT,
					  .private_dirty = 16384, .swap = 8192,
					  .swap_pss = UINT64_C(8192) << PSS_SHIFT };
	t->h.s.frames.existing = 5;
	t->h.s.built = NEED_USAGE;
	if (change)
		change(t);
	bounds_check(&t->h.s);
	return issues_total(&t->h.issues);
}

static void few_frames(struct two *t) { t->h.s.frames.existing = 4; }
static void much_uss(struct two *t) { t->mms[0].usage.private_clean = 8192; }
static void much_pss(struct two *t) { t->mms[0].usage.rss = 16384; }
static void much_swap(struct two *t) { t->mms[0].usage.swap = 4096; }

static void migrating(struct two *t)
{
	few_frames(t);
	t->mms[0].usage.whole = 4096;
}

static void averages(struct two *t)
{
	few_frames(t);
	much_uss(t);
	t->h.s.frames.average = true;
}

static void small_swap(struct two *t)
{
	static struct zone_count info[] = { { "SwapTotal", 4096 }, { "SwapFree", 0 } };

	t->h.s.machine.meminfo = info;
	t->h.s.machine.nmeminfo = 2;
	t->h.s.built |= NEED_MACHINE;
}

static void much_anon(struct two *t)
{
	static struct zone_count info[] = { { "AnonPages", 4096 } };

	t->h.s.machine.meminfo = info;
	t->h.s.machine.nmeminfo = 1;
	t->h.s.built |= NEED_MACHINE;
	t->h.s.frames.existing = 8192;
	t->mms[0].usage.pss_anon = UINT64_C(4098 * 4096) << PSS_SHIFT;
	t->h.s.told_pages = 1;
}

static void read_anon(struct two *t)
{
	much_anon(t);
	t->h.s.told_pages = 0;
}

static void migrating_anon(struct two *t)
{
	much_anon(t);
	t->mms[0].usage.whole = 4096;
}

TEST(bounds)
{
	struct two t;

	CHECK_EQ(bounds(&t, NULL), 0);
	CHECK_EQ(bounds(&t, few_frames), 1);
	CHECK_EQ(t.h.issues.v[0].kind, ST_CORRUPT);
	CHECK_STR(t.h.issues.v[0].object, "sum above its whole");
	CHECK_STR(t.h.issues.v[0].text[0],
		  "pss of all processes: 20 KiB, more than the 16 KiB of page frames");
	CHECK_EQ(bounds(&t, much_uss), 1);
	CHECK_EQ(bounds(&t, much_pss), 1);
	CHECK_EQ(bounds(&t, much_swap), 1);
	CHECK_EQ(bounds(&t, small_swap), 1);
	CHECK_EQ(bounds(&t, much_anon), 1);
	CHECK_STR(t.h.issues.v[0].text[0],
		  "pss_anon of all processes: 16392 KiB, more than the 4 KiB of AnonPages");
	/* possible values */
	CHECK_EQ(bounds(&t, migrating), 0);
	CHECK_EQ(bounds(&t, averages), 0);
	CHECK_EQ(bounds(&t, migrating_anon), 0);
	/* mapcounts were compared */
	CHECK_EQ(bounds(&t, read_anon), 0);
}

/* Only a machine that panicked crashed, and a clock may never have been set. */
static void check_when(int64_t at, const char *panic, const char *want)
{
	struct two t;
	char *got;

	two(&t);
	t.h.s.machine.crash_time = at;
	t.h.s.machine.panic = panic;
	t.h.s.machine.panic_pid = -1;
	got = hand_print(&t.h, "summary", "csv", "key,value,text", "section = machine and unit = s",
			 NULL, 0, NULL);
	CHECK_STR(got, want);
	free(got);
}

TEST(when)
{
	check_when(1700000000, "Oops",
		   "key,value,text\ncrashed,1700000000,2023-11-14 22:13:20 UTC\n");
	check_when(1700000000, NULL,
		   "key,value,text\ndumped,1700000000,2023-11-14 22:13:20 UTC\n");
	check_when(106, NULL, "key,value,text\ndumped,,at a time unknown: the clock was not set "
			      "(1970-01-01 00:01:46 UTC)\n");
	check_when(0, "Oops", "key,value,text\ncrashed,,at a time unknown\n");
}
