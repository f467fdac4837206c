/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capsule.c - makes a capsule: the rows of every report, as each of them alone would have.
 *
 * One snapshot serves all reports, because a walk over page tables is what costs. If it met
 * damage, it is not known which report that concerns; then each report is made again from a
 * snapshot of its own, so that it has the issues that it has without the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/answers.h"
#include "dumpread/base/bytes.h"
#include "model/page/frames.h"
#include "model/source/source.h"
#include "model/views/identity.h"
#include "reports/core/list.h"
#include "reports/fleet/id.h"

static const struct report_opts no_opts;

/* What the model must have for R without options. */
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
static char *own_text(struct run *run, const struct report *r, const struct snapshot *s,
		      struct table *t)
{
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
	r->text(s, &no_opts, t, out);
	fclose(out);
	return text;
}

static void add_rows(struct run *run, const struct report *r, const struct snapshot *s,
		     struct table *t)
{
	const struct column **cols = arena_array(&t->mem, const struct column *, r->ncols);
	struct capsule_rows rows = { .report = r, .cols = cols, .t = t, .issues = s->k->issues };
	struct source_about about;
	char *text;

	/* as json says it when this report alone is made */
	source_about(s->k, &about);
	rows.crash_time = needs_of(r) & NEED_MACHINE ? run->image.crash_time : about.when;
	rows.ncols = choose_columns(r, s->built, cols);
	capsule_add(run->capsule, &rows);
	text = own_text(run, r, s, t);
	if (text)
		capsule_text(run->capsule, r, text);
	free(text);
}

static void add_report(struct run *run, const struct report *r, const struct snapshot *s)
{
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct diag why = { "" };

	progress_phase(run->progress, r->name);
	if (!run_offers(s->k, r, r->needs, run->o.images[0], &why) ||
	    r->run(s, &no_opts, &t, &why)) {
		capsule_lacks(run->capsule, r, why.text);
	} else {
		if (r == &report_id)
			((struct id_row *)t.rows)->dump = run->image.paths[0];
		add_rows(run, r, s, &t);
	}
	arena_release(&t.mem);
}

/* ---- one snapshot for all --------------------------------------------------------- */

/* Those of columns that are not shown as well: here they cost little more. */
static unsigned all_needs(void)
{
	const struct report *r;
	unsigned needs = 0;

	for (unsigned i = 0; (r = capsule_report(i)); i++) {
		needs |= needs_of(r);
		for (unsigned c = 0; c < r->ncols; c++)
			needs |= r->cols[c].needs;
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
	const struct report *r;

	begin(run, run->s);
	for (unsigned i = 0; (r = capsule_report(i)); i++)
		add_report(run, r, run->s);
}

/* ---- a snapshot for each ------------------------------------------------------------- */

/* Opens the dump again: what was counted for another report is not counted for this one. */
static void add_alone(struct run *run, const struct report *r)
{
	struct kernel_opts ko = run_kernel_opts(run);
	unsigned needs = needs_of(r);
	struct snapshot *s = NULL;
	struct kernel *k = NULL;
	struct diag why = { "" };

	ko.log = NULL;
	ko.log_only = needs == NEED_LOG;
	ko.config_only = needs == NEED_CONFIG;
	if (!kernel_open(&ko, &why, &k))
		s = snapshot_build(k, needs, NULL);
	if (s && !s->refused)
		add_report(run, r, s);
	else
		capsule_lacks(run->capsule, r, s ? s->refused : why.text);
	snapshot_free(s);
	kernel_close(k);
}

/* Types are not needed for it. */
static void add_id(struct run *run)
{
	struct table t = { .cols = report_id.cols, .ncols = report_id.ncols, .nrows = 1 };
	const struct column **cols = arena_array(&t.mem, const struct column *, t.ncols);
	struct capsule_rows rows = { .report = &report_id, .cols = cols, .t = &t };
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

static void add_each(struct run *run)
{
	const struct report *r;

	if (!run->capsule)
		begin(run, run->s);
	snapshot_free(run->s);
	run->s = NULL;
	for (unsigned i = 0; (r = capsule_report(i)); i++)
		if (r == &report_id)
			add_id(run);
		else
			add_alone(run, r);
}

/* Types are missing: what needs none is kept. */
static int without_types(struct run *run, struct kernel_opts *ko)
{
	struct diag why = run->diag;

	ko->log_only = true;
	if (kernel_open(ko, &run->diag, &run->k))
		return EXIT_NO_ANSWER;
	run->s = snapshot_build(run->k, NEED_LOG, NULL);
	add_each(run);
	progress_say(run->progress, why.text);
	run->status = EXIT_DAMAGED;
	return 0;
}

int run_capsule(struct run *run)
{
	struct kernel_opts ko = run_kernel_opts(run);

	progress_phase(run->progress, "opening the dump");
	if (kernel_open(&ko, &run->diag, &run->k))
		return without_types(run, &ko);
	progress_phase(run->progress, "taking the census");
	run->s = snapshot_build(run->k, all_needs(), NULL);
	if (!run->s->refused) {
		add_all(run);
		frames_tell(run->s);
		if (!issues_total(run->k->issues))
			return 0;
		capsule_drop(run->capsule);
		run->capsule = NULL;
	}
	add_each(run);
	return 0;
}
