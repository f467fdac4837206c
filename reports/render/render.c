/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * render.c - the table of renderers.
 */
#include "reports/render/render.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/capsule/capsule.h"
#include "reports/charts/chart.h"

const struct renderer renderers[] = {
	{ .name = "text", .about = "aligned columns, or the report's own form", .render = render_text },
	{ .name = "csv", .about = "a header line, quoted as RFC 4180 says; sizes in bytes", .render = render_csv },
	{ .name = "json", .about = "one object with image, columns, rows, issues", .render = render_json },
	{ .name = "jsonl", .about = "each row as an object on a line of its own", .render = render_jsonl },
	{ .name = "sqlite", .about = "a database with the rows, which is an IMAGE too", .render = render_sqlite, .binary = true, .here = &capsule_here },
	{ .name = "svg", .about = "the chart, for browsers: with text and exact amounts", .render = render_svg, .of_chart = true },
	{ .name = "ps", .about = "the chart as PostScript, on pages of A4", .render = render_ps, .of_chart = true, .here = &chart_pages, .load = cairo_load, .prepare = cairo_prepare },
	{ .name = "pdf", .about = "the chart as PDF, on pages of A4", .render = render_pdf, .of_chart = true, .binary = true, .here = &chart_pages, .load = cairo_load, .prepare = cairo_prepare },
	{ .name = "png", .about = "the chart as an image", .render = render_png, .of_chart = true, .binary = true, .here = &chart_pages, .load = cairo_load, .prepare = cairo_prepare },
	{ 0 }
};

/* In no list: their form may change with each version. */
static const struct renderer inner[] = {
	{ .name = "cells", .render = render_cells },
	{ .name = "answer", .render = render_answer },
};

bool renderer_shows(const struct renderer *to, const struct report *r)
{
	return !r->products && (r->chart || !to->of_chart) && (!to->here || *to->here) &&
	       (!r->statement || to->render != render_sqlite);
}

const struct renderer *renderer_find(const struct report *r, const char *name)
{
	for (const struct renderer *to = renderers; to->name; to++)
		if (renderer_shows(to, r) && !strcmp(to->name, name))
			return to;
	for (size_t i = 0; i < ARRAY_LEN(inner); i++)
		if (renderer_shows(&inner[i], r) && !strcmp(inner[i].name, name))
			return &inner[i];
	return NULL;
}
