/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pick.h - which rows, which columns, in which order: -w, -c, -s, -n.
 */
#ifndef VMCENSUS_PICK_H
#define VMCENSUS_PICK_H

#include "reports/core/report.h"
#include "reports/core/where.h"

/* Column by name, NULL if there is none. */
const struct column *column_find(const struct column *cols, unsigned ncols, const char *name);

/* Writes into DIAG that OPTION names an unknown column, and the names of all columns. */
enum status column_unknown(const struct column *cols, unsigned ncols, const char *name,
			   const char *option, struct diag *diag);

/* Columns chosen, in their order. */
struct columns {
	const struct column **v;
	unsigned n;
};

/* Columns that are marked with WANT (enum col_flag), or with COL_SHOWN if none is. */
void columns_marked(const struct column *cols, unsigned ncols, unsigned want,
		    struct arena *mem, struct columns *ret);
/* Columns that text shows without -c. */
void columns_default(const struct column *cols, unsigned ncols, bool threads,
		     struct arena *mem, struct columns *ret);
/* All columns, except those that have needs of their own and are not in DEFLT. */
void columns_all(const struct column *cols, unsigned ncols, const struct columns *deflt,
		 struct arena *mem, struct columns *ret);
/* enum need of all of them. */
unsigned columns_needs(const struct columns *cs);
/* LIST: names with commas between; "all"; a leading "+" adds to DEFLT. */
enum status columns_choose(const char *list, const struct column *cols, unsigned ncols,
			   const struct columns *deflt, struct arena *mem, struct diag *diag,
			   struct columns *ret);

#define SORT_KEYS 8

struct sort {
	struct { const struct column *col; bool down; } key[SORT_KEYS];
	unsigned n;
};

/* LIST: names with commas between, "-" before one for largest first. */
enum status sort_parse(const char *list, const struct column *cols, unsigned ncols,
		       struct diag *diag, struct sort *ret);

unsigned sort_needs(const struct sort *s);

/* Is one of COLS[ncols] that has FLAG (enum col_flag) shown, sorted by or compared? W may be NULL. */
bool pick_uses(const struct column *cols, unsigned ncols, unsigned flag, const struct columns *cs,
	       const struct sort *s, const struct where *w);

/* Keep only rows that match W. */
void table_filter(struct table *t, const struct where *w);
/*
 * Stable; unknown values come last in either direction. The first TOP rows are shown (0:
 * all); the others follow them, for totals.
 */
void table_sort(struct table *t, const struct sort *s, size_t top);

#endif
