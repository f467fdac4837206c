/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports over a snapshot made by hand: exact text, csv and json. */
#include <stdlib.h>

#include "reports/process/vmflags.h"
#include "reports/render/render.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

/* One report of kernel 6.1 in one format, compared with the expected text. */
static void check_print(const char *report, const char *format, const char *columns,
			const char *where, const char *want)
{
	struct hand h;
	char *got;

	hand_snapshot(&h, 6, 1);
	got = hand_print(&h, report, format, columns, where, NULL, 0, NULL);
	CHECK_STR(got, want);
	free(got);
}

static void check_opts(const char *report, const struct report_opts *o, const char *columns,
		       const char *want)
{
	struct hand h;
	char *got;

	hand_snapshot(&h, 6, 1);
	got = hand_print(&h, report, "text", columns, NULL, NULL, 0, o);
	CHECK_STR(got, want);
	free(got);
}

TEST(text)
{
	/* the shared mm counts once; a control character does not reach the terminal */
	check_print("procs", "text", NULL, NULL,
		"  PID  UID STATE THREADS PSS USS RSS SWAP SWAP_PSS ANON FILE SHMEM OOM_SCORE_ADJ COMM\n"
		"   10 1000 S           2  12  12  28    4        2   20    8     0          -500 sh\\x1b[2J\n"
		"   11 1000 R           1  12  12  28    4        2   20    8     0             0 child\n"
		"total                  3  12  12  28    4        2   20    8     0\n");
	check_print("procs", "text", "cgroup,pid,utime,mm", NULL,
		"CGROUP      PID    UTIME                 MM\n"
		"/user.slice  10 00:01:01 0xffff888000001000\n"
		"-            11 00:00:00 0xffff888000001000\n");
	check_print("vmas", "text", NULL, "size > 8K",
		"  PID COMM               START PERMS SIZE RSS PSS USS SWAP NAME\n"
		"   10 sh\\x1b[2J 0x555000000000 rw-p   132  20  10   8    4 [heap]\n"
		"   10 sh\\x1b[2J 0x7ffc00000000 rw-p   132   0   0   0    0 -\n"
		"total                                 264  20  10   8    4\n");
	check_print("procs", "text", NULL, "pid = 77",
		"PID UID STATE THREADS PSS USS RSS SWAP SWAP_PSS ANON FILE SHMEM OOM_SCORE_ADJ COMM\n");
}

TEST(procs_options)
{
	static const struct report_opts threads = { .threads = true },
		kernel = { .kernel_threads = true }, one = { .pid = 11 }, none = { .pid = 99 },
		thread = { .pid = 12 };

	check_opts("procs", &threads, "pid,tid,comm,state,minflt,rss",
		"  PID TID COMM      STATE MINFLT RSS\n"
		"   10  10 sh\\x1b[2J S          0  28\n"
		"   10  12 worker    D          7  28\n"
		"   11  11 child     R          0  28\n"
		"total                          7  28\n");
	check_opts("procs", &kernel, "pid,rss",
		"  PID RSS\n   10  28\n   11  28\n    2   0\ntotal  28\n");
	check_opts("procs", &one, "pid,rss", "PID RSS\n 11  28\n");
	check_opts("procs", &none, "pid",
		"no process 99 in the dump; \"procs --kernel\" lists all");
	check_opts("procs", &thread, "pid", "12 is a thread of process 10; use --pid 10");
}

TEST(csv)
{
	check_print("procs", "csv", "pid,pss,mm,utime,cgroup,cmdline,exe", NULL,
		"pid,pss,mm,utime,cgroup,cmdline,exe\n"
		"10,12970,0xffff888000001000,61000000000,/user.slice,\"sh -c \"\"a, b\"\"\","
		"/bin/a\\x0ab (deleted)\n"
		"11,12970,0xffff888000001000,0,,\"sh -c \"\"a, b\"\"\","
		"/bin/a\\x0ab (deleted)\n");
	check_print("dmesg", "csv", "ts,text", "level = 3", "ts,text\n"
		"1234567890,bad \\x80 \\x1b]0;x\\x07\n");
}

TEST(json)
{
	check_print("procs", "json", "pid,comm,cgroup,pss", "pid = 11 or pid = 10",
		"{\"vmcensus\": \"" VMCENSUS_VERSION "\",\n"
		" \"image\": {\"paths\": [\"vm\\\\xffcore\"], \"format\": null, \"compression\": null,"
		" \"release\": \"6.1.0-hand\", \"version\": null, \"machine\": null,"
		" \"nodename\": \"field \\\"7\\\"\", \"arch\": \"x86_64\", \"page_size\": 4096,"
		" \"dump_level\": null, \"crash_time\": null},\n"
		" \"report\": \"procs\",\n"
		" \"columns\": [\n"
		"  {\"name\": \"pid\", \"unit\": \"\", \"about\": \"process id, as the initial pid"
		" namespace counts\"},\n"
		"  {\"name\": \"comm\", \"unit\": \"\", \"about\": \"name of the task\"},\n"
		"  {\"name\": \"cgroup\", \"unit\": \"\", \"about\": \"control group\"},\n"
		"  {\"name\": \"pss\", \"unit\": \"bytes\", \"about\": \"proportional: each page divided"
		" by the number of its mappings\"}],\n"
		" \"rows\": [\n"
		"  {\"pid\": 10, \"comm\": \"sh\\u001b[2J\", \"cgroup\": \"/user.slice\","
		" \"pss\": 12970},\n"
		"  {\"pid\": 11, \"comm\": \"child\", \"cgroup\": null, \"pss\": 12970}],\n"
		" \"issues\": []}\n");
}

/* ---- /proc's own text --------------------------------------------------------- */

static const char heap_maps[] =
	"555000000000-555000021000 rw-p 00000000 00:00 0                          [heap]\n";

/* smaps of the heap as kernel MAJOR.MINOR prints it. */
static void check_smaps(int major, int minor, const char *want)
{
	static const struct report_opts o = { .pid = 10 };
	struct hand h;
	char *got;
	char text[2048];

	hand_snapshot(&h, major, minor);
	got = hand_print(&h, "smaps", "text", NULL, "name = '[heap]'", NULL, 0, &o);
	snprintf(text, sizeof(text), "%s%s", heap_maps, want);
	CHECK_STR(got, text);
	free(got);
}

TEST(smaps)
{
	check_smaps(6, 1, "Size:                132 kB\n" "KernelPageSize:        4 kB\n"
		"MMUPageSize:           4 kB\n" "Rss:                  20 kB\n"
		"Pss:                  10 kB\n" "Pss_Dirty:            10 kB\n"
		"Shared_Clean:          0 kB\n" "Shared_Dirty:         12 kB\n"
		"Private_Clean:         0 kB\n" "Private_Dirty:         8 kB\n"
		"Referenced:           20 kB\n" "Anonymous:            20 kB\n"
		"LazyFree:              0 kB\n" "AnonHugePages:         0 kB\n"
		"ShmemPmdMapped:        0 kB\n" "FilePmdMapped:         0 kB\n"
		"Shared_Hugetlb:        0 kB\n" "Private_Hugetlb:       0 kB\n"
		"Swap:                  4 kB\n" "SwapPss:               2 kB\n"
		"Locked:                0 kB\n" "THPeligible:    0\n"
		"VmFlags: rd wr mr mw me ac sd \n");
	check_smaps(6, 12, "Size:                132 kB\n" "KernelPageSize:        4 kB\n"
		"MMUPageSize:           4 kB\n" "Rss:                  20 kB\n"
		"Pss:                  10 kB\n" "Pss_Dirty:            10 kB\n"
		"Shared_Clean:          0 kB\n" "Shared_Dirty:         12 kB\n"
		"Private_Clean:         0 kB\n" "Private_Dirty:         8 kB\n"
		"Referenced:           20 kB\n" "Anonymous:            20 kB\n"
		"KSM:                   0 kB\n"
		"LazyFree:              0 kB\n" "AnonHugePages:         0 kB\n"
		"ShmemPmdMapped:        0 kB\n" "FilePmdMapped:         0 kB\n"
		"Shared_Hugetlb:        0 kB\n" "Private_Hugetlb:       0 kB\n"
		"Swap:                  4 kB\n" "SwapPss:               2 kB\n"
		"Locked:                0 kB\n" "THPeligible:           0\n"
		"VmFlags: rd wr mr mw me ac sd \n");
	/* its Locked is Pss, locked or not */
	check_smaps(4, 14, "Size:                132 kB\n" "KernelPageSize:        4 kB\n"
		"MMUPageSize:           4 kB\n" "Rss:                  20 kB\n"
		"Pss:                  10 kB\n"
		"Shared_Clean:          0 kB\n" "Shared_Dirty:         12 kB\n"
		"Private_Clean:         0 kB\n" "Private_Dirty:         8 kB\n"
		"Referenced:           20 kB\n" "Anonymous:            20 kB\n"
		"LazyFree:              0 kB\n" "AnonHugePages:         0 kB\n"
		"ShmemPmdMapped:        0 kB\n"
		"Shared_Hugetlb:        0 kB\n" "Private_Hugetlb:       0 kB\n"
		"Swap:                  4 kB\n" "SwapPss:               2 kB\n"
		"Locked:               10 kB\n"
		"VmFlags: rd wr mr mw me ac sd \n");
	check_smaps(4, 4, "Size:                132 kB\n" "Rss:                  20 kB\n"
		"Pss:                  10 kB\n"
		"Shared_Clean:          0 kB\n" "Shared_Dirty:         12 kB\n"
		"Private_Clean:         0 kB\n" "Private_Dirty:         8 kB\n"
		"Referenced:           20 kB\n" "Anonymous:            20 kB\n"
		"AnonHugePages:         0 kB\n"
		"Shared_Hugetlb:        0 kB\n" "Private_Hugetlb:       0 kB\n"
		"Swap:                  4 kB\n" "SwapPss:               2 kB\n"
		"KernelPageSize:        4 kB\n" "MMUPageSize:           4 kB\n"
		"Locked:                0 kB\n"
		"VmFlags: rd wr mr mw me ac sd \n");
}

TEST(maps)
{
	static const struct report_opts one = { .pid = 11 };
	static const char text[] =
		"00400000-00402000 r-xp 00001000 fe:00 16289                              "
		"/bin/a\\012b (deleted)\n"
		"555000000000-555000021000 rw-p 00000000 00:00 0                          [heap]\n"
		"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 \n";
	char all[1024];

	check_opts("maps", &one, NULL, text);
	snprintf(all, sizeof(all), "==> 10 sh\\x1b[2J <==\n%s==> 11 child <==\n%s", text, text);
	check_print("maps", "text", NULL, NULL, all);
	check_print("maps", "text", "perms,vmflags", "ino != 0",
		"PERMS VMFLAGS\n" "r-xp  rd ex mr mw me\n" "r-xp  rd ex mr mw me\n");
}

static void check_flags(int major, int minor, uint64_t flags, const char *want)
{
	struct hand h;
	char buf[VMFLAGS_TEXT];

	hand_snapshot(&h, major, minor);
	vmflags_text(&h.k, flags, buf);
	CHECK_STR(buf, want);
}

TEST(vmflags)
{
	check_flags(6, 1, 0, "");
	check_flags(6, 1, 0xff, "rd wr ex sh mr mw me ms ");
	check_flags(5, 10, 0x800, "dw ");
	check_flags(6, 1, 0x800, "?? ");
	check_flags(7, 2, 0x800, "gu ");
	check_flags(6, 1, 0xf00000000, "");
	check_flags(6, 1, 1ull << 37, "ui ");
	check_flags(6, 12, 1ull << 37, "ss ");
	check_flags(6, 12, 1ull << 38 | 1ull << 40 | 1ull << 63, "ui dp sl ");
	check_flags(6, 16, 1ull << 41 | 1ull << 42 | 1ull << 63, "ui ?? sl ");
	check_flags(6, 17, 1ull << 41 | 1ull << 42 | 1ull << 63, "ui sl ?? ");
	check_flags(7, 3, 1ull << 41 | 1ull << 42 | 1ull << 43, "ui sl ur ");
	check_flags(7, 3, UINT64_MAX, "rd wr ex sh mr mw me ms gd um pf gu uw lo io sr rr dc de lf "
		    "ac nr ht sf ar wf dd sd mm hg nh mg ?? ss ?? ?? dp ui sl ur ?? ?? ?? ?? ?? ?? "
		    "?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ");
}

TEST(dmesg)
{
	check_print("dmesg", "text", NULL, NULL,
		"[    0.000000] Linux version\t6.1\n"
		"[    1.234567] bad \\x80 \\x1b]0;x\\x07\n"
		"[99999.000000] \n");
	check_print("dmesg", "text", NULL, "level <= 3", "[    1.234567] bad \\x80 \\x1b]0;x\\x07\n");
}

/* Names are unique, and every table has its texts. */
TEST(tables)
{
	for (const struct report *const *r = reports; *r; r++) {
		CHECK(report_find((*r)->name) == *r);
		CHECK(((*r)->run || (*r)->of_fleet || (*r)->products) && (*r)->help && *(*r)->about);
		for (unsigned i = 0; i < (*r)->ncols; i++) {
			const struct column *c = &(*r)->cols[i];

			CHECK(*c->name && c->unit && *c->about);
			CHECK(strspn(c->name, "abcdefghijklmnopqrstuvwxyz_0123456789") ==
			      strlen(c->name));
			for (unsigned j = 0; j < i; j++)
				CHECK(strcmp(c->name, (*r)->cols[j].name) != 0);
		}
	}
}
