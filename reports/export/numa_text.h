/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * numa_text.h - numa_maps of a process, as the kernel prints it.
 */
#ifndef VMCENSUS_NUMA_TEXT_H
#define VMCENSUS_NUMA_TEXT_H

#include <stdio.h>

#include "model/memory/areas/process_shown.h"

/* False: this kernel has no such file, or it is not known what is in it. */
bool has_numa_maps(const struct snapshot *s, struct process_shown *shown, const struct mm *mm);
/* P: the process, MM: its memory. */
void write_numa_maps(const struct snapshot *s, struct process_shown *shown, const struct proc *p,
		     const struct mm *mm, FILE *out);

#endif
