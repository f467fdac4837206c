/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report oom and its parts over a log written by hand, of a 6.1 with two zones and no
 * swap. The figures expected follow from the text by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/fake.h"
#include "tests/unit/hand_snapshot.h"

static const char *const texts[] = {
	"Linux version 6.1.0",
	"sh invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0",
	"CPU: 0 PID: 10 Comm: sh Not tainted 6.1.0",
	" dump_stack_lvl+0x34/0x48",
	" __alloc_pages_slowpath.constprop.0+0x9/0xcc",
	" __get_free_pages+0x34/0x48",
	" ring_open+0x1/0x9",
	" vfs_open+0x1/0x9",
	"Mem-Info:",
	"active_anon:1 inactive_anon:60000 isolated_anon:0",
	"Node 0 DMA free:4000kB boost:0kB min:100kB low:124kB high:148kB reserved_highatomic:0KB present:15992kB "
	"managed:15360kB free_cma:0kB",
	"lowmem_reserve[]: 0 900 900 900",
	"Node 0 DMA32 free:2000kB boost:1000kB min:2400kB low:3000kB high:3600kB reserved_highatomic:400KB "
	"present:1032060kB managed:950000kB free_cma:0kB",
	"lowmem_reserve[]: 0 0 0 0",
	"Node 0 DMA: 0*4kB 0*8kB 2*16kB (U) 1*2048kB (M) = 4000kB",
	"Node 0 DMA32: 500*4kB (UME) 0*8kB 0*16kB = 2000kB",
	"Tasks state (memory values in pages):",
	"[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
	"[     10]  1000    10       68     1000     8192        0          -500 sh",
	"[     99]     0    99    90000    70000   577536        0             0 hog, 1",
	"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice,"
	"task=hog, 1,pid=99,uid=0",
	"Out of memory: Killed process 99 (hog, 1) total-vm:360000kB, anon-rss:279000kB, file-rss:1000kB, shmem-rss:0kB, "
	"UID:0 pgtables:564kB oom_score_adj:0",
	/* of a control group; its table is off (oom_dump_tasks) */
	"child invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=3, oom_score_adj=100",
	"Call Trace:",
	" <TASK>",
	" dump_stack_lvl+0x34/0x48",
	" dump_header+0x4a/0x1ff",
	" ? left_over+0x1/0x2 [old]",
	" try_charge_memcg+0x6d8/0x7c0",
	" __kmalloc_large_node_noprof+0x6d8/0x7c0",
	" ring_pages.isra.0+0x20/0x90",
	" ring_grow+0x10/0x20 [acme 0123456789abcdef]",
	" do_syscall_64+0x58/0xc0 [other]",
	"memory: usage 51200kB, limit 51200kB, failcnt 17",
	"swap: usage 0kB, limit 9007199254740988kB, failcnt 0",
	"Memory cgroup stats for /user.slice:",
	"anon 50000000",
	"file 1048576",
	"shmem 4096",
	"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/user.slice,"
	"task_memcg=/user.slice,task=child,pid=11,uid=1000",
	"Tasks in /user.slice are going to be killed due to memory.oom.group set",
	"Memory cgroup out of memory: Killed process 11 (child) total-vm:100kB, anon-rss:48000kB, file-rss:0kB, shmem-rss:4kB, "
	"UID:1000 pgtables:64kB oom_score_adj:100",
	"Memory cgroup out of memory: Killed process 12 (child2) total-vm:100kB, anon-rss:80kB, file-rss:0kB, shmem-rss:0kB, "
	"UID:1000 pgtables:64kB oom_score_adj:100",
	/* the group has the first one, too: the kernel counts it twice */
	"Memory cgroup out of memory: Killed process 11 (child) total-vm:100kB, anon-rss:48000kB, file-rss:0kB, shmem-rss:4kB, "
	"UID:1000 pgtables:64kB oom_score_adj:100",
	"Memory cgroup out of memory: OOM victim 11 (child) is already exiting. Skip killing the task",
	"oom_reaper: reaped process 11 (child), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
};

#define LINES (sizeof(texts) / sizeof(texts[0]))

static struct log_line lines[LINES];
static struct zone_count info[2] = { { "MemTotal", UINT64_C(950000) << 10 }, { "SwapTotal", 0 } };

static void lay_log(struct hand *h)
{
	for (size_t i = 0; i < LINES; i++)
		lines[i] = (struct log_line){ .ts = i * UINT64_C(1000000000), .text = texts[i],
					      .len = (uint32_t)strlen(texts[i]) };
	h->s.machine.log = lines;
	h->s.machine.nlog = LINES;
	h->s.machine.meminfo = info;
	h->s.machine.nmeminfo = 2;
}

static void check_print(const char *report, const char *columns, uint64_t kills, const char *want)
{
	struct hand h;
	char *got;

	hand_snapshot(&h, 6, 1);
	lay_log(&h);
	h.s.machine.nlog = kills == UINT64_MAX ? 1 : LINES;
	h.s.machine.oom_kills = kills == UINT64_MAX ? 0 : kills;
	h.cgroups[0].memory = true;
	h.cgroups[0].usage = 3;
	h.cgroups[0].max = 12800;
	h.s.ncgroups = 1;
	got = hand_print(&h, report, "text", columns, NULL, NULL, 0, NULL);
	CHECK_STR(got, want);
	free(got);
}

#define INCOMPLETE "* not all of it could be read (column incomplete says what): sizes are lower bounds, - is unknown\n"
#define OF_ORDER "; whether blocks of order 3 come of it is not known." \
	" child (11) had grown to 48000 KiB: what frees less is soon used up."

/* The only process of the group at PATH; the group of the last event is /user.slice. At -1000 it may not be killed. */
static void check_kills(int score_adj, const char *path, const char *want)
{
	struct fake *f = fake_new(8, false);
	struct hand h;
	char *got;

	hand_snapshot(&h, 6, 1);
	lay_log(&h);
	f->kernel.rules = h.k.rules;
	h.s.k = &f->kernel;
	h.cgroups[0].memory = true;
	h.cgroups[0].path = path;
	h.s.ncgroups = 1;
	h.procs[1].oom_score_adj = score_adj;
	h.procs[1].adj_known = true;
	got = hand_print(&h, "oom --kills", "text", "pid,cheapest,name", NULL, NULL, 0, NULL);
	CHECK_STR(got, want);
	free(got);
	fake_free(f);
}

int main(void)
{
	check_kills(-500, "/user.slice",
		    "PID CHEAPEST NAME\n"
		    " 10        1 sh\\x1b[2J *\n" INCOMPLETE
		    "The last event lacked 32 KiB below the limit of its control group" OF_ORDER
		    " The cheapest kills (one process if one is enough, the one with least memory; else the largest first): "
		    "1 process, which frees 12 KiB: not enough.\n");
	check_kills(-1000, "/user.slice",
		    "PID CHEAPEST NAME\n"
		    " 10        - sh\\x1b[2J *\n" INCOMPLETE
		    "The last event lacked 32 KiB below the limit of its control group" OF_ORDER
		    " There is nobody who could be killed in that group.\n");
	check_kills(-1000, "/other",
		    "PID CHEAPEST NAME\n"
		    " 10        - sh\\x1b[2J *\n" INCOMPLETE
		    "The last event lacked 32 KiB to the high watermark" OF_ORDER
		    " There is nobody who could be killed.\n");
	check_print("oom", "event,time,kind,comm,pid,order,constraint,memcg,victim_pid,victim,victim_rss,outcome", 4,
		    "EVENT     TIME KIND     COMM  PID ORDER CONSTRAINT MEMCG       VICTIM_PID VICTIM VICTIM_RSS OUTCOME\n"
		    "    1 00:00:01 oom kill sh     10     0 none       -                   99 hog, 1     280000 killed\n"
		    "    2 00:00:22 oom kill child   -     3 memcg      /user.slice         11 child       48004 group of 2 killed, reaped\n");
	check_print("oom", "event,gfp,gfp_names,oom_score_adj,victims,victim_uid,pgtables,task_memcg,group,tasks,zones,line",
		    5,
		    "EVENT      GFP GFP_NAMES                                  OOM_SCORE_ADJ VICTIMS VICTIM_UID PGTABLES TASK_MEMCG  GROUP       TASKS ZONES LINE\n"
		    "    1 0x140dca GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO             0       1          0      564 /user.slice -               2     2    1\n"
		    "    2    0xcc0 GFP_KERNEL                                           100       2       1000       64 /user.slice /user.slice     0     0   22\n"
		    "The kernel counts 5 kills since boot, the log has 4; it begins 0 s after boot.\n");
	check_print("oom", "event,asker,asker_module", 4,
		    "EVENT ASKER     ASKER_MODULE\n"
		    "    1 ring_open -\n"
		    "    2 ring_grow acme\n");
	check_print("oom --tasks", NULL, 4,
		    "EVENT PID VICTIM    RSS SWAP OOM_SCORE_ADJ BADNESS CHOICE NOW   RSS_NOW BADNESS_NOW PSS FREED COMM\n"
		    "    1  99      1 280000    0             0   70141 then   ended       -           -   -     - hog, 1\n"
		    "    1  10      0   4000    0          -500 -117498 -      alive      28           -  12     - sh\n");
	check_print("oom --zones", NULL, 4,
		    "EVENT SOURCE NODE ZONE  FREE  MIN  LOW HIGH RESERVE ORDER LARGEST WHY\n"
		    "    1 log       0 DMA   4000  100  124  148    3600     0    2048 had enough\n"
		    "    1 log       0 DMA32 2000 2400 3000 3600       0     0       4 201 pages below min\n");
	check_print("oom --zones", "zone,usable,boost,lacking,blocks", 4,
		    "ZONE  USABLE BOOST LACKING BLOCKS\n"
		    "DMA     4000     0       0 0 0 2 0 0 0 0 0 0 1\n"
		    "DMA32   1600  1000     201 500 0 0\n");
	check_print("oom --cgroups", NULL, 4,
		    "EVENT USAGE LIMIT FAILCNT SWAP SWAP_LIMIT  ANON FILE SHMEM SLAB USAGE_NOW LIMIT_NOW CGROUP\n"
		    "    2 51200 51200      17    0          - 48828 1024     4    -        12     51200 /user.slice\n");
	check_print("oom --verdict", "kind,cause,figure,percent,report,certainty", 4,
		    "KIND   CAUSE                           FIGURE PERCENT REPORT        CERTAINTY\n"
		    "event  OOM kill                             -       - oom           certain\n"
		    "limit  memory limit of a control group  51200 100.000 oom --cgroups certain\n"
		    "holder one process grew                 48000  93.700 oom --tasks   certain\n"
		    "victim right victim                     48068  93.800 oom --tasks   certain\n");
	check_print("oom", NULL, UINT64_MAX,
		    "VERDICT\n  No kernel OOM in this dump. [oom]\n\n"
		    "No kernel OOM in this dump: none in the log, which begins 0 s after boot, and the kernel counts none.\n");
	check_print("oom --tasks", NULL, UINT64_MAX,
		    "No kernel OOM in this dump: none in the log, which begins 0 s after boot, and the kernel counts none.\n");
	return check_done();
}
