/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cgroups.h - the cgroup of each process, and the tree they form.
 */
#ifndef VMCENSUS_CGROUPS_H
#define VMCENSUS_CGROUPS_H

#include "model/model.h"

/*
 * Fill s->cgroups and proc.cgroup. The path is that of the unified hierarchy
 * (cgroup2), or of the memory controller's hierarchy where that is v1, as
 * /proc/PID/cgroup prints it. CSS_SETS[i] is task_struct.cgroups of the leader
 * of proc i (0 unknown).
 */
void cgroups_build(struct snapshot *s, struct reader *r, const uint64_t *css_sets);

/* A line of /proc/PID/cgroup. */
struct cgroup_line {
	int32_t id;
	const char *controllers;	/* "cpu,cpuacct", "name=systemd"; "" for cgroup2 */
	const char *path;
};

/*
 * The lines of process P, in the kernel's order, into MEM; 0 lines if the source does not
 * show the kernel's hierarchies.
 */
unsigned cgroup_lines(const struct snapshot *s, struct reader *r, const struct proc *p,
		      struct arena *mem, const struct cgroup_line **ret);

#endif
