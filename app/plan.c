/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - do the options fit the report? Before a byte of the dump is read. */
#include <string.h>

#include "app/answers/answers.h"
#include "app/headers.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/memory.h"
#include "reports/core/list.h"

#define ANSWER_COLUMNS	24		     /* so many are shown at once */
#define STATEMENT_STEPS UINT64_C(1000000000) /* of SQLite's machine: about half a minute */
#define STATEMENT_SHARE 8		     /* of memory that its result may have */

static void also(struct diag *d, const char *name)
{
	size_t n = strlen(d->text);

	snprintf(d->text + n, sizeof(d->text) - n, " %s", name);
}

static int find_form(struct run *run)
{
	const struct options *o = &run->o;
	const struct product *p = o->report->products;

	run->product = options_product(o);
	run->renderer = renderer_find(o->report, o->format);
	if (run->product || run->renderer)
		return 0;
	fail(&run->diag, ST_ABSENT, "report %s has no format '%.20s'; it has:", o->report->name,
	     o->format);
	for (; p && p->name; p++)
		also(&run->diag, p->name);
	for (const struct renderer *r = renderers; r->name; r++)
		if (renderer_shows(r, o->report))
			also(&run->diag, r->name);
	return EXIT_USAGE;
}

static int find_like(struct run *run, const char **order)
{
	const struct report_opts *o = &run->o.report_opts;
	const struct report *r = run->o.report;
	const struct like *like = report_like(r, o);

	if (like && like->sort)
		*order = like->sort;
	if (like || !o->like)
		return 0;
	fail(&run->diag, ST_ABSENT, "report %s has no layout of '%.20s'; it has:", r->name,
	     o->like);
	for (like = r->likes; like && like->name; like++)
		also(&run->diag, like->name);
	return EXIT_USAGE;
}

/* Does LIKE have a form of its own for the requested format? */
static bool like_has_form(const struct like *like, const struct renderer *to)
{
	return to->of_chart		   ? like->chart != NULL
	       : to->render == render_text ? like->text != NULL
					   : to->render == render_csv && like->csv;
}

/* The given options that the requested form cannot follow, and the name of that form. */
static unsigned form_refuses(const struct run *run, const struct like *like, const char **form)
{
	const struct report *r = run->o.report;
	bool text = run->renderer->render == render_text;

	*form = "in this format";
	if (run->renderer->of_chart)
		return OPT_COLUMNS;
	if (like) {
		*form = "with this layout";
		return OPT_COLUMNS | OPT_BYTES | OPT_PAGES | like->refuses;
	}
	if (!text)
		return OPT_PAGES;
	*form = "without -c, which makes a table";
	return r->text && !run->o.columns ? OPT_BYTES | OPT_PAGES | r->text_refuses : 0;
}

/* An option works or is refused. */
static int check_fits(struct run *run)
{
	const struct report *r = run->o.report;
	const struct like *like = report_like(r, &run->o.report_opts);
	const struct option_spec *s = NULL;
	const char *form = "without the layout that it is for (--like)";
	unsigned of_rows = OPT_ROWS | OPT_BYTES | OPT_PAGES | OPT_LIKE | OPT_PAPER;

	if (!run->product)
		s = option_given(&run->o, ~(r->opts | of_rows | (like ? like->opts : 0)));
	if (like && !like_has_form(like, run->renderer)) {
		fail(&run->diag, ST_ABSENT, "layout %s of report %s has no format '%.20s'",
		     like->name, r->name, run->o.format);
		return EXIT_USAGE;
	}
	if (!run->product && !s)
		s = option_given(&run->o, form_refuses(run, like, &form));
	if (!s)
		return 0;
	fail(&run->diag, ST_ABSENT, "report %s takes no --%s %s", r->name, s->name, form);
	return EXIT_USAGE;
}

/* --by takes a word of its report. */
static int check_by(struct run *run)
{
	const struct report *r = run->o.report;
	const char *asked = run->o.report_opts.by, *by;

	for (unsigned i = 0; asked && (by = report_by(r, i)); i++)
		if (!strcmp(by, asked))
			return 0;
	if (!asked)
		return 0;
	fail(&run->diag, ST_ABSENT, "report %s has no --by '%.60s'; it has:", r->name, asked);
	for (unsigned i = 0; (by = report_by(r, i)); i++)
		also(&run->diag, by);
	return EXIT_USAGE;
}

static int check_sysroot(struct run *run)
{
	const char *dir = run->o.report_opts.sysroot;
	struct stat st;

	if (!dir || (!stat(dir, &st) && S_ISDIR(st.st_mode)))
		return 0;
	fail(&run->diag, ST_ABSENT, "--sysroot %s is not a directory", dir);
	return EXIT_USAGE;
}

/* Does an option name the column "dump"? */
bool run_names_dump(const struct run *run)
{
	const char *lists[] = { run->o.columns, run->o.sort, run->o.where };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (lists[i] && strstr(lists[i], "dump"))
			return true;
	return false;
}

/* The columns of the report, and one that says which dump a row is from. */
static void add_dump_column(struct run *run)
{
	const struct report *r = run->o.report;

	run->ncols = r->ncols + 1;
	run->cols = arena_array(&run->mem, struct column, run->ncols);
	if (r->ncols)
		memcpy(run->cols, r->cols, r->ncols * sizeof(*r->cols));
	run->cols[r->ncols] = (struct column){ .name = "dump",
					       .type = COL_STR,
					       .flags = COL_NAMED,
					       .unit = "",
					       .about = "the file that was analysed" };
}

/* The statement says which columns there are, and in which order. */
static int plan_statement(struct run *run)
{
	const struct options *o = &run->o;
	const struct statement_limits limits = {
		.steps = STATEMENT_STEPS,
		.bytes = memory_bound(o->memory) / STATEMENT_SHARE,
	};
	struct columns *to = &run->columns;

	if (statement_new(o->statement, run_is_of_fleet(run), &limits, &run->diag, &run->statement))
		return EXIT_USAGE;
	run->o.report_opts.statement = run->statement;
	run->cols = statement_cols(run->statement, &run->ncols);
	to->v = arena_array(&run->mem, const struct column *, run->ncols);
	for (; to->n < run->ncols; to->n++)
		to->v[to->n] = &run->cols[to->n];
	return 0;
}

int run_plan(struct run *run)
{
	const struct options *o = &run->o;
	const struct report *r = o->report;
	const struct report_opts *ro = &o->report_opts;
	struct columns deflt;
	const char *order = r->sort;

	if (find_form(run) || find_like(run, &order) || check_fits(run) || check_by(run) ||
	    check_sysroot(run) || run_headers_check(run))
		return EXIT_USAGE;
	if (run->product && run->product->dir && !o->output) {
		fail(&run->diag, ST_ABSENT, "%s makes a directory; name it with -o DIR",
		     run->product->name);
		return EXIT_USAGE;
	}
	if (run->product)
		return 0;
	if (run->renderer->load && run->renderer->load(&run->diag))
		return EXIT_NO_ANSWER;
	if (r->statement)
		return plan_statement(run);
	if (o->sort)
		order = o->sort;
	add_dump_column(run);
	if (ro->file && r->opts & OPT_FILE)
		columns_marked(run->cols, run->ncols, COL_FILE, &run->mem, &deflt);
	else
		columns_default(run->cols, run->ncols, ro->threads, &run->mem, &deflt);
	if (run->renderer->render == render_text ||
	    (run->renderer->render == render_answer && r->ncols > ANSWER_COLUMNS))
		run->columns = deflt;
	else
		columns_all(run->cols, run->ncols, &deflt, &run->mem, &run->columns);
	if (o->columns && columns_choose(o->columns, run->cols, run->ncols, &deflt, &run->mem,
					 &run->diag, &run->columns))
		return EXIT_USAGE;
	if (order && sort_parse(order, run->cols, run->ncols, &run->diag, &run->sort))
		return EXIT_USAGE;
	if (o->where && where_parse(o->where, run->cols, run->ncols, &run->diag, &run->where))
		return EXIT_USAGE;
	return 0;
}
