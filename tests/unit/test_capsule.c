/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is believed of a database: its declarations, its rows, and for how long it is read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/capsule/database.h"
#include "reports/capsule/digest.h"
#include "reports/core/cell.h"
#include "reports/core/report.h"
#include "tests/unit/check.h"

static struct diag diag;

static sqlite3 *made(const char *sql)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(":memory:", &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
		abort();
	return db;
}

static enum status schema_of(const char *sql)
{
	sqlite3 *db = made(sql);
	enum status st = trust_schema(db, "main", &diag);

	sqlite3_close(db);
	return st;
}

TEST(schema)
{
	CHECK_EQ(schema_of(""), ST_OK);
	CHECK_EQ(schema_of("CREATE TABLE capsule (key TEXT PRIMARY KEY, value) WITHOUT ROWID"),
		 ST_OK);
	CHECK_EQ(schema_of("CREATE TABLE \"a\" (row INTEGER PRIMARY KEY, _1 INTEGER, \"b\" REAL)"),
		 ST_OK);
	CHECK_EQ(
		schema_of(
			"CREATE TABLE a (b TEXT, row INTEGER, PRIMARY KEY (b, row)) WITHOUT ROWID"),
		ST_OK);
	CHECK_EQ(schema_of("CREATE TABLE a (b TEXT PRIMARY KEY, z BLOB)"), ST_OK);
	CHECK_EQ(schema_of("CREATE TABLE _a (b); CREATE VIEW \"a\" AS SELECT 1 FROM \"_a\""),
		 ST_OK);
	CHECK_EQ(schema_of("CREATE TABLE a (b, c AS (b + 1))"), ST_CORRUPT);
	CHECK_EQ(schema_of("CREATE TABLE a (b, c INTEGER GENERATED ALWAYS AS (b) STORED)"),
		 ST_CORRUPT);
	CHECK_EQ(schema_of("CREATE TABLE a (b INTEGER DEFAULT 1)"), ST_CORRUPT);
	CHECK_EQ(schema_of("CREATE TABLE a (b TEXT COLLATE NOCASE)"), ST_CORRUPT);
	CHECK_EQ(schema_of("CREATE TABLE a (b INTEGER CHECK (b > 0))"), ST_CORRUPT);
	CHECK_EQ(schema_of("CREATE TABLE a (b); CREATE INDEX i ON a (b)"), ST_CORRUPT);
	CHECK_EQ(schema_of("CREATE TABLE a (b); CREATE VIEW v AS SELECT 1 FROM a"), ST_CORRUPT);
	CHECK_EQ(schema_of("CREATE TABLE a (b); CREATE TRIGGER t AFTER INSERT ON a BEGIN "
			   "DELETE FROM a; END"),
		 ST_CORRUPT);
}

TEST(digests)
{
	static const char tables[] =
		"CREATE TABLE a (row INTEGER PRIMARY KEY, b TEXT);"
		"CREATE TABLE c (d REAL);"
		"INSERT INTO a VALUES (1, 'x'), (2, NULL); INSERT INTO c VALUES (1.5)";
	static const char *const changes[] = {
		"UPDATE a SET b = 'y' WHERE row = 1",	"UPDATE a SET b = '' WHERE row = 2",
		"UPDATE a SET b = x'78' WHERE row = 1", "DELETE FROM a WHERE row = 2",
		"INSERT INTO a VALUES (3, NULL)",	"UPDATE a SET row = 5 WHERE row = 2",
		"ALTER TABLE a RENAME COLUMN b TO e",
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		sqlite3 *db = made(tables);

		CHECK_EQ(digest_check(db, "main", "a", &diag), ST_OK); /* there are none */
		CHECK_EQ(digests_store(db), SQLITE_OK);
		CHECK_EQ(digest_check(db, "main", "a", &diag), ST_OK);
		CHECK_EQ(digest_check(db, "main", "c", &diag), ST_OK);
		CHECK_EQ(digests_complete(db, "main", &diag), ST_OK);
		CHECK_EQ(sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_OK);
		CHECK_EQ(digest_check(db, "main", "a", &diag), ST_CORRUPT);
		CHECK_EQ(digest_check(db, "main", "c", &diag), ST_OK);
		sqlite3_exec(db, "DROP TABLE c", NULL, NULL, NULL);
		CHECK_EQ(digests_complete(db, "main", &diag), ST_CORRUPT);
		sqlite3_close(db);
	}
}

/* An endless question ends. */
TEST(steps)
{
	sqlite3 *db = made("");
	struct trust t;

	trust_limit(&t, db, 1000);
	CHECK_EQ(sqlite3_exec(db,
			      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
			      "SELECT count(*) FROM c",
			      NULL, NULL, NULL),
		 SQLITE_INTERRUPT);
	CHECK_EQ(sqlite3_exec(db, "SELECT hex(zeroblob(100000000))", NULL, NULL, NULL),
		 SQLITE_TOOBIG);
	sqlite3_close(db);
}

/* JSON has no word for it. */
TEST(infinity)
{
	struct row {
		double share;
	} row = { INFINITY };
	static const struct column c = COL(struct row, share, COL_RATIO, 0, "", "");

	CHECK(cell_unknown(&c, &row));
	row.share = -INFINITY;
	CHECK(cell_unknown(&c, &row));
	row.share = NAN;
	CHECK(cell_unknown(&c, &row));
	row.share = 0.5;
	CHECK(!cell_unknown(&c, &row));
}
