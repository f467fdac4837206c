/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emit.c - writes JSON values that are safe inside HTML.
 */
#include "reports/html/emit.h"

#include <string.h>

#include "reports/core/pick.h"
#include "reports/render/render.h"

#define PROBES 64	/* strings with the same hash that are compared; with more, a string is
			   stored twice */

void emit_init(struct emit *e, FILE *out)
{
	memset(e, 0, sizeof(*e));
	e->out = out;
	e->known.mem = &e->mem;
}

void emit_release(struct emit *e)
{
	arena_release(&e->mem);
}

void emit_uint(struct emit *e, uint64_t v)
{
	char buf[24];
	size_t n;

	if (v == COL_UNKNOWN) {
		fputs("null", e->out);
		return;
	}
	n = put_decimal(buf, v);
	fwrite(buf, 1, n, e->out);
}

static uint32_t string_number(struct emit *e, const char *s)
{
	uint64_t key = hash_str(s);
	uint32_t i = HASH_NONE;

	for (int n = 0; n < PROBES; n++, key += key == UINT64_MAX ? 2 : 1) {
		i = hash_get(&e->known, key);
		if (i == HASH_NONE)
			break;
		if (!strcmp(e->strings.v[i], s))
			return i;
	}
	if (i == HASH_NONE)
		hash_put(&e->known, key, (uint32_t)e->strings.n);
	*vec_push(&e->mem, &e->strings) = s;
	return (uint32_t)e->strings.n - 1;
}

void emit_str(struct emit *e, const char *s)
{
	emit_uint(e, s ? string_number(e, s) : COL_UNKNOWN);
}

void emit_text(struct emit *e, const char *s)
{
	if (s)
		put_json_html(e->out, s);
	else
		fputs("null", e->out);
}

void emit_comma(struct emit *e, size_t i)
{
	if (i)
		putc(',', e->out);
}

static uint64_t size_at(const void *v, size_t stride, size_t i)
{
	uint64_t x;

	memcpy(&x, (const char *)v + i * stride, sizeof(x));
	return x;
}

void emit_sizes(struct emit *e, const char *name, const void *v, size_t stride, size_t n,
		uint32_t page)
{
	uint32_t unit = page;

	for (size_t i = 0; i < n && unit > 1; i++)
		if (size_at(v, stride, i) % page)
			unit = 1;
	fputs("\n  ", e->out);
	emit_text(e, name);
	fprintf(e->out, ": {\"unit\": %u, \"v\": [", unit);
	for (size_t i = 0; i < n; i++) {
		size_t zeros = 0;

		emit_comma(e, i);
		while (i + zeros < n && !size_at(v, stride, i + zeros))
			zeros++;
		if (zeros > 1) {
			fprintf(e->out, "-%zu", zeros);
			i += zeros - 1;
		} else {
			emit_uint(e, size_at(v, stride, i) / unit);
		}
	}
	fputs("]}", e->out);
}

static void emit_cell(struct emit *e, const struct column *c, const void *row)
{
	static const struct units bytes = { UNIT_BYTES, 1 };
	char buf[CELL_TEXT];

	if (cell_unknown(c, row)) {
		fputs("null", e->out);
	} else if (c->type == COL_STR) {
		emit_str(e, cell_str(c, row, buf));
	} else if (c->type == COL_CHAR || c->type == COL_HEX) {
		cell_text(c, row, &bytes, buf);
		emit_str(e, arena_strdup(&e->mem, buf));
	} else if (c->type == COL_NSEC) {
		emit_uint(e, cell_uint(c, row));
	} else {
		cell_text(c, row, &bytes, buf);
		fputs(buf, e->out);
	}
}

static const char *type_name(enum col_type type)
{
	switch (type) {
	case COL_STR:
	case COL_CHAR:
	case COL_HEX: return "text";
	case COL_BYTES: return "bytes";
	case COL_NSEC: return "ns";
	case COL_INT:
	case COL_UINT:
	case COL_DELTA:
	case COL_RATIO: break;
	}
	return "number";
}

static void emit_column(struct emit *e, const struct table *t, const struct column *c)
{
	fputs("\n  ", e->out);
	emit_text(e, c->name);
	fprintf(e->out, ": {\"type\": \"%s\", \"about\": ", type_name(c->type));
	emit_text(e, c->about);
	fputs(", \"v\": [", e->out);
	for (size_t i = 0; i < t->nrows; i++) {
		emit_comma(e, i);
		emit_cell(e, c, table_row(t, i));
	}
	fputs("]}", e->out);
}

void emit_table(struct emit *e, const struct table *t, const char *const *names)
{
	size_t done = 0;

	fprintf(e->out, "{\"n\": %zu, \"columns\": {", t->nrows);
	for (unsigned i = 0; !names && i < t->ncols; i++) {
		emit_comma(e, done++);
		emit_column(e, t, &t->cols[i]);
	}
	for (; names && *names; names++) {
		const struct column *c = column_find(t->cols, t->ncols, *names);

		if (!c)
			continue;
		emit_comma(e, done++);
		emit_column(e, t, c);
	}
	fputs("}}", e->out);
}

void emit_strings(struct emit *e)
{
	fputs("\"strings\": [", e->out);
	for (size_t i = 0; i < e->strings.n; i++) {
		emit_comma(e, i);
		emit_text(e, e->strings.v[i]);
	}
	fputs("]", e->out);
}
