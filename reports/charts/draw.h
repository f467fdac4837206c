/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * draw.h - places the parts of a chart on pages.
 */
#ifndef VMCENSUS_CHART_DRAW_H
#define VMCENSUS_CHART_DRAW_H

#include "reports/charts/bars.h"
#include "reports/charts/canvas.h"

#define PAGE_WIDTH 842.0	/* A4 landscape */
#define PAGE_HEIGHT 595.0

/* Height of one page that holds all of B. */
double chart_height(const struct bars *b);
void chart_draw(struct canvas *c, const struct render *r, const struct bars *b);

#endif
