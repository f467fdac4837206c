/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as an Arrow C stream. Structs of columns own what they name, and are released one by one: a consumer may
   move a child away. */
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/library/arrow_abi.h"
#include "cli/library/table.h"

struct stream {
	struct vmcensus_table *t;
	bool done;
	const char *error;
};

static const char *format_of(const struct vmcensus_column *c)
{
	static const char *const formats[][2] = {
		{ "number", "l" }, { "size", "l" }, { "time", "l" }, { "address", "L" }, { "ratio", "g" },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i][0], c->type))
			return formats[i][1];
	return "u";
}

/* ---- the schema --------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *s)
{
	for (int64_t i = 0; i < s->n_children; i++) {
		if (s->children[i] && s->children[i]->release)
			s->children[i]->release(s->children[i]);
		free(s->children[i]);
	}
	free(s->children);
	free(s->private_data);
	s->release = NULL;
}

static char *put_counted(char *to, const char *s)
{
	int32_t n = (int32_t)strlen(s);

	memcpy(to, &n, sizeof(n));
	memcpy(to + sizeof(n), s, (size_t)n);
	return to + sizeof(n) + n;
}

/* The name, and behind it one pair of metadata: the unit. */
static bool schema_of(const struct vmcensus_column *c, struct ArrowSchema *s)
{
	size_t n = strlen(c->name) + 1;
	int32_t pairs = 1;
	char *name = malloc(n + 3 * sizeof(pairs) + strlen("unit") + strlen(c->unit));

	if (!name)
		return false;
	memcpy(name, c->name, n);
	memcpy(name + n, &pairs, sizeof(pairs));
	put_counted(put_counted(name + n + sizeof(pairs), "unit"), c->unit);
	*s = (struct ArrowSchema){ .format = format_of(c),
				   .name = name,
				   .metadata = *c->unit ? name + n : NULL,
				   .flags = ARROW_FLAG_NULLABLE,
				   .release = release_schema,
				   .private_data = name };
	return true;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *ret)
{
	struct stream *st = stream->private_data;
	const struct vmcensus_table *t = st->t;

	*ret = (struct ArrowSchema){ .format = "+s", .name = "", .release = release_schema };
	ret->children = calloc(t->ncols, sizeof(void *));
	for (size_t i = 0; ret->children && i < t->ncols; i++) {
		ret->children[i] = calloc(1, sizeof(**ret->children));
		ret->n_children++;
		if (!ret->children[i] || !schema_of(&t->cols[i], ret->children[i])) {
			release_schema(ret);
			return ENOMEM;
		}
	}
	return ret->children ? 0 : ENOMEM;
}

/* ---- the rows ------------------------------------------------------------------------ */

/* Of one array: which rows are known, offsets of texts or nothing, the values. */
struct buffers {
	const void *v[3];
	void *owned[3];
};

static void release_array(struct ArrowArray *a)
{
	struct buffers *b = a->private_data;

	for (int64_t i = 0; i < a->n_children; i++) {
		if (a->children[i] && a->children[i]->release)
			a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	for (int i = 0; b && i < 3; i++)
		free(b->owned[i]);
	free(a->children);
	free(b);
	a->release = NULL;
}

/* Bits of the rows that are known; the number of the others. */
static int64_t put_known(const struct vmcensus_table *t, size_t col, uint8_t *bits)
{
	int64_t nulls = 0;

	for (size_t i = 0; i < t->nrows; i++)
		if (vmcensus_table_cell(t, i, col))
			bits[i / 8] |= (uint8_t)(1 << i % 8);
		else
			nulls++;
	return nulls;
}

/* All of max_output is at most 1 GiB: offsets fit. */
static bool put_texts(const struct vmcensus_table *t, size_t col, struct buffers *b)
{
	int32_t *offsets = calloc(t->nrows + 1, sizeof(*offsets));
	char *text;

	b->owned[1] = offsets;
	for (size_t i = 0; offsets && i < t->nrows; i++) {
		const char *cell = vmcensus_table_cell(t, i, col);

		offsets[i + 1] = offsets[i] + (cell ? (int32_t)strlen(cell) : 0);
	}
	text = offsets ? malloc((size_t)offsets[t->nrows] + 1) : NULL;
	b->owned[2] = text;
	for (size_t i = 0; text && i < t->nrows; i++)
		if (offsets[i + 1] > offsets[i])
			memcpy(text + offsets[i], vmcensus_table_cell(t, i, col),
			       (size_t)(offsets[i + 1] - offsets[i]));
	return text;
}

/* The caller may have a locale with another decimal point. */
static double ratio(const char *cell, char **end)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
	double v = c ? strtod_l(cell, end, c) : 0;

	if (c)
		freelocale(c);
	else
		*end = (char *)cell;
	return v;
}

/* The 8 bytes of a number; false: it is none, or does not fit. */
static bool put_number(const char *cell, char format, void *to)
{
	char *end;

	errno = 0;
	if (format == 'l')
		*(int64_t *)to = strtoll(cell, &end, 10);
	else if (format == 'L')
		*(uint64_t *)to = strtoull(cell, &end, 0);
	else
		*(double *)to = ratio(cell, &end);
	return !errno && !*end && end != cell;
}

static int put_values(const struct vmcensus_table *t, size_t col, struct buffers *b)
{
	char format = *format_of(&t->cols[col]);
	uint64_t *values;

	if (format == 'u')
		return put_texts(t, col, b) ? 0 : ENOMEM;
	values = calloc(t->nrows + 1, sizeof(*values));
	b->owned[1] = values;
	for (size_t i = 0; values && i < t->nrows; i++) {
		const char *cell = vmcensus_table_cell(t, i, col);

		if (cell && !put_number(cell, format, &values[i]))
			return ERANGE;
	}
	return values ? 0 : ENOMEM;
}

static int array_of(const struct vmcensus_table *t, size_t col, struct ArrowArray *a)
{
	struct buffers *b = calloc(1, sizeof(*b));
	int e;

	*a = (struct ArrowArray){ .length = (int64_t)t->nrows,
				  .n_buffers = *format_of(&t->cols[col]) == 'u' ? 3 : 2,
				  .buffers = b ? b->v : NULL,
				  .release = release_array,
				  .private_data = b };
	if (!b || !(b->owned[0] = calloc(t->nrows / 8 + 1, 1)))
		return ENOMEM;
	a->null_count = put_known(t, col, b->owned[0]);
	e = put_values(t, col, b);
	memcpy(b->v, b->owned, sizeof(b->v));
	return e;
}

static int batch_of(const struct vmcensus_table *t, struct ArrowArray *ret)
{
	struct buffers *b = calloc(1, sizeof(*b));
	int e = 0;

	*ret = (struct ArrowArray){ .length = (int64_t)t->nrows,
				    .n_buffers = 1,
				    .buffers = b ? b->v : NULL,
				    .children = calloc(t->ncols, sizeof(void *)),
				    .release = release_array,
				    .private_data = b };
	if (!b || !ret->children)
		e = ENOMEM;
	for (size_t i = 0; !e && i < t->ncols; i++) {
		ret->children[i] = calloc(1, sizeof(**ret->children));
		ret->n_children++;
		e = ret->children[i] ? array_of(t, i, ret->children[i]) : ENOMEM;
	}
	if (e)
		release_array(ret);
	return e;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *ret)
{
	struct stream *st = stream->private_data;
	int e;

	*ret = (struct ArrowArray){ .release = NULL };
	if (st->done)
		return 0;
	e = batch_of(st->t, ret);
	st->error = e == ERANGE ? "a number does not fit the type of its column"
		    : e		? "out of memory"
				: NULL;
	st->done = !e;
	return e;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	return ((struct stream *)stream->private_data)->error;
}

static void release_stream(struct ArrowArrayStream *stream)
{
	struct stream *st = stream->private_data;

	vmcensus_table_free(st->t);
	free(st);
	stream->release = NULL;
}

int vmcensus_table_stream(struct vmcensus_table *t, struct ArrowArrayStream *ret)
{
	struct stream *st = calloc(1, sizeof(*st));

	*ret = (struct ArrowArrayStream){ .release = NULL };
	if (!st)
		return 1;
	atomic_fetch_add(&t->refs, 1);
	st->t = t;
	ret->get_schema = get_schema;
	ret->get_next = get_next;
	ret->get_last_error = get_last_error;
	ret->release = release_stream;
	ret->private_data = st;
	return 0;
}
