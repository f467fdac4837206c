/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group_cols.h - the usage columns of reports whose rows are groups of processes. */
#ifndef VMCENSUS_GROUP_COLS_H
#define VMCENSUS_GROUP_COLS_H

#include "reports/core/usage_cols.h"

/* For a row with "struct usage_cells u"; each mm is in only one row. */
#define GROUP_USAGE_COLUMNS(row)                                                           \
	U_PSS(row, COL_SHOWN | COL_TOTAL), U_USS(row, COL_SHOWN | COL_TOTAL),              \
	U_RSS(row, COL_SHOWN | COL_TOTAL), U_SWAP(row, COL_SHOWN | COL_TOTAL),             \
	U_SWAP_PSS(row, COL_SHOWN | COL_TOTAL), U_SIZE(row, COL_TOTAL),                    \
	U_ANON(row, COL_TOTAL), U_FILE(row, COL_TOTAL), U_SHMEM(row, COL_TOTAL),           \
	U_PSS_ANON(row, COL_TOTAL), U_PSS_FILE(row, COL_TOTAL),                            \
	U_PSS_SHMEM(row, COL_TOTAL), U_SHARED_HUGETLB(row, COL_TOTAL),                     \
	U_PRIVATE_HUGETLB(row, COL_TOTAL)

#endif
