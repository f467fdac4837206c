/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attributed.h - how much of what is mapped the address spaces account for.
 *
 * The kernel counts each page that is mapped once: AnonPages and Mapped of
 * /proc/meminfo. pss divides each page among its mappings, so that over all address
 * spaces it adds up to the same. What is left over belongs to mappings that the walk
 * did not see (incomplete.h), to address spaces that no task uses any more, and to
 * huge pages that smaps passes over or whose Pss overflows on 32-bit kernels.
 */
#ifndef VMCENSUS_ATTRIBUTED_H
#define VMCENSUS_ATTRIBUTED_H

#include "model/model.h"

struct attributed {		/* bytes */
	uint64_t pss;		/* of all address spaces */
	uint64_t counted;	/* by the machine's counters; UINT64_MAX: not known */
	uint64_t missing;	/* counted, and in no pss; UINT64_MAX: not known */
	const char *why;	/* of what is missing, where one reason explains it all; or NULL */
	uint64_t doubt;		/* CPUs may hold back so much of counted */
};

/* Needs NEED_USAGE and, for all but pss, NEED_MACHINE. */
void attributed(const struct snapshot *s, struct attributed *ret);
/* A sentence if more is missing than can be doubted; else NULL. */
const char *attributed_text(const struct snapshot *s, struct arena *mem);

#endif
