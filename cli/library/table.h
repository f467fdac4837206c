/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.h - rows that were read from "-f cells" (reports/render/csv.c). */
#ifndef VMCENSUS_LIBRARY_TABLE_H
#define VMCENSUS_LIBRARY_TABLE_H

#include <stdatomic.h>

#include "cli/library/vmcensus.h"

struct vmcensus_table {
	atomic_uint refs;	/* the caller's, and one for each stream */
	char *text;		/* all that follows points into it */
	struct vmcensus_column *cols;
	size_t ncols, nrows, nall, nissues;
	struct vmcensus_issue *issues;
	char **cells;		/* nrows * ncols; NULL: unknown */
};

/* Takes TEXT (LEN bytes and a 0) as its own. NULL: no memory, or no table. */
struct vmcensus_table *table_parse(char *text, size_t len);

#endif
