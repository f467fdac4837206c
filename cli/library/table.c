/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/library/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where csv is read, and where its cells are written: quotes are taken out in place. */
struct cursor {
	char *at, *end;
};

/* The next cell, NULL if nothing stands there; *LAST: of its line. False: quotes do not end. */
static bool next_cell(struct cursor *c, char **cell, bool *last)
{
	char *to = c->at, *from = c->at;
	bool quoted = from < c->end && *from == '"';

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
	if (quoted && (from >= c->end || *from++ != '"'))
		return false;
	if (!quoted && to == *cell)
		*cell = NULL;
	*last = from >= c->end || *from == '\n';
	c->at = from < c->end ? from + 1 : from;
	*to = '\0';
	return true;
}

/* The word at *S, ended in place; *S moves behind it and the blanks. */
static char *take_word(char **s)
{
	char *word = *s, *end = word + strcspn(word, " ");

	*s = end + strspn(end, " ");
	*end = '\0';
	return word;
}

/* Lines "* NAME TYPE ABOUT" to the columns of that name. */
static void describe(struct vmcensus_table *t)
{
	char *save, *line = t->about ? strtok_r(t->about, "\n", &save) : NULL;

	for (; line; line = strtok_r(NULL, "\n", &save)) {
		char *s = line + strspn(line, "* "), *name = take_word(&s), *type = take_word(&s);

		for (size_t i = 0; i < t->ncols; i++)
			if (!strcmp(t->cols[i].name, name))
				t->cols[i] =
					(struct vmcensus_column){ t->cols[i].name, type,
								  !strcmp(type, "size")	  ? "bytes"
								  : !strcmp(type, "time") ? "ns"
											  : "",
								  s };
	}
}

static bool parse_head(struct vmcensus_table *t, struct cursor *c)
{
	size_t most = 1;
	bool last = false;

	for (const char *s = c->at; s < c->end && *s != '\n'; s++)
		most += *s == ',';
	t->cols = calloc(most, sizeof(*t->cols));
	while (t->cols && !last && t->ncols < most) {
		char *name;

		if (!next_cell(c, &name, &last) || !name)
			return false;
		t->cols[t->ncols++] = (struct vmcensus_column){ name, "text", "", "" };
	}
	return t->cols && last;
}

/* One row behind the others; false: it has not the columns of the head, or no memory. */
static bool parse_row(struct vmcensus_table *t, struct cursor *c, size_t *room)
{
	bool last = false;

	if (t->nrows == *room) {
		size_t more = *room ? *room * 2 : 64;
		char **cells = reallocarray(t->cells, more, t->ncols * sizeof(*cells));

		if (!cells)
			return false;
		t->cells = cells;
		*room = more;
	}
	for (size_t i = 0; i < t->ncols; i++)
		if (last || !next_cell(c, &t->cells[t->nrows * t->ncols + i], &last))
			return false;
	t->nrows++;
	return last;
}

struct vmcensus_table *table_parse(char *csv, size_t len, char *about)
{
	struct vmcensus_table *t = calloc(1, sizeof(*t));
	struct cursor c = { csv, csv + len };
	size_t room = 0;
	bool good;

	if (!t) {
		free(csv);
		free(about);
		return NULL;
	}
	*t = (struct vmcensus_table){ .refs = 1, .csv = csv, .about = about };
	good = parse_head(t, &c);
	while (good && c.at < c.end)
		good = parse_row(t, &c, &room);
	if (!good) {
		vmcensus_table_free(t);
		return NULL;
	}
	describe(t);
	return t;
}

void vmcensus_table_free(struct vmcensus_table *t)
{
	if (!t || atomic_fetch_sub(&t->refs, 1) != 1)
		return;
	free(t->csv);
	free(t->about);
	free(t->cols);
	free(t->cells);
	free(t);
}

size_t vmcensus_table_rows(const struct vmcensus_table *t)
{
	return t->nrows;
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
