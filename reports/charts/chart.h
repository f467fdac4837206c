/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart.h - a report's rows as horizontal stacked bars.
 *
 * To give a report a chart: a static struct chart beside its columns, and its address in
 * struct report; svg, ps, pdf and png follow. A bar is a row, its pieces are columns. The
 * largest rows have bars, and the others share one, "rest".
 */
#ifndef VMCENSUS_CHART_H
#define VMCENSUS_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Colours that differ with any colour vision, and in grey from their neighbour: the set of M.
   Okabe and K. Ito, "Color Universal Design" (2008). */
#define CHART_BLUE 0x0072b2
#define CHART_ORANGE 0xe69f00
#define CHART_GREEN 0x009e73
#define CHART_PINK 0xcc79a7
#define CHART_SKY 0x56b4e9
#define CHART_RED 0xd55e00
#define CHART_YELLOW 0xf0e442
#define CHART_GREY 0x8c8c8c

#define CHART_SERIES 12		/* at most */

struct chart_series {
	const char *column;	/* of the report: COL_BYTES or COL_UINT */
	const char *legend;
	uint32_t colour;	/* 0xRRGGBB */
	const char *beside;	/* column of the thin bar below, to compare; NULL: none */
};

struct chart {
	const char *title;
	const char *label;	/* column that names a bar */
	const char *id;		/* column that distinguishes equal names, or NULL */
	const char *what;	/* the quantity of the bars: "pss and swap_pss" */
	const char *beside;	/* the quantity of the thin bars; NULL: there are none */
	const struct chart_series *series;
	unsigned nseries;
	unsigned top;		/* number of bars without -n; 0: 24 */
};

struct report;
struct render;

/* enum need: parts of the model for the columns of R's chart, beside R's own. */
unsigned chart_needs(const struct report *r);

/* Does this program draw on pages (ps, pdf, png)? One without cairo does not. */
extern const bool chart_pages;

/* Renderers: render/render.c. */
void render_svg(const struct render *r, FILE *out);
void render_ps(const struct render *r, FILE *out);
void render_pdf(const struct render *r, FILE *out);
void render_png(const struct render *r, FILE *out);

#endif
