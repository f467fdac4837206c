/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check and summary over frames made by hand. */
#include <stdlib.h>

#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

#define FRAMES (1u << FRAME_CHUNK_SHIFT)

static struct frame *chunk;

/* The machine of hand_snapshot(), whose counters are right, and its frames. */
static void machine(struct hand *h)
{
	hand_snapshot(h, 6, 1);
	memset(chunk, 0, FRAMES * sizeof(*chunk));
	h->s.frames = (struct frames){ .chunk = &chunk, .nchunks = 1, .max_pfn = 100 };
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
	chunk[pfn] = (struct frame){ .flags = FR_EXISTS | flags, .mapcount = mapcount,
				     .found = found };
}

static void check_text(struct hand *h, bool all, const char *want)
{
	const struct report_opts o = { .all = all };
	char *got = hand_print(h, "check", "text", NULL, NULL, NULL, 0, &o);

	CHECK_STR(got, want);
	free(got);
}

static void test_agree(void)
{
	struct hand h;

	machine(&h);
	frame(3, FR_ANON | FR_SWAPBACKED, 2, 2);
	check_text(&h, false, "10 frames agree, 0 differ (1 are mapped);"
		   " 6 counters of 1 address spaces agree, 0 differ\n");
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
		" 6 counters of 1 address spaces agree, 0 differ\n");
}

static void test_differ(void)
{
	struct hand h;

	machine(&h);
	frame(2, FR_ANON, 1, 2);
	frame(3, FR_CACHE, 3, 1);
	frame(4, FR_CACHE, 1, 0);
	frame(5, 0, 0, 7);
	frame(6, FR_CACHE | FR_HEAD | 4u << FR_ORDER_SHIFT, 2, 3);
	chunk[7].flags = FR_UNREAD;
	chunk[7].found = 1;
	h.s.frames.average = true;
	h.mms[0].counter[RSS_ANON] = -1;
	h.mms[0].map_count = 4;
	check_text(&h, false,
		"EXPLAINED KIND   WHAT     PID PFN FRAMES KERNEL FOUND REASON\n"
		"        0 frames file       - 0x3      2      4     1 mapped by an address space that"
		" no task uses, or in flux\n"
		"        0 frames anon       - 0x2      1      1     2 more mappings than the kernel"
		" counted\n"
		"        0 mm     rss anon  10   -      -      0     5 unexplained\n"
		"        0 mm     VMAs      10   -      -      4     3 unexplained\n"
		"        1 frames kernel     - 0x7      1      0     1 struct page not in the dump\n"
		"        1 frames file       - 0x6      1      2     3 this kernel keeps only the"
		" average over a large folio\n"
		"        1 frames kernel     - 0x5      1      0     7 mapped by the kernel or a driver,"
		" which counts no mappings\n"
		"4 frames agree, 6 differ (5 are mapped); 4 counters of 1 address spaces agree,"
		" 2 differ\n");
	/* a lost table explains what was not found */
	h.mms[0].broken = true;
	h.mms[0].map_count = 3;
	h.mms[0].counter[RSS_ANON] = 5;
	h.s.frames.max_pfn = 5;
	check_text(&h, false,
		"EXPLAINED KIND   WHAT PID PFN FRAMES KERNEL FOUND REASON\n"
		"        0 frames anon   - 0x2      1      1     2 more mappings than the kernel"
		" counted\n"
		"        1 frames file   - 0x3      2      4     1 page tables or VMAs not in the dump"
		" may map them\n"
		"2 frames agree, 3 differ (2 are mapped); 6 counters of 1 address spaces agree,"
		" 0 differ\n");
}

static void test_summary(void)
{
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
		"kernel     6.1.0-hand\n"
		"host       field \"7\"\n"
		"cpu        x86_64, 0 online of 0, ?, pages of 4 KiB\n"
		"crashed    2023-11-14 22:13:20 UTC\n"
		"uptime     1-01:01:01\n"
		"reason     Attempted to kill init!\n"
		"task       init (1)\n"
		"oom_kills  2 killed by the OOM killer since boot\n"
		"victim     child (11), chosen by the OOM killer\n"
		"\n"
		"MEMORY                       KIB       %\n"
		"  total                    65536   100.0  RAM that the kernel manages\n"
		"  free                     16384    25.0  unused\n"
		"  anonymous                 8192    12.5  of processes: heaps, stacks, copied pages\n"
		"  file cache               11264    17.2  contents of files and block devices\n"
		"  shared memory             2048     3.1  tmpfs, memfd, SysV, shared anonymous\n"
		"  slab reclaimable          1024     1.6  objects that may go: dentries, inodes\n"
		"  slab                      1024     1.6  objects that stay\n"
		"  page tables                  4     0.0\n"
		"  kernel stacks                8     0.0\n"
		"  compressed                  12     0.0  zsmalloc: pages in zram and zswap\n"
		"  other                    25576    39.0  drivers, vmalloc, free pages held by CPUs\n"
		"\n"
		"SWAP                         KIB       %\n"
		"  total                     1024   100.0\n"
		"  used                       256    25.0\n"
		"\n"
		"       PID         PSS         USS         RSS        SWAP  COMM\n"
		"        10          12          12          28           4  sh\\x1b[2J\n"
		"\n"
		"IN THE LOG (how often, and the last of each)\n"
		"  1 warning: [    1.234567] WARNING: CPU: 0 PID: 1 at x\n"
		"\n"
		"NOT IN THE DUMP: nothing, every page frame is there\n"
		"\n"
		"DAMAGED OR MISSING (what could not be read)\n"
		"  vma                          3  nodata\n");
	free(got);
	got = hand_print(&h, "summary", "csv", "section,pid,key,value,unit", "section = process",
			 NULL, 2, NULL);
	CHECK_STR(got, "section,pid,key,value,unit\nprocess,10,pss,12970,bytes\n"
		       "process,10,uss,12288,bytes\n");
	free(got);
}

static bool is_odd(void *self, uint64_t pfn)
{
	(void)self;
	return pfn & 1;
}

/* A slab page that is not there: by its filter; of an ELF file it may be zeros. */
static void test_left_out(void)
{
	static const struct pages_ops pages = { .present = is_odd };
	static const struct { int level; const char *note; } forms[] = {
		{ 31, "the kernel's own: filter older than the kernel? -d 23 keeps them" },
		{ -1, "\"of zeros, or the kernel's own: filter older than the kernel? -d 22 keeps "
		      "them\"" },
	};
	static struct image image;
	static struct dump dump;
	struct hand h;
	char want[256], *got;

	machine(&h);
	for (unsigned i = 0; i < 10; i += 2)
		frame(i, i == 4 ? FR_SLAB : FR_BUDDY, 0, 0);
	image.pages_present = 5;
	dump.image = &image;
	dump.pages = &pages;
	h.k.dump = &dump;
	for (unsigned i = 0; i < 2; i++) {
		image.header.dump_level = forms[i].level;
		got = hand_print(&h, "summary", "csv", "key,value,text", "section = left_out", NULL,
				 0, NULL);
		snprintf(want, sizeof(want), "key,value,text\nfree,16384,\nslab,4096,%s\n",
			 forms[i].note);
		CHECK_STR(got, want);
		free(got);
	}
}

int main(void)
{
	chunk = calloc(FRAMES, sizeof(*chunk));
	test_agree();
	test_differ();
	test_summary();
	test_left_out();
	free(chunk);
	return check_done();
}
