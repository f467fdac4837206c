/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trust.c - how our tables are declared, and how long they may be read. */
#include "reports/capsule/trust.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/capsule/database.h"

#define STEPS	      10000	/* of SQLite's machine, between two looks at what is left */
#define STEPS_ALWAYS  20000000u /* that are allowed ... */
#define STEPS_A_BYTE  100u /* ... and for each byte: a row of 6 bytes may have 100 cells in sets */
#define LENGTH_ALWAYS (1u << 20) /* bytes of a value or a row ... */
#define LENGTH_MAX    (1u << 30) /* ... at most; twice the file, which rows with sets have */

/* ---- limits ---------------------------------------------------------------------------------- */

static int count(void *arg)
{
	struct trust *t = arg;

	t->left -= min_u64(t->left, STEPS);
	return !t->left;
}

void trust_limit(struct trust *t, sqlite3 *db, uint64_t size)
{
	static const struct {
		int what, most;
	} limits[] = {
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },	   { SQLITE_LIMIT_COLUMN, 1000 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },	   { SQLITE_LIMIT_COMPOUND_SELECT, 4 },
		{ SQLITE_LIMIT_VDBE_OP, 200000 },	   { SQLITE_LIMIT_FUNCTION_ARG, 16 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },	   { SQLITE_LIMIT_WORKER_THREADS, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 },
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		sqlite3_limit(db, limits[i].what, limits[i].most);
	size = min_u64(size, LENGTH_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)min_u64(2 * size + LENGTH_ALWAYS, LENGTH_MAX));
	t->left = STEPS_ALWAYS + size * STEPS_A_BYTE;
	sqlite3_progress_handler(db, STEPS, count, t);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* What is left of a declaration; NULL: it is none of ours. */
typedef const char *rest;

static rest skip(rest at, const char *what)
{
	return at && str_begins(at, what) ? at + strlen(what) : NULL;
}

/* A name, also in quotes. NAME: it must be this one. */
static rest skip_name(rest at, const char *name)
{
	static const char of[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	bool quoted = at && *at == '"';
	size_t n;

	if (!at)
		return NULL;
	at += quoted;
	n = strspn(at, of);
	if (!n || (name && (strncmp(at, name, n) || name[n])))
		return NULL;
	at += n;
	return quoted ? skip(at, "\"") : at;
}

/* "NAME TYPE PRIMARY KEY" or "NAME TYPE UNIQUE", of which all but the name may be missing; or "PRIMARY KEY (NAME, NAME)". */
static rest skip_column(rest at)
{
	static const char *const types[] = { " INTEGER", " TEXT", " REAL", " BLOB" };
	rest key = skip(at, "PRIMARY KEY ("), next;

	if (key) {
		while ((next = skip(key = skip_name(key, NULL), ", ")))
			key = next;
		return skip(key, ")");
	}
	at = skip_name(at, NULL);
	for (size_t i = 0; at && i < ARRAY_LEN(types); i++)
		if ((next = skip(at, types[i]))) {
			at = next;
			break;
		}
	next = skip(at, " PRIMARY KEY");
	next = next ? next : skip(at, " UNIQUE");
	return next ? next : at;
}

static bool is_table(const char *name, rest at)
{
	rest next;

	at = skip(skip_name(skip(at, "CREATE TABLE "), name), " (");
	while ((next = skip(at = skip_column(at), ", ")))
		at = next;
	at = skip(at, ")");
	next = skip(at, " WITHOUT ROWID");
	at = next ? next : at;
	return at && !*at;
}

/* It is read by people. */
static bool is_view(const char *name, rest at)
{
	return skip(skip_name(skip(at, "CREATE VIEW "), name), " AS SELECT ") != NULL;
}

static bool is_ours(const char *type, const char *name, const char *sql)
{
	if (!type || !name)
		return false;
	if (!strcmp(type, "index")) /* of a PRIMARY KEY, or UNIQUE */
		return !sql && str_begins(name, "sqlite_autoindex_");
	return sql && (!strcmp(type, "table") ? is_table(name, sql)
					      : !strcmp(type, "view") && is_view(name, sql));
}

/* A view is of a table with sets, or one of a fleet's. */
static enum status check_names(sqlite3 *db, const char *schema, struct diag *diag)
{
	static const char ask[] =
		"SELECT lower(name) FROM \"%s\".sqlite_schema GROUP BY 1 HAVING count(*) > 1 "
		"UNION ALL SELECT name FROM \"%s\".sqlite_schema AS v WHERE type = 'view' AND name "
		"NOT IN ('crashes', 'outcomes') AND NOT EXISTS (SELECT 1 FROM \"%s\".sqlite_schema "
		"WHERE type = 'table' AND name = '_' || v.name)";
	sqlite3_stmt *st = NULL;
	enum status ret = ST_OK;
	char sql[sizeof(ask) + 60];

	snprintf(sql, sizeof(sql), ask, schema, schema, schema);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL))
		return database_broken(db, diag);
	if (sqlite3_step(st) != SQLITE_DONE)
		ret = fail(diag, ST_CORRUPT,
			   "the names in the database are none of vmcensus's tables");
	sqlite3_finalize(st);
	return ret;
}

enum status trust_schema(sqlite3 *db, const char *schema, struct diag *diag)
{
	struct arena mem = { 0 };
	enum status ret = ST_OK;
	sqlite3_stmt *st = NULL;
	char sql[160];
	int rc;

	snprintf(sql, sizeof(sql), "SELECT type, name, sql FROM \"%s\".sqlite_schema", schema);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL))
		return database_broken(db, diag);
	while (!ret && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *name = database_str(st, 1, &mem);

		if (!is_ours(database_str(st, 0, &mem), name, database_str(st, 2, &mem)))
			ret = fail(diag, ST_CORRUPT,
				   "%.60s in the database is none of vmcensus's tables",
				   name ? name : "a thing without a name");
	}
	if (!ret && rc != SQLITE_DONE)
		ret = database_broken(db, diag);
	sqlite3_finalize(st);
	arena_release(&mem);
	return ret ? ret : check_names(db, schema, diag);
}
