/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cairo.c - stands in for reports/charts/cairo.c: ps, pdf and png are not offered.
 */
#include "reports/charts/chart.h"
#include "reports/render/render.h"

const bool chart_pages = false;

enum status cairo_load(struct diag *diag)
{
	return fail(diag, ST_UNSUPPORTED, "this program draws svg only");
}

void cairo_prepare(void)
{
}

void render_ps(const struct render *r, FILE *out)
{
	(void)r, (void)out;
}

void render_pdf(const struct render *r, FILE *out)
{
	(void)r, (void)out;
}

void render_png(const struct render *r, FILE *out)
{
	(void)r, (void)out;
}
