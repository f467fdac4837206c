/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stored.c - the answer from a capsule: its rows, through the same filter, order and renderer.
 */
#include <inttypes.h>
#include <string.h>

#include "app/answers/answers.h"
#include "dumpread/base/bytes.h"
#include "dumpread/image/whole.h"
#include "reports/charts/chart.h"

#define CHARTS_MAX 16u

bool stored_is(const char *path)
{
	uint8_t head[CAPSULE_HEAD];

	return capsule_is(head, file_head(path, head, sizeof(head)));
}

bool run_has_capsule(const struct run *run)
{
	for (unsigned i = 0; !run->open && i < run->o.nimages; i++)
		if (stored_is(run->o.images[i]))
			return true;
	return false;
}

enum status stored_open(const char *path, struct diag *diag, struct capsule_file **ret)
{
	uint8_t *bytes;
	enum status st;
	size_t size;

	*ret = NULL;
	st = file_whole(path, CAPSULE_MAX, diag, &bytes, &size);
	if (!st)
		st = capsule_open(bytes, size, diag, ret);
	return st ? fail_in(diag, st, "%s", path) : ST_OK;
}

/* The option that asks for R, if R is a part of a report; 0: it is whole. */
static unsigned of_part(const struct report *r)
{
	const struct report *whole = report_find(r->name);

	for (const struct report_part *p = whole ? whole->parts : NULL; p && p->opt; p++)
		if (p->report == r)
			return p->opt;
	return 0;
}

/* What a table of rows cannot show. EXIT_NO_ANSWER with a sentence. */
static int check_form(struct run *run)
{
	const struct options *o = &run->o;
	const struct report *r = o->report;
	unsigned of_rows = run->product ? 0 : OPT_ROWS | OPT_BYTES | OPT_PAGES;
	const struct option_spec *s =
		option_given(o, ~(of_rows | of_part(r) | (r->opts & (OPT_ALL | OPT_BY))));
	const char *what = NULL;

	if (r->dump_only)
		fail(&run->diag, ST_NODATA,
		     "a capsule does not have report %s: %s; it needs the dump", r->name,
		     r->dump_only);
	else if (run->product && !run->product->write_kept)
		what = run->product->name;
	else if (!run->product && run->renderer->of_chart)
		what = run->renderer->name;
	else if (s)
		fail(&run->diag, ST_NODATA,
		     "a capsule has report %s without --%s, which needs the dump", r->name,
		     s->name);
	else if (o->top && r->own_top && !r->compares)
		fail(&run->diag, ST_NODATA,
		     "a capsule has report %s without --top, which needs the dump", r->name);
	else
		return 0;
	if (what)
		fail(&run->diag, ST_NODATA,
		     "report %s as %s is not in a capsule: it needs the dump", r->name, what);
	return EXIT_NO_ANSWER;
}

/* Is a column that was not stored shown, compared or sorted by? */
static bool uses_lost(struct run *run, const bool *stored)
{
	const struct report *r = run->o.report;

	for (unsigned c = 0; c < r->ncols; c++) {
		bool used = where_uses(run->where, &run->cols[c]);

		for (unsigned i = 0; i < run->columns.n; i++)
			used |= run->columns.v[i] == &run->cols[c];
		for (unsigned i = 0; i < run->sort.n; i++)
			used |= run->sort.key[i].col == &run->cols[c];
		if (!used || stored[c])
			continue;
		fail(&run->diag, ST_NODATA,
		     "column %s of report %s is not in the capsule: it needs the dump",
		     r->cols[c].name, r->name);
		return true;
	}
	return false;
}

/* The report's own text was stored as it is without options. */
static int take_text(struct run *run, const struct capsule_more *more)
{
	const struct report *r = run->o.report;

	if (!r->text || r->text_of_rows || run->renderer->render != render_text || run->o.columns)
		return 0;
	if (!more->text || run->where || run->o.sort || run->o.top) {
		fail(&run->diag, ST_NODATA,
		     "the text of report %s with these options needs the dump; -c and -f csv give "
		     "its rows",
		     r->name);
		return EXIT_NO_ANSWER;
	}
	run->text = more->text;
	return 0;
}

static int take_rows(struct run *run)
{
	const struct report *r = run->o.report;
	const struct capsule_part part = {
		.report = r, .opts = { .all = run->o.report_opts.all, .by = run->o.report_opts.by }
	};
	bool *stored = arena_array(&run->mem, bool, r->ncols);
	struct capsule_more more;

	run->stored_issues = arena_array(&run->mem, struct issues, 1);
	issues_init(run->stored_issues);
	if (capsule_load(run->stored, &part, &run->t, stored, run->stored_issues, &more,
			 &run->diag))
		return EXIT_NO_ANSWER;
	if (more.made) {
		fail(&run->diag, ST_NODATA, "the rows of report %s were made with %s", r->name,
		     more.made);
		return EXIT_NO_ANSWER;
	}
	if (uses_lost(run, stored) || take_text(run, &more))
		return EXIT_NO_ANSWER;
	run->image = *capsule_image(run->stored);
	run->image.crash_time = more.crash_time;
	run->issues = run->stored_issues;
	run_pick_rows(run);
	return 0;
}

/* ---- a statement ---------------------------------------------------------------------------- */

/* A table of the statement, and what its report met. */
static enum status table_of(void *arg, const struct capsule_part *p, struct table *t, bool *stored,
			    struct diag *diag)
{
	struct run *run = arg;
	struct capsule_more more;
	enum status st;

	if (p->report->dump_only)
		return fail(diag, ST_NODATA,
			    "a capsule does not have report %s: %s; it needs the dump",
			    p->report->name, p->report->dump_only);
	st = capsule_load(run->stored, p, t, stored, run->stored_issues, &more, diag);
	if (!st && more.made)
		st = fail(diag, ST_NODATA, "the rows of report %s were made with %s",
			  p->report->name, more.made);
	return st;
}

static int take_statement(struct run *run)
{
	const struct statement_source src = { table_of, run };

	run->stored_issues = run->issues = arena_array(&run->mem, struct issues, 1);
	issues_init(run->stored_issues);
	run->image = *capsule_image(run->stored);
	if (statement_run(run->statement, &src, &run->t, &run->diag))
		return statement_wrong(run->statement) ? EXIT_USAGE : EXIT_NO_ANSWER;
	run_pick_rows(run);
	return 0;
}

/* ---- a page --------------------------------------------------------------------------------- */

/* The page is ours, of this program; the capsule has its data. Nobody is to run the script of who made it. */
static int take_page(struct run *run)
{
	run->stored_issues = arena_array(&run->mem, struct issues, 1);
	issues_init(run->stored_issues);
	run->image = *capsule_image(run->stored);
	return capsule_page_check(run->stored, run->product->name, run->stored_issues, &run->diag)
		       ? EXIT_NO_ANSWER
		       : 0;
}

static bool is_drawn(const struct chart *c, const char *column)
{
	bool is = (c->label && !strcmp(c->label, column)) || (c->id && !strcmp(c->id, column));

	for (unsigned i = 0; i < c->nseries; i++)
		is |= !strcmp(c->series[i].column, column) ||
		      (c->series[i].beside && !strcmp(c->series[i].beside, column));
	return is;
}

/* The chart of R, if all that it shows is there. */
static enum status take_chart(struct run *run, const struct report *r, struct render *ret,
			      bool *has)
{
	static const struct report_opts none;
	const struct capsule_part part = { .report = r };
	bool *stored = arena_array(&run->mem, bool, r->ncols);
	struct table *t = arena_array(&run->mem, struct table, 1);
	struct capsule_more more;
	struct issues is;
	enum status st;

	issues_init(&is); /* the page has its own */
	st = capsule_load(run->stored, &part, t, stored, &is, &more, &run->diag);
	issues_release(&is);
	*has = !st;
	for (unsigned i = 0; !st && i < r->ncols; i++)
		*has &= stored[i] || !is_drawn(r->chart, r->cols[i].name);
	*ret = (struct render){ .report = r,
				.opts = &none,
				.t = t,
				.amounts = true,
				.image = &run->image,
				.units = { UNIT_KIB, run->image.page_size } };
	return st == ST_NODATA ? ST_OK : st;
}

static enum status write_data(void *arg, FILE *out, struct diag *diag)
{
	struct run *run = arg;

	return capsule_page_write(run->stored, run->product->name, out, diag);
}

enum status stored_page_write(struct run *run, FILE *out)
{
	struct kept_page page = { .data = write_data, .arg = run };
	struct render charts[CHARTS_MAX];
	enum status st = ST_OK;

	page.charts = charts;
	for (const struct report *const *r = reports; !st && *r; r++) {
		bool has = false;

		if ((*r)->chart && page.ncharts < CHARTS_MAX)
			st = take_chart(run, *r, &charts[page.ncharts], &has);
		page.ncharts += has;
	}
	if (!st)
		st = run->product->write_kept(&page, out, &run->diag);
	for (unsigned i = 0; i < page.ncharts; i++)
		arena_release(&((struct table *)(uintptr_t)charts[i].t)->mem);
	return st;
}

int run_stored(struct run *run)
{
	const struct options *o = &run->o;

	if (check_form(run))
		return EXIT_NO_ANSWER;
	if (o->nimages > 1) {
		fail(&run->diag, ST_NODATA, "%s: a capsule is an image of its own; name one",
		     o->images[1]);
		return EXIT_NO_ANSWER;
	}
	if (stored_open(o->images[0], &run->diag, &run->stored))
		return EXIT_NO_ANSWER;
	if (capsule_undigested(run->stored))
		log_warn(&run->log,
			 "%s is of an older vmcensus, without digests: damage of its rows is not "
			 "noticed",
			 o->images[0]);
	return run->product	? take_page(run)
	       : run->statement ? take_statement(run)
				: take_rows(run);
}
