/* SPDX-License-Identifier: GPL-3.0-or-later */
/* digest.c - what a table holds, in 32 bytes. */
#include "reports/capsule/digest.h"

#include <stdio.h>
#include <string.h>

#include <nettle/sha2.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/bytes.h"
#include "reports/capsule/database.h"

#define SQL_TEXT 256

static void add_number(struct sha256_ctx *hash, uint64_t v)
{
	uint8_t buf[8];

	store_uint(buf, v, sizeof(buf), false);
	sha256_update(hash, sizeof(buf), buf);
}

/* Its type, and its value; returns the bytes of a text. */
static uint64_t add_cell(struct sha256_ctx *hash, sqlite3_stmt *st, int at)
{
	int type = sqlite3_column_type(st, at);
	uint64_t bits, len;
	double real;
	const void *p;

	add_number(hash, (uint64_t)type);
	switch (type) {
	case SQLITE_INTEGER: add_number(hash, (uint64_t)sqlite3_column_int64(st, at)); return 0;
	case SQLITE_FLOAT:
		real = sqlite3_column_double(st, at);
		memcpy(&bits, &real, sizeof(bits));
		add_number(hash, bits);
		return 0;
	case SQLITE_NULL: return 0;
	}
	p = sqlite3_column_blob(st, at);
	len = (uint64_t)sqlite3_column_bytes(st, at);
	add_number(hash, len);
	if (len)
		sha256_update(hash, len, p);
	return len;
}

/* Bytes of the database in memory; 0: it is in a file, and ours. */
static uint64_t size_of(sqlite3 *db, const char *schema)
{
	sqlite3_int64 size = 0;

	return sqlite3_serialize(db, schema, &size, SQLITE_SERIALIZE_NOCOPY) ? (uint64_t)size : 0;
}

/* Pages that belong to many rows make more rows and texts than the file has bytes: SQLITE_CORRUPT. */
static int add_rows(struct sha256_ctx *hash, sqlite3_stmt *st, uint64_t size)
{
	uint64_t rows = 0, texts = 0;
	int rc;

	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++)
			texts += add_cell(hash, st, i);
		rows++;
		if (size && (rows > size || texts > size))
			return SQLITE_CORRUPT;
	}
	add_number(hash, rows);
	return rc;
}

/* SQLite's result code, SQLITE_DONE if all went well. */
static int digest_of(sqlite3 *db, const char *schema, const char *name, const char *made,
		     uint8_t digest[SHA256_DIGEST_SIZE])
{
	sqlite3_stmt *st = NULL;
	struct sha256_ctx hash;
	char sql[SQL_TEXT];
	int rc;

	sha256_init(&hash);
	sha256_update(&hash, strlen(made) + 1, (const uint8_t *)made);
	/* an index may be damaged where the table is not */
	snprintf(sql, sizeof(sql), "SELECT * FROM \"%s\".\"%s\" NOT INDEXED", schema, name);
	rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (!rc)
		rc = add_rows(&hash, st, size_of(db, schema));
	sqlite3_finalize(st);
	sha256_digest(&hash, SHA256_DIGEST_SIZE, digest);
	return rc;
}

int digest_of_rows(sqlite3_stmt *st, uint8_t digest[SHA256_DIGEST_SIZE])
{
	struct sha256_ctx hash;
	int rc;

	sha256_init(&hash);
	rc = add_rows(&hash, st, 0);
	sha256_digest(&hash, SHA256_DIGEST_SIZE, digest);
	return rc;
}

/* ---- storing ------------------------------------------------------------------------------- */

int digests_store(sqlite3 *db)
{
	sqlite3_stmt *tables = NULL, *put = NULL;
	uint8_t digest[SHA256_DIGEST_SIZE];
	int rc;

	rc = sqlite3_exec(db, DIGESTS_SQL, NULL, NULL, NULL);
	if (!rc)
		rc = sqlite3_prepare_v2(db,
					"SELECT name, sql FROM sqlite_schema WHERE type = 'table' "
					"AND name <> '" DIGESTS "' ORDER BY name",
					-1, &tables, NULL);
	if (!rc)
		rc = sqlite3_prepare_v2(db, "INSERT INTO " DIGESTS " VALUES (?, ?)", -1, &put,
					NULL);
	while (!rc && (rc = sqlite3_step(tables)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(tables, 0);

		rc = digest_of(db, "main", name, (const char *)sqlite3_column_text(tables, 1),
			       digest);
		sqlite3_bind_text(put, 1, name, -1, SQLITE_STATIC);
		sqlite3_bind_blob(put, 2, digest, sizeof(digest), SQLITE_STATIC);
		if (rc == SQLITE_DONE)
			rc = sqlite3_step(put);
		if (rc == SQLITE_DONE)
			rc = sqlite3_reset(put);
	}
	sqlite3_finalize(tables);
	sqlite3_finalize(put);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* ---- checking ------------------------------------------------------------------------------- */

bool digests_here(sqlite3 *db, const char *schema)
{
	return database_has_in(db, schema, DIGESTS);
}

enum status digests_complete(sqlite3 *db, const char *schema, struct diag *diag)
{
	static const char ask[] =
		"SELECT name FROM (SELECT name FROM \"%s\".sqlite_schema WHERE type = 'table' AND "
		"name <> '" DIGESTS "' UNION ALL SELECT name FROM \"%s\"." DIGESTS
		") GROUP BY name HAVING count(*) <> 2";
	sqlite3_stmt *st = NULL;
	char sql[sizeof(ask) + SQL_TEXT];
	enum status ret = ST_OK;
	int rc;

	snprintf(sql, sizeof(sql), ask, schema, schema);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL))
		return database_broken(db, diag);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		ret = fail(diag, ST_CORRUPT,
			   "the database is damaged: a table was lost or changed");
	else if (rc != SQLITE_DONE)
		ret = database_broken(db, diag);
	sqlite3_finalize(st);
	return ret;
}

/* Its digest as it was stored, and how the table is declared. */
static bool stored(sqlite3 *db, const char *schema, const char *name, struct arena *mem,
		   uint8_t digest[SHA256_DIGEST_SIZE], const char **made)
{
	sqlite3_stmt *st = NULL;
	bool found = false;
	char sql[SQL_TEXT];

	snprintf(sql, sizeof(sql),
		 "SELECT d.sha256, s.sql FROM \"%s\"." DIGESTS " AS d, \"%s\".sqlite_schema AS s "
		 "WHERE d.name = ?1 AND s.name = ?1 AND s.type = 'table'",
		 schema, schema);
	if (!sqlite3_prepare_v2(db, sql, -1, &st, NULL)) {
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
		found = sqlite3_step(st) == SQLITE_ROW &&
			sqlite3_column_bytes(st, 0) == SHA256_DIGEST_SIZE;
	}
	if (found) {
		memcpy(digest, sqlite3_column_blob(st, 0), SHA256_DIGEST_SIZE);
		*made = database_str(st, 1, mem);
		found = *made != NULL;
	}
	sqlite3_finalize(st);
	return found;
}

enum status digest_check(sqlite3 *db, const char *schema, const char *name, struct diag *diag)
{
	uint8_t want[SHA256_DIGEST_SIZE], got[SHA256_DIGEST_SIZE];
	struct arena mem = { 0 };
	enum status ret = ST_OK;
	const char *made;
	int rc;

	if (!digests_here(db, schema))
		return ST_OK;
	if (!stored(db, schema, name, &mem, want, &made)) {
		ret = fail(diag, ST_CORRUPT, "the database is damaged: table %s has no digest",
			   name);
	} else {
		rc = digest_of(db, schema, name, made, got);
		if (rc == SQLITE_NOMEM)
			arena_die(0);
		if (rc != SQLITE_DONE || memcmp(want, got, sizeof(got)))
			ret = fail(diag, ST_CORRUPT,
				   "the database is damaged: the rows of table %s are not those "
				   "that were stored",
				   name);
	}
	arena_release(&mem);
	return ret;
}
