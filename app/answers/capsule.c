/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capsule.c - makes a capsule: the rows of every report, as each of them alone would have.
 *
 * One snapshot serves all reports, because a walk over page tables is what costs. Each report gets
 * the issues that the dump had when it was open, those of the parts of the build that it needs
 * (model/met.h), and those that it meets itself: what it has without the others. Where a part that
 * met damage would have met other damage if less were built, the reports that need less are made from
 * another snapshot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/answers/answers.h"
#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"
#include "model/memory/frames/lost.h"
#include "model/memory/identity.h"
#include "model/met.h"
#include "model/shared.h"
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

/* What the page of report html is made of. */
static void add_page(struct run *run, const struct snapshot *s)
{
	const struct product *p = report_html.products;
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
	p->write_data(s, out);
	fclose(out);
	capsule_page(run->capsule, p->name, text, size, s->k->issues);
	free(text);
}

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

/* ---- snapshots for several ----------------------------------------------------------- */

/* A part of the capsule; the page of html is one too. */
struct item {
	struct capsule_part part;
	unsigned needs;
};

struct items {
	VEC(struct item) v;
	struct arena *mem;
};

struct serving {
	struct run *run;
	struct issues opened;		/* of the dump when it was open */
	struct issues all;		/* of all reports together */
	struct issues base, own, again;	/* of the report that is made: before it, in it, of earlier views */
	struct issues built;		/* when the snapshot was built */
};

static bool is_page(const struct item *i)
{
	return i->part.report == &report_html;
}

static void add_item(struct items *to, const struct item *i)
{
	*vec_push(to->mem, &to->v) = *i;
}

/* Those who ask for frames when PARTS are built. */
static unsigned askers(unsigned parts)
{
	static const struct {
		unsigned parts, asker;
	} of[] = {
		{ NEED_FRAMES, FRAMES_OPEN }, { NEED_USAGE | NEED_SIZES, FRAMES_TABLES },
		{ NEED_USAGE, FRAMES_WALK },  { NEED_BUILD_IDS, FRAMES_IDS },
		{ NEED_SIZES, FRAMES_SIZES }, { NEED_FOUND, FRAMES_FOUND },
	};
	unsigned who = 0;

	for (size_t i = 0; i < ARRAY_LEN(of); i++)
		who |= parts & of[i].parts ? of[i].asker : 0;
	return who;
}

/* Adds to IS what a build of PARTS would have met; how much. IS may be NULL. */
static uint64_t met_of(const struct snapshot *s, unsigned parts, struct issues *is)
{
	return met_by(s, parts, is) + frames_tell_of(s, askers(parts), is);
}

/* Parts that would read for themselves what the walk has read, if there were no walk. */
#define AFTER_WALK (NEED_SIZES | NEED_BUILD_IDS)

/* Is it known which of the struct pages that S lacks PARTS alone would have asked for? */
static bool knows_lost(const struct snapshot *s, unsigned parts)
{
	uint64_t unknown = 0;

	if (!frames_tell_of(s, askers(s->built), NULL))
		return true;
	if (s->built & ~parts & NEED_USAGE && parts & AFTER_WALK)
		return false;
	if (!(parts & NEED_USAGE) || frames_tell_of(s, askers(parts), NULL))
		return true;
	for (uint32_t i = 0; i < s->nmms; i++)
		unknown += s->mms[i].usage.unknown;
	return !unknown; /* where no struct page lacks, that is an issue */
}

static void restore(struct issues *is, const struct issues *to)
{
	issues_clear(is);
	issues_copy(is, to);
}

static struct snapshot *serving_build(struct serving *x, unsigned needs)
{
	struct kernel *k = x->run->k;
	struct snapshot *s;

	restore(k->issues, &x->opened);
	s = snapshot_build(k, needs, NULL);
	restore(&x->built, k->issues);
	return s;
}

/* Are the issues that S has those of a snapshot that has PARTS alone, but for those of other parts? */
static bool serves(struct serving *x, const struct snapshot *s, unsigned parts)
{
	uint64_t known = issues_total(&x->opened) + met_of(s, s->built, NULL);

	return s->built == parts ||
	       (met_alike(s, parts) && knows_lost(s, parts) && issues_total(&x->built) == known);
}

/* PARTS, and what else S has of which nothing was met: it costs no more, and some columns need it. */
static unsigned with_whole_parts(struct serving *x, const struct snapshot *s, unsigned parts)
{
	for (unsigned need = 1; need && need <= s->built; need <<= 1) {
		unsigned more = snapshot_parts(s->k, parts | (need & s->built));

		if (serves(x, s, more) && met_of(s, more, NULL) == met_of(s, parts, NULL))
			parts = more;
	}
	return parts;
}

/* What the report met itself goes to the issues of all. */
static void keep_own(struct serving *x, const struct issues *is)
{
	restore(&x->own, is);
	issues_take_away(&x->own, &x->base);
	issues_take_away(&x->own, &x->again);
	issues_copy(&x->all, &x->own);
}

static void serve(struct serving *x, struct snapshot *s, const struct item *i)
{
	unsigned built = s->built, parts = snapshot_parts(s->k, i->needs);
	struct issues *is = s->k->issues;

	restore(&x->base, built == parts ? &x->built : &x->opened);
	if (built != parts)
		met_of(s, parts, &x->base);
	restore(is, &x->base);
	issues_clear(&x->again);
	shared_serve(s, &x->again);
	frames_serve(s, askers(parts));
	s->built = is_page(i) ? parts : with_whole_parts(x, s, parts);
	if (is_page(i))
		add_page(x->run, s);
	else
		add_report(x->run, &i->part, s);
	s->built = built;
	keep_own(x, is);
	shared_serve(s, NULL);
}

/* Those of FROM that S serves; *REST gets the others. What a report could not read is told to it alone. */
static void serve_items(struct serving *x, struct snapshot *s, const struct items *from,
			struct items *rest)
{
	for (size_t i = 0; i < from->v.n; i++) {
		const struct item *it = &from->v.v[i];

		if (serves(x, s, snapshot_parts(s->k, it->needs)))
			serve(x, s, it);
		else
			add_item(rest, it);
	}
	frames_serve_end(s);
}

static void lack(struct serving *x, const struct items *from, const char *why)
{
	for (size_t i = 0; i < from->v.n; i++)
		if (!is_page(&from->v.v[i]))
			capsule_lacks(x->run->capsule, &from->v.v[i].part, why);
}

/* Parts of a snapshot that depend on each other. */
#define PAGES_OF (NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_SIZES | NEED_FOUND | NEED_CLASSES)

static void serve_rest(struct serving *x, const struct items *from, unsigned same);

/* All of FROM from one snapshot, or from one for each needs. */
static void serve_together(struct serving *x, const struct items *from, unsigned needs)
{
	struct items rest = { .mem = from->mem };
	struct snapshot *s = serving_build(x, needs);

	if (s->refused)
		lack(x, from, s->refused);
	else
		serve_items(x, s, from, &rest);
	snapshot_free(s);
	serve_rest(x, &rest, ~0u);
}

/* Those whose needs are equal in SAME together. */
static void serve_rest(struct serving *x, const struct items *from, unsigned same)
{
	struct items now = { .mem = from->mem }, later = { .mem = from->mem };
	unsigned needs = 0;

	if (!from->v.n)
		return;
	for (size_t i = 0; i < from->v.n; i++) {
		const struct item *it = &from->v.v[i];
		bool is_now = !((it->needs ^ from->v.v[0].needs) & same);

		add_item(is_now ? &now : &later, it);
		needs |= is_now ? it->needs : 0;
	}
	serve_together(x, &now, needs);
	serve_rest(x, &later, same);
}

/* Without report id where there are issues: it has none, and needs no snapshot. */
static void list_items(struct run *run, struct items *ret)
{
	bool whole = !issues_total(run->k->issues);
	struct item it = { .needs = 0 };

	for (unsigned i = 0; capsule_part(i, &it.part); i++) {
		it.needs = needs_of(it.part.report);
		if (whole || it.part.report != &report_id)
			add_item(ret, &it);
	}
	it = (struct item){ .part.report = &report_html, .needs = page_needs() };
	add_item(ret, &it);
	if (!whole)
		add_id(run);
}

static struct serving *serving_new(struct run *run)
{
	struct serving *x = arena_array(&run->mem, struct serving, 1);
	struct issues *is[] = { &x->opened, &x->all, &x->base, &x->own, &x->again, &x->built };

	for (size_t i = 0; i < ARRAY_LEN(is); i++)
		issues_init(is[i]);
	x->run = run;
	issues_copy(&x->opened, run->k->issues);
	return x;
}

static void add_all(struct run *run, struct serving *x)
{
	struct items all = { .mem = &run->mem }, rest = { .mem = &run->mem };

	restore(&x->all, run->k->issues);
	restore(&x->built, run->k->issues);
	begin(run, run->s);
	list_items(run, &all);
	serve_items(x, run->s, &all, &rest);
	if (rest.v.n) {
		snapshot_free(run->s);
		run->s = NULL;
	}
	serve_rest(x, &rest, PAGES_OF);
	restore(run->k->issues, &x->all);
}

/* ---- types are missing: what can be opened differs, so each has a snapshot of its own ------- */

struct again {
	struct run *run;
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
	if (k)
		kernel_close(k);
	a->s = NULL;
}

static struct kernel *again_kernel(struct again *a, unsigned needs)
{
	struct kernel_opts ko = run_kernel_opts(a->run);
	bool wants_types;
	struct kernel *k;

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

static void add_each(struct run *run)
{
	struct again a = { .run = run };
	struct capsule_part p;

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
	add_each(run);
	progress_say(run->progress, why.text);
	run->status = EXIT_DAMAGED;
	return 0;
}

int run_capsule(struct run *run)
{
	struct kernel_opts ko = run_kernel_opts(run);
	struct serving *x;

	progress_phase(run->progress, "opening the dump");
	if (kernel_open(&ko, &run->diag, &run->k))
		return without_types(run, &ko);
	x = serving_new(run);
	progress_phase(run->progress, "taking the census");
	run->s = snapshot_build(run->k, all_needs(), NULL);
	if (run->s->refused) { /* half of a capsule would be taken for a whole one */
		fail(&run->diag, ST_LIMIT, "%s", run->s->refused);
		return EXIT_NO_ANSWER;
	}
	add_all(run, x);
	return 0;
}
