/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv by RFC 4180, except for plain newlines, which Unix tools expect: a header line, then
 * the rows. Sizes are in bytes, times in ns, addresses 0x...; unknown cells are empty.
 *
 * "cells" is the same for cli/library, with what a program wants to know: a line with the numbers of columns,
 * rows, rows with those that -n cut off, and issues; a line for each column (name, type, unit, about); the rows;
 * a line for each issue (kind, object, count).
 */
#include <inttypes.h>
#include <string.h>

#include "reports/render/render.h"

static void put_cell(const struct column *c, const void *row, void (*put)(FILE *, const char *),
		     FILE *out)
{
	static const struct units bytes = { UNIT_BYTES, 1 };
	char buf[CELL_TEXT];

	if (cell_unknown(c, row))
		return;
	if (column_is_text(c)) {
		put(out, cell_str(c, row, buf));
	} else if (c->type == COL_NSEC) {
		put_decimal(buf, cell_uint(c, row));
		fputs(buf, out);
	} else {
		cell_text(c, row, &bytes, buf);
		fputs(buf, out);
	}
}

static void put_rows(const struct render *r, void (*put)(FILE *, const char *), FILE *out)
{
	for (size_t n = 0; n < r->t->nrows && !ferror(out); n++)
		for (unsigned i = 0; i < r->ncols; i++) {
			put_cell(r->cols[i], table_row(r->t, n), put, out);
			putc(i + 1 < r->ncols ? ',' : '\n', out);
		}
}

void render_csv(const struct render *r, FILE *out)
{
	const struct like *like = report_like(r->report, r->opts);

	if (like && like->csv) {
		like->csv(r->s, r->opts, r->t, out);
		return;
	}
	for (unsigned i = 0; i < r->ncols; i++) {
		put_csv(out, r->cols[i]->name);
		putc(i + 1 < r->ncols ? ',' : '\n', out);
	}
	put_rows(r, put_csv, out);
}

void render_cells(const struct render *r, FILE *out)
{
	unsigned nissues = r->issues ? r->issues->n : 0;
	size_t all = table_all(r->t);

	fprintf(out, "%u,%zu,%zu,%u\n", r->ncols, r->t->nrows, all, nissues);
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = r->cols[i];

		put_csv_field(out, c->name);
		fprintf(out, ",%s,", column_words[c->type]);
		put_csv_field(out, c->unit);
		putc(',', out);
		put_csv_field(out, c->about);
		putc('\n', out);
	}
	put_rows(r, put_csv_field, out);
	for (unsigned i = 0; i < nissues; i++) {
		fprintf(out, "%s,", status_name(r->issues->v[i].kind));
		put_csv_field(out, r->issues->v[i].object);
		fprintf(out, ",%" PRIu64 "\n", r->issues->v[i].count);
	}
}
