/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oom --verdict: why memory ran out, as rows: causes with their figures. */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/verdict.h"
#include "reports/core/common.h"
#include "reports/oom/oom.h"
#include "reports/oom/verdict_text.h"

#include <math.h>

struct row {
	const char *kind, *cause, *owner, *report, *certainty, *why, *text, *cause_id, *subject_kind,
		*subject, *subject_path;
	int64_t subject_pid;
	uint64_t figure;
	double percent;
};

#define S COL_SHOWN
#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)

static const struct column cols[] = {
	STR(kind, S, "event, limit, holder (the first is the cause), victim, more"),
	STR(cause, S | COL_WIDE, "what it is, in a few words that do not change"),
	STR(owner, 0, "of a holder: the program, cache, file or area that has most of it"),
	COL(struct row, figure, COL_BYTES, S, "bytes", "how much memory it is about"),
	COL(struct row, percent, COL_RATIO, S, "%", "of RAM, or of the limit of the control group"),
	STR(report, S, "the report that shows the figure"),
	STR(certainty, S, "certain, likely, a guess"),
	STR(why, S | COL_WIDE, "it is as certain as that"),
	STR(text, COL_WIDE, "the sentence"),
	STR(cause_id, 0, "the cause by a name that never changes"),
	STR(subject_kind, 0, "of the owner: process, program (several processes), file, folder, cache, caller, store"),
	STR(subject, 0, "its name alone"),
	COL(struct row, subject_pid, COL_INT, 0, "", "the process, or who has most of it"),
	STR(subject_path, 0, "the file or folder; the module of a caller"),
};

static const char *some(const char *text)
{
	return text && *text ? text : NULL;
}

static void set_row(const struct verdict *all, const struct verdict_row *v, struct row *r,
		    struct arena *mem)
{
	*r = (struct row){
		.kind = verdict_kind_text(v->kind),
		.cause = cause_facts[v->cause].words,
		.owner = verdict_owner(all, v, mem),
		.figure = v->bytes,
		.percent = v->bytes == EV_UNKNOWN || v->elsewhere || v->share == SHARE_UNKNOWN
				   ? NAN
				   : v->share / 10.0,
		.report = v->report,
		.certainty = certainty_text(v->certainty),
		.why = verdict_why(all, v, mem),
		.text = verdict_text(all, v, mem),
		.cause_id = cause_facts[v->cause].id,
		.subject_kind = some(subject_kind_id(v->subject.kind)),
		.subject = v->subject.name,
		.subject_path = v->subject.path,
		.subject_pid = v->subject.pid ? v->subject.pid : COL_UNKNOWN_INT,
	};
}

static enum status verdict_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	const struct verdict *v = verdict_of(s);
	struct row *rows;

	(void)o, (void)diag;
	rows = arena_array(&t->mem, struct row, v->n);
	for (unsigned i = 0; i < v->n; i++)
		set_row(v, &v->v[i], &rows[i], &t->mem);
	t->rows = rows;
	t->nrows = v->n;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

const struct report report_oom_verdict = {
	.name = "oom",
	.about = "why memory ran out: causes with their figures",
	.needs = NEED_MACHINE,
	.wants = NEED_VERDICT,
	.opts = OPT_VERDICT,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = verdict_report,
};
