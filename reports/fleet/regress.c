/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * regress - what a thing costs on each release, and what changed since the one before.
 *
 * Median and MAD (median of the distances from it) do not move with a few strange machines.
 */
#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "reports/core/common.h"
#include "reports/fleet/things.h"

#define S	      COL_SHOWN
#define SIGMA	      1.4826 /* MAD to standard deviation, where costs are normal */
#define PERCENT_LEAST 5.0

struct row {
	const char *kind, *name, *release, *since;
	uint64_t dumps, median, spread, notable;
	int64_t delta;
	double change;
};

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, S, "",
	    "program, library, object, cache (slab) or class (census)"),
	COL(struct row, release, COL_STR, S, "", "kernel"),
	COL(struct row, dumps, COL_UINT, S, "", "dumps of it that have the thing"),
	COL(struct row, median, COL_BYTES, S, "bytes", "of its cost: pss, memory of slabs, size"),
	COL(struct row, spread, COL_BYTES, S, "bytes", "median of the distances from the median"),
	COL(struct row, since, COL_STR, S, "", "the release before that has it"),
	COL(struct row, delta, COL_DELTA, S, "bytes", "change of the median since then"),
	COL(struct row, change, COL_RATIO, S, "%", "the same in percent"),
	COL(struct row, notable, COL_UINT, S, "",
	    "1: at least 5 % and three times the spread; \"-\": too few dumps"),
	COL(struct row, name, COL_STR, S | COL_WIDE, "", "its name"),
};

static int number_order(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* Sorts V. */
static uint64_t median_of(uint64_t *v, size_t n)
{
	sort_array(v, n, sizeof(*v), number_order);
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

static uint64_t spread_of(uint64_t *v, size_t n, uint64_t median)
{
	for (size_t i = 0; i < n; i++)
		v[i] = v[i] > median ? v[i] - median : median - v[i];
	return median_of(v, n);
}

static bool is_notable(const struct row *a, const struct row *b)
{
	double bound = 3 * SIGMA * (double)(a->spread > b->spread ? a->spread : b->spread);

	return fabs((double)b->delta) > bound && fabs(b->change) >= PERCENT_LEAST;
}

static void compare(const struct row *a, struct row *b)
{
	b->since = a->release;
	b->delta = (int64_t)(b->median - a->median);
	b->change = a->median ? 100.0 * (double)b->delta / (double)a->median : NAN;
	b->notable = a->dumps < 2 || b->dumps < 2 || isnan(b->change) ? COL_UNKNOWN
								      : is_notable(a, b);
}

struct regress {
	const struct fleet *f;
	const char **releases;
	uint32_t nreleases;
	uint64_t *v; /* room for a value of each crash */
	struct table *t;
};

static void add_thing(struct regress *g, const struct thing *x)
{
	struct row *before = NULL;

	for (uint32_t i = 0; i < g->nreleases; i++) {
		struct row *r = (struct row *)g->t->rows + g->t->nrows;
		size_t n = 0;

		for (size_t j = 0; j < g->f->v.n; j++)
			if (x->bytes[j] && g->f->v.v[j].release &&
			    !strcmp(g->f->v.v[j].release, g->releases[i]))
				g->v[n++] = x->bytes[j];
		if (!n)
			continue;
		*r = (struct row){ .kind = x->kind,
				   .name = x->name,
				   .release = g->releases[i],
				   .dumps = n,
				   .notable = COL_UNKNOWN,
				   .delta = COL_UNKNOWN_INT,
				   .change = NAN };
		r->median = median_of(g->v, n);
		r->spread = spread_of(g->v, n, r->median);
		if (before)
			compare(before, r);
		before = r;
		g->t->nrows++;
	}
}

static enum status regress_report(const struct fleet *f, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct regress g = { .f = f, .t = t };
	uint32_t *all = arena_array(&t->mem, uint32_t, f->v.n);
	struct thing *things;
	size_t n;

	(void)o, (void)diag;
	for (size_t i = 0; i < f->v.n; i++)
		all[i] = (uint32_t)i;
	n = things_of(f, all, (uint32_t)f->v.n, &t->mem, &things);
	g.releases = arena_array(&t->mem, const char *, f->v.n);
	for (size_t i = 0; i < f->v.n; i++)
		g.nreleases = release_insert(g.releases, g.nreleases, (uint32_t)f->v.n,
					     f->v.v[i].release);
	g.v = arena_array(&t->mem, uint64_t, f->v.n);
	t->rows = arena_array(&t->mem, struct row, n * g.nreleases);
	t->row_size = sizeof(struct row);
	for (size_t i = 0; i < n; i++)
		add_thing(&g, &things[i]);
	if (g.nreleases < 2)
		t->note = "All dumps are of one release: there is nothing to compare.";
	return ST_OK;
}

const struct report report_regress = {
	.name = "regress",
	.about = "of a fleet: the cost of each thing by release, and what changed",
	.of_fleet = regress_report,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-notable,-delta",
	.help = "One row for each program, library, object, slab cache and class of the census on each\n"
		"release: median and spread over the dumps that have it, and the change since the\n"
		"release before. notable is 1 if the change is larger than what the machines of a\n"
		"release differ by, and unknown if there are too few of them.",
};
