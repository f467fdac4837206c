/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * badness.h - the figure by which the OOM killer chooses, by the rules of the dumped
 * kernel (mm/oom_kill.c, oom_badness()), and /proc/PID/oom_score (fs/proc/base.c).
 *
 * Only sources with the kernel's memory have what it takes. Before RULE_OOM_SCORE_ADJ
 * (2.6.36) it was another figure, which is not computed: everything is unknown.
 */
#ifndef VMCENSUS_OOM_BADNESS_H
#define VMCENSUS_OOM_BADNESS_H

#include "model/model.h"

/* The numbers that badness is made of; the kernel's table of tasks has them too. */
struct badness_of {
	uint64_t rss, swap, tables;	/* pages */
	int oom_score_adj;
	bool admin;			/* CAP_SYS_ADMIN, for the rules that ask */
};

struct badness {
	bool known;
	bool unkillable;		/* POINTS is 0 */
	int64_t points;			/* pages, or thousandths before RULE_OOM_PAGES */
};

/* Badness of a process that the OOM killer may choose; TOTAL: pages that it could use. */
struct badness badness_compute(const struct kernel *k, const struct badness_of *of,
			       uint64_t total);

/* Pages of memory and swap: what a process without a limit could use. 0: not known. */
uint64_t badness_total(const struct snapshot *s);

/* Badness of P in the snapshot. */
struct badness proc_badness(const struct snapshot *s, const struct proc *p, uint64_t total);

/* /proc/PID/oom_score; UINT64_MAX: not known. */
uint64_t proc_oom_score(const struct snapshot *s, const struct proc *p);

#endif
