/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * procs - one row per process: its memory, and the kernel's own counters. With --threads
 * one row per thread; with --file the memory of one file in each process.
 */
#include "reports/charts/chart.h"
#include "reports/compat/like.h"
#include "reports/process/procs.h"

#define P COL_SHOWN
#define PT (COL_SHOWN | COL_THREADS)
#define PTF (PT | COL_FILE)
#define TOT COL_ONCE
#define BYTES(name, fl, about) COL(struct proc_row, name, COL_BYTES, fl, "bytes", about)
#define NS(name, fl, about) COL(struct proc_row, name, COL_NSEC, fl, "ns", about)

/* Resident and virtual sizes, by class of the area. */
#define CLASS(name, class, about)                                                          \
	COL_AS(struct proc_row, by.phys[class], name, COL_BYTES, TOT, "bytes", "resident: " about), \
	COL_AS(struct proc_row, by.virt[class], "virt_" name, COL_BYTES, TOT, "bytes",          \
	       "virtual size: " about)

static const struct column cols[] = {
	COL(struct proc_row, pid, COL_INT, PTF, "", "process id, as the initial pid namespace counts"),
	COL(struct proc_row, tid, COL_INT, COL_THREADS, "",
	    "thread id; the process id without --threads"),
	COL(struct proc_row, ppid, COL_INT, 0, "", "process id of the parent"),
	COL(struct proc_row, ns_pid, COL_INT, 0, "", "process id in its own pid namespace"),
	COL(struct proc_row, uid, COL_UINT, P, "", "real user id"),
	COL(struct proc_row, euid, COL_UINT, 0, "", "effective user id"),
	COL(struct proc_row, gid, COL_UINT, 0, "", "real group id"),
	COL(struct proc_row, state, COL_CHAR, PT, "", "state, as ps prints it"),
	COL(struct proc_row, threads, COL_UINT, P | COL_TOTAL, "", "threads"),
	COL(struct proc_row, cpu, COL_UINT, COL_THREADS, "", "CPU it ran on last"),
	U_PSS(struct proc_row, P | TOT),
	U_USS(struct proc_row, P | TOT),
	U_RSS(struct proc_row, PT | TOT),
	U_SWAP(struct proc_row, P | TOT),
	U_SWAP_PSS(struct proc_row, P | TOT),
	U_ANON(struct proc_row, P | TOT),
	U_FILE(struct proc_row, P | TOT),
	U_SHMEM(struct proc_row, P | TOT),
	BYTES(vsz, TOT, "virtual size as the kernel counts it (total_vm)"),
	U_PSS_ANON(struct proc_row, TOT), U_PSS_FILE(struct proc_row, TOT), U_PSS_SHMEM(struct proc_row, TOT),
	U_PSS_DIRTY(struct proc_row, TOT), U_PSS_LOCKED(struct proc_row, TOT),
	U_SHARED_CLEAN(struct proc_row, TOT), U_SHARED_DIRTY(struct proc_row, TOT),
	U_PRIVATE_CLEAN(struct proc_row, TOT), U_PRIVATE_DIRTY(struct proc_row, TOT),
	U_REFERENCED(struct proc_row, TOT), U_LAZYFREE(struct proc_row, TOT), U_KSM(struct proc_row, TOT),
	U_HUGE(struct proc_row, TOT), U_ANON_HUGE(struct proc_row, TOT), U_SHMEM_HUGE(struct proc_row, TOT),
	U_FILE_HUGE(struct proc_row, TOT), U_SHARED_HUGETLB(struct proc_row, TOT),
	U_PRIVATE_HUGETLB(struct proc_row, TOT), U_SWAP_PTES(struct proc_row, TOT),
	U_SWAP_USS(struct proc_row, TOT), U_SWAP_CACHED(struct proc_row, TOT),
	U_SPECIAL(struct proc_row, TOT), U_LOST(struct proc_row, TOT), U_UNKNOWN(struct proc_row, TOT),
	Z_COLUMNS(struct proc_row, COL_TOTAL | COL_FILE),
	BYTES(rss_kernel, TOT, "rss by the kernel's counters, all CPUs' shares added"),
	BYTES(rss_status, TOT, "rss as in /proc/PID/status (VmRSS)"),
	BYTES(swap_kernel, TOT, "swap entries by the kernel's counter"),
	BYTES(rss_peak, 0, "largest rss so far (VmHWM)"),
	BYTES(pgtables, TOT, "page tables (VmPTE)"),
	BYTES(locked, TOT, "locked by mlock (VmLck)"),
	CLASS("stack", AREA_STACK, "stack of the process"),
	CLASS("data", AREA_DATA, "initialized data of the program"),
	CLASS("text", AREA_TEXT, "code and constants of the program"),
	CLASS("heap", AREA_HEAP, ".bss and heap (brk) of the program"),
	CLASS("lib_bss", AREA_LIB_BSS, "zeroed data of libraries"),
	CLASS("lib_data", AREA_LIB_DATA, "initialized data of libraries"),
	CLASS("lib_text", AREA_LIB_TEXT, "code and constants of libraries"),
	CLASS("anon_map", AREA_ANON, "other anonymous vmas, stacks of threads too"),
	CLASS("file_map", AREA_FILE, "files that no process maps executable"),
	CLASS("shmem_map", AREA_SHMEM, "shared memory and tmpfs"),
	CLASS("hugetlb_map", AREA_HUGETLB, "hugetlbfs pages, which are not in rss"),
	CLASS("other_map", AREA_OTHER, "[vdso], devices"),
	CLASS("none_map", AREA_NONE, "vmas without any access"),
	COL_AS(struct proc_row, by.lib_single, "lib_single", COL_BYTES, TOT, "bytes",
	       "of lib_text: mapped once"),
	COL_AS(struct proc_row, by.lib_multi, "lib_multi", COL_BYTES, TOT, "bytes",
	       "of lib_text: mapped more than once"),
	BYTES(rw, TOT, "resident: stack, data, heap, lib_bss, lib_data"),
	BYTES(rx, TOT, "resident: text, lib_text"),
	BYTES(virt_rw, TOT, "virtual size: stack, data, heap, lib_bss, lib_data"),
	BYTES(virt_rx, TOT, "virtual size: text, lib_text"),
	COL(struct proc_row, oom_score_adj, COL_INT, P, "",
	    "adjustment of the OOM killer's score"),
	COL(struct proc_row, oom_score, COL_UINT, 0, "",
	    "score by which the OOM killer chooses (/proc/PID/oom_score)"),
	COL(struct proc_row, oom_victim, COL_UINT, 0, "", "1: chosen by the OOM killer"),
	COL(struct proc_row, nice, COL_INT, 0, "", "nice value"),
	COL(struct proc_row, minflt, COL_UINT, COL_THREADS | COL_TOTAL, "", "minor faults"),
	COL(struct proc_row, majflt, COL_UINT, COL_THREADS | COL_TOTAL, "", "major faults"),
	NS(utime, COL_THREADS, "time in user mode"),
	NS(stime, COL_THREADS, "time in the kernel"),
	NS(start, 0, "start, since boot"),
	COL(struct proc_row, mm, COL_HEX, 0, "", "address of its mm_struct"),
	COL(struct proc_row, mm_shared, COL_UINT, 0, "", "processes that share this mm (1: its own)"),
	COL(struct proc_row, note, COL_STR, 0, "", "special facts about its memory"),
	COL(struct proc_row, cgroup, COL_STR, 0, "", "control group"),
	COL(struct proc_row, exe, COL_STR, 0, "", "path of the executable"),
	COL(struct proc_row, cmdline, COL_STR, 0, "", "arguments, if the dump has them"),
	COL(struct proc_row, comm, COL_STR, PTF, "", "name of the task"),
	U_INCOMPLETE(struct proc_row),
};

static const struct chart_series series[] = {
	{ "pss_anon", "anonymous", CHART_BLUE, "anon" },
	{ "pss_file", "files", CHART_ORANGE, "file" },
	{ "pss_shmem", "shared memory", CHART_GREEN, "shmem" },
	{ "swap_pss", "swap", CHART_PINK, "swap" },
};

/* Proportional sizes, because these add up. */
static const struct chart chart = {
	.title = "Memory of processes",
	.label = "comm",
	.id = "pid",
	.what = "pss and swap_pss",
	.beside = "rss and swap",
	.series = series,
	.nseries = sizeof(series) / sizeof(series[0]),
};

const struct report report_procs = {
	.name = "procs",
	.about = "memory of each process: pss, uss, rss, swap",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.wants = NEED_CGROUPS | NEED_MACHINE,
	.opts = OPT_PID | OPT_THREADS | OPT_KERNEL | OPT_FILE | OPT_SYSROOT,
	.of_sizes = true,
	.cols = cols,
	.ncols = sizeof(cols) / sizeof(cols[0]),
	.sort = "-pss,pid,tid",
	.run = procs_report,
	.likes = procs_likes,
	.chart = &chart,
	.help = "One row for each process, sorted by pss. Processes that share one mm (vfork,\n"
		"CLONE_VM) each show all of it; totals count it once, and mm_shared is the number of\n"
		"these processes. --threads gives a row for each thread; its memory is that of the\n"
		"process. --kernel adds kernel threads.\n"
		"\n"
		"--file NAME shows the processes that map a file, with the memory of only that file.\n"
		"NAME is a path, the part after its last slash, or [heap], [stack], [anon] ...\n"
		"\n"
		"An incomplete process is marked with *, and the column incomplete says what is\n"
		"missing. Its sizes are lower bounds, and - is unknown. It is sorted by the kernel's\n"
		"counter (rss_kernel) if that is larger. \"not attributed\", below the table, is\n"
		"AnonPages + Mapped of /proc/meminfo, plus counts that are still per CPU, minus the pss\n"
		"of all processes. Both count each mapped page once. It is shown if it is at least one\n"
		"page. Causes: incomplete processes, mms that no task uses any more, huge pages that\n"
		"the kernel's smaps leaves out.\n"
		"\n"
		"Columns vm ... writable are the sizes of exmap (see files). They need another pass\n"
		"over all page tables, which is made only when they are used. With --threads they are\n"
		"in the first row of each process.\n"
		"\n"
		"Columns stack ... none_map split rss by the role of the vmas in the process;\n"
		"virt_stack ... split its virtual size. --paper prints them in pages, as the table of\n"
		"P. Movall and others, \"Linux Physical Memory Analysis\" (USENIX 2005); with --virtual,\n"
		"the virtual sizes.",
};
