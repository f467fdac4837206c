/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sets.c - which columns of a table repeat together.
 *
 * Each column begins as a group of its own. The two groups that save most bytes when they become
 * one are joined, until none save any. That is decided on a sample: rows that follow one another,
 * from some places of the table, because it is neighbours that repeat.
 */
#include "reports/capsule/sets.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "reports/core/cell.h"

#define SAMPLE 1024u	    /* rows */
#define PLACES 8u	    /* that they come from */
#define SLOTS  (4 * SAMPLE) /* a power of two */
#define FEW    64u	    /* rows that are not worth it */
#define WORTH  (8u << 10)   /* bytes that must be saved */

/* Columns that may become a set. */
struct group {
	uint32_t *id;	 /* of each row of the sample: the first row that is like it */
	uint32_t *bytes; /* of its cells in each */
	uint64_t cost;	 /* bytes of the sample, stored so */
	unsigned first;	 /* a column; the others of it by next[] */
	bool is_set;	 /* is it cheaper as a set than in the row? */
	bool gone;	 /* a part of another now */
};

struct plan {
	const struct column *const *cols;
	unsigned ncols, *next; /* of each column: another of its group; ncols: none */
	const void **rows;     /* the sample */
	unsigned nrows;
	struct group *v; /* 2 * ncols of them at most */
	unsigned n;
	int64_t *gain;	       /* of two groups, by pairs */
	uint32_t slots[SLOTS]; /* index of a row of the sample, plus 1 */
	struct arena mem;
};

/* ---- cells ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t v)
{
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return v ^ v >> 29;
}

uint64_t sets_hash(const struct column *c, const void *row)
{
	char buf[2];

	if (cell_unknown(c, row))
		return 1;
	return column_is_text(c) ? hash_str(cell_str(c, row, buf)) : mix(cell_uint(c, row) + 2);
}

bool sets_same(const struct column *c, const void *a, const void *b)
{
	bool unknown = cell_unknown(c, a);

	return unknown == cell_unknown(c, b) && (unknown || !cell_cmp(c, a, b));
}

/* "Record Format" of SQLite's file format: an integer takes 0, 1, 2, 3, 4, 6 or 8 bytes. */
static uint32_t integer_bytes(int64_t v)
{
	uint64_t u = v < 0 ? ~(uint64_t)v : (uint64_t)v;
	unsigned bits = 1;

	if (u < 2 && v >= 0)
		return 0;
	while (u) {
		u >>= 1;
		bits++;
	}
	return bits <= 32 ? (bits + 7) / 8 : bits <= 48 ? 6 : 8;
}

/* That the cell takes in a file, with its type. */
static uint32_t cell_bytes(const struct column *c, const void *row)
{
	char buf[2];

	if (cell_unknown(c, row))
		return 1;
	if (column_is_text(c))
		return (uint32_t)min_u64(strlen(cell_str(c, row, buf)), UINT16_MAX) + 1;
	return 1 + (c->type == COL_RATIO ? 8 : integer_bytes(cell_int(c, row)));
}

/* ---- the sample ------------------------------------------------------------------------------ */

static void take_sample(struct plan *p, const struct table *t)
{
	size_t run = SAMPLE / PLACES;

	p->nrows = (unsigned)min_u64(t->nrows, SAMPLE);
	p->rows = arena_array(&p->mem, const void *, p->nrows);
	for (size_t i = 0; i < p->nrows; i++) {
		size_t at = t->nrows <= SAMPLE
				    ? i
				    : (t->nrows - run) * (i / run) / (PLACES - 1) + i % run;

		p->rows[i] = table_row(t, at);
	}
}

/* The bytes that a set of N rows takes beside its cells, and those of its numbers in ROWS rows. */
static uint64_t overhead(unsigned n, unsigned rows)
{
	unsigned key = n < 128 ? 1 : 2;

	return (uint64_t)n * (3 + key) + (uint64_t)rows * (1 + key);
}

static struct group *new_group(struct plan *p)
{
	struct group *g = &p->v[p->n++];

	g->id = arena_array(&p->mem, uint32_t, p->nrows);
	g->bytes = arena_array(&p->mem, uint32_t, p->nrows);
	return g;
}

/* Where to look for a row of the sample with HASH, and where next. */
#define FOR_SLOT(at, hash) for (uint64_t at = (hash) % SLOTS;; at = (at + 1) % SLOTS)

static void group_of_column(struct plan *p, unsigned col)
{
	const struct column *c = p->cols[col];
	struct group *g = new_group(p);
	uint64_t in_rows = 0, in_set = 0;
	unsigned n = 0;

	g->first = col;
	p->next[col] = p->ncols;
	memset(p->slots, 0, sizeof(p->slots));
	for (uint32_t i = 0; i < p->nrows; i++) {
		g->bytes[i] = cell_bytes(c, p->rows[i]);
		in_rows += g->bytes[i];
		FOR_SLOT(at, mix(sets_hash(c, p->rows[i])))
		{
			uint32_t k = p->slots[at];

			if (k && !sets_same(c, p->rows[k - 1], p->rows[i]))
				continue;
			g->id[i] = k ? k - 1 : i;
			p->slots[at] = g->id[i] + 1;
			break;
		}
		if (g->id[i] == i) {
			in_set += g->bytes[i];
			n++;
		}
	}
	in_set += overhead(n, p->nrows);
	g->is_set = in_set < in_rows;
	g->cost = min_u64(in_set, in_rows);
}

/*
 * What A and B cost as one set; with ID: which rows of the sample are alike then. Where it is not
 * less than LIMIT, the sum may end early: it is at least LIMIT.
 */
static uint64_t cost_of_two(struct plan *p, const struct group *a, const struct group *b,
			    uint64_t limit, uint32_t *id)
{
	uint64_t cost = 0;
	unsigned n = 0;

	memset(p->slots, 0, sizeof(p->slots));
	for (uint32_t i = 0; i < p->nrows && cost + overhead(n, p->nrows) < limit; i++) {
		uint32_t first;

		FOR_SLOT(at, mix((uint64_t)a->id[i] * SAMPLE + b->id[i]))
		{
			uint32_t k = p->slots[at];

			if (k && (a->id[k - 1] != a->id[i] || b->id[k - 1] != b->id[i]))
				continue;
			first = k ? k - 1 : i;
			p->slots[at] = first + 1;
			break;
		}
		if (first == i) {
			cost += a->bytes[i] + b->bytes[i];
			n++;
		}
		if (id)
			id[i] = first;
	}
	return cost + overhead(n, p->nrows);
}

/* ---- joining --------------------------------------------------------------------------------- */

static int64_t *gain_of(struct plan *p, unsigned a, unsigned b)
{
	return &p->gain[(size_t)max_u64(a, b) * 2 * p->ncols + min_u64(a, b)];
}

/* With all groups before the Nth. */
static void find_gains(struct plan *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t apart = p->v[i].cost + p->v[n].cost;

		if (!p->v[i].gone)
			*gain_of(p, i, n) =
				(int64_t)apart -
				(int64_t)cost_of_two(p, &p->v[i], &p->v[n], apart, NULL);
	}
}

static bool best_two(struct plan *p, unsigned *a, unsigned *b)
{
	int64_t best = 0;

	for (unsigned i = 0; i < p->n; i++)
		for (unsigned j = 0; !p->v[i].gone && j < i; j++)
			if (!p->v[j].gone && *gain_of(p, i, j) > best) {
				best = *gain_of(p, i, j);
				*a = j;
				*b = i;
			}
	return best > 0;
}

static void join(struct plan *p, unsigned ai, unsigned bi)
{
	struct group *a = &p->v[ai], *b = &p->v[bi], *g = new_group(p);
	unsigned last = a->first;

	g->cost = cost_of_two(p, a, b, UINT64_MAX, g->id);
	for (unsigned i = 0; i < p->nrows; i++)
		g->bytes[i] = a->bytes[i] + b->bytes[i];
	g->is_set = true;
	g->first = a->first;
	while (p->next[last] != p->ncols)
		last = p->next[last];
	p->next[last] = b->first;
	a->gone = b->gone = true;
	find_gains(p, p->n - 1);
}

/* ---- the result -------------------------------------------------------------------------------- */

static void number_sets(const struct plan *p, struct sets *ret)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (p->v[i].gone || !p->v[i].is_set)
			continue;
		ret->n++;
		for (unsigned c = p->v[i].first; c != p->ncols; c = p->next[c])
			ret->of[c] = ret->n;
	}
}

static uint64_t cost_now(const struct plan *p)
{
	uint64_t cost = 0;

	for (unsigned i = 0; i < p->n; i++)
		if (!p->v[i].gone)
			cost += p->v[i].cost;
	return cost;
}

/* Bytes of the sample with all cells in the rows. */
static uint64_t cost_in_rows(const struct plan *p)
{
	uint64_t cost = 0;

	for (unsigned i = 0; i < p->ncols; i++)
		for (unsigned r = 0; r < p->nrows; r++)
			cost += p->v[i].bytes[r];
	return cost;
}

void sets_plan(const struct column *const *cols, unsigned ncols, const struct table *t,
	       struct arena *mem, struct sets *ret)
{
	struct plan p = { .cols = cols, .ncols = ncols };
	uint64_t all, now;
	unsigned a, b;

	*ret = (struct sets){ .of = arena_array(mem, unsigned, ncols) };
	if (t->nrows < FEW)
		return;
	take_sample(&p, t);
	p.next = arena_array(&p.mem, unsigned, ncols);
	p.v = arena_array(&p.mem, struct group, 2 * (size_t)ncols);
	for (unsigned i = 0; i < ncols; i++)
		group_of_column(&p, i);
	all = cost_in_rows(&p);
	if (all * t->nrows / p.nrows > WORTH) {
		p.gain = arena_array(&p.mem, int64_t, 4 * (size_t)ncols * ncols);
		for (unsigned i = 1; i < ncols; i++)
			find_gains(&p, i);
		while (best_two(&p, &a, &b))
			join(&p, a, b);
		now = cost_now(&p);
		if (now < all && (all - now) * t->nrows / p.nrows > WORTH)
			number_sets(&p, ret);
	}
	if (ret->n > SETS_MAX)
		*ret = (struct sets){ .of = arena_array(mem, unsigned, ncols) };
	arena_release(&p.mem);
}
