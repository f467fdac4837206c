/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sets.h - cells that repeat together are stored once.
 *
 * Rows of a large report repeat: forked processes map the same files at the same addresses, idle
 * threads have one stack, most vmas have no page. A set of a table is some of its columns; the
 * rows of the set are the different combinations of their cells, and a row of the table has the
 * number of its combination. Which columns make a set follows from the rows, by the bytes that
 * are saved.
 */
#ifndef VMCENSUS_CAPSULE_SETS_H
#define VMCENSUS_CAPSULE_SETS_H

#include "reports/core/report.h"

#define SETS_MAX 32u /* of one table; SQLite joins 64 */

struct sets {
	unsigned n;   /* 0: the table is stored as it is */
	unsigned *of; /* the set of each column, from 1 on; 0: it stays in the row */
};

/* Which of the NCOLS columns COLS of T's rows are stored in sets. RET->of is in MEM. */
void sets_plan(const struct column *const *cols, unsigned ncols, const struct table *t,
	       struct arena *mem, struct sets *ret);

/* Equal for equal cells, and hardly ever for others. */
uint64_t sets_hash(const struct column *c, const void *row);
bool sets_same(const struct column *c, const void *a, const void *b);

#endif
