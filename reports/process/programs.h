/* SPDX-License-Identifier: GPL-3.0-or-later */
/* programs.h - a row of the report programs. */
#ifndef VMCENSUS_PROGRAMS_H
#define VMCENSUS_PROGRAMS_H

#include "reports/core/usage_cols.h"

struct program_row {
	const char *name;
	uint64_t procs, mms;
	uint64_t private_, shared, ram;		/* bytes */
	uint64_t order;				/* sort key of ram */
	uint64_t shared_huge;			/* the largest of its mms */
	struct usage_cells u;
	struct usage_sum sum;
	const char *incomplete;
	double ps_private, ps_shared;		/* KiB, by ps_mem's arithmetic */
};

#endif
