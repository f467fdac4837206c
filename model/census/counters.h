/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters.h - the kernel's own counters beside the classes; private to model/census. */
#ifndef VMCENSUS_CENSUS_COUNTERS_H
#define VMCENSUS_CENSUS_COUNTERS_H

#include "model/census/census.h"

/* Fills C->counters from S->machine and C->classes. */
void census_count(const struct snapshot *s, struct reader *r, struct arena *mem, struct census *c);

/* Pages of slabs and large kmalloc() by the kernel's counters, with what CPUs hold back;
   UINT64_MAX: not known. */
uint64_t census_slab_counted(const struct snapshot *s, struct reader *r);

#endif
