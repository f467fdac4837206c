/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * extents.c - a sorted list of address ranges and their places in a file.
 */
#include "dumpread/image/extents.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"

static void append(struct extents *x, const struct extent *e)
{
	if (x->n == x->cap) {
		size_t cap = x->cap ? x->cap * 2 : 64;

		x->v = heap_grow(x->v, cap, sizeof(*x->v));
		x->cap = cap;
	}
	x->v[x->n++] = *e;
}

void extents_add(struct extents *x, uint64_t start, uint64_t end, uint64_t pos)
{
	if (end > start)
		append(x, &(struct extent){ start, end, pos });
}

void extents_free(struct extents *x)
{
	free(x->v);
	memset(x, 0, sizeof(*x));
}

static int by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->pos > y->pos) - (x->pos < y->pos);
}

/* Sorted and disjoint? *sorted tells the two apart. */
static bool is_resolved(const struct extents *x, bool *sorted)
{
	bool disjoint = true;

	*sorted = true;
	for (size_t i = 1; i < x->n; i++) {
		if (x->v[i].start < x->v[i - 1].start) {
			*sorted = false;
			return false;
		}
		disjoint &= x->v[i].start >= x->v[i - 1].end;
	}
	return disjoint;
}

/* A heap of the extents that cover the sweep's position; the winner on top. */
struct heap {
	struct extents x;
	enum extents_order order;
};

static bool wins(const struct heap *h, const struct extent *a, const struct extent *b)
{
	return h->order == EXTENTS_FIRST_WINS ? a->pos < b->pos : a->pos > b->pos;
}

static void swap(struct extent *a, struct extent *b)
{
	struct extent t = *a;

	*a = *b;
	*b = t;
}

static void heap_push(struct heap *h, const struct extent *e)
{
	struct extent *v;
	size_t i;

	append(&h->x, e);
	v = h->x.v;
	for (i = h->x.n - 1; i && wins(h, &v[i], &v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&v[i], &v[(i - 1) / 2]);
}

static void heap_pop(struct heap *h)
{
	struct extent *v = h->x.v;
	size_t n = --h->x.n, i = 0;

	v[0] = v[n];
	for (;;) {
		size_t best = i, l = 2 * i + 1;

		if (l < n && wins(h, &v[l], &v[best]))
			best = l;
		if (l + 1 < n && wins(h, &v[l + 1], &v[best]))
			best = l + 1;
		if (best == i)
			return;
		swap(&v[i], &v[best]);
		i = best;
	}
}

/* Append [from, to) of E, joined to the piece before it where it goes on. */
static void emit(struct extents *out, const struct extent *e, uint64_t from, uint64_t to)
{
	uint64_t pos = e->pos + (from - e->start);
	struct extent *last = out->n ? &out->v[out->n - 1] : NULL;

	if (last && last->end == from && last->pos + (from - last->start) == pos)
		last->end = to;
	else
		append(out, &(struct extent){ from, to, pos });
}

void extents_resolve(struct extents *x, enum extents_order order)
{
	struct heap h = { .order = order };
	struct extents out = { 0 };
	uint64_t at = 0;
	size_t i = 0;
	bool sorted;

	if (is_resolved(x, &sorted))
		return;
	if (!sorted)
		sort_array(x->v, x->n, sizeof(*x->v), by_start);
	/* Each turn takes an extent in or drops one: no more than 2n turns. */
	while (i < x->n || h.x.n) {
		uint64_t stop;

		if (!h.x.n)
			at = x->v[i].start;
		while (i < x->n && x->v[i].start <= at)
			heap_push(&h, &x->v[i++]);
		while (h.x.n && h.x.v[0].end <= at)
			heap_pop(&h);
		if (!h.x.n)
			continue;
		stop = h.x.v[0].end;
		if (i < x->n && x->v[i].start < stop)
			stop = x->v[i].start;
		emit(&out, &h.x.v[0], at, stop);
		at = stop;
	}
	extents_free(&h.x);
	extents_free(x);
	*x = out;
	/* kept as long as the dump: give back what doubling left over */
	out.v = reallocarray(x->v, x->n, sizeof(*x->v));
	if (out.v) {
		x->v = out.v;
		x->cap = x->n;
	}
}

size_t extents_find(const struct extents *x, uint64_t addr)
{
	return search_first(x->n, mid, x->v[mid].end <= addr);
}
