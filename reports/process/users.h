/* SPDX-License-Identifier: GPL-3.0-or-later */
/* users.h - a row of the report users. */
#ifndef VMCENSUS_USERS_H
#define VMCENSUS_USERS_H

#include "reports/compat/like.h"

struct user_row {
	uint64_t uid;
	const char *user;
	uint64_t procs, mms;
	struct usage_cells u;
	struct usage_sum sum;
	const char *incomplete;
	struct sums kib;	/* for the layout of smem */
};

#endif
