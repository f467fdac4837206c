/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inner.h - a statement, as the files of this folder share it. Private to reports/sql. */
#ifndef VMCENSUS_SQL_INNER_H
#define VMCENSUS_SQL_INNER_H

#include "reports/sql/rows.h"

struct statement {
	sqlite3 *db;
	sqlite3_stmt *st;
	struct sql_table *tables;
	unsigned ntables;
	struct column *cols;
	unsigned ncols;
	struct statement_limits left;
	const struct statement_source *src;
	const char *sql;
	bool of_fleet;			/* TABLES are those of a fleet: only their names are used here */
	bool declaring;			/* of one of TABLES, not of the statement, SQLite asks what it may do */
	bool refused;			/* the statement would do more than to read ... */
	bool wrong;			/* ... or is none, which may show only while it runs */
	enum status failed;		/* rows could not be made, as WHY says */
	struct diag why;
	struct arena mem;
};

/* Compiles S->sql for S->db, which does nothing else from then on. ST_ABSENT with DIAG. */
enum status statement_parse(struct statement *s, struct diag *diag);
/* Runs it, and fills T. */
enum status statement_step(struct statement *s, struct table *t, struct diag *diag);

/* fleet.c: makes empty tables with the names and columns that a fleet has. */
void statement_add_fleet(struct statement *s);
/* The statement reads TABLE. */
void statement_names(struct statement *s, const char *table);

#endif
