/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bars.c - turns rows into bars.
 */
#include "reports/charts/bars.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "reports/core/pick.h"

#define DEFAULT_TOP 24

static unsigned column_needs(const struct report *r, const char *name)
{
	const struct column *c = name ? column_find(r->cols, r->ncols, name) : NULL;

	return c ? c->needs : 0;
}

unsigned chart_needs(const struct report *r)
{
	const struct chart *c = r->chart;
	/* the title says when it was */
	unsigned needs = NEED_MACHINE | column_needs(r, c->label) | column_needs(r, c->id);

	for (unsigned i = 0; i < c->nseries; i++)
		needs |= column_needs(r, c->series[i].column) |
			 column_needs(r, c->series[i].beside);
	return needs;
}

struct maker {
	const struct render *r;
	struct bars *b;
	const struct column *label, *id, *v[CHART_SERIES], *beside[CHART_SERIES];
	unsigned nseries;
	struct hash seen;
};

/* A dump may claim any number: sums stay at the largest. */
static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t value(const struct column *c, const void *row)
{
	return c && !cell_unknown(c, row) ? cell_uint(c, row) : 0;
}

static void find_columns(struct maker *m)
{
	const struct chart *c = m->b->chart;
	const struct table *t = m->r->t;

	m->label = column_find(t->cols, t->ncols, c->label);
	m->id = c->id ? column_find(t->cols, t->ncols, c->id) : NULL;
	m->nseries = c->nseries < CHART_SERIES ? c->nseries : CHART_SERIES;
	for (unsigned i = 0; i < m->nseries; i++) {
		const struct chart_series *s = &c->series[i];

		m->v[i] = column_find(t->cols, t->ncols, s->column);
		if (s->beside)
			m->beside[i] = column_find(t->cols, t->ncols, s->beside);
	}
	if (m->nseries && m->v[0]) {
		m->b->type = m->v[0]->type;
		m->b->unit = m->v[0]->unit;
	}
}

static const char *cell_label(struct maker *m, const struct column *c, const void *row)
{
	static const struct units plain = { UNIT_BYTES, 1 };
	char buf[CELL_TEXT];
	const char *s;

	if (!c)
		return NULL;
	if (column_is_text(c)) {
		s = cell_str(c, row, buf);
		return s && *s ? arena_strdup(&m->b->mem, s) : "-";
	}
	cell_text(c, row, &plain, buf);
	return arena_strdup(&m->b->mem, buf);
}

static void fill(struct maker *m, struct bar *bar, const void *row)
{
	for (unsigned i = 0; i < m->nseries; i++) {
		uint64_t v = value(m->v[i], row), w = value(m->beside[i], row);

		bar->v[i] = add_saturated(bar->v[i], v);
		bar->total = add_saturated(bar->total, v);
		bar->beside[i] = add_saturated(bar->beside[i], w);
		bar->beside_total = add_saturated(bar->beside_total, w);
	}
}

/* Does ROW show something new, or did another row show it? (table.total_key) */
static bool first_time(struct maker *m, const void *row)
{
	uint64_t key = 0;

	if (m->r->t->total_key)
		memcpy(&key, (const char *)row + m->r->t->total_key, sizeof(key));
	if (!key || key == COL_UNKNOWN)
		return true;
	if (hash_get(&m->seen, key) != HASH_NONE) {
		m->b->shared = true;
		return false;
	}
	hash_put(&m->seen, key, 0);
	return true;
}

static int longest_first(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->beside_total != y->beside_total)
		return x->beside_total < y->beside_total ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows after the first KEEP become one bar. Memory that they share with those, or with one
   another, is not added again. */
static void fold(struct maker *m, size_t keep)
{
	struct bars *b = m->b;
	struct bar rest = { .rest = true };

	for (size_t i = 0; i < b->n; i++) {
		const void *row = table_row(m->r->t, b->v[i].row);

		if (i < keep) {
			b->max = max_u64(b->max, max_u64(b->v[i].total, b->v[i].beside_total));
			b->v[i].label = cell_label(m, m->label, row);
			b->v[i].id = cell_label(m, m->id, row);
		}
		if (!first_time(m, row))
			continue;
		b->total = add_saturated(b->total, b->v[i].total);
		if (i >= keep)
			fill(m, &rest, row);
	}
	if (b->n <= keep)
		return;
	/* memory that several of them share would count several times in it */
	memset(rest.beside, 0, sizeof(rest.beside));
	rest.beside_total = 0;
	rest.label = arena_printf(&b->mem, "rest (%zu)", b->n - keep);
	b->v[keep] = rest;
	b->n = keep + 1;
}

void bars_make(const struct render *r, size_t limit, struct bars *ret)
{
	const struct chart *c = report_chart(r->report, r->opts);
	size_t keep = r->top ? r->top : c->top ? c->top : DEFAULT_TOP;
	struct maker m = { .r = r, .b = ret };

	*ret = (struct bars){
		.chart = c, .nrows = r->t->nrows, .n = r->t->nrows, .type = COL_BYTES, .unit = ""
	};
	m.seen.mem = &ret->mem;
	find_columns(&m);
	ret->v = arena_array(&ret->mem, struct bar, ret->n + 1);
	for (size_t i = 0; i < ret->n; i++) {
		ret->v[i].row = i;
		fill(&m, &ret->v[i], table_row(r->t, i));
	}
	if (!r->sorted)
		sort_array(ret->v, ret->n, sizeof(ret->v[0]), longest_first);
	fold(&m, keep < limit ? keep : limit);
}
