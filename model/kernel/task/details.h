/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * details.h - values of one process that only /proc/PID/stat and status show.
 *
 * Read on request, because no report needs them: struct proc stays small. Values that the
 * dump does not hold are 0.
 */
#ifndef VMCENSUS_DETAILS_H
#define VMCENSUS_DETAILS_H

#include "model/model.h"

#define MAX_RT_PRIO 100
#define DETAILS_NAME 64		/* fs/proc/array.c */
#define DETAILS_CPU_WORDS 128	/* 8192 CPUs */
#define DETAILS_NS_LEVELS 33	/* MAX_PID_NS_LEVEL, and the initial one */

struct details {
	int32_t pgrp, session;
	/* in each of its pid namespaces from the initial one on to its own */
	int32_t ns_pid[DETAILS_NS_LEVELS], ns_pgrp[DETAILS_NS_LEVELS];
	int32_t ns_session[DETAILS_NS_LEVELS];
	uint32_t tty;			/* device of its terminal, as new_encode_dev() has it; 0: none */
	int32_t tty_pgrp;		/* the terminal's foreground group; -1: no terminal */
	uint64_t cmin_flt, cmaj_flt;
	uint64_t cutime, cstime, gtime, cgtime;		/* ns */
	int32_t prio;			/* MAX_RT_PRIO if unknown */
	uint32_t rt_priority, policy;
	char name[DETAILS_NAME];	/* full name of its leader, as from proc_task_name() */
	int32_t tracer;			/* pid of the thread that traces its leader; 0: none */
	int32_t exit_signal, exit_code;	/* of its leader */
	bool group_exit;		/* it was stopped or is ending, for this reason: */
	int32_t group_exit_code;
	uint64_t rss_limit, sigpending_limit;
	uint64_t pending, shared_pending, blocked, ignored, caught;	/* bit n-1: signal n */
	uint64_t nvcsw, nivcsw;		/* of the leader */
	uint32_t seccomp, seccomp_filters;
	bool no_new_privs;
	uint32_t umask, fd_size;
	bool has_fs;
	uint32_t uid[4], gid[4];	/* real, effective, saved, filesystem */
	uint64_t groups;		/* kernel address of the supplementary groups, */
	uint32_t ngroups;		/* 4 bytes each */
	uint64_t cap_inh, cap_prm, cap_eff, cap_bnd, cap_amb;
	uint64_t pinned, hugetlb;	/* pages */
	uint64_t cpus[DETAILS_CPU_WORDS];
};

void details_read(const struct snapshot *s, struct reader *r, const struct proc *p,
		  struct details *ret);

#endif
