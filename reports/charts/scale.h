/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale.h - amounts in words, and the round steps of an axis.
 */
#ifndef VMCENSUS_CHART_SCALE_H
#define VMCENSUS_CHART_SCALE_H

#include "reports/core/cell.h"

#define AMOUNT_TEXT 40

/* How the amounts of one chart are printed. */
struct scale {
	enum col_type type;	/* COL_BYTES, or COL_UINT in UNIT */
	const char *unit;
	struct units units;	/* --pages: bytes as pages */
	uint64_t step, ticks;	/* of the axis; it ends at step * ticks */
};

/* An axis for amounts up to MAX; s->type, unit and units are set. */
void scale_axis(struct scale *s, uint64_t max);

/* V with three digits or more ("36.5 MiB", "1,234 pages") into BUF (AMOUNT_TEXT). */
void scale_amount(const struct scale *s, uint64_t v, char *buf);
/* A tick: a whole number of its unit. */
void scale_tick(const struct scale *s, uint64_t v, char *buf);

#endif
