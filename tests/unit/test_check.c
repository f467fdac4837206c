/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check and summary over frames made by hand. */
#include <stdlib.h>

#include "facts/layout/mm.h"
#include "facts/layout/page.h"
#include "model/memory/frames/frames.h"
#include "model/memory/source/capture.h"
#include "model/memory/trust/verify.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

#define FRAMES (1u << FRAME_CHUNK_SHIFT)

static struct frame_given *chunk;
static struct frames packed;

/* The machine of hand_snapshot(), whose counters are right, and its frames. */
static void machine(struct hand *h)
{
	hand_snapshot(h, 6, 1);
	memset(chunk, 0, FRAMES * sizeof(*chunk));
	h->s.frames = (struct frames){ 0 };
	h->s.built |= NEED_FOUND;
	for (unsigned i = 0; i < 10; i++)
		chunk[i].flags = FR_EXISTS;
	h->mms[0].pgd_pa = 0x1000;
	h->tasks[3].state = 'S';
	h->k.layout.v[E_MM_SHMEMPAGES].alt = 0;
	h->k.layout.v[E_MM_SWAPENTS].alt = 0;
	h->k.layout.v[M_PAGE_MAPCOUNT].alt = 0;
}

static void frame(unsigned pfn, uint32_t flags, uint32_t mapcount, uint32_t found)
{
	chunk[pfn] = (struct frame_given){ .flags = FR_EXISTS | flags, .mapcount = mapcount,
				     .found = found };
}

/* The frames of the machine; valid until the next call. */
static void pack(struct hand *h)
{
	frames_free(&packed);
	frames_give(&h->s, &chunk, 1, 100);
	packed = h->s.frames;
}

/* The result is valid until the next call. */
static struct arena built;

static void verify(struct hand *h)
{
	arena_release(&built);
	h->s.mem = (struct arena){ 0 };
	pack(h);
	verify_build(&h->s);
	built = h->s.mem;
}

static void check_text(struct hand *h, bool all, const char *want)
{
	const struct report_opts o = { .all = all };
	char *got;

	verify(h);
	got = hand_print(h, "check", "text", NULL, NULL, NULL, 0, &o);

	CHECK_STR(got, want);
	free(got);
}

static void test_agree(void)
{
	struct hand h;

	machine(&h);
	frame(3, FR_ANON | FR_SWAPBACKED, 2, 2);
	check_text(&h, false, "10 frames agree, 0 differ (1 are mapped);"
		   " 6 counters of 1 mms agree, 0 differ\n");
	check_text(&h, true,
		"EXPLAINED KIND   WHAT      PID PFN FRAMES KERNEL FOUND REASON\n"
		"        1 frames anon        - 0x3      1      2     2 the kernel and the walk agree\n"
		"        1 mm     rss anon   10   -      -      5     5 the kernel and the walk agree\n"
		"        1 mm     rss file   10   -      -      2     2 the kernel and the walk agree\n"
		"        1 mm     rss shmem  10   -      -      0     0 the kernel and the walk agree\n"
		"        1 mm     swap       10   -      -      1     1 the kernel and the walk agree\n"
		"        1 mm     VMAs       10   -      -      3     3 the kernel and the walk agree\n"
		"        1 mm     size       10   -      -     68    68 the kernel and the walk agree\n"
		"10 frames agree, 0 differ (1 are mapped);"
		" 6 counters of 1 mms agree, 0 differ\n");
}

/* 30 pages of arguments, in a mm that no task has yet, count in the old one. */
static void test_execve(void)
{
	struct hand h;

	machine(&h);
	h.mms[0].counter[RSS_ANON] += 30;
	for (unsigned i = 20; i < 50; i++)
		frame(i, FR_ANON | FR_SWAPBACKED, 1, 0);
	h.tasks[3].in_execve = true;
	check_text(&h, false,
		"EXPLAINED KIND   WHAT     PID  PFN FRAMES KERNEL FOUND REASON\n"
		"        1 frames anon       - 0x14     30     30     0 arguments of an execve() that "
		"was not done\n"
		"        1 mm     rss anon  10    -      -     35     5 a task of it was inside "
		"execve(): its new arguments count here\n"
		"10 frames agree, 30 differ (0 are mapped);"
		" 5 counters of 1 mms agree, 1 differ\n");
	CHECK_EQ(issues_total(h.k.issues), 0);
	/* one more page that no process maps */
	frame(50, FR_ANON | FR_SWAPBACKED, 1, 0);
	verify(&h);
	CHECK_EQ(issues_total(h.k.issues), 31);
	/* more than arguments can be */
	machine(&h);
	h.mms[0].counter[RSS_ANON] += 2000;
	h.tasks[3].in_execve = true;
	verify(&h);
	CHECK_EQ(issues_total(h.k.issues), 1);
}

/* 4.18 and earlier: 512 pages of shared memory, mapped whole, are counted as of a file. */
static void test_huge_as_file(void)
{
	struct hand h;

	machine(&h);
	h.mms[0].usage.shmem_huge = h.mms[0].usage.rss_shmem = 2 << 20;
	h.mms[0].usage.rss += 2 << 20;
	h.mms[0].counter[RSS_FILE] += 512;
	check_text(&h, false,
		"EXPLAINED KIND WHAT      PID PFN FRAMES KERNEL FOUND REASON\n"
		"        1 mm   rss file   10   -      -    514     2 this kernel counts huge pages "
		"of shared memory as pages of files\n"
		"        1 mm   rss shmem  10   -      -      0   512 this kernel counts huge pages "
		"of shared memory as pages of files\n"
		"10 frames agree, 0 differ (0 are mapped);"
		" 4 counters of 1 mms agree, 2 differ\n");
	CHECK_EQ(issues_total(h.k.issues), 0);
	/* not by one more page */
	h.mms[0].counter[RSS_FILE]++;
	verify(&h);
	CHECK_EQ(issues_total(h.k.issues), 2);
}

static void test_differ(void)
{
	struct hand h;

	machine(&h);
	frame(2, FR_ANON, 1, 2);
	frame(3, FR_CACHE, 3, 1);
	frame(4, FR_CACHE, 1, 0);
	frame(5, 0, 0, 7);
	chunk[7].flags = FR_UNREAD;
	chunk[7].found = 1;
	h.mms[0].counter[RSS_ANON] = -1;
	h.mms[0].map_count = 4;
	check_text(&h, false,
		"EXPLAINED KIND   WHAT     PID PFN FRAMES KERNEL FOUND REASON\n"
		"        0 frames file       - 0x3      2      4     1 mapped by an mm that"
		" no task uses, or damaged\n"
		"        0 frames anon       - 0x2      1      1     2 more mappings than the kernel"
		" counted\n"
		"        0 mm     rss anon  10   -      -      0     5 unexplained\n"
		"        0 mm     VMAs      10   -      -      4     3 unexplained\n"
		"        1 frames kernel     - 0x7      1      0     1 struct page not in the dump\n"
		"        1 frames kernel     - 0x5      1      0     7 mapped by the kernel or a driver,"
		" which counts no mappings\n"
		"5 frames agree, 5 differ (4 are mapped); 4 counters of 1 mms agree,"
		" 2 differ\n");
	CHECK_EQ(issues_total(&h.issues), 5);
	CHECK_EQ(h.issues.n, 2);
	CHECK_STR(h.issues.v[0].object, "page map count");
	CHECK_EQ(h.issues.v[0].count, 3);
	CHECK_STR(h.issues.v[0].text[1], "1 frames (anon) from pfn 0x2: the kernel counts 1 "
					 "mappings, the walk found 2");
	CHECK_STR(h.issues.v[1].object, "mm counter");
	CHECK_STR(h.issues.v[1].text[0], "rss anon of the mm at 0xffff888000001000 (pid 10): the "
					 "kernel counts 0, the walk found 5");
}

/* The number of unexplained differences, in frames and counters; issues have the same. */
static unsigned unexplained(struct hand *h)
{
	unsigned n = 0;

	h->issues.n = 0;
	memset(h->issues.v, 0, sizeof(h->issues.v));
	verify(h);
	for (unsigned why = 0; why < VERIFY_REASONS; why++)
		for (unsigned kind = 0; kind < VERIFY_KINDS; kind++)
			if (!verify_explained(h->s.verify, why))
				n += (unsigned)h->s.verify->frames[why][kind].frames;
	for (unsigned i = 0; i < h->s.verify->n; i++)
		n += !verify_explained(h->s.verify, h->s.verify->v[i].reason);
	CHECK_EQ(issues_total(&h->issues), n);
	return n;
}

/* A lost table explains at most as many pages as it has entries, and as the mm's counters have. */
static void test_lost(void)
{
	struct hand h;

	machine(&h);
	frame(3, FR_CACHE, 3, 1);
	CHECK_EQ(unexplained(&h), 1);
	h.mms[0].usage.lost = 2 << 12;
	h.mms[0].counter[RSS_FILE] += 2;
	CHECK_EQ(unexplained(&h), 0);
	frame(4, FR_ANON, 1, 0);		/* a third page where two were lost */
	CHECK_EQ(unexplained(&h), 2);
	h.mms[0].usage.lost = 3 << 12;		/* room for it, but no counter has it */
	CHECK_EQ(unexplained(&h), 2);
	frame(4, FR_HUGETLB, 1, 0);		/* these counters never have such pages */
	CHECK_EQ(unexplained(&h), 0);
	frame(4, FR_ANON, 1, 2);
	CHECK_EQ(unexplained(&h), 1);
	frame(4, 0, 0, 0);
	h.mms[0].usage.lost = 0;		/* missing vmas */
	h.mms[0].broken = true;
	CHECK_EQ(unexplained(&h), 2);
	h.mms[0].total_vm += 2;
	h.mms[0].map_count++;
	CHECK_EQ(unexplained(&h), 0);
	h.mms[0].map_count -= 2;		/* fewer than were found */
	CHECK_EQ(unexplained(&h), 1);
}

/* A large folio whose pages have the average of its mappings. */
static void test_average(void)
{
	struct hand h;

	machine(&h);
	h.s.frames.average = true;
	for (unsigned i = 0; i < 16; i++)
		frame(16 + i, FR_CACHE | (i ? FR_TAIL : FR_HEAD) | 4u << FR_ORDER_SHIFT, 1,
		      i == 3 ? 2 : i < 10);
	check_text(&h, false,
		"EXPLAINED KIND   WHAT PID  PFN FRAMES KERNEL FOUND REASON\n"
		"        1 frames file   - 0x13      7      7     2 this kernel keeps only the"
		" average over a large folio\n"
		"19 frames agree, 7 differ (10 are mapped); 6 counters of 1 mms agree,"
		" 0 differ\n");
	chunk[20].mapcount = 2;
	CHECK_EQ(unexplained(&h), 1);
	chunk[20].mapcount = 1;
	for (unsigned i = 0; i < 16; i++)	/* 25 of 16 would be 2 */
		chunk[16 + i].found = i == 3 ? 10 : 1;
	CHECK_EQ(unexplained(&h), 1);
}

static void test_who_ran(void)
{
	struct hand h;

	machine(&h);
	h.mms[0].counter[RSS_ANON] += 1024;
	CHECK_EQ(unexplained(&h), 1);
	h.tasks[3].state = 'R';
	h.tasks[3].mm = 0;
	CHECK_EQ(unexplained(&h), 0);
	h.mms[0].counter[RSS_ANON]++;
	CHECK_EQ(unexplained(&h), 1);
	h.mms[0].reaped = true;
	CHECK_EQ(unexplained(&h), 0);
	h.mms[0].map_count += 2;
	CHECK_EQ(unexplained(&h), 0);
	h.tasks[3].state = 'S';
	CHECK_EQ(unexplained(&h), 1);
	h.mms[0].users = 0;
	CHECK_EQ(unexplained(&h), 0);
}

/* A process in exit has released its mm, whose pages are still mapped. */
static void test_exiting(void)
{
	struct hand h;

	machine(&h);
	frame(3, FR_ANON, 2, 1);
	h.tasks[2].mm = NONE;
	CHECK_EQ(unexplained(&h), 1);
	h.tasks[2].flags = 0x4;
	CHECK_EQ(unexplained(&h), 0);
	chunk[3].mapcount = 3;			/* by one process */
	CHECK_EQ(unexplained(&h), 1);
	chunk[3].flags = FR_EXISTS | FR_CACHE;	/* where two segments of a program meet */
	CHECK_EQ(unexplained(&h), 0);
	chunk[3].mapcount = 4;
	CHECK_EQ(unexplained(&h), 1);
	frame(3, FR_ANON, 2, 1);
	h.tasks[2].state = 'Z';
	CHECK_EQ(unexplained(&h), 1);
	h.tasks[2].state = 'D';
	h.tasks[2].flags |= 0x200000;		/* a kernel thread */
	CHECK_EQ(unexplained(&h), 1);
}

/* Pages that no process should map; and a driver's pages, which count all mappings or none. */
static void test_driver(void)
{
	struct hand h;

	machine(&h);
	frame(3, FR_RESERVED, 0, 2);
	CHECK_EQ(unexplained(&h), 0);
	frame(4, FR_RESERVED, 1, 2);
	frame(5, FR_BUDDY, 0, 1);
	frame(6, FR_PGTABLE, 0, 1);
	frame(7, FR_SLAB, 0, 1);
	CHECK_EQ(unexplained(&h), 4);
}

/* 2.4: a reference may be of any kind, but their number has a bound. */
static void test_references(void)
{
	struct hand h;

	machine(&h);
	h.s.frames.existing = 10;
	h.k.layout.v[M_PAGE_MAPCOUNT].alt = -1;
	h.k.layout.v[M_PAGE_REFCOUNT].alt = 0;
	frame(3, FR_CACHE, 2, 1);
	CHECK_EQ(unexplained(&h), 0);
	chunk[3].mapcount = 0x7ffffffe;
	CHECK_EQ(unexplained(&h), 1);
}

/* Counts of a capture are from different moments. */
static void test_capture(void)
{
	struct hand h;

	machine(&h);
	frame(3, FR_ANON, 2, 1);
	h.k.source = &source_collector;
	verify(&h);
	CHECK_EQ(h.s.verify->differ, 1);
	CHECK_EQ(issues_total(&h.issues), 0);
}

static void test_summary(void)
{
	static const struct report_opts verbose = { .verbose = true };
	static struct zone_count info[] = {
		{ "MemTotal", 64 << 20 }, { "MemFree", 16 << 20 }, { "AnonPages", 8 << 20 },
		{ "Cached", 12 << 20 }, { "Buffers", 1 << 20 }, { "Shmem", 2 << 20 },
		{ "SReclaimable", 1 << 20 }, { "SUnreclaim", 1 << 20 }, { "PageTables", 4096 },
		{ "KernelStack", 8192 }, { "SwapTotal", 1 << 20 }, { "SwapFree", 768 << 10 },
	};
	static struct zone_count vmstat[] = {
		{ "nr_free_pages", 9 }, { "nr_zspages", 3 },
	};
	struct hand h;
	char *got;

	machine(&h);
	h.s.machine.vmstat = vmstat;
	h.s.machine.nvmstat = sizeof(vmstat) / sizeof(vmstat[0]);
	h.s.machine.meminfo = info;
	h.s.machine.nmeminfo = sizeof(info) / sizeof(info[0]);
	h.s.frames.existing = 10;
	h.s.machine.crash_time = 1700000000;
	h.s.machine.uptime = 90061000000000;
	h.s.machine.panic = "Attempted to kill init!";
	h.s.machine.panic_pid = 1;
	h.s.machine.panic_comm = "init";
	h.s.machine.oom_kills = 2;
	h.procs[2].oom_victim = true;
	h.log[1].text = "WARNING: CPU: 0 PID: 1 at x";
	issue_add(&h.issues, ST_NODATA, "vma", 3, "some");
	got = hand_print(&h, "summary", "text", NULL, NULL, NULL, 0, NULL);
	CHECK_STR(got,
		"VERDICT\n"
		"  The kernel counts 2 OOM kills since boot; the log has none, it begins 0 s after boot. [summary]\n"
		"  Memory that no counter of the kernel has was 24 MiB, 39 % of RAM. [census --unknown]\n"
		"\n"
		"kernel     6.1.0-hand\n"
		"host       field \"7\"\n"
		"cpu        x86_64, ? online of ?, ?, pages of 4 KiB\n"
		"crashed    2023-11-14 22:13:20 UTC\n"
		"uptime     1-01:01:01\n"
		"reason     Attempted to kill init!\n"
		"task       init (1)\n"
		"oom_kills  2 killed by the OOM killer since boot\n"
		"victim     child (11), chosen by the OOM killer\n"
		"processes  2 with 3 threads, and 1 kernel threads\n"
		"load       0.00 0.00 0.00 (1, 5, 15 minutes)\n"
		"\n"
		"MEMORY                       KIB       %\n"
		"  total                    65536   100.0  RAM that the kernel manages\n"
		"  free                     16384    25.0  unused\n"
		"  anonymous                 8192    12.5  of processes: heaps, stacks, copied pages\n"
		"  file cache               11264    17.2  contents of files and block devices\n"
		"  shared memory             2048     3.1  tmpfs, memfd, SysV, shared anonymous\n"
		"  slab reclaimable          1024     1.6  reclaimable objects: dentries, inodes\n"
		"  slab                      1024     1.6  unreclaimable objects\n"
		"  page tables                  4     0.0\n"
		"  kernel stacks                8     0.0\n"
		"  compressed                  12     0.0  zsmalloc: pages in zram and zswap\n"
		"  other                    25576    39.0  drivers, vmalloc, free pages held by CPUs\n"
		"\n"
		"SWAP                         KIB       %\n"
		"  total                     1024   100.0\n"
		"  used                       256    25.0\n"
		"\n"
		"LARGEST PROCESSES, KIB\n"
		"       PID         PSS         USS         RSS        SWAP  COMM\n"
		"        10          12          12          28           4  sh\\x1b[2J\n"
		"                    12  in all processes: pss of 1 with memory\n"
		"\n"
		"IN THE LOG (how often, and the last of each)\n"
		"  1 warning: [    1.234567] WARNING: CPU: 0 PID: 1 at x\n"
		"\n"
		"NOT IN THE DUMP: nothing, every page frame is there\n"
		"\n"
		"DAMAGED OR MISSING\n"
		"  no process is concerned; other numbers above may be too small\n"
		"  1 kind of damage: -v lists it\n");
	free(got);
	got = hand_print(&h, "summary", "text", NULL, NULL, NULL, 0, &verbose);
	CHECK(strstr(got, "too small\n  vma                          3  not in the dump\n"));
	free(got);
	/* in a file that ends early, the frames that it should hold are unknown */
	issue_add(&h.issues, ST_NODATA, "truncated image", 1, "by a byte");
	got = hand_print(&h, "summary", "text", NULL, NULL, NULL, 0, NULL);
	CHECK(strstr(got, "NOT IN THE DUMP: how much is unknown, the dump is damaged\n"));
	free(got);
	got = hand_print(&h, "summary", "csv", "section,pid,key,value,unit", "section = process",
			 NULL, 2, NULL);
	CHECK_STR(got, "section,pid,key,value,unit\nprocess,10,pss,12970,bytes\n"
		       "process,10,uss,12288,bytes\n");
	free(got);
}

static bool is_there(void *self, uint64_t pfn)
{
	(void)self;
	return pfn < 10 ? pfn & 1 : pfn == 60;
}

/* All pages that are there are zeros, because the file has holes. */
static uint64_t end_of_data(void *self, uint64_t pfn)
{
	(void)self;
	return pfn | 0x1000;
}

/* A missing slab page: the filter left it out; in an ELF file it may be zeros. And runs of missing
   frames: 20 anonymous, of which the dump has one, and 4 of files behind them. */
static void test_left_out(void)
{
	static const struct pages_ops pages = { .present = is_there, .next = end_of_data };
	static const struct { int level; const char *note; } forms[] = {
		{ 31, "the kernel's own: filter older than the kernel? -d 23 keeps them" },
		{ -1, "\"of zeros, or the kernel's own: filter older than the kernel? -d 22 keeps "
		      "them\"" },
	};
	static const struct image_ops ops;
	static struct image image = { .ops = &ops };
	static struct dump dump;
	struct hand h;
	char want[256], *got;

	machine(&h);
	for (unsigned i = 0; i < 10; i += 2)
		frame(i, i == 4 ? FR_SLAB : FR_BUDDY, 0, 0);
	for (unsigned i = 50; i < 74; i++)
		frame(i, i < 70 ? FR_ANON : FR_CACHE, 0, 0);
	image.pages_present = 5;
	dump.image = &image;
	dump.pages = &pages;
	h.k.dump = &dump;
	for (unsigned i = 0; i < 2; i++) {
		image.header.dump_level = forms[i].level;
		pack(&h);
		got = hand_print(&h, "summary", "csv", "key,value,text", "section = left_out", NULL,
				 0, NULL);
		snprintf(want, sizeof(want),
			 "key,value,text\nfree,16384,\nanonymous,77824,\nfile cache,16384,\n"
			 "slab,4096,%s\n",
			 forms[i].note);
		CHECK_STR(got, want);
		free(got);
	}
}

int main(void)
{
	chunk = calloc(FRAMES, sizeof(*chunk));
	test_agree();
	test_execve();
	test_huge_as_file();
	test_differ();
	test_lost();
	test_average();
	test_who_ran();
	test_exiting();
	test_driver();
	test_references();
	test_capture();
	test_summary();
	test_left_out();
	frames_free(&packed);
	free(chunk);
	arena_release(&built);
	return check_done();
}
