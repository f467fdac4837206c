/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pick.c - selects rows and columns: -w, -c, -s, -n.
 */
#include "reports/core/pick.h"

#include <stdlib.h>
#include <string.h>

#include "reports/core/cell.h"
#include "reports/core/nearest.h"

const struct column *column_find(const struct column *cols, unsigned ncols, const char *name)
{
	for (unsigned i = 0; i < ncols; i++)
		if (!strcmp(cols[i].name, name))
			return &cols[i];
	return NULL;
}

enum status column_unknown(const struct column *cols, unsigned ncols, const char *name,
			   const char *option, struct diag *diag)
{
	struct nearest near = { .word = name, .len = strlen(name) };
	char meant[96];
	size_t n;

	for (unsigned i = 0; i < ncols; i++)
		nearest_try(&near, cols[i].name);
	fail(diag, ST_ABSENT, "%s: no column '%.60s'%s; there are:", option, name,
	     nearest_words(&near, "", meant, sizeof(meant)));
	n = strlen(diag->text);
	for (unsigned i = 0; i < ncols && n + 80 < sizeof(diag->text); i++)
		n += (size_t)snprintf(diag->text + n, sizeof(diag->text) - n, " %.64s",
				      cols[i].name);
	return ST_ABSENT;
}

/* ---- columns ---------------------------------------------------------------- */

void columns_marked(const struct column *cols, unsigned ncols, unsigned want, struct arena *mem,
		    struct columns *ret)
{
	unsigned marked = 0;

	for (unsigned i = 0; i < ncols; i++)
		marked |= cols[i].flags;
	if (!(marked & want))
		want = COL_SHOWN;
	ret->v = arena_array(mem, const struct column *, ncols);
	ret->n = 0;
	for (unsigned i = 0; i < ncols; i++)
		if (cols[i].flags & want)
			ret->v[ret->n++] = &cols[i];
}

void columns_default(const struct column *cols, unsigned ncols, bool threads, struct arena *mem,
		     struct columns *ret)
{
	columns_marked(cols, ncols, threads ? COL_THREADS : COL_SHOWN, mem, ret);
}

static bool chosen(const struct columns *cs, const struct column *c)
{
	for (unsigned i = 0; i < cs->n; i++)
		if (cs->v[i] == c)
			return true;
	return false;
}

void columns_all(const struct column *cols, unsigned ncols, const struct columns *deflt,
		 struct arena *mem, struct columns *ret)
{
	ret->v = arena_array(mem, const struct column *, ncols);
	ret->n = 0;
	for (unsigned i = 0; i < ncols; i++)
		if (!(cols[i].flags & COL_NAMED) && (!cols[i].needs || chosen(deflt, &cols[i])))
			ret->v[ret->n++] = &cols[i];
}

unsigned columns_needs(const struct columns *cs)
{
	unsigned needs = 0;

	for (unsigned i = 0; i < cs->n; i++)
		needs |= cs->v[i]->needs;
	return needs;
}

/* The next of the names in *list, blanks around it dropped; false at the end. */
static bool next_name(const char **list, char *name, size_t size)
{
	const char *s = *list;
	size_t n;

	if (!s)
		return false;
	n = strcspn(s, ",");
	*list = s[n] ? s + n + 1 : NULL;
	while (n && *s == ' ') {
		s++;
		n--;
	}
	while (n && s[n - 1] == ' ')
		n--;
	if (n >= size)
		n = size - 1;
	memcpy(name, s, n);
	name[n] = '\0';
	return true;
}

enum status columns_choose(const char *list, const struct column *cols, unsigned ncols,
			   const struct columns *deflt, struct arena *mem, struct diag *diag,
			   struct columns *ret)
{
	char name[64];

	ret->v = arena_array(mem, const struct column *, ncols);
	ret->n = 0;
	if (*list == '+') {
		while (ret->n < deflt->n) {
			ret->v[ret->n] = deflt->v[ret->n];
			ret->n++;
		}
		list++;
	}
	while (next_name(&list, name, sizeof(name))) {
		const struct column *c = column_find(cols, ncols, name);

		if (!c && !strcmp(name, "all")) {
			for (unsigned i = 0; i < ncols; i++)
				if (!(cols[i].flags & COL_NAMED) && !chosen(ret, &cols[i]))
					ret->v[ret->n++] = &cols[i];
			continue;
		}
		if (!c)
			return column_unknown(cols, ncols, name, "-c", diag);
		if (!chosen(ret, c))
			ret->v[ret->n++] = c;
	}
	return ST_OK;
}

/* ---- rows ------------------------------------------------------------------- */

void table_filter(struct table *t, const struct where *w)
{
	char *to = t->rows;
	size_t kept = 0;

	for (size_t i = 0; i < t->nrows; i++) {
		const void *row = table_row(t, i);

		if (!where_match(w, row))
			continue;
		if (to != row)
			memcpy(to, row, t->row_size);
		to += t->row_size;
		kept++;
	}
	t->nrows = kept;
}

enum status sort_parse(const char *list, const struct column *cols, unsigned ncols,
		       struct diag *diag, struct sort *ret)
{
	char buf[64];

	ret->n = 0;
	while (next_name(&list, buf, sizeof(buf))) {
		bool down = buf[0] == '-';
		const char *name = buf + (down || buf[0] == '+');
		const struct column *c = column_find(cols, ncols, name);

		if (!c)
			return column_unknown(cols, ncols, name, "--sort", diag);
		if (ret->n == SORT_KEYS)
			return fail(diag, ST_LIMIT, "--sort: at most %d columns", SORT_KEYS);
		ret->key[ret->n].col = c;
		ret->key[ret->n++].down = down;
	}
	return ST_OK;
}

unsigned sort_needs(const struct sort *s)
{
	unsigned needs = 0;

	for (unsigned i = 0; i < s->n; i++)
		needs |= s->key[i].col->needs;
	return needs;
}

static bool sorts_by(const struct sort *s, const struct column *c)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->key[i].col == c)
			return true;
	return false;
}

bool pick_uses(const struct column *cols, unsigned ncols, unsigned flag, const struct columns *cs,
	       const struct sort *s, const struct where *w)
{
	for (unsigned i = 0; i < ncols; i++)
		if (cols[i].flags & flag &&
		    (chosen(cs, &cols[i]) || sorts_by(s, &cols[i]) || where_uses(w, &cols[i])))
			return true;
	return false;
}

struct order {
	const struct table *t;
	const struct sort *s;
	struct column by[SORT_KEYS];	/* the cells that are compared */
};

static int cmp_rows(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	const void *a = table_row(o->t, ia), *b = table_row(o->t, ib);

	for (unsigned i = 0; i < o->s->n; i++) {
		const struct column *c = &o->by[i];
		bool ua = cell_unknown(c, a), ub = cell_unknown(c, b);
		int d;

		if (ua != ub)
			return ua ? 1 : -1;
		d = ua ? 0 : cell_cmp(c, a, b);
		if (d)
			return o->s->key[i].down ? -d : d;
	}
	return (ia > ib) - (ia < ib);
}

/* Row I becomes old row order[i], following cycles with one spare row. */
static void permute(struct table *t, uint32_t *order, void *spare)
{
	char *rows = t->rows;

	for (uint32_t i = 0; i < t->nrows; i++) {
		uint32_t hole = i, from;

		if (order[i] == i)
			continue;
		memcpy(spare, rows + i * t->row_size, t->row_size);
		while ((from = order[hole]) != i) {
			memcpy(rows + hole * t->row_size, rows + from * t->row_size, t->row_size);
			order[hole] = hole;
			hole = from;
		}
		memcpy(rows + hole * t->row_size, spare, t->row_size);
		order[hole] = hole;
	}
}

void table_sort(struct table *t, const struct sort *s, size_t top)
{
	struct order o = { .t = t, .s = s };

	for (unsigned i = 0; i < s->n; i++) {
		o.by[i] = *s->key[i].col;
		if (o.by[i].order)
			o.by[i].offset = o.by[i].order;
	}

	if (s->n && t->nrows > 1 && t->nrows < UINT32_MAX) {
		uint32_t *order = arena_array(&t->mem, uint32_t, t->nrows);

		for (uint32_t i = 0; i < t->nrows; i++)
			order[i] = i;
		qsort_r(order, t->nrows, sizeof(*order), cmp_rows, &o);
		permute(t, order, arena_alloc(&t->mem, t->row_size));
	}
	t->nall = t->nrows;
	if (top && t->nrows > top)
		t->nrows = top;
}
