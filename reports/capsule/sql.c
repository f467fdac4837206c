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
	"PRAGMA user_version = 6;"	      /* FLEET_SCHEMA */
	"CREATE TABLE manifest (file TEXT, key TEXT, outcome TEXT, dump_id TEXT, bytes INTEGER,"
	" why TEXT, PRIMARY KEY (file, key)) WITHOUT ROWID;"
	"CREATE TABLE _dumps (_id INTEGER PRIMARY KEY, dump_id TEXT UNIQUE, part INTEGER);"
	"CREATE TABLE _parts (_id INTEGER PRIMARY KEY, sha256 BLOB UNIQUE);"
	"CREATE TABLE _reports (_of INTEGER, report TEXT, rows INTEGER, lacks TEXT, head TEXT,"
	" note TEXT, PRIMARY KEY (_of, report)) WITHOUT ROWID;"
	"CREATE VIEW reports AS SELECT d.dump_id, m.report, m.rows, m.lacks, m.head, m.note"
	" FROM _reports AS m JOIN _dumps AS d ON d._id = m._of;"
	"CREATE TABLE _issues (_of INTEGER, report TEXT, number INTEGER, kind TEXT, object TEXT,"
	" count INTEGER, PRIMARY KEY (_of, report, number)) WITHOUT ROWID;"
	"CREATE VIEW issues AS SELECT d.dump_id, m.report, m.number, m.kind, m.object, m.count"
	" FROM _issues AS m JOIN _dumps AS d ON d._id = m._of;";

const char fleet_manifest_sql[] =
	"INSERT OR REPLACE INTO manifest SELECT json_extract(?1, '$.files[0]'),"
	" json_extract(?1, '$.key'), json_extract(?1, '$.outcome'), json_extract(?1, '$.id'),"
	" json_extract(?1, '$.bytes'), json_extract(?1, '$.why') WHERE json_valid(?1)"
	" AND json_type(?1, '$.key') = 'text' AND json_type(?1, '$.outcome') = 'text'"
	" AND json_type(?1, '$.files[0]') = 'text'";

/* one row for each crash; what became of the dumps */
#define VIEWS(create)                                                                              \
	create "crashes AS SELECT d.dump_id, d.release, d.nodename, d.crashed, d.panic,"           \
	       " (SELECT count(*) FROM oom o WHERE o.dump_id = d.dump_id) AS ooms,"                \
	       " (SELECT sum(pss) FROM programs p WHERE p.dump_id = d.dump_id) AS programs_pss,"   \
	       " (SELECT sum(memory) FROM slab s WHERE s.dump_id = d.dump_id) AS slab_bytes,"      \
	       " d.ram, d.dump FROM \"dump\" d;" create                                            \
	       "outcomes AS SELECT outcome, count(*) AS dumps, sum(bytes) AS bytes"                \
	       " FROM manifest GROUP BY outcome;"

const char fleet_views_sql[] = VIEWS("CREATE VIEW ");
const char fleet_temp_views_sql[] = VIEWS("CREATE TEMP VIEW ");

const char *capsule_sql_type(const struct column *c)
{
	return c->type == COL_RATIO			 ? "REAL"
	       : column_is_text(c) || c->type == COL_HEX ? "TEXT"
							 : "INTEGER";
}

bool fleet_has_once(const struct report *r, const struct column *c)
{
	return r->of_build && c->type != COL_HEX;
}

/* "CREATE TABLE" of those columns of R that WHICH says: once for a build, or for each dump. */
static const char *table_sql(const struct report *r, const char *name, const char *end, bool once,
			     struct arena *mem)
{
	const char *sql =
		arena_printf(mem, "CREATE TABLE \"_%s%s\" (_of INTEGER, row INTEGER", name, end);

	for (unsigned c = 0; c < r->ncols; c++)
		if (fleet_has_once(r, &r->cols[c]) == once)
			sql = arena_printf(mem, "%s, \"%s\" %s", sql, r->cols[c].name,
					   capsule_sql_type(&r->cols[c]));
	return arena_printf(mem, "%s, PRIMARY KEY (_of, row)) WITHOUT ROWID;", sql);
}

const char *fleet_table_sql(const struct report *r, const char *name, struct arena *mem)
{
	const char *sql = table_sql(r, name, "", r->of_build, mem);

	if (r->of_build)
		sql = arena_printf(mem, "%s%s", sql, table_sql(r, name, FLEET_OWN, false, mem));
	sql = arena_printf(mem, "%sCREATE VIEW \"%s\" AS SELECT d.dump_id, m.row", sql, name);
	for (unsigned c = 0; c < r->ncols; c++) {
		bool own = r->of_build && !fleet_has_once(r, &r->cols[c]);

		sql = arena_printf(mem, "%s, %s.\"%s\"", sql, own ? "o" : "m", r->cols[c].name);
	}
	if (!r->of_build)
		return arena_printf(mem, "%s FROM \"_%s\" AS m JOIN _dumps AS d ON d._id = m._of;",
				    sql, name);
	return arena_printf(mem,
			    "%s FROM _dumps AS d JOIN \"_%s\" AS m ON m._of = d.part LEFT JOIN "
			    "\"_%s" FLEET_OWN "\" AS o ON o._of = d._id AND o.row = m.row;",
			    sql, name, name);
}
