/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hand_snapshot.h - a snapshot made by hand: reports are tested without a dump.
 *
 * Two processes (a shell with a heap, a file and a stack; its vfork child,
 * which shares its mm), a kernel thread, three lines of log.
 */
#ifndef VMCENSUS_TESTS_HAND_SNAPSHOT_H
#define VMCENSUS_TESTS_HAND_SNAPSHOT_H

#include "model/kernel/source.h"
#include "model/memory/trust/verify.h"
#include "reports/core/report.h"

/* All that a dump has, except memory. */
extern const struct source source_by_hand;

struct hand {
	struct kernel k;
	struct arch arch;
	struct issues issues;
	struct verify verify;		/* of no frames */
	struct snapshot s;
	struct task tasks[4];
	struct proc procs[3];
	struct mm mms[1];
	struct vma vmas[3];
	struct file files[1];
	struct cgroup cgroups[1];
	struct log_line log[3];
};

/* For an x86-64 kernel MAJOR.MINOR; owns no memory. */
void hand_snapshot(struct hand *h, int major, int minor);

/* Run report NAME over it, print it with renderer FORMAT, and return the text
   (malloc). COLUMNS, WHERE, SORT may be NULL; TOP 0: all. */
char *hand_print(struct hand *h, const char *name, const char *format, const char *columns,
		 const char *where, const char *sort, size_t top,
		 const struct report_opts *opts);

#endif
