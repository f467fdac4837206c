/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chart as SVG 1.1, with text and without a background. Its text has the colour of the
 * surrounding page's text.
 */
#include <inttypes.h>
#include <string.h>

#include "reports/charts/draw.h"

#define MAX_BARS 20000

struct svg {
	struct canvas canvas;
	FILE *out;
	bool amounts;
};

/* Advance widths of ASCII in Helvetica (Adobe's font metrics), 1/1000 of the size. The
   viewer's font may be wider, as most fonts for screens are; WIDER allows for it. */
static const uint16_t advance[95] = {
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};

#define WIDER 1.1

static double svg_text_width(struct canvas *c, const char *s, const struct font *f)
{
	double w = 0;

	(void)c;
	for (; *s; s++) {
		unsigned char b = (unsigned char)*s;

		if (b >= 0x20 && b < 0x7f)
			w += advance[b - 0x20];
		else if (b >= 0xc0) /* first byte of a character: assume it is wide */
			w += 1000;
	}
	return w / 1000 * f->size * WIDER;
}

static void put_xml(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		case '"': fputs("&quot;", out); break;
		default: putc(*s, out);
		}
}

static void put_paint(FILE *out, const char *attribute, struct paint p)
{
	if (p.colour == INK)
		fprintf(out, " %s=\"currentColor\"", attribute);
	else
		fprintf(out, " %s=\"#%06x\"", attribute, p.colour);
	if (p.alpha < 1)
		fprintf(out, " %s-opacity=\"%.2f\"", attribute, p.alpha);
}

/* For the page's script, which writes amounts in the unit that the reader chose. */
static void put_amount(const struct svg *svg, const struct words *w)
{
	if (!svg->amounts || !w->amount)
		return;
	fprintf(svg->out, " data-bytes=\"%" PRIu64 "\" data-amount=\"", w->bytes);
	put_xml(svg->out, w->amount);
	putc('"', svg->out);
}

static void svg_text(struct canvas *c, double x, double y, const struct words *w,
		     const struct font *f)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
					       " text-anchor=\"end\"" };
	FILE *out = ((struct svg *)c)->out;

	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\"%s%s", x, y, f->size,
		anchors[f->anchor], f->bold ? " font-weight=\"bold\"" : "");
	put_paint(out, "fill", f->paint);
	put_amount((struct svg *)c, w);
	fputs(" xml:space=\"preserve\">", out);
	put_xml(out, w->text);
	fputs("</text>\n", out);
}

static void svg_rect(struct canvas *c, double x, double y, double w, double h, struct paint p,
		     const struct words *tip)
{
	FILE *out = ((struct svg *)c)->out;

	fprintf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"", x, y, w, h);
	put_paint(out, "fill", p);
	if (!tip) {
		fputs("/>\n", out);
		return;
	}
	put_amount((struct svg *)c, tip);
	fputs("><title>", out);
	put_xml(out, tip->text);
	fputs("</title></rect>\n", out);
}

static void svg_line(struct canvas *c, double x1, double y1, double x2, double y2, struct paint p)
{
	FILE *out = ((struct svg *)c)->out;

	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", x1, y1, x2, y2);
	put_paint(out, "stroke", p);
	fputs("/>\n", out);
}

static void svg_next_page(struct canvas *c)
{
	(void)c; /* it is not paged */
}

void render_svg(const struct render *r, FILE *out)
{
	static const struct canvas_ops ops = { svg_text_width, svg_text, svg_rect, svg_line,
					       svg_next_page };
	struct svg svg = { .out = out, .amounts = r->amounts };
	struct bars b;

	bars_make(r, MAX_BARS, &b);
	svg.canvas =
		(struct canvas){ .ops = &ops, .width = PAGE_WIDTH, .height = chart_height(&b) };
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\""
		" width=\"%.0f\" height=\"%.0f\" role=\"img\" font-family=\"Helvetica, Arial,"
		" 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n<title>",
		svg.canvas.width, svg.canvas.height, svg.canvas.width, svg.canvas.height);
	put_xml(out, b.chart->title);
	fputs("</title>\n", out);
	chart_draw(&svg.canvas, r, &b);
	fputs("</svg>\n", out);
	arena_release(&b.mem);
}
