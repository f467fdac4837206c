/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process_shown.h - values in /proc/PID that no snapshot holds: details of stat and
 * status, supplementary groups, cgroups of all hierarchies, pagemap.
 */
#ifndef VMCENSUS_PROCESS_SHOWN_H
#define VMCENSUS_PROCESS_SHOWN_H

#include "model/kernel/cgroup/cgroups.h"
#include "model/kernel/task/details.h"
#include "model/memory/usage/numa_maps.h"
#include "model/memory/usage/pagemap.h"

struct process_shown;

/* Never NULL. For use by one thread; S must live as long. If the source has no memory, values
   that the snapshot lacks are 0 or empty. */
struct process_shown *process_shown_new(const struct snapshot *s);
void process_shown_free(struct process_shown *x);

void process_shown_details(struct process_shown *x, const struct proc *p, struct details *ret);

/* Number I of D's supplementary groups: kernel id, initial user namespace. False: it cannot be
   read. */
bool process_shown_group(struct process_shown *x, const struct details *d, uint32_t i,
			 uint32_t *ret);

/* cgroup_lines() of model/kernel/cgroup/cgroups.h. */
unsigned process_shown_cgroups(struct process_shown *x, const struct proc *p, struct arena *mem,
			       const struct cgroup_line **ret);

/* pagemap_walk() of model/memory/usage/pagemap.h. */
void process_shown_pagemap(struct process_shown *x, const struct vma *v,
			   void (*fn)(void *arg, uint64_t va, uint64_t word), void *arg);

/* numa_maps_zones() and numa_maps_count() of model/memory/usage/numa_maps.h. NULL: there is no numa_maps;
   then do not count. */
const struct zones *process_shown_zones(struct process_shown *x);
const struct numa_counts *process_shown_numa(struct process_shown *x, const struct vma *v,
					     uint64_t task);

#endif
