/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programs, users, cgroups, swap, shm, and the layouts of older tools, over the
 * snapshot made by hand: two processes that share an mm of a file (rss 8 KiB, pss
 * 2730 bytes, uss 4 KiB) and a heap (rss 20, pss 10, uss 8, swap 4, of which 2).
 */
#include <stdlib.h>
#include <unistd.h>

#include "reports/process/accounts.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

static struct zone_count meminfo[] = {
	{ "MemTotal", 1000 << 10 }, { "MemFree", 100 << 10 }, { "Buffers", 10 << 10 },
	{ "Cached", 200 << 10 }, { "AnonPages", 300 << 10 }, { "Mapped", 50 << 10 },
	{ "SReclaimable", 20 << 10 }, { "Shmem", 24 << 10 }, { "Slab", 30 << 10 },
	{ "SwapTotal", 64 << 10 }, { "SwapFree", 56 << 10 }, { "SwapCached", 0 },
};

static void start(struct hand *h)
{
	static struct swap_area area = { .path = "/dev/vdc", .pages = 16, .used = 2, .prio = -2 };

	hand_snapshot(h, 6, 1);
	h->files[0].status_known = true;
	h->procs[1].euid = 7;
	h->vmas[1].usage.swap_uss = 0;
	h->mms[0].usage.swap_cached = 4096;
	h->s.machine.meminfo = meminfo;
	h->s.machine.nmeminfo = sizeof(meminfo) / sizeof(meminfo[0]);
	h->s.machine.swaps = &area;
	h->s.machine.nswaps = 1;
}

static void check_like(const char *report, const struct report_opts *o, const char *columns,
		       const char *want)
{
	struct hand h;
	char *got;

	start(&h);
	got = hand_print(&h, report, "text", columns, NULL, NULL, 0, o);
	CHECK_STR(got, want);
	free(got);
}

#define LIKE(name) (&(const struct report_opts){ .like = name })

TEST(programs)
{
	/* the child runs its parent's file and shares the parent's mm */
	check_like("programs", NULL, NULL,
		"PROCS PRIVATE SHARED RAM PSS USS RSS SWAP SWAP_PSS NAME\n"
		"    1      12      0  12  12  12  28    4        2 sh\\x1b[2J\n"
		"    1       0      0   0   0   0   0    0        0 a\\x0ab [deleted]\n"
		"    2      12      0  12  12  12  28    4        2 total\n");
	/* pss 12970 bytes is 12 kB in smaps_rollup, and half a KiB more; private 12 */
	check_like("programs", LIKE("ps_mem"), NULL,
		" Private  +   Shared  =  RAM used\tProgram\n\n"
		" 12.0 KiB +   0.5 KiB =  12.5 KiB\tsh\\x1b[2J\n"
		"---------------------------------\n"
		"                         12.5 KiB\n"
		"=================================\n");
}

TEST(users)
{
	check_like("users", NULL, "user,procs,pss,rss",
		"USER  PROCS PSS RSS\n"
		"7         1  12  28\n"
		"0         1   0   0\n"
		"total     2  12  28\n");
	check_like("users", LIKE("smem"), NULL,
		"User     Count     Swap      USS      PSS      RSS \n"
		"7            1        4       12       12       28 \n"
		"0            1        0        0        0        0 \n");
}

TEST(smem)
{
	check_like("procs", LIKE("smem"), NULL,
		"  PID User     Command                    "
		"     Swap      USS      PSS      RSS \n"
		"   10 7        sh -c \"a, b\""
		"                       4       12       12       28 \n"
		"   11 0        sh -c \"a, b\""
		"                       4       12       12       28 \n");
	/* none of these tools shows threads */
	check_like("procs", &(const struct report_opts){ .like = "smem", .threads = true,
							 .pid = 10 }, NULL,
		"  PID User     Command                    "
		"     Swap      USS      PSS      RSS \n"
		"   10 7        sh -c \"a, b\""
		"                       4       12       12       28 \n");
	check_like("vmas", LIKE("smem"), NULL,
		"Map                                       PIDs   AVGPSS      PSS \n"
		"<anonymous>                                  2        0        0 \n"
		"/bin/a\\x0ab (deleted)                        2        1        2 \n"
		"[heap]                                       2        5       10 \n");
	/* kernel: 1000 - 100 - 350; its cache: 10 + 20 + 200 - 50 */
	check_like("summary", LIKE("smem"), NULL,
		"Area                           Used      Cache   Noncache \n"
		"firmware/hardware                 0          0          0 \n"
		"kernel image                      0          0          0 \n"
		"kernel dynamic memory           550        180        370 \n"
		"userspace memory                350         50        300 \n"
		"free memory                     100        100          0 \n");
}

TEST(android)
{
	check_like("procs", LIKE("procrank"), NULL,
		"  PID       Vss      Rss      Pss      Uss"
		"     Swap    PSwap    USwap  cmdline\n"
		"   10      272K      28K"
		"      12K      12K       4K       2K       0K  sh -c \"a, b\"\n"
		"   11      272K      28K"
		"      12K      12K       4K       2K       0K  sh -c \"a, b\"\n"
		"                           ------   ------   ------   ------   ------  ------\n"
		"                              12K      12K       4K       2K       0K  TOTAL\n"
		"\n"
		"ZRAM: 0K physical used for 8K in swap (64K total swap)\n"
		" RAM: 1000K total, 100K free, 10K buffers, 200K cached, 24K shmem, 30K slab\n");
	check_like("vmas", LIKE("librank"), NULL,
		" RSStot       VSS      RSS      PSS      USS     Swap  Name/PID\n"
		"     2K                                                /bin/a\\x0ab (deleted)\n"
		"               8K       8K       2K       4K       0K    sh -c \"a, b\" [10]\n"
		"               8K       8K       2K       4K       0K    sh -c \"a, b\" [11]\n"
		"     0K                                                [anon]\n"
		"             132K       0K       0K       0K       0K    sh -c \"a, b\" [10]\n"
		"             132K       0K       0K       0K       0K    sh -c \"a, b\" [11]\n");
	check_like("vmas", &(const struct report_opts){ .like = "showmap", .pid = 11 }, NULL,
		" virtual                     shared   shared  private  private\n"
		"    size      RSS      PSS    clean    dirty    clean    dirty     swap  swapPSS"
		"   #  object\n"
		"-------- -------- -------- -------- -------- -------- -------- -------- --------"
		" ---- ------------------------------\n"
		"       8        8        2        4        0        4        0        0        0"
		"    1 /bin/a\\x0ab (deleted)\n"
		"     132        0        0        0        0        0        0        0        0"
		"    1 [anon]\n"
		"     132       20       10        0       12        0        8        4        2"
		"    1 [heap]\n"
		"-------- -------- -------- -------- -------- -------- -------- -------- --------"
		" ---- ------------------------------\n"
		" virtual                     shared   shared  private  private\n"
		"    size      RSS      PSS    clean    dirty    clean    dirty     swap  swapPSS"
		"   #  object\n"
		"-------- -------- -------- -------- -------- -------- -------- -------- --------"
		" ---- ------------------------------\n"
		"     272       28       12        4       12        4        8        4        2"
		"    3 TOTAL\n");
}

TEST(listings)
{
	check_like("vmas", &(const struct report_opts){ .like = "pmap", .pid = 11 }, NULL,
		"11:   sh -c \"a, b\"\n"
		"Address           Kbytes     RSS   Dirty Mode  Mapping\n"
		"0000000000400000       8       8       0 r-x-- a\\x0ab (deleted)\n"
		"0000555000000000     132      20      20 rw---   [ anon ]\n"
		"00007ffc00000000     132       0       0 rw---   [ anon ]\n"
		"---------------- ------- ------- ------- \n"
		"total kB             272      28      20\n");
	check_like("vmas", &(const struct report_opts){ .like = "smem.pl", .pid = 11 }, NULL,
		"VMSIZE:        272 kb\n"
		"RSS:            28 kb total\n"
		"                16 kb shared\n"
		"                 4 kb private clean\n"
		"                 8 kb private dirty\n"
		"PRIVATE MAPPINGS\n"
		"     vmsize   rss clean   rss dirty   file\n"
		"     132 kb        0 kb        8 kb   [heap]\n"
		"       8 kb        4 kb        0 kb   /bin/a\\x0ab (deleted)\n"
		"\fSHARED MAPPINGS\n"
		"     vmsize   rss clean   rss dirty   file\n"
		"     132 kb        0 kb       12 kb   [heap]\n"
		"       8 kb        4 kb        0 kb   /bin/a\\x0ab (deleted)\n");
}

TEST(groups)
{
	check_like("cgroups", NULL, "usage,anon,procs,pss,all_pss,path",
		"USAGE ANON PROCS PSS ALL_PSS PATH\n"
		"    -    -     1  12      12 /user.slice\n");
}

TEST(swap)
{
	check_like("swap", NULL, NULL,
		"KIND    PID PRIO SIZE USED SHARE SWAP CACHED NAME\n"
		"area      -   -2   64    8     -    -      0 /dev/vdc\n"
		"process  10    -    -    -     2    4      4 sh\\x1b[2J\n"
		"unowned   -    -    -    -     6    -      - slots in use that nothing in the dump"
		" refers to\n"
		"total                          8\n"
		"in use 8 KiB; processes 2, shared memory 0, swap cache only 0, reserved 0 KiB,"
		" difference -6 KiB\n");
}

TEST(shm)
{
	struct hand h;
	char *got;

	start(&h);
	h.files[0] = (struct file){ .path = "/SYSV00005151 (deleted)", .deleted = true,
				    .kind = FILE_SHMEM, .inode = 0x1000, .ino = 42,
				    .size = 16384, .cached = 2, .shmem_swapped = 1 };
	got = hand_print(&h, "shm", "text", "kind,size,resident,swapped,mappers,shmid,key,pid,path",
			 NULL, NULL, 0, NULL);
	CHECK_STR(got,
		"KIND SIZE RESIDENT SWAPPED MAPPERS SHMID    KEY PID PATH\n"
		"sysv   16        8       4       2    42 0x5151  10 /SYSV00005151 (deleted)\n"
		"only mapped objects: not all file systems could be walked\n");
	free(got);
}

TEST(accounts)
{
	char dir[] = "/tmp/vmcensus-accounts-XXXXXX", path[64];
	struct arena mem = { 0 };
	struct accounts a;
	FILE *f;

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(path, sizeof(path), "%s/etc", dir);
	CHECK(!system(arena_printf(&mem, "mkdir %s", path)));
	f = fopen(arena_printf(&mem, "%s/passwd", path), "w");
	if (CHECK(f)) {
		fputs("root:x:0:0:root:/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\n# none\nbad:x:y:0\n"
		      "nobody:x:65534:65534:n:/:/\nbig:x:99999999999:0::\n", f);
		fclose(f);
	}
	accounts_read(&a, dir, &mem);
	CHECK_STR(accounts_name(&a, 0, &mem), "root");
	CHECK_STR(accounts_name(&a, 65534, &mem), "nobody");
	CHECK_STR(accounts_name(&a, 7, &mem), "7");
	CHECK_STR(accounts_name(&a, UINT32_MAX, &mem), "4294967295");
	accounts_read(&a, NULL, &mem);
	CHECK_STR(accounts_name(&a, 0, &mem), "0");
	CHECK(!system(arena_printf(&mem, "rm -r %s", dir)));
	arena_release(&mem);
}

/* Where no struct page could be read, no layout says that there are none. */
static void check_unknown(const char *report, const char *like, const char *want)
{
	const struct report_opts o = { .like = like };
	struct source dump = source_by_hand;
	struct hand h;
	char *got;

	start(&h);
	dump.has |= SOURCE_MEMORY;
	h.k.source = &dump;
	h.mms[0].pgd_pa = 0x1000;
	h.mms[0].usage = (struct usage){ .size = 4096, .unknown = 4096 };
	for (unsigned i = 0; i < 3; i++)
		h.vmas[i].usage = (struct usage){ .size = 4096, .unknown = 4096 };
	got = hand_print(&h, report, "text", NULL, NULL, NULL, 0, &o);
	if (!CHECK(got && strstr(got, want)))
		printf("%s %s:\n%s", report, like ? like : "", got ? got : "");
	free(got);
}

TEST(unknown)
{
	check_unknown("smaps", NULL, "Rss:                   - kB\nPss:                   - kB\n");
	check_unknown("smaps", NULL, "Private_Hugetlb:       - kB\n");
	check_unknown("procs", "smem", "        0        -        -        - \n");
	check_unknown("users", "smem", "        0        -        -        - \n");
	check_unknown("vmas", "smem", "        -        - \n");
	check_unknown("procs", "procrank", "       -K       -K       -K  ");
	check_unknown("programs", "ps_mem", "        - +         - =         -\t");
	check_unknown("vmas", "librank", "     -K");
	check_unknown("vmas", "showmap", "        -        -        -        -        -        -        0 ");
	check_unknown("vmas", "pmap", "       -       - rw-");
	check_unknown("vmas", "smem.pl", "RSS:             - kb total\n");
}

/* A line of meminfo that is not readable is not 0, nor is what it is a part of. */
TEST(unknown_meminfo)
{
	struct zone_count *cached = &meminfo[3];
	const uint64_t was = cached->value;

	cached->value = UINT64_MAX;
	check_unknown("summary", "smem", "kernel dynamic memory           550          -          - \n"
					 "userspace memory                350         50        300 \n");
	check_unknown("procs", "procrank", " RAM: 1000K total, 100K free, 10K buffers, -K cached, 24K shmem");
	cached->value = was;
}
