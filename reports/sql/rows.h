/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows.h - the rows of a report as a virtual table of SQLite ("The Virtual Table Mechanism Of SQLite"). Private to
 * reports/sql.
 */
#ifndef VMCENSUS_SQL_ROWS_H
#define VMCENSUS_SQL_ROWS_H

#include <sqlite3.h>

#include "reports/sql/statement.h"

/* A table that the statement may name. */
struct sql_table {
	char name[CAPSULE_TABLE];
	struct capsule_part part;
	/* Makes T when it is first read. Not ST_OK: the statement ends with that. */
	enum status (*make)(void *arg, struct sql_table *st);
	void *arg;
	bool *declaring;	/* is true while SQLite is told the columns, for which it changes its schema */
	bool named;		/* the statement reads it ... */
	uint64_t reads;		/* ... and of its columns these, as bits; the last stands for it and all behind it */
	bool made;
	struct table t;
	bool *stored;		/* of each column */
	uint32_t **order;	/* of each column: rows by its value; NULL: not made */
	uint32_t *nordered;	/* rows in it: those of which it is known */
};

/* "BEGIN row INTEGER, ...)" with the columns of R. The unit of one is part of its type, so the result's column has it
   too. In MEM. */
const char *sql_declaration(const struct report *r, const char *begin, struct arena *mem);
/* Makes T known to DB, which T must outlive. SQLite's result code. */
int sql_table_add(sqlite3 *db, struct sql_table *t);
/* Does the statement read column C? */
bool sql_table_reads(const struct sql_table *t, unsigned c);
void sql_table_release(struct sql_table *t);

#endif
