/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * canvas.h - the surface of a chart: one of cairo's (cairo.c), or SVG (svg.c).
 *
 * cairo's own SVG draws letters as outlines, which nobody can select, search or read
 * aloud. Ours has text, and the exact amount for each piece of a bar. Units are points
 * (1/72 inch), y grows downwards.
 */
#ifndef VMCENSUS_CHART_CANVAS_H
#define VMCENSUS_CHART_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

enum anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT };

#define INK 0x1000000	/* the colour of text: that of the page around an SVG */

struct paint {
	uint32_t colour;	/* 0xRRGGBB, or INK */
	double alpha;
};

struct font {
	double size;
	bool bold;
	enum anchor anchor;
	struct paint paint;
};

/* A text to draw: valid UTF-8 without control characters (label_text()). If it contains an
   amount of bytes, AMOUNT is that part of TEXT, otherwise NULL. */
struct words {
	const char *text, *amount;
	uint64_t bytes;
};

struct canvas {
	const struct canvas_ops *ops;
	double width, height;	/* of a page */
	bool paged;		/* more than one page */
};

struct canvas_ops {
	double (*text_width)(struct canvas *c, const char *text, const struct font *f);
	void (*text)(struct canvas *c, double x, double y, const struct words *w,
		     const struct font *f);
	/* TIP: its meaning, or NULL */
	void (*rect)(struct canvas *c, double x, double y, double w, double h, struct paint p,
		     const struct words *tip);
	void (*line)(struct canvas *c, double x1, double y1, double x2, double y2,
		     struct paint p);
	void (*next_page)(struct canvas *c);
};

#endif
