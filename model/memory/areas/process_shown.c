/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process_shown.c - one reader for the parts of /proc/PID that a snapshot lacks.
 */
#include "model/memory/areas/process_shown.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"

struct process_shown {
	const struct snapshot *s;
	struct reader *r;		/* NULL: the source has no memory */
	struct pagemap *pagemap;	/* NULL: not asked for yet */
	struct numa_maps *numa;		/* NULL: there is none, or it was not asked for */
	bool numa_asked;
};

struct process_shown *process_shown_new(const struct snapshot *s)
{
	struct process_shown *x = heap_array(struct process_shown, 1);

	x->s = s;
	x->r = kernel_reader(s->k);
	return x;
}

void process_shown_free(struct process_shown *x)
{
	if (x->pagemap)
		pagemap_free(x->pagemap);
	if (x->numa)
		numa_maps_free(x->numa);
	reader_free(x->r);
	free(x);
}

void process_shown_details(struct process_shown *x, const struct proc *p, struct details *ret)
{
	details_read(x->s, x->r, p, ret);
}

bool process_shown_group(struct process_shown *x, const struct details *d, uint32_t i,
			 uint32_t *ret)
{
	uint64_t gid;

	if (!x->r || i >= d->ngroups || read_kva_uint(x->r, d->groups + i * UINT64_C(4), 4, &gid))
		return false;
	*ret = (uint32_t)gid;
	return true;
}

unsigned process_shown_cgroups(struct process_shown *x, const struct proc *p, struct arena *mem,
			       const struct cgroup_line **ret)
{
	return cgroup_lines(x->s, x->r, p, mem, ret);
}

void process_shown_pagemap(struct process_shown *x, const struct vma *v,
			   void (*fn)(void *arg, uint64_t va, uint64_t word), void *arg)
{
	if (!x->pagemap)
		x->pagemap = pagemap_new(x->s, x->r);
	pagemap_walk(x->pagemap, v, fn, arg);
}

const struct zones *process_shown_zones(struct process_shown *x)
{
	if (!x->numa_asked)
		x->numa = numa_maps_new(x->s, x->r);
	x->numa_asked = true;
	return x->numa ? numa_maps_zones(x->numa) : NULL;
}

const struct numa_counts *process_shown_numa(struct process_shown *x, const struct vma *v,
					     uint64_t task)
{
	return numa_maps_count(x->numa, v, task);
}
