/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attributed.h - how much of the mapped memory belongs to known mms.
 *
 * The kernel counts each mapped page once: AnonPages and Mapped of /proc/meminfo. pss
 * divides each page among its mappings, so the sum over all mms is the same. The rest
 * belongs to mappings that the walk did not see (incomplete.h), to mms that no task uses
 * any more, and to huge pages that smaps leaves out or whose Pss overflows on 32-bit
 * kernels.
 */
#ifndef VMCENSUS_ATTRIBUTED_H
#define VMCENSUS_ATTRIBUTED_H

#include "model/model.h"

struct attributed {		/* bytes */
	uint64_t pss;		/* of all mms */
	uint64_t counted;	/* by the machine's counters; UINT64_MAX: not known */
	uint64_t missing;	/* counted, but in no pss; UINT64_MAX: not known */
	const char *why;	/* reason, if one explains all that is missing; or NULL */
	uint64_t doubt;		/* of counted: the part that CPUs may hold back */
};

/* Needs NEED_USAGE and, for all but pss, NEED_MACHINE. */
void attributed(const struct snapshot *s, struct attributed *ret);
/* A sentence if more is missing than CPUs may hold back; otherwise NULL. */
const char *attributed_text(const struct snapshot *s, struct arena *mem);

#endif
