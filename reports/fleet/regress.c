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
	uint32_t *of; /* of each crash: the number of its release; UINT32_MAX: not known */
	uint64_t *v;  /* room for a value of each crash */
	uint32_t *end; /* of each release: where its values end in V */
	struct arena *mem;
	VEC(struct row) rows;
};

/* Puts the prices of X in V by release, and sets END. What costs nothing is not there. */
static void by_release(struct regress *g, const struct thing *x)
{
	uint32_t sum = 0;

	memset(g->end, 0, g->nreleases * sizeof(*g->end));
	for (uint32_t i = 0; i < x->n; i++)
		if (x->v[i].bytes && g->of[x->v[i].at] != UINT32_MAX)
			g->end[g->of[x->v[i].at]]++;
	for (uint32_t i = 0; i < g->nreleases; i++) {
		uint32_t n = g->end[i];

		g->end[i] = sum;
		sum += n;
	}
	for (uint32_t i = 0; i < x->n; i++)
		if (x->v[i].bytes && g->of[x->v[i].at] != UINT32_MAX)
			g->v[g->end[g->of[x->v[i].at]]++] = x->v[i].bytes;
}

static void add_thing(struct regress *g, const struct thing *x)
{
	size_t before = 0;
	bool first = true;

	by_release(g, x);
	for (uint32_t i = 0; i < g->nreleases; i++) {
		uint32_t from = i ? g->end[i - 1] : 0, n = g->end[i] - from;
		struct row *r;

		if (!n)
			continue;
		r = vec_push(g->mem, &g->rows);
		*r = (struct row){ .kind = x->kind,
				   .name = x->name,
				   .release = g->releases[i],
				   .dumps = n,
				   .notable = COL_UNKNOWN,
				   .delta = COL_UNKNOWN_INT,
				   .change = NAN };
		r->median = median_of(g->v + from, n);
		r->spread = spread_of(g->v + from, n, r->median);
		if (!first)
			compare(&g->rows.v[before], r);
		before = g->rows.n - 1;
		first = false;
	}
}

/* The releases, the oldest first, and which one each crash is of. */
static void find_releases(struct regress *g)
{
	uint32_t n = (uint32_t)g->f->v.n;

	g->releases = arena_array(g->mem, const char *, n);
	g->of = arena_array(g->mem, uint32_t, n);
	for (uint32_t i = 0; i < n; i++)
		g->nreleases = release_insert(g->releases, g->nreleases, n, g->f->v.v[i].release);
	for (uint32_t i = 0; i < n; i++) {
		const char *release = g->f->v.v[i].release;
		uint32_t at = (uint32_t)search_first(g->nreleases, j,
						     release_order(g->releases[j], release) < 0);

		g->of[i] = !release || at == g->nreleases ? UINT32_MAX : at;
	}
}

static enum status regress_report(const struct fleet *f, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct regress g = { .f = f, .mem = &t->mem };
	uint32_t *all = arena_array(&t->mem, uint32_t, f->v.n);
	struct thing *things;
	size_t n;

	(void)o, (void)diag;
	for (size_t i = 0; i < f->v.n; i++)
		all[i] = (uint32_t)i;
	n = things_of(f, all, (uint32_t)f->v.n, &t->mem, &things);
	find_releases(&g);
	g.v = arena_array(&t->mem, uint64_t, f->v.n);
	g.end = arena_array(&t->mem, uint32_t, g.nreleases);
	for (size_t i = 0; i < n; i++)
		add_thing(&g, &things[i]);
	t->rows = g.rows.v;
	t->nrows = g.rows.n;
	t->row_size = sizeof(struct row);
	if (g.nreleases < 2)
		t->note = "All dumps are of one release: there is nothing to compare.";
	return ST_OK;
}

const struct report report_regress = {
	.name = "regress",
	.about = "of a fleet: the cost of each thing by release, and what changed",
	.of_fleet = regress_report,
	.fleet_costs = true,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-notable,-delta",
	.help = "One row for each program, library, object, slab cache and class of the census on each\n"
		"release: median and spread over the dumps that have it, and the change since the\n"
		"release before. notable is 1 if the change is larger than what the machines of a\n"
		"release differ by, and unknown if there are too few of them.",
};
