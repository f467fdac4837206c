/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters.h - the kernel's own counters beside the classes; private to model/memory/census/. */
#ifndef VMCENSUS_CENSUS_COUNTERS_H
#define VMCENSUS_CENSUS_COUNTERS_H

#include "model/memory/census/census.h"

/* Fills C->counters from S->machine and C->classes. */
void census_count(const struct snapshot *s, struct reader *r, struct arena *mem, struct census *c);

/* An issue for each counter of C that differs from its frames by more than is explained. */
void census_tell_counters(const struct snapshot *s, const struct census *c);

/* Of FRAMES in CLASS_UNKNOWN, PAGES are large kmalloc, by the kernel's counter; which is not known. */
void census_decide(struct census *c, uint64_t frames, uint64_t pages);

/* Compound pages without a type become large kmalloc, or unknown: by the kernel's counter of slab. After all claims. */
void census_settle(const struct snapshot *s, struct reader *r, struct census *c);

/*
 * Where types could not be read, a class without frames that a claim makes is unknown: which claims lack such a type
 * is not listed. After all claims.
 */
void census_doubt_empty(const struct kernel *k, struct census *c);

#endif
