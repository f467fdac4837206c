/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * leaks - a series of dumps of one machine: what only grows.
 *
 * A series is the dumps of one name with one release, in the order of their time since boot, so
 * that crashes of several boots are one series too.
 */
#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "reports/core/common.h"
#include "reports/fleet/things.h"

#define S	   COL_SHOWN
#define LEAST	   3u	  /* dumps: two points always make a line */
#define HOUR	   3600e9 /* ns */
#define PAGE_LEAST 4096u

struct row {
	const char *nodename, *release, *kind, *name;
	uint64_t dumps, boots, span, before, after, steps;
	int64_t per_hour;
	double percent;
};

static const struct column cols[] = {
	COL(struct row, nodename, COL_STR, S, "", "machine"),
	COL(struct row, release, COL_STR, 0, "", "kernel"),
	COL(struct row, dumps, COL_UINT, S, "", "dumps in the series"),
	COL(struct row, boots, COL_UINT, S, "",
	    "boots that they are of; more than 1: less certain"),
	COL(struct row, span, COL_NSEC, S, "ns", "time since boot, from the first to the last"),
	COL(struct row, kind, COL_STR, S, "",
	    "program, library, object, cache (slab) or class (census)"),
	COL(struct row, before, COL_BYTES, S, "bytes", "cost in the first dump"),
	COL(struct row, after, COL_BYTES, S, "bytes", "in the last one"),
	COL(struct row, per_hour, COL_DELTA, S, "bytes", "growth per hour: least squares"),
	COL(struct row, percent, COL_RATIO, 0, "%", "growth of all, in percent of the first"),
	COL(struct row, steps, COL_UINT, 0, "", "steps at which it grew; at none it shrank"),
	COL(struct row, name, COL_STR, S | COL_WIDE, "", "its name"),
};

struct series {
	const struct fleet *f;
	uint32_t *v; /* indices of crashes, by uptime */
	uint32_t n, boots;
	struct arena *mem;
	VEC(struct row) rows;
};

/* Bytes per hour: the line that is nearest to the points; COL_UNKNOWN_INT: all are at one time. */
static int64_t slope(const struct series *s, const uint64_t *y)
{
	double mx = 0, my = 0, xy = 0, xx = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		mx += (double)s->f->v.v[s->v[i]].uptime / HOUR / s->n;
		my += (double)y[i] / s->n;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		double x = (double)s->f->v.v[s->v[i]].uptime / HOUR - mx;

		xy += x * ((double)y[i] - my);
		xx += x * x;
	}
	return xx > 0 && fabs(xy / xx) < 9e18 ? (int64_t)(xy / xx) : COL_UNKNOWN_INT;
}

/* Grows it at each step, or stays as it is? At most steps it must grow. */
static bool only_grows(const uint64_t *y, uint32_t n, uint32_t *steps)
{
	*steps = 0;
	for (uint32_t i = 1; i < n; i++) {
		if (y[i] < y[i - 1])
			return false;
		*steps += y[i] > y[i - 1];
	}
	return *steps * 2 > n - 1 && y[n - 1] - y[0] >= PAGE_LEAST;
}

static void add_series(struct series *s)
{
	const struct crashed *a = &s->f->v.v[s->v[0]], *b = &s->f->v.v[s->v[s->n - 1]];
	struct arena scratch = { 0 };
	struct thing *things;
	size_t n = things_of(s->f, s->v, s->n, &scratch, &things);
	uint64_t *y = arena_array(&scratch, uint64_t, s->n);

	for (size_t i = 0; i < n; i++) {
		uint32_t steps;
		struct row *r;

		memset(y, 0, s->n * sizeof(*y));
		for (uint32_t j = 0; j < things[i].n; j++)
			y[things[i].v[j].at] = things[i].v[j].bytes;

		/* free memory grows when others end */
		if (!only_grows(y, s->n, &steps) || page_class_is(things[i].class, CF_SPARE))
			continue;
		r = vec_push(s->mem, &s->rows);
		*r = (struct row){ .nodename = a->nodename,
				   .release = a->release,
				   .kind = things[i].kind,
				   .name = things[i].name,
				   .dumps = s->n,
				   .boots = s->boots,
				   .span = b->uptime - a->uptime,
				   .before = y[0],
				   .after = y[s->n - 1],
				   .per_hour = slope(s, y),
				   .steps = steps };
		r->percent = y[0] ? 100.0 * (double)(y[s->n - 1] - y[0]) / (double)y[0] : NAN;
	}
	arena_release(&scratch);
}

/* Names that machines have before anybody gives them one. */
static bool is_named(const struct crashed *c)
{
	return c->nodename && strcmp(c->nodename, "(none)") &&
	       strncmp(c->nodename, "localhost", strlen("localhost"));
}

static bool of_one(const struct crashed *a, const struct crashed *b)
{
	return a->nodename && b->nodename && a->release && b->release &&
	       !strcmp(a->nodename, b->nodename) && !strcmp(a->release, b->release);
}

/* Was B booted when A was? Clocks are set to within two seconds, as diff has it. */
static bool one_boot(const struct crashed *a, const struct crashed *b)
{
	/* of anybody's file: in doubles nothing overflows */
	double x = (double)a->crash_time - (double)a->uptime / 1e9;
	double y = (double)b->crash_time - (double)b->uptime / 1e9;

	return a->crash_time != COL_UNKNOWN_INT && b->crash_time != COL_UNKNOWN_INT &&
	       fabs(x - y) <= 2;
}

/* The series that crash FIRST begins; crashes in it are marked DONE. */
static void take_series(struct series *s, uint32_t first, bool *done)
{
	const struct crashed *v = s->f->v.v;

	s->n = s->boots = 0;
	for (uint32_t i = first; i < s->f->v.n; i++) {
		uint32_t at = s->n, boot = 0;

		if (done[i] || v[i].uptime == COL_UNKNOWN ||
		    (i > first && !of_one(&v[first], &v[i])))
			continue;
		done[i] = true;
		while (boot < s->n && !one_boot(&v[s->v[boot]], &v[i]))
			boot++;
		s->boots += boot == s->n;
		for (; at && v[s->v[at - 1]].uptime > v[i].uptime; at--)
			s->v[at] = s->v[at - 1];
		s->v[at] = i;
		s->n++;
	}
}

static enum status leaks_report(const struct fleet *f, const struct report_opts *o, struct table *t,
				struct diag *diag)
{
	struct series s = { .f = f, .v = arena_array(&t->mem, uint32_t, f->v.n), .mem = &t->mem };
	bool *done = arena_array(&t->mem, bool, f->v.n);
	unsigned found = 0;

	(void)o, (void)diag;
	for (uint32_t i = 0; i < f->v.n; i++) {
		if (done[i] || !is_named(&f->v.v[i]))
			continue;
		take_series(&s, i, done);
		if (s.n < LEAST)
			continue;
		found++;
		add_series(&s);
	}
	t->rows = s.rows.v;
	t->nrows = s.rows.n;
	t->row_size = sizeof(struct row);
	if (!found)
		t->note = "No machine has three dumps or more with a time since boot.";
	return ST_OK;
}

const struct report report_leaks = {
	.name = "leaks",
	.about = "of a fleet: what only grows on a machine, per hour",
	.of_fleet = leaks_report,
	.fleet_costs = true,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-per_hour",
	.help = "Dumps of one machine (its name) with one release are a series, in the order of the time\n"
		"since boot. There must be three, and a name: \"(none)\" and localhost are none. A row is\n"
		"a program, library, object, slab cache or class of the census that grew at most steps and\n"
		"shrank at none. A capsule of the running kernel (vmcensus capsule live) every hour makes\n"
		"such a series.",
};
