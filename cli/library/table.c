/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/library/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where the text is read, and where its cells are written: quotes are taken out in place. */
struct cursor {
	char *at, *end;
};

/* The next cell, NULL if nothing stands there; *LAST: of its line. False: quotes do not end, or no line is left. */
static bool next_cell(struct cursor *c, char **cell, bool *last)
{
	char *to = c->at, *from = c->at;
	bool quoted = from < c->end && *from == '"';

	if (from >= c->end)
		return false;
	*cell = to;
	if (quoted)
		from++;
	while (from < c->end && (quoted || (*from != ',' && *from != '\n'))) {
		if (quoted && *from == '"') {
			if (from[1] != '"')
				break;
			from++;
		}
		*to++ = *from++;
	}
	if (quoted &&
	    (from >= c->end || *from++ != '"' || from >= c->end || (*from != ',' && *from != '\n')))
		return false;
	if (!quoted && to == *cell)
		*cell = NULL;
	*last = from >= c->end || *from == '\n';
	c->at = from < c->end ? from + 1 : from;
	*to = '\0';
	return true;
}

/* A line of N cells; false: it has others. */
static bool line_of(struct cursor *c, char **cells, size_t n)
{
	bool last = false;

	for (size_t i = 0; i < n; i++)
		if (last || !next_cell(c, &cells[i], &last))
			return false;
	return last;
}

static bool number(const char *cell, size_t *ret)
{
	char *end = NULL;

	if (cell)
		*ret = strtoull(cell, &end, 10);
	return end && !*end;
}

/* The four numbers of the first line: no more than the LEN bytes could be. */
static bool parse_head(struct vmcensus_table *t, struct cursor *c, size_t len)
{
	char *cells[4];

	return line_of(c, cells, 4) && number(cells[0], &t->ncols) && number(cells[1], &t->nrows) &&
	       number(cells[2], &t->nall) && number(cells[3], &t->nissues) && t->ncols &&
	       t->ncols < len && t->nrows < len / t->ncols && t->nissues < len &&
	       t->nall >= t->nrows;
}

static bool parse_columns(struct vmcensus_table *t, struct cursor *c)
{
	t->cols = calloc(t->ncols, sizeof(*t->cols));
	for (size_t i = 0; t->cols && i < t->ncols; i++) {
		char *v[4];

		if (!line_of(c, v, 4) || !v[0] || !v[1] || !v[2] || !v[3])
			return false;
		t->cols[i] = (struct vmcensus_column){ v[0], v[1], v[2], v[3] };
	}
	return t->cols;
}

static bool parse_rows(struct vmcensus_table *t, struct cursor *c)
{
	t->cells = reallocarray(NULL, t->nrows + 1, t->ncols * sizeof(*t->cells));
	for (size_t i = 0; t->cells && i < t->nrows; i++)
		if (!line_of(c, t->cells + i * t->ncols, t->ncols))
			return false;
	return t->cells;
}

static bool parse_issues(struct vmcensus_table *t, struct cursor *c)
{
	t->issues = calloc(t->nissues + 1, sizeof(*t->issues));
	for (size_t i = 0; t->issues && i < t->nissues; i++) {
		size_t count;
		char *v[3];

		if (!line_of(c, v, 3) || !v[0] || !v[1] || !number(v[2], &count))
			return false;
		t->issues[i] = (struct vmcensus_issue){ v[0], v[1], count };
	}
	return t->issues && c->at == c->end;
}

struct vmcensus_table *table_parse(char *text, size_t len)
{
	struct vmcensus_table *t = calloc(1, sizeof(*t));
	struct cursor c = { text, text + len };

	if (!t) {
		free(text);
		return NULL;
	}
	*t = (struct vmcensus_table){ .refs = 1, .text = text };
	if (parse_head(t, &c, len) && parse_columns(t, &c) && parse_rows(t, &c) &&
	    parse_issues(t, &c))
		return t;
	vmcensus_table_free(t);
	return NULL;
}

void vmcensus_table_free(struct vmcensus_table *t)
{
	if (!t || atomic_fetch_sub(&t->refs, 1) != 1)
		return;
	free(t->text);
	free(t->cols);
	free(t->issues);
	free(t->cells);
	free(t);
}

size_t vmcensus_table_rows(const struct vmcensus_table *t)
{
	return t->nrows;
}

size_t vmcensus_table_all(const struct vmcensus_table *t)
{
	return t->nall;
}

size_t vmcensus_table_columns(const struct vmcensus_table *t)
{
	return t->ncols;
}

const struct vmcensus_column *vmcensus_table_column(const struct vmcensus_table *t, size_t column)
{
	return column < t->ncols ? &t->cols[column] : NULL;
}

const char *vmcensus_table_cell(const struct vmcensus_table *t, size_t row, size_t column)
{
	return row < t->nrows && column < t->ncols ? t->cells[row * t->ncols + column] : NULL;
}

size_t vmcensus_table_issues(const struct vmcensus_table *t)
{
	return t->nissues;
}

const struct vmcensus_issue *vmcensus_table_issue(const struct vmcensus_table *t, size_t issue)
{
	return issue < t->nissues ? &t->issues[issue] : NULL;
}
