/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * draw.c - places titles, axes, bars and legends on pages.
 */
#include "reports/charts/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/kernel/source.h"
#include "reports/charts/label.h"
#include "reports/charts/scale.h"

#define MARGIN 30.0
#define TITLE 15.0
#define SMALL 8.5
#define LEGEND_LINE 15.0
#define LEGEND_ITEMS 6		/* in a line, at least */
#define FOOTER 30.0
#define AMOUNT_WIDTH 62.0	/* right of the longest bar */
#define LABEL_SHARE 0.3		/* of the page's width, at most */
#define LABEL_BYTES 200		/* of a name, looked at */
#define CUT_MARK 7.0

static const struct paint ink = { INK, 1 }, pale = { INK, 0.62 }, faint = { INK, 0.14 };

struct drawing {
	struct canvas *c;
	const struct render *r;
	const struct bars *b;
	struct scale scale;
	double left, right;		/* of the plot */
	double top, row;		/* first row; height of a row */
	size_t page, pages, rows;	/* rows: on a page */
	struct arena mem;
};

static unsigned legend_lines(const struct bars *b)
{
	return 1 + (b->chart->nseries + (b->chart->beside ? 1 : 0)) / (LEGEND_ITEMS + 1);
}

static double header_height(const struct bars *b)
{
	return MARGIN + TITLE + 18 + legend_lines(b) * LEGEND_LINE + 26;
}

static double row_height(const struct bars *b)
{
	return b->chart->beside ? 18 : 16;
}

double chart_height(const struct bars *b)
{
	return header_height(b) + (double)(b->n ? b->n : 1) * row_height(b) + FOOTER;
}

static void put_label(struct drawing *d, double x, double y, const char *s, double size,
		      enum anchor anchor, struct paint p)
{
	const struct font f = { .size = size, .anchor = anchor, .paint = p };
	const struct words w = { .text = s };

	d->c->ops->text(d->c, x, y, &w, &f);
}

/* TEXT, in which AMOUNT is the value V of the scale. */
static struct words telling(const struct drawing *d, const char *text, const char *amount,
			    uint64_t v)
{
	return (struct words){ .text = text,
			       .bytes = v,
			       .amount = d->scale.type == COL_BYTES ? amount : NULL };
}

static void put_amount(struct drawing *d, double x, double y, const char *amount, uint64_t v,
		       const struct font *f)
{
	const struct words w = telling(d, amount, amount, v);

	d->c->ops->text(d->c, x, y, &w, f);
}

static double width(struct drawing *d, const char *s, double size)
{
	const struct font f = { .size = size };

	return d->c->ops->text_width(d->c, s, &f);
}

/* S, cut to ROOM with an ellipsis if it is longer. */
static const char *fit(struct drawing *d, const char *s, double size, double room)
{
	size_t len = strlen(s), n = len;
	char *cut;

	if (width(d, s, size) <= room)
		return s;
	cut = arena_alloc(&d->mem, len + 4);
	while (n) {
		do
			n--;
		while (n && (s[n] & 0xc0) == 0x80);
		snprintf(cut, len + 4, "%.*s\xe2\x80\xa6", (int)n, s);
		if (width(d, cut, size) <= room)
			break;
	}
	return cut;
}

/* ---- around the plot -------------------------------------------------------- */

static const char *when(struct drawing *d)
{
	time_t at = (time_t)d->r->image->crash_time;
	char buf[64];
	struct tm tm;

	if (!at || !gmtime_r(&at, &tm))
		return "";
	strftime(buf, sizeof(buf), " \xc2\xb7 %Y-%m-%d %H:%M:%S UTC", &tm);
	return arena_strdup(&d->mem, buf);
}

static void title(struct drawing *d)
{
	const struct image_facts *f = d->r->image;
	const char *node = f->nodename && *f->nodename ? f->nodename : "?";
	const struct font big = { .size = TITLE, .bold = true, .paint = ink };
	const struct words heading = { .text = d->b->chart->title };
	const char *host = label_text(&d->mem, node, LABEL_BYTES);
	const char *line =
		arena_printf(&d->mem, "%s \xc2\xb7 Linux %s%s", host,
			     label_text(&d->mem, f->release ? f->release : "", LABEL_BYTES),
			     when(d));
	double room = d->c->width - 2 * MARGIN, y = MARGIN + TITLE - 3;

	d->c->ops->text(d->c, MARGIN, y, &heading, &big);
	if (d->pages > 1)
		put_label(d, d->c->width - MARGIN, y,
			  arena_printf(&d->mem, "%zu of %zu", d->page + 1, d->pages), SMALL,
			  ANCHOR_RIGHT, pale);
	put_label(d, MARGIN, y + 15, fit(d, line, SMALL, room), SMALL, ANCHOR_LEFT, pale);
}

static void swatch(struct drawing *d, double x, double y, uint32_t colour)
{
	d->c->ops->rect(d->c, x, y - 8, 9, 9, (struct paint){ colour, 1 }, NULL);
}

static void legend(struct drawing *d)
{
	const struct chart *c = d->b->chart;
	double x = MARGIN, y = MARGIN + TITLE + 18 + 12;

	for (unsigned i = 0; i < c->nseries && i < CHART_SERIES; i++) {
		double w = 13 + width(d, c->series[i].legend, 9) + 16;

		if (x + w > d->c->width - MARGIN) {
			x = MARGIN;
			y += LEGEND_LINE;
		}
		swatch(d, x, y, c->series[i].colour);
		put_label(d, x + 13, y, c->series[i].legend, 9, ANCHOR_LEFT, ink);
		x += w;
	}
	if (c->beside)
		put_label(d, d->c->width - MARGIN, y,
			  arena_printf(&d->mem, "thick: %s; thin: %s", c->what, c->beside), SMALL,
			  ANCHOR_RIGHT, pale);
}

static double plot_x(const struct drawing *d, uint64_t v)
{
	double full = (double)d->scale.step * (double)d->scale.ticks;
	double at = (double)v / full;

	return d->left + (d->right - d->left) * (at < 1 ? at : 1);
}

static void axis(struct drawing *d, double bottom)
{
	const struct font small = { .size = 8, .anchor = ANCHOR_MIDDLE, .paint = pale };
	char buf[AMOUNT_TEXT];

	for (uint64_t i = 0; i <= d->scale.ticks; i++) {
		double x = plot_x(d, i * d->scale.step);

		scale_tick(&d->scale, i * d->scale.step, buf);
		d->c->ops->line(d->c, x, d->top - 4, x, bottom, faint);
		put_amount(d, x, d->top - 8, buf, i * d->scale.step, &small);
	}
}

static void footer(struct drawing *d, double bottom)
{
	const struct font small = { .size = SMALL, .paint = pale };
	const struct bars *b = d->b;
	char total[AMOUNT_TEXT];
	struct words w;

	scale_amount(&d->scale, b->total, total);
	w = telling(
		d,
		arena_printf(
			&d->mem, "%zu rows; %s of all together: %s%s.", b->nrows, b->chart->what,
			total,
			b->shared
				? "; memory that several rows share is in each bar, but counts once in rest and here"
				: ""),
		total, b->total);
	d->c->ops->text(d->c, MARGIN, bottom + 17, &w, &small);
}

/* ---- bars ------------------------------------------------------------------- */

static const char *bar_name(struct drawing *d, const struct bar *bar)
{
	return label_text(&d->mem, bar->label, LABEL_BYTES);
}

/* The pieces of one bar: V of each series, side by side; returns where they end. */
static double pieces(struct drawing *d, const struct bar *bar, bool beside, double y, double h)
{
	const struct chart *c = d->b->chart;
	const uint64_t *v = beside ? bar->beside : bar->v;
	double x = d->left, alpha = beside ? 0.5 : bar->rest ? 0.6 : 1;
	char buf[AMOUNT_TEXT];
	uint64_t sum = 0;

	for (unsigned i = 0; i < c->nseries && i < CHART_SERIES; i++) {
		const char *column = beside ? c->series[i].beside : c->series[i].column;
		struct words tip;
		double end;

		sum = sum + v[i] < sum ? UINT64_MAX : sum + v[i];
		end = plot_x(d, sum);
		if (!v[i])
			continue;
		scale_amount(&d->scale, v[i], buf);
		tip = telling(d,
			      arena_printf(&d->mem, "%s%s%s%s: %s %s (%" PRIu64 ")",
					   bar_name(d, bar), bar->id ? " (" : "",
					   bar->id ? bar->id : "", bar->id ? ")" : "", column, buf,
					   v[i]),
			      buf, v[i]);
		d->c->ops->rect(d->c, x, y, end - x, h,
				(struct paint){ c->series[i].colour, alpha }, &tip);
		x = end;
	}
	return x;
}

/* A bar that is longer than the axis: two strokes show that it goes on. */
static void cut_mark(struct drawing *d, double x, double y, double h)
{
	for (int i = 0; i < 2; i++)
		d->c->ops->line(d->c, x - 12 + 4 * i, y + h + 2, x - 12 + 4 * i + CUT_MARK, y - 2,
				(struct paint){ INK, 0.9 });
}

static void bar(struct drawing *d, const struct bar *bar, double y)
{
	const struct font font = { .size = 8.5, .paint = ink };
	const struct font small = { .size = 7, .paint = pale };
	bool thin = d->b->chart->beside != NULL;
	double h = thin ? 9 : 11, text_y = y + (thin ? 9.5 : 10.5), end, end2 = 0;
	double full = (double)d->scale.step * (double)d->scale.ticks;
	double id = bar->id ? width(d, bar->id, 8) + 5 : 0, behind;
	char buf[AMOUNT_TEXT];

	put_label(d, d->left - 6 - id, text_y,
		  fit(d, bar_name(d, bar), 9, d->left - MARGIN - 6 - id), 9, ANCHOR_RIGHT, ink);
	if (bar->id)
		put_label(d, d->left - 6, text_y, bar->id, 8, ANCHOR_RIGHT, pale);
	end = pieces(d, bar, false, y + 1, h);
	if (thin)
		end2 = pieces(d, bar, true, y + 1 + h + 0.8, 3.2);
	if ((double)bar->total > full || (double)bar->beside_total > full)
		cut_mark(d, end > end2 ? end : end2, y + 1, thin ? h + 4 : h);
	scale_amount(&d->scale, bar->total, buf);
	put_amount(d, end + 5, text_y, buf, bar->total, &font);
	behind = end + 5 + width(d, buf, 8.5) + 4;
	if (!thin || end2 < behind)
		return;
	scale_amount(&d->scale, bar->beside_total, buf);
	put_amount(d, end2 + 4, text_y + 5, buf, bar->beside_total, &small);
}

static double label_room(struct drawing *d)
{
	double most = 0, limit = d->c->width * LABEL_SHARE;

	for (size_t i = 0; i < d->b->n && most < limit; i++) {
		const struct bar *b = &d->b->v[i];
		double w = width(d, bar_name(d, b), 9) + (b->id ? width(d, b->id, 8) + 5 : 0);

		most = w > most ? w : most;
	}
	return (most < limit ? most : limit) + 6;
}

static void draw_page(struct drawing *d)
{
	size_t first = d->page * d->rows, n = d->b->n - first;
	double bottom;

	if (n > d->rows)
		n = d->rows;
	bottom = d->top + (double)(n ? n : 1) * d->row;
	title(d);
	legend(d);
	axis(d, bottom);
	for (size_t i = 0; i < n; i++)
		bar(d, &d->b->v[first + i], d->top + (double)i * d->row);
	if (!d->b->n)
		put_label(d, d->left + 6, d->top + 12, "no rows", 9, ANCHOR_LEFT, pale);
	if (d->page + 1 == d->pages)
		footer(d, bottom);
}

void chart_draw(struct canvas *c, const struct render *r, const struct bars *b)
{
	struct drawing d = { .c = c,
			     .r = r,
			     .b = b,
			     .top = header_height(b),
			     .row = row_height(b),
			     .rows = b->n ? b->n : 1,
			     .pages = 1 };

	d.scale = (struct scale){ .type = b->type, .unit = b->unit, .units = r->units };
	scale_axis(&d.scale, b->max);
	d.left = MARGIN + label_room(&d);
	d.right = c->width - MARGIN - AMOUNT_WIDTH;
	if (c->paged) {
		d.rows = (size_t)((c->height - d.top - FOOTER) / d.row);
		d.pages = b->n ? (b->n + d.rows - 1) / d.rows : 1;
	}
	for (d.page = 0; d.page < d.pages; d.page++) {
		if (d.page)
			c->ops->next_page(c);
		draw_page(&d);
		arena_release(&d.mem);
	}
}
