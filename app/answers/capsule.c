/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capsule.c - makes a capsule: the rows of every report, as each of them alone would have.
 *
 * One snapshot serves all reports, because a walk over page tables is what costs. If it met
 * damage, it is not known which report that concerns; then each report is made again from a
 * snapshot with its own needs, so that it has the issues that it has without the others. These
 * snapshots are of the dump as it is open, with the issues that it had then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/answers/answers.h"
#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"
#include "model/memory/frames/frames.h"
#include "model/memory/identity.h"
#include "reports/core/list.h"
#include "reports/fleet/id.h"

/* What the model must have for R, whatever the options of a part. */
static unsigned needs_of(const struct report *r)
{
	unsigned needs = r->needs | r->wants;

	for (unsigned i = 0; i < r->ncols; i++)
		if (r->cols[i].flags & COL_SHOWN)
			needs |= r->cols[i].needs;
	return needs;
}

/* Columns that can be filled when only BUILT is there. */
static unsigned choose_columns(const struct report *r, unsigned built, const struct column **ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->ncols; i++)
		if (!(r->cols[i].needs & ~built))
			ret[n++] = &r->cols[i];
	return n;
}

/* The report's own text; NULL: it is the table, or is made of the rows. */
static char *own_text(struct run *run, const struct capsule_part *p, const struct snapshot *s,
		      struct table *t)
{
	const struct report *r = p->report;
	struct sort order = { .n = 0 };
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!r->text || r->text_of_rows)
		return NULL;
	if (r->sort && !sort_parse(r->sort, r->cols, r->ncols, &run->diag, &order))
		table_sort(t, &order, 0);
	out = open_memstream(&text, &len);
	if (!out)
		arena_die(0);
	t->nall = t->nrows;
	r->text(s, &p->opts, t, out);
	fclose(out);
	return text;
}

static void add_rows(struct run *run, const struct capsule_part *p, const struct snapshot *s,
		     struct table *t)
{
	const struct report *r = p->report;
	const struct column **cols = arena_array(&t->mem, const struct column *, r->ncols);
	struct capsule_rows rows = { .part = *p, .cols = cols, .t = t, .issues = s->k->issues };
	struct source_about about;
	char *text;

	/* as json says it when this report alone is made */
	source_about(s->k, &about);
	rows.crash_time = needs_of(r) & NEED_MACHINE ? run->image.crash_time : about.when;
	rows.ncols = choose_columns(r, s->built, cols);
	capsule_add(run->capsule, &rows);
	text = own_text(run, p, s, t);
	if (text)
		capsule_text(run->capsule, p, text);
	free(text);
}

static void add_report(struct run *run, const struct capsule_part *p, const struct snapshot *s)
{
	const struct report *r = p->report;
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct diag why = { "" };

	progress_phase(run->progress, r->name);
	if (!run_offers(s->k, r, r->needs, run->o.images[0], &why) ||
	    r->run(s, &p->opts, &t, &why)) {
		capsule_lacks(run->capsule, p, why.text);
	} else {
		if (r == &report_id)
			((struct id_row *)t.rows)->dump = run->image.paths[0];
		add_rows(run, p, s, &t);
	}
	arena_release(&t.mem);
}

static unsigned page_needs(void)
{
	return report_html.needs | report_html.wants | report_html.products->needs;
}

/* What the page of report html is made of, from the parts of S that it would have alone. */
static void add_page(struct run *run, struct snapshot *s)
{
	const struct product *p = report_html.products;
	unsigned built = s->built;
	struct diag why = { "" };
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!run_offers(s->k, &report_html, report_html.needs | p->needs, run->o.images[0], &why))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		arena_die(0);
	progress_phase(run->progress, report_html.name);
	s->built = snapshot_parts(s->k, page_needs());
	p->write_data(s, out);
	s->built = built;
	fclose(out);
	capsule_page(run->capsule, p->name, text, size, s->k->issues);
	free(text);
}

/* ---- one snapshot for all --------------------------------------------------------- */

/* Those of columns that are not shown as well: here they cost little more. */
static unsigned all_needs(void)
{
	unsigned needs = page_needs();
	struct capsule_part p;

	for (unsigned i = 0; capsule_part(i, &p); i++) {
		needs |= needs_of(p.report);
		for (unsigned c = 0; c < p.report->ncols; c++)
			needs |= p.report->cols[c].needs;
	}
	return needs;
}

static void begin(struct run *run, const struct snapshot *s)
{
	char id[IDENTITY_TEXT];

	run->image = image_facts_of(s, run->names ? run->names : run->o.images, run->o.nimages);
	run->capsule = capsule_new(&run->image);
	if (identity_of(s->k, id))
		capsule_fact(run->capsule, "id", id);
}

static void add_all(struct run *run)
{
	struct capsule_part p;

	begin(run, run->s);
	for (unsigned i = 0; capsule_part(i, &p); i++)
		add_report(run, &p, run->s);
	add_page(run, run->s);
}

/* ---- a snapshot for each ------------------------------------------------------------- */

struct again {
	struct run *run;
	const struct issues_mark *opened;	/* issues of the dump when it was open; NULL: types
						   are missing, so what can be opened differs */
	struct snapshot *s;		/* NULL: none */
	unsigned needs;			/* of it */
	uint64_t issues;		/* that it had when it was built */
	struct diag why;		/* there is no S */
	bool has_no_types;
	struct diag no_types;		/* why */
};

static void again_close(struct again *a)
{
	struct kernel *k = a->s ? a->s->k : NULL;

	snapshot_free(a->s);
	if (k && k != a->run->k)
		kernel_close(k);
	a->s = NULL;
}

static struct kernel *again_kernel(struct again *a, unsigned needs)
{
	struct kernel_opts ko = run_kernel_opts(a->run);
	bool wants_types;
	struct kernel *k;

	if (a->opened) {
		issues_undo(a->run->k->issues, a->opened);
		return a->run->k;
	}
	ko.log = NULL;
	ko.log_only = needs == NEED_LOG;
	ko.config_only = needs == NEED_CONFIG;
	wants_types = !ko.log_only && !ko.config_only;
	if (wants_types && a->has_no_types) {
		a->why = a->no_types;
		return NULL;
	}
	if (!kernel_open(&ko, &a->why, &k))
		return k;
	a->has_no_types |= wants_types;
	a->no_types = wants_types ? a->why : a->no_types;
	return NULL;
}

static void again_build(struct again *a, unsigned needs)
{
	struct kernel *k = again_kernel(a, needs);

	if (!k)
		return;
	a->s = snapshot_build(k, needs, NULL);
	a->needs = needs;
	a->issues = issues_total(k->issues);
	if (!a->s->refused)
		return;
	fail(&a->why, ST_LIMIT, "%s", a->s->refused);
	again_close(a);
}

/* A snapshot with NEEDS, and without what a report before has counted: the one that is there if
   it counted nothing. NULL with a->why. */
static struct snapshot *again_open(struct again *a, unsigned needs)
{
	if (!a->s || a->needs != needs || issues_total(a->s->k->issues) != a->issues) {
		again_close(a);
		again_build(a, needs);
	}
	return a->s;
}

/* Types are not needed for it. */
static void add_id(struct run *run)
{
	struct table t = { .cols = report_id.cols, .ncols = report_id.ncols, .nrows = 1 };
	const struct column **cols = arena_array(&t.mem, const struct column *, t.ncols);
	struct capsule_rows rows = { .part = { .report = &report_id }, .cols = cols, .t = &t };
	struct kernel_opts ko = run_kernel_opts(run);
	struct id_row r;

	ko.log = NULL;
	run_id_row(&ko, &r, &t.mem);
	r.dump = run->image.paths[0];
	t.rows = &r;
	t.row_size = sizeof(r);
	rows.ncols = choose_columns(&report_id, ~0u, cols);
	capsule_add(run->capsule, &rows);
	arena_release(&t.mem);
}

/* All that have NEEDS. */
static void add_alike(struct again *a, unsigned needs)
{
	struct capsule_part p;

	for (unsigned i = 0; capsule_part(i, &p); i++) {
		if (p.report == &report_id || needs_of(p.report) != needs)
			continue;
		if (again_open(a, needs))
			add_report(a->run, &p, a->s);
		else
			capsule_lacks(a->run->capsule, &p, a->why.text);
	}
}

/* Has a part before the Nth the same NEEDS? */
static bool is_done(unsigned n, unsigned needs)
{
	struct capsule_part p;

	for (unsigned i = 0; i < n && capsule_part(i, &p); i++)
		if (p.report != &report_id && needs_of(p.report) == needs)
			return true;
	return false;
}

static void add_each(struct run *run, const struct issues_mark *opened)
{
	struct again a = { .run = run, .opened = opened };
	struct capsule_part p;

	if (!run->capsule)
		begin(run, run->s);
	snapshot_free(run->s);
	run->s = NULL;
	add_id(run);
	for (unsigned i = 0; capsule_part(i, &p); i++)
		if (p.report != &report_id && !is_done(i, needs_of(p.report)))
			add_alike(&a, needs_of(p.report));
	if (again_open(&a, page_needs()))
		add_page(run, a.s);
	again_close(&a);
}

/* Types are missing: what needs none is kept. */
static int without_types(struct run *run, struct kernel_opts *ko)
{
	struct diag why = run->diag;

	ko->log_only = true;
	if (kernel_open(ko, &run->diag, &run->k))
		return EXIT_NO_ANSWER;
	run->s = snapshot_build(run->k, NEED_LOG, NULL);
	add_each(run, NULL);
	progress_say(run->progress, why.text);
	run->status = EXIT_DAMAGED;
	return 0;
}

/* The issues are those of all reports together, as they were. */
static void add_each_again(struct run *run, const struct issues_mark *opened)
{
	struct issues *all = arena_array(&run->mem, struct issues, 1), *is = run->k->issues;
	const struct issues_mark none = { .n = 0 };

	issues_init(all);
	issues_copy(all, is);
	add_each(run, opened);
	issues_undo(is, &none);
	issues_copy(is, all);
	issues_release(all);
}

int run_capsule(struct run *run)
{
	struct kernel_opts ko = run_kernel_opts(run);
	struct issues_mark opened;

	progress_phase(run->progress, "opening the dump");
	if (kernel_open(&ko, &run->diag, &run->k))
		return without_types(run, &ko);
	issues_mark(run->k->issues, &opened);
	progress_phase(run->progress, "taking the census");
	run->s = snapshot_build(run->k, all_needs(), NULL);
	if (run->s->refused) { /* half of a capsule would be taken for a whole one */
		fail(&run->diag, ST_LIMIT, "%s", run->s->refused);
		return EXIT_NO_ANSWER;
	}
	add_all(run);
	frames_tell(run->s);
	if (!issues_total(run->k->issues))
		return 0;
	capsule_drop(run->capsule);
	run->capsule = NULL;
	add_each_again(run, &opened);
	return 0;
}
