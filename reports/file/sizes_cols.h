/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sizes_cols.h - the columns of struct sizes, for every report whose rows carry
 * one: a row has "struct sizes_cells z", its table lists Z_COLUMNS(row, flags).
 */
#ifndef VMCENSUS_SIZES_COLS_H
#define VMCENSUS_SIZES_COLS_H

#include "model/memory/usage/refs.h"
#include "reports/core/report.h"

struct sizes_cells {			/* bytes */
	uint64_t vm, mapped, eff_mapped, sole, resident, eff_resident, writable;
};

void sizes_cells_set(struct sizes_cells *c, const struct sizes *z);
/* Makes every cell unknown: the snapshot has no sizes. */
void sizes_cells_unknown(struct sizes_cells *c);

#define Z_COL(row, f, fl, about) \
	{ #f, COL_BYTES, fl, offsetof(row, z.f), "bytes", about, NEED_SIZES, 0 }

#define Z_COLUMNS(row, fl) \
	Z_COL(row, vm, fl, "virtual size"), \
	Z_COL(row, mapped, fl, "pages that exist, in memory or in swap"), \
	Z_COL(row, eff_mapped, fl, \
	      "mapped, each page divided by its references in all processes"), \
	Z_COL(row, sole, fl, "of mapped: pages with only one reference"), \
	Z_COL(row, resident, fl, "of mapped: in memory (zero page and hugetlb too)"), \
	Z_COL(row, eff_resident, fl, \
	      "resident, each page divided by its references in all processes"), \
	Z_COL(row, writable, fl, "of resident: by a writable page-table entry")

/* The seven numbers of a row as exmtool prints them, each followed by a tab. */
void sizes_like_exmap(const struct sizes_cells *c, FILE *out);
extern const char sizes_names_like_exmap[];

#endif
