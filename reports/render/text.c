/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for people: headings, aligned columns (numbers right, strings left, the last string
 * at full length), a line of totals. Two passes over the rows: one measures, one prints.
 * An empty or unknown cell is "-"; lines end without blanks.
 */
#include <ctype.h>
#include <string.h>

#include "dumpread/base/hash.h"
#include "reports/render/render.h"

#define PAD_MAX 48	/* one long string must not push all rows apart */
#define PAD_WIDE 80	/* of COL_WIDE */

struct text_col {
	const struct column *c;
	size_t width;
	bool left, totalled;
	bool cut;		/* what is wider than WIDTH is cut */
	bool known, unknown;	/* rows with a value, and without one */
	uint64_t sum;
};

struct text {
	const struct render *r;
	FILE *out;
	struct text_col *v;
	unsigned n;		/* of V */
	unsigned label;		/* column that says "total"; N: no totals */
	size_t screen;		/* columns of the terminal; 0: there is none */
	const char *missing;	/* names of columns that do not fit it; NULL: all fit */
	size_t nall;		/* rows that the totals include */
	bool marked;		/* one of them is incomplete */
	size_t blanks;		/* to print before the next visible text */
	struct hash seen;	/* table.total_key of rows that were added */
	struct arena mem;
};

/* Only for COL_STR. */
static const char *str_of(const struct column *c, const void *row)
{
	const char *s = cell_str(c, row, NULL);

	return s && *s ? s : "-";
}

static void widen(struct text_col *tc, size_t width)
{
	size_t most = tc->c->flags & COL_WIDE ? PAD_WIDE : PAD_MAX;

	if (tc->left && width > most)
		width = most;
	if (width > tc->width)
		tc->width = width;
}

/* Does ROW show something new, or did another row show it? */
static bool first_time(struct text *x, const void *row)
{
	uint64_t key = 0;

	if (x->r->t->total_key)
		key = *(const uint64_t *)((const char *)row + x->r->t->total_key);
	if (!key)
		return true;
	if (hash_get(&x->seen, key) != HASH_NONE)
		return false;
	hash_put(&x->seen, key, 0);
	return true;
}

/* The parts of ROW that could not be read; NULL: none. */
static const char *incomplete(const struct table *t, const void *row)
{
	return t->incomplete ? *(const char *const *)((const char *)row + t->incomplete) : NULL;
}

static void measure_row(struct text *x, const void *row)
{
	char buf[CELL_TEXT];

	for (unsigned i = 0; i < x->n; i++) {
		struct text_col *tc = &x->v[i];

		if (tc->c->type == COL_STR)
			widen(tc, text_width(str_of(tc->c, row)));
		else
			widen(tc, cell_text(tc->c, row, &x->r->units, buf));
	}
}

static void add_up_row(struct text *x, const void *row)
{
	bool first = first_time(x, row);

	x->marked |= incomplete(x->r->t, row) != NULL;
	for (unsigned i = 0; i < x->n; i++) {
		struct text_col *tc = &x->v[i];

		if (!tc->totalled || (!first && tc->c->flags & COL_ONCE))
			continue;
		if (cell_unknown(tc->c, row)) {
			tc->unknown = true;
			continue;
		}
		tc->known = true;
		tc->sum += cell_uint(tc->c, row);
	}
}

static void measure(struct text *x)
{
	for (size_t n = 0; n < x->nall; n++) {
		const void *row = table_row(x->r->t, n);

		if (n < x->r->t->nrows)
			measure_row(x, row);
		add_up_row(x, row);
	}
}

/* A sum of unknown values is not 0. */
static size_t sum_text(const struct text *x, const struct text_col *tc, char *buf)
{
	if (tc->unknown && !tc->known) {
		memcpy(buf, "-", 2);
		return 1;
	}
	return uint_text(tc->c->type, tc->sum, &x->r->units, buf);
}

/* Totals are printed if there is something to add up. */
static void plan_totals(struct text *x)
{
	char buf[CELL_TEXT];
	unsigned any = 0;

	x->label = x->n;
	if (x->nall < 2)
		return;
	for (unsigned i = 0; i < x->n; i++)
		any += x->v[i].totalled;
	for (unsigned i = 0; any && i < x->n && x->label == x->n; i++)
		if (!x->v[i].totalled)
			x->label = i;
	if (x->label == x->n)
		return;
	widen(&x->v[x->label], strlen("total"));
	for (unsigned i = 0; i < x->n; i++)
		if (x->v[i].totalled)
			widen(&x->v[i], sum_text(x, &x->v[i], buf));
}

/* One cell S of visible WIDTH in column I, aligned. */
static void put_padded(struct text *x, unsigned i, const char *s, size_t width)
{
	const struct text_col *tc = &x->v[i];
	size_t pad = tc->width > width ? tc->width - width : 0, len = strlen(s);

	if (!tc->left)
		x->blanks += pad;
	bool cut = tc->cut && width > tc->width;

	while (!cut && len && s[len - 1] == ' ')
		len--;
	if (len) {
		while (x->blanks) {
			putc(' ', x->out);
			x->blanks--;
		}
		if (cut)
			put_text_cut(x->out, s, tc->width);
		else
			put_text_len(x->out, s, len);
	}
	x->blanks += strlen(s + len);
	if (tc->left)
		x->blanks += pad;
	x->blanks++;
}

static void end_line(struct text *x)
{
	x->blanks = 0;
	putc('\n', x->out);
}

static void put_headings(struct text *x)
{
	for (unsigned i = 0; i < x->n; i++) {
		char name[64];
		size_t n = 0;

		for (const char *s = x->v[i].c->name; *s && n + 1 < sizeof(name); s++)
			name[n++] = (char)toupper((unsigned char)*s);
		name[n] = '\0';
		put_padded(x, i, name, n);
	}
	end_line(x);
}

static void put_mark(struct text *x)
{
	x->blanks = 0;
	fputs(" *", x->out);
}

static void put_row(struct text *x, const void *row)
{
	char buf[CELL_TEXT];

	for (unsigned i = 0; i < x->n; i++) {
		const struct column *c = x->v[i].c;

		if (c->type == COL_STR) {
			const char *s = str_of(c, row);

			put_padded(x, i, s, text_width(s));
		} else {
			put_padded(x, i, buf, cell_text(c, row, &x->r->units, buf));
		}
	}
	if (incomplete(x->r->t, row))
		put_mark(x);
	end_line(x);
}

static void put_totals(struct text *x)
{
	char buf[CELL_TEXT];

	for (unsigned i = 0; i < x->n; i++) {
		const struct text_col *tc = &x->v[i];

		if (i == x->label)
			put_padded(x, i, "total", strlen("total"));
		else if (tc->totalled)
			put_padded(x, i, buf, sum_text(x, tc, buf));
		else
			put_padded(x, i, "", 0);
	}
	if (x->marked)
		put_mark(x);
	end_line(x);
}

/* Notes that a reader needs for the rows above. */
static void put_notes(const struct text *x)
{
	const struct table *t = x->r->t;

	if (x->nall > t->nrows)
		fprintf(x->out, "%zu of %zu rows\n", t->nrows, x->nall);
	if (x->missing)
		put_folded(x->out, x->missing, 2, x->screen);
	if (x->marked)
		fputs("* not all of it could be read (column incomplete says what): sizes are lower "
		      "bounds, - is unknown\n",
		      x->out);
	if (t->note)
		put_folded(x->out, t->note, 2, x->screen);
}

/* ---- a terminal ------------------------------------------------------------------- */

#define NAME_LEAST 24	/* columns of a name that is cut */

/* Width of a row; the last column is a name, which may be cut to LEAST columns. */
static size_t row_width(const struct text *x, size_t least)
{
	size_t sum = x->marked ? 2 : 0;

	for (unsigned i = 0; i < x->n; i++) {
		size_t w = x->v[i].width;

		sum += i + 1 == x->n && x->v[i].left && w > least ? least : w + (i + 1 < x->n);
	}
	return sum;
}

/* The column that a narrow screen lacks first: numbers from the right, then texts, never the first or last one. N: none. */
static unsigned least_column(const struct text *x)
{
	for (int texts = 0; texts < 2; texts++)
		for (unsigned i = x->n - 1; i-- > 1;)
			if ((int)x->v[i].left == texts && strcmp(x->v[i].c->name, "pid") != 0)
				return i;
	return x->n;
}

static void fit(struct text *x)
{
	struct text_col *last;
	size_t all;
	unsigned i;

	while (!x->r->chosen && x->n > 2 && row_width(x, NAME_LEAST) > x->screen &&
	       (i = least_column(x)) < x->n) {
		x->missing = x->missing
				     ? arena_printf(&x->mem, "%s, %s", x->v[i].c->name, x->missing)
				     : x->v[i].c->name;
		memmove(&x->v[i], &x->v[i + 1], (--x->n - i) * sizeof(*x->v));
	}
	if (x->missing)
		x->missing = arena_printf(&x->mem,
					  "not shown, for this terminal is too narrow: %s (-c all)",
					  x->missing);
	for (i = 0; i < x->n; i++)
		x->v[i].cut = x->v[i].left;
	last = &x->v[x->n - 1];
	all = row_width(x, SIZE_MAX);
	if (last->left && all > x->screen)
		last->width = last->width > all - x->screen + NAME_LEAST
				      ? last->width - (all - x->screen)
				      : NAME_LEAST;
}

static void render_table(const struct render *r, FILE *out)
{
	struct text x = {
		.r = r, .out = out, .n = r->ncols, .screen = r->opts->width, .nall = table_all(r->t)
	};

	x.v = arena_array(&x.mem, struct text_col, r->ncols);
	x.seen.mem = &x.mem;
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = r->cols[i];

		x.v[i].c = c;
		x.v[i].left = column_is_text(c);
		x.v[i].totalled = c->flags & (COL_TOTAL | COL_ONCE);
		x.v[i].width = strlen(c->name);
	}
	measure(&x);
	plan_totals(&x);
	if (x.screen && x.n) {
		fit(&x);
		plan_totals(&x);
	}
	if (r->t->head && !r->chosen)
		put_folded(out, r->t->head, 4, x.screen);
	if (r->t->nrows || !r->t->note)
		put_headings(&x);
	for (size_t n = 0; n < r->t->nrows && !ferror(out); n++)
		put_row(&x, table_row(r->t, n));
	if (x.label < x.n)
		put_totals(&x);
	put_notes(&x);
	arena_release(&x.mem);
}

void render_text(const struct render *r, FILE *out)
{
	const struct like *like = report_like(r->report, r->opts);

	if (like && like->text)
		like->text(r->s, r->opts, r->t, out);
	else if (r->report->text && !r->chosen)
		r->report->text(r->s, r->opts, r->t, out);
	else
		render_table(r, out);
}
