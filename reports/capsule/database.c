/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/database.h"
#include "reports/capsule/digest.h"
#include "reports/capsule/fd_vfs.h"
#include "reports/capsule/sets.h"
#include "reports/capsule/sql.h"

#define SCHEMA_NUMBERED 6 /* user_version of the first fleets whose dumps have numbers */

bool database_is(const uint8_t *head, size_t n, uint32_t id)
{
	/* "The Database File Format": application_id is at offset 68, big-endian */
	return n >= CAPSULE_HEAD && !memcmp(head, "SQLite format 3", 16) &&
	       load32(head + 68, true) == id;
}

enum status database_broken(sqlite3 *db, struct diag *diag)
{
	if (sqlite3_errcode(db) == SQLITE_NOMEM)
		arena_die(0);
	if (sqlite3_errcode(db) == SQLITE_INTERRUPT)
		return fail(diag, ST_CORRUPT,
			    "the database is damaged: it has more rows than its size allows");
	return fail(diag, ST_CORRUPT, "the database is damaged: %s", sqlite3_errmsg(db));
}

static void confine(sqlite3 *db, struct trust *t, uint64_t size)
{
	int on;

	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on);
	trust_limit(t, db, size);
}

enum status database_open_fd(int fd, uint64_t size, struct trust *t, struct diag *diag,
			     sqlite3 **ret)
{
	int rc = fd_vfs_open(fd, size, ret);

	if (!*ret)
		arena_die(0);
	if (rc)
		return database_broken(*ret, diag);
	confine(*ret, t, size);
	return trust_schema(*ret, "main", diag);
}

enum status database_open(uint8_t *bytes, size_t size, struct trust *t, struct diag *diag,
			  sqlite3 **ret)
{
	if (sqlite3_open(":memory:", ret))
		arena_die(0);
	confine(*ret, t, size);
	if (sqlite3_deserialize(*ret, "main", bytes, (sqlite3_int64)size, (sqlite3_int64)size,
				SQLITE_DESERIALIZE_READONLY))
		return database_broken(*ret, diag);
	return trust_schema(*ret, "main", diag);
}

bool database_has_in(sqlite3 *db, const char *schema, const char *name)
{
	sqlite3_stmt *st = NULL;
	bool is = false;
	char sql[160];

	snprintf(sql, sizeof(sql),
		 "SELECT 1 FROM \"%s\".sqlite_schema WHERE type = 'table' AND name = ? "
		 "AND rootpage > 0",
		 schema);
	if (!sqlite3_prepare_v2(db, sql, -1, &st, NULL)) {
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
		is = sqlite3_step(st) == SQLITE_ROW;
	}
	sqlite3_finalize(st);
	return is;
}

bool database_has(sqlite3 *db, const char *name)
{
	return database_has_in(db, "main", name);
}

/* ---- tables with sets ----------------------------------------------------------------------- */

/*
 * Is NAME a set as store.c makes it? Its _id is the rowid then, and no two rows have one: a join with
 * it has as many rows as the table that is joined.
 */
static bool is_set(sqlite3 *db, const char *schema, const char *name)
{
	char sql[160], begins[2 * CAPSULE_TABLE + sizeof(CAPSULE_SET_SQL)];
	sqlite3_stmt *st = NULL;
	bool is = false;

	snprintf(sql, sizeof(sql),
		 "SELECT sql FROM \"%s\".sqlite_schema WHERE type = 'table' AND name = ? "
		 "AND rootpage > 0",
		 schema);
	snprintf(begins, sizeof(begins), CAPSULE_SET_SQL, name);
	if (!sqlite3_prepare_v2(db, sql, -1, &st, NULL)) {
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
		if (sqlite3_step(st) == SQLITE_ROW) {
			const char *made = (const char *)sqlite3_column_text(st, 0);

			is = made && !strncmp(made, begins, strlen(begins)) && str_ends(made, ")");
		}
	}
	sqlite3_finalize(st);
	return is;
}

bool database_has_column(sqlite3 *db, const char *schema, const char *table, const char *column)
{
	return !sqlite3_table_column_metadata(db, schema, table, column, NULL, NULL, NULL, NULL,
					      NULL);
}

enum status database_numbered(sqlite3 *db, bool *numbered, struct diag *diag)
{
	sqlite3_stmt *st = NULL;
	int64_t schema = 0;

	if (!sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL) &&
	    sqlite3_step(st) == SQLITE_ROW)
		schema = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	if (schema < 0 || schema > FLEET_SCHEMA)
		return fail(diag, ST_UNSUPPORTED,
			    "the fleet has schema_version %" PRId64 "; this program knows %d",
			    schema, FLEET_SCHEMA);
	*numbered = schema >= SCHEMA_NUMBERED;
	return ST_OK;
}

static bool is_whole(sqlite3 *db, const char *schema, const char *name)
{
	struct diag none;

	return !digest_check(db, schema, name, &none);
}

enum rows_found database_rows(sqlite3 *db, const char *schema, const char *name, struct arena *mem,
			      struct database_rows *ret)
{
	*ret = (struct database_rows){ .db = db, .schema = schema, .name = name, .mem = mem };
	if (database_has_in(db, schema, name)) {
		ret->from = arena_printf(mem, "\"%s\".\"%s\" AS m", schema, name);
		return is_whole(db, schema, name) ? ROWS_FOUND : ROWS_BROKEN;
	}
	ret->name = arena_printf(mem, "_%s", name);
	if (!database_has_in(db, schema, ret->name))
		return ROWS_ABSENT;
	if (!is_whole(db, schema, ret->name))
		return ROWS_BROKEN;
	ret->from = arena_printf(mem, "\"%s\".\"%s\" AS m", schema, ret->name);
	for (unsigned i = 1; i <= SETS_MAX; i++) {
		const char *set = arena_printf(mem, "%s_%u", ret->name, i);
		char column[16];

		snprintf(column, sizeof(column), "_%u", i);
		if (!database_has_column(db, schema, ret->name, column))
			break;
		if (!is_set(db, schema, set) || !is_whole(db, schema, set))
			return ROWS_BROKEN;
		/* CROSS: the rows are read in their order, and each asks for its row of the set */
		ret->from = arena_printf(mem,
					 "%s CROSS JOIN \"%s\".\"%s_%u\" AS s%u ON s%u._id = m._%u",
					 ret->from, schema, ret->name, i, i, i, i);
		ret->nsets = i;
	}
	return ROWS_FOUND;
}

const char *database_cell(const struct database_rows *r, const char *column)
{
	if (database_has_column(r->db, r->schema, r->name, column))
		return arena_printf(r->mem, "m.\"%s\"", column);
	for (unsigned i = 1; i <= r->nsets; i++)
		if (database_has_column(r->db, r->schema, arena_printf(r->mem, "%s_%u", r->name, i),
					column))
			return arena_printf(r->mem, "s%u.\"%s\"", i, column);
	return NULL;
}

const char *database_str(sqlite3_stmt *st, int at, struct arena *mem)
{
	int type = sqlite3_column_type(st, at);
	const void *p;

	if (type != SQLITE_TEXT && type != SQLITE_BLOB)
		return NULL;
	p = sqlite3_column_blob(st, at);
	return arena_strndup(mem, p ? p : "", (size_t)sqlite3_column_bytes(st, at));
}
