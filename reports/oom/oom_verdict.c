/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oom --verdict: why memory ran out, as rows: causes with their figures. */
#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/oom/oom.h"
#include "reports/oom/verdict_text.h"

#include <math.h>

struct row {
	const char *kind, *cause, *owner, *report, *certainty, *why, *text;
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
};

static enum status verdict_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	const struct verdict *v = verdict_of(s);
	struct row *rows;

	(void)o, (void)diag;
	rows = arena_array(&t->mem, struct row, v->n);
	for (unsigned i = 0; i < v->n; i++)
		rows[i] = (struct row){
			.kind = verdict_kind_text(v->v[i].kind),
			.cause = v->v[i].cause,
			.owner = v->v[i].owner,
			.figure = v->v[i].bytes,
			.percent = v->v[i].bytes == EV_UNKNOWN || v->v[i].elsewhere
					   ? NAN
					   : v->v[i].share / 10.0,
			.report = v->v[i].report,
			.certainty = certainty_text(v->v[i].certainty),
			.why = v->v[i].why,
			.text = v->v[i].text,
		};
	t->rows = rows;
	t->nrows = v->n;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

const struct report report_oom_verdict = {
	.name = "oom",
	.about = "why memory ran out: causes with their figures",
	.needs = NEED_MACHINE | NEED_TASKS,
	.wants = NEED_VERDICT,
	.opts = OPT_VERDICT,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = verdict_report,
};
