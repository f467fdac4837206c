/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.h - rows that were read from csv. */
#ifndef VMCENSUS_LIBRARY_TABLE_H
#define VMCENSUS_LIBRARY_TABLE_H

#include <stdatomic.h>

#include "cli/library/vmcensus.h"

struct vmcensus_table {
	atomic_uint refs;	/* the caller's, and one for each stream */
	char *csv, *about;	/* cells and words of columns point into them */
	struct vmcensus_column *cols;
	size_t ncols, nrows;
	char **cells;		/* nrows * ncols; NULL: unknown */
};

/* Takes CSV (LEN bytes and a 0) and ABOUT, the output of --columns, as its own. NULL: no memory, or no table. */
struct vmcensus_table *table_parse(char *csv, size_t len, char *about);

#endif
