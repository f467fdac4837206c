/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql - a SELECT over the rows of other reports. */
#include "dumpread/base/bytes.h"
#include "reports/sql/statement.h"

/* The rows of P, over the snapshot that the statement needs. */
static enum status rows_of(void *arg, const struct capsule_part *p, struct table *t, bool *stored,
			   struct diag *diag)
{
	const struct snapshot *s = arg;
	const struct report *r = p->report;

	if (r->needs & ~s->k->offers)
		return fail(diag, ST_NODATA, "the image does not have what report %s needs",
			    r->name);
	for (unsigned i = 0; i < r->ncols; i++)
		stored[i] = !(r->cols[i].needs & ~s->built);
	return r->run(s, &p->opts, t, diag);
}

static enum status sql_report(const struct snapshot *s, const struct report_opts *o,
			      struct table *t, struct diag *diag)
{
	const struct statement_source src = { rows_of, (void *)(uintptr_t)s };

	return statement_run(o->statement, &src, t, diag);
}

const struct report report_sql = {
	.name = "sql",
	.about = "a SELECT over the rows of other reports",
	.word = "STATEMENT",
	.statement = true,
	.run = sql_report,
	.help = "vmcensus sql 'SELECT comm, pss FROM procs ORDER BY pss DESC LIMIT 5' IMAGE\n"
		"\n"
		"Each report is a table with its columns; \"row\" counts its rows from 1. vmcensus sql --tables\n"
		"lists all; docs/sql.md has examples. A report that SQL has a word for stands in quotes: \"check\".\n"
		"IMAGE may be a capsule or a fleet too; of a fleet, dump_id says which dump a row is of.\n"
		"Of a dump, only the reports are made that the statement names. Sizes are bytes, times ns,\n"
		"addresses text (\"0x...\"); unknown is NULL, which sums leave out. Numbers with a fraction are\n"
		"printed with 3 digits. Exit status 2: one of the reports is incomplete. The statement can\n"
		"only read. It ends after about half a minute of computing, and takes an eighth of --memory.",
};
