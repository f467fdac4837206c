/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * render.c - the table of renderers.
 */
#include "reports/render/render.h"

#include <string.h>

#include "reports/capsule/capsule.h"
#include "reports/charts/chart.h"

const struct renderer renderers[] = {
	{ "text", "aligned columns, or the report's own form", render_text, false, false, NULL, NULL },
	{ "csv", "a header line, quoted as RFC 4180 says; sizes in bytes", render_csv, false, false, NULL, NULL },
	{ "json", "one object with image, columns, rows, issues", render_json, false, false, NULL, NULL },
	{ "jsonl", "each row as an object on a line of its own", render_jsonl, false, false, NULL, NULL },
	{ "sqlite", "a database with the rows, which is an IMAGE too", render_sqlite, false, true, &capsule_here, NULL },
	{ "svg", "the chart, for browsers: with text and exact amounts", render_svg, true, false, NULL, NULL },
	{ "ps", "the chart as PostScript, on pages of A4", render_ps, true, false, &chart_pages, cairo_prepare },
	{ "pdf", "the chart as PDF, on pages of A4", render_pdf, true, true, &chart_pages, cairo_prepare },
	{ "png", "the chart as an image", render_png, true, true, &chart_pages, cairo_prepare },
	{ 0 }
};

bool renderer_shows(const struct renderer *to, const struct report *r)
{
	return !r->products && (r->chart || !to->of_chart) && (!to->here || *to->here);
}

const struct renderer *renderer_find(const struct report *r, const char *name)
{
	for (const struct renderer *to = renderers; to->name; to++)
		if (renderer_shows(to, r) && !strcmp(to->name, name))
			return to;
	return NULL;
}
