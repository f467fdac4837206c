/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two snapshots made by hand, of one boot and of two. */
#include <stdlib.h>
#include <string.h>

#include "reports/machine/diff.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

/* The hand snapshot: a shell whose vfork child shares its memory; pss of its heap 10240,
   of a file 2730. */
static void boot(struct hand *h, int64_t at, uint64_t uptime)
{
	static struct zone_count lines[] = { { "MemFree", 8192 }, { "HugePages_Total", 3 },
					     { "Slab", UINT64_MAX } };

	hand_snapshot(h, 6, 1);
	h->s.machine.crash_time = at;
	h->s.machine.uptime = uptime * 1000000000;
	h->s.machine.meminfo = lines;
	h->s.machine.nmeminfo = 3;
}

static char *diff(struct hand *a, struct hand *b, bool all)
{
	const struct report_opts o = { .before = &a->s, .all = all };

	return hand_print(b, "diff", "csv", "what,change,pid,delta,before,after,uss_delta,name",
			  NULL, "what,pid,name,-delta", 0, &o);
}

static void expect(struct hand *a, struct hand *b, bool all, const char *text)
{
	char *got = diff(a, b, all);

	CHECK_STR(got, text);
	free(got);
}

#define HEAD "what,change,pid,delta,before,after,uss_delta,name\n"

TEST(growth)
{
	static struct hand a, b;
	struct usage *heap = &b.vmas[1].usage, *mm = &b.mms[0].usage;
	static struct zone_count less[] = { { "MemFree", 4096 } };

	boot(&a, 1000, 100);
	boot(&b, 1060, 160);
	expect(&a, &b, false, HEAD);
	heap->pss += UINT64_C(4096) << PSS_SHIFT;
	heap->private_dirty += 4096;
	mm->pss += UINT64_C(4096) << PSS_SHIFT;
	mm->private_dirty += 4096;
	b.s.machine.meminfo = less;
	b.s.machine.nmeminfo = 1;
	/* the child shares the mm: one program grows, and two processes */
	expect(&a, &b, false, HEAD
	       "object,grew,,4096,10240,14336,4096,[heap]\n"
	       "process,grew,10,4096,12970,17066,4096,sh\\x1b[2J\n"
	       "process,grew,11,4096,12970,17066,4096,child\n"
	       "program,grew,,4096,12970,17066,4096,/bin/a\\x0ab (deleted)\n"
	       "system,shrank,,-4096,8192,4096,,MemFree\n");
}

/* In one boot, a pid that was used again is another process. */
TEST(identity)
{
	static struct hand a, b;

	boot(&a, 1000, 100);
	boot(&b, 1060, 160);
	b.procs[2].start_boottime = 150000000000;
	expect(&a, &b, false, HEAD
	       "process,new,11,12970,0,12970,12288,child\n"
	       "process,gone,11,-12970,12970,0,-12288,child\n");
	boot(&b, 5000, 50);			/* booted anew: by name */
	b.procs[2].start_boottime = 150000000000;
	b.procs[2].pid = b.tasks[3].pid = b.tasks[3].tgid = 99;
	expect(&a, &b, false, HEAD);
}

/* Processes first, then programs and objects, then meminfo by subject; -n is for each group. */
TEST(groups)
{
	static struct hand a, b;
	struct usage *heap = &b.vmas[1].usage, *mm = &b.mms[0].usage;
	static struct zone_count was[] = {
		{ "DirectMap2M", 2 << 20 }, { "MemTotal", 9 << 20 }, { "MemFree", 2 << 20 },
		{ "SwapFree", 1 << 20 }, { "Slab", 4096 }, { "NewLine", 0 },
	}, is[] = {
		{ "DirectMap2M", 8 << 20 }, { "MemTotal", 9 << 20 }, { "MemFree", 1 << 20 },
		{ "SwapFree", 1 << 19 }, { "Slab", 8192 }, { "NewLine", 1024 },
	};
	struct report_opts o = { .before = &a.s };
	char *got;

	boot(&a, 1000, 100);
	boot(&b, 1060, 160);
	heap->pss += UINT64_C(4096) << PSS_SHIFT;
	heap->swap -= 4096;
	mm->pss += UINT64_C(4096) << PSS_SHIFT;
	mm->swap -= 4096;
	a.s.machine.meminfo = was;
	b.s.machine.meminfo = is;
	a.s.machine.nmeminfo = b.s.machine.nmeminfo = 6;
	got = hand_print(&b, "diff", "text", NULL, NULL, NULL, 0, &o);
	CHECK_STR(got,
"PROCESSES, pss in KiB\n"
"     PID  CHANGE      BEFORE       AFTER      GROWTH        %  USS GROWTH  SWAP GROWTH  NAME\n"
"      11  grew            12          16          +4    +31.6           0           -4  child\n"
"      10  grew            12          16          +4    +31.6           0           -4  sh\\x1b[2J\n"
"\nPROGRAMS, pss in KiB\n"
"  CHANGE      BEFORE       AFTER      GROWTH        %  USS GROWTH  SWAP GROWTH  NAME\n"
"  grew            12          16          +4    +31.6           0           -4  "
	"/bin/a\\x0ab (deleted)\n"
"\nOBJECTS, pss in KiB\n"
"  CHANGE      BEFORE       AFTER      GROWTH        %  USS GROWTH  SWAP GROWTH  NAME\n"
"  grew            10          14          +4    +40.0           0           -4  [heap]\n"
"\nMEMORY, KiB\n"
"  CHANGE      BEFORE       AFTER      GROWTH        %  NAME\n"
"  shrank        2048        1024       -1024    -50.0  MemFree\n"
"\nSWAP, KiB\n"
"  CHANGE      BEFORE       AFTER      GROWTH        %  NAME\n"
"  shrank        1024         512        -512    -50.0  SwapFree\n"
"\nMEMORY OF THE KERNEL, KiB\n"
"  CHANGE      BEFORE       AFTER      GROWTH        %  NAME\n"
"  grew             4           8          +4   +100.0  Slab\n"
"\nHUGE PAGES, KiB\n"
"  CHANGE      BEFORE       AFTER      GROWTH        %  NAME\n"
"  grew          2048        8192       +6144   +300.0  DirectMap2M\n"
"\nOTHER COUNTERS, KiB\n"
"  CHANGE      BEFORE       AFTER      GROWTH        %  NAME\n"
"  grew             0           1          +1        -  NewLine\n");
	free(got);
	o.top = 1;
	got = hand_print(&b, "diff", "csv", "group,what,percent,name", NULL, NULL, 0, &o);
	CHECK_STR(got, "group,what,percent,name\n"
		"processes,process,31.581,child\n"
		"programs,program,31.581,/bin/a\\x0ab (deleted)\n"
		"objects,object,40.000,[heap]\n" "memory,system,-50.000,MemFree\n"
		"swap,system,-50.000,SwapFree\n" "kernel,system,100.000,Slab\n"
		"huge pages,system,300.000,DirectMap2M\n" "other,system,,NewLine\n");
	free(got);
}

/* 560 MiB of pipes: in no process and no line of meminfo. A line of the same name is another thing. */
TEST(classes)
{
	static struct diff_thing old[] = { { .group = "classes", .name = "pipe buffers", .size = 4096 },
					   { .group = "memory", .name = "free", .size = 7 } };
	static struct diff_thing new[] = {
		{ .group = "memory", .name = "free", .size = 7 },
		{ .group = "classes", .name = "pipe buffers", .size = 560 << 20 },
		{ .group = "classes", .name = "free", .size = 8192 },
	};
	const struct table a = { .rows = old, .nrows = 2, .row_size = sizeof(*old) };
	const struct table b = { .rows = new, .nrows = 3, .row_size = sizeof(*new) };
	const struct diff_side before = { .costs = &a, .nodename = "n", .release = "r" };
	const struct diff_side after = { .costs = &b, .nodename = "n", .release = "r" };
	const struct report_opts o = { .all = false };
	struct table t = { .nrows = 0 };
	const struct diff_row *row;

	diff_compare(&before, &after, &o, &t);
	if (CHECK_EQ(t.nrows, 2)) {
		row = t.rows;
		CHECK_STR(row->name, "pipe buffers");
		CHECK_STR(row->what, "class");
		CHECK_STR(row->change, "grew");
		CHECK_EQ((uint64_t)row->delta, (560 << 20) - 4096);
		CHECK_STR(row[1].name, "free");
		CHECK_STR(row[1].change, "new");
	}
	arena_release(&t.mem);
}
