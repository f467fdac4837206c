/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv by RFC 4180, except for plain newlines, which Unix tools expect: a header line, then
 * the rows. Sizes are in bytes, times in ns, addresses 0x...; unknown cells are empty.
 */
#include <string.h>

#include "reports/render/render.h"

static void put_cell(const struct column *c, const void *row, FILE *out)
{
	static const struct units bytes = { UNIT_BYTES, 1 };
	char buf[CELL_TEXT];

	if (cell_unknown(c, row))
		return;
	if (column_is_text(c)) {
		put_csv(out, cell_str(c, row, buf));
	} else if (c->type == COL_NSEC) {
		put_decimal(buf, cell_uint(c, row));
		fputs(buf, out);
	} else {
		cell_text(c, row, &bytes, buf);
		fputs(buf, out);
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
		fputs(r->cols[i]->name, out);
		fputs(i + 1 < r->ncols ? "," : "\n", out);
	}
	for (size_t n = 0; n < r->t->nrows && !ferror(out); n++)
		for (unsigned i = 0; i < r->ncols; i++) {
			put_cell(r->cols[i], table_row(r->t, n), out);
			fputs(i + 1 < r->ncols ? "," : "\n", out);
		}
}
