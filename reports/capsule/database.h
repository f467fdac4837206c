/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database.h - anybody's SQLite file, opened only to be read. SQLite checks its
 * pages; only plain tables are read, no views and nothing that a schema can call.
 */
#ifndef VMCENSUS_CAPSULE_DATABASE_H
#define VMCENSUS_CAPSULE_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/diag.h"
#include "reports/capsule/trust.h"

/* Opens BYTES (SIZE of them), which must live until sqlite3_close(), as T. *ret is never NULL.
   ST_CORRUPT with DIAG, also if there is anything but tables that are declared as ours. */
enum status database_open(uint8_t *bytes, size_t size, struct trust *t, struct diag *diag,
			  sqlite3 **ret);
/* The same of the descriptor FD, which must be open until sqlite3_close(): pages are read when they are asked for. */
enum status database_open_fd(int fd, uint64_t size, struct trust *t, struct diag *diag,
			     sqlite3 **ret);
/* Does a file that begins with HEAD (N bytes) hold a database of application ID? */
bool database_is(const uint8_t *head, size_t n, uint32_t id);
/* ST_CORRUPT with what SQLite says in DIAG; does not return if memory is exhausted. */
enum status database_broken(sqlite3 *db, struct diag *diag);
/* Is NAME a plain table, of SCHEMA? A view or a virtual table may do anything. */
bool database_has_in(sqlite3 *db, const char *schema, const char *name);
/* The same of the database itself. */
bool database_has(sqlite3 *db, const char *name);

/* Has TABLE of SCHEMA, as it is declared, a column of this name? */
bool database_has_column(sqlite3 *db, const char *schema, const char *table, const char *column);
/* Of a fleet: do numbers stand in its tables for the dumps? ST_UNSUPPORTED with DIAG: it is of a newer program. */
enum status database_numbered(sqlite3 *db, bool *numbered, struct diag *diag);

/* The rows of a report, which are in one table or in sets beside it (sets.h). */
struct database_rows {
	const char *from; /* what stands behind FROM */
	sqlite3 *db;
	const char *schema, *name;
	unsigned nsets;
	struct arena *mem;
};

enum rows_found { ROWS_ABSENT, ROWS_FOUND, ROWS_BROKEN };

/* Those of table NAME. Broken: its rows or sets are not those that were stored. Strings in MEM. */
enum rows_found database_rows(sqlite3 *db, const char *schema, const char *name, struct arena *mem,
			      struct database_rows *ret);
/* COLUMN as SQL names it beside R->from; NULL: there is none. */
const char *database_cell(const struct database_rows *r, const char *column);
/* A text, or the bytes of what is none; NULL: neither. In MEM. */
const char *database_str(sqlite3_stmt *st, int at, struct arena *mem);

#endif
