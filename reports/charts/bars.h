/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bars.h - from rows to bars: the values are added up, the largest rows get bars, the
 * others share one.
 */
#ifndef VMCENSUS_CHART_BARS_H
#define VMCENSUS_CHART_BARS_H

#include "reports/charts/chart.h"
#include "reports/render/render.h"

struct bar {
	const char *label, *id;		/* as in the dump; id may be NULL */
	uint64_t v[CHART_SERIES], total;
	uint64_t beside[CHART_SERIES], beside_total;
	size_t row;			/* in the table */
	bool rest;			/* of all rows that have no bar */
};

struct bars {
	const struct chart *chart;
	struct bar *v;			/* rest, if there is one, is the last */
	size_t n;
	size_t nrows;			/* of the table */
	uint64_t max;			/* longest bar, without rest */
	uint64_t total;			/* of all rows; memory that several show counts once */
	bool shared;			/* several rows show the same memory */
	enum col_type type;		/* of the columns, COL_BYTES or COL_UINT */
	const char *unit;		/* of COL_UINT */
	struct arena mem;
};

/* At most LIMIT bars beside rest, even if more are asked for. */
void bars_make(const struct render *r, size_t limit, struct bars *ret);

#endif
