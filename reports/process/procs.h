/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * procs.h - a row of procs, for the report and for reports/compat/, which prints it in
 * other words.
 */
#ifndef VMCENSUS_PROCS_H
#define VMCENSUS_PROCS_H

#include "model/memory/areas/areas.h"
#include "reports/core/usage_cols.h"
#include "reports/file/sizes_cols.h"

struct proc_row {
	int64_t pid, tid, ppid, ns_pid;
	uint64_t uid, euid, gid;
	const char *comm;
	char state;
	uint64_t threads, cpu;
	struct usage_cells u;
	struct sizes_cells z;
	uint64_t vsz, rss_kernel, rss_status, swap_kernel, rss_peak, pgtables, locked;
	int64_t oom_score_adj, nice;
	uint64_t oom_score, oom_victim;
	uint64_t minflt, majflt, utime, stime, start;
	const char *cgroup, *exe, *cmdline, *note, *incomplete;
	uint64_t mm, mm_shared;
	const struct mm *space;		/* or NULL */
	struct area_sums by;
	uint64_t rw, rx, virt_rw, virt_rx;
};

enum status procs_report(const struct snapshot *s, const struct report_opts *o, struct table *t,
		      struct diag *diag);

#endif
