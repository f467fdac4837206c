/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statement.c - stands in for reports/sql/statement.c and rows.c: there is no SQL. */
#include "reports/sql/statement.h"

enum status statement_new(const char *sql, bool of_fleet, const struct statement_limits *l,
			  struct diag *diag, struct statement **ret)
{
	(void)sql, (void)of_fleet, (void)l;
	*ret = NULL;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

void statement_free(struct statement *st)
{
	(void)st;
}

struct column *statement_cols(struct statement *st, unsigned *n)
{
	(void)st;
	*n = 0;
	return NULL;
}

unsigned statement_needs(const struct statement *st)
{
	(void)st;
	return 0;
}

enum status statement_run(struct statement *st, const struct statement_source *src, struct table *t,
			  struct diag *diag)
{
	(void)st, (void)src, (void)t;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

enum status statement_run_fleet(struct statement *st, int fd, uint64_t size, struct issues *is,
				struct table *t, struct diag *diag)
{
	(void)st, (void)fd, (void)size, (void)is, (void)t;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

bool statement_wrong(const struct statement *st)
{
	(void)st;
	return false;
}
