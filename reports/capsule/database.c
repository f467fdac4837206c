/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/database.h"

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
	return fail(diag, ST_CORRUPT, "the database is damaged: %s", sqlite3_errmsg(db));
}

enum status database_open(uint8_t *bytes, size_t size, struct diag *diag, sqlite3 **ret)
{
	int on;

	if (sqlite3_open(":memory:", ret))
		arena_die(0);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on);
	return sqlite3_deserialize(*ret, "main", bytes, (sqlite3_int64)size, (sqlite3_int64)size,
				   SQLITE_DESERIALIZE_READONLY)
		       ? database_broken(*ret, diag)
		       : ST_OK;
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

bool database_has_column(sqlite3 *db, const char *table, const char *column)
{
	return !sqlite3_table_column_metadata(db, "main", table, column, NULL, NULL, NULL, NULL,
					      NULL);
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
