/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql.c - the tables of a capsule that are about its other tables. */
#include "reports/capsule/sql.h"

#include "reports/core/cell.h"

const char capsule_about_sql[] =
	"PRAGMA page_size = 1024;"	      /* many tables are small */
	"PRAGMA application_id = 1447904069;" /* CAPSULE_ID */
	"PRAGMA user_version = 5;"	      /* CAPSULE_SCHEMA */
	"CREATE TABLE capsule (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE reports (report TEXT PRIMARY KEY, rows INTEGER, lacks TEXT, made TEXT,"
	" head TEXT, note TEXT, text TEXT, crash_time INTEGER) WITHOUT ROWID;"
	"CREATE TABLE issues (report TEXT, number INTEGER, kind TEXT, object TEXT, count INTEGER,"
	" texts TEXT, PRIMARY KEY (report, number)) WITHOUT ROWID;"
	"CREATE TABLE written (name TEXT PRIMARY KEY, size INTEGER, zlib BLOB);";

const char fleet_about_sql[] =
	"PRAGMA application_id = 1447904844;" /* FLEET_ID */
	"PRAGMA user_version = 5;"	      /* CAPSULE_SCHEMA */
	"CREATE TABLE manifest (file TEXT, key TEXT, outcome TEXT, dump_id TEXT, bytes INTEGER,"
	" why TEXT, PRIMARY KEY (file, key)) WITHOUT ROWID;"
	"CREATE TABLE reports (dump_id TEXT, report TEXT, rows INTEGER, lacks TEXT, head TEXT,"
	" note TEXT, PRIMARY KEY (dump_id, report)) WITHOUT ROWID;"
	"CREATE TABLE issues (dump_id TEXT, report TEXT, number INTEGER, kind TEXT, object TEXT,"
	" count INTEGER, PRIMARY KEY (dump_id, report, number)) WITHOUT ROWID;";

const char fleet_manifest_sql[] =
	"INSERT OR REPLACE INTO manifest SELECT json_extract(?1, '$.files[0]'),"
	" json_extract(?1, '$.key'), json_extract(?1, '$.outcome'), json_extract(?1, '$.id'),"
	" json_extract(?1, '$.bytes'), json_extract(?1, '$.why') WHERE json_valid(?1)"
	" AND json_type(?1, '$.key') = 'text' AND json_type(?1, '$.outcome') = 'text'"
	" AND json_type(?1, '$.files[0]') = 'text'";

const char fleet_views_sql[] =
	/* one row for each crash */
	"CREATE VIEW crashes AS SELECT d.dump_id, d.release, d.nodename, d.crashed, d.panic,"
	" (SELECT count(*) FROM oom o WHERE o.dump_id = d.dump_id) AS ooms,"
	" (SELECT sum(pss) FROM programs p WHERE p.dump_id = d.dump_id) AS programs_pss,"
	" (SELECT sum(memory) FROM slab s WHERE s.dump_id = d.dump_id) AS slab_bytes,"
	" d.ram, d.dump FROM \"dump\" d;"
	/* what became of the dumps */
	"CREATE VIEW outcomes AS SELECT outcome, count(*) AS dumps, sum(bytes) AS bytes"
	" FROM manifest GROUP BY outcome;";

const char *capsule_sql_type(const struct column *c)
{
	return c->type == COL_RATIO			 ? "REAL"
	       : column_is_text(c) || c->type == COL_HEX ? "TEXT"
							 : "INTEGER";
}
