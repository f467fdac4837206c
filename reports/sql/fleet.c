/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fleet.c - a statement over a fleet, whose rows are too many to make tables of.
 *
 * The statement is parsed for empty tables, before the file is looked at: it names these, or is wrong. Then SQLite
 * reads the file, where views of this connection have those names: they stand before the views of the file, which
 * anybody may have written, and are of tables that were checked.
 */
#include "dumpread/base/bytes.h"
#include "reports/capsule/database.h"
#include "reports/capsule/sql.h"
#include "reports/sql/inner.h"

/* Tables beside those of reports, where dumps have numbers and where not. */
static const struct {
	const char *name, *cols, *numbered, *older;
} about[] = {
	{ "manifest", "file, key, outcome, dump_id, bytes, why", "main.manifest", "main.manifest" },
	{ "reports", "dump_id, report, rows, lacks",
	  "main._reports AS m JOIN main._dumps AS d ON d._id = m._of", "main.reports" },
	{ "issues", "dump_id, report, number, kind, object, count",
	  "main._issues AS m JOIN main._dumps AS d ON d._id = m._of", "main.issues" },
};

/* SQL of this file, which fails only without memory or by a damaged file. */
static bool run_sql(sqlite3 *db, const char *sql)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (rc == SQLITE_NOMEM)
		arena_die(0);
	return !rc;
}

static unsigned next_part(unsigned i, struct capsule_part *p)
{
	while (capsule_part(i, p)) {
		i++;
		if (capsule_part_merges(p))
			return i;
	}
	return 0;
}

void statement_add_fleet(struct statement *s)
{
	struct capsule_part p;
	unsigned most = 0;

	while (capsule_part(most, &p))
		most++;
	s->tables = arena_array(&s->mem, struct sql_table, most + ARRAY_LEN(about));
	for (unsigned i = 0; (i = next_part(i, &p));) {
		struct sql_table *t = &s->tables[s->ntables++];
		const char *begin;

		t->part = p;
		begin = arena_printf(&s->mem, "CREATE TEMP TABLE \"%s\" (dump_id TEXT,",
				     capsule_table(&p, t->name));
		run_sql(s->db, sql_declaration(p.report, begin, &s->mem));
	}
	for (size_t i = 0; i < ARRAY_LEN(about); i++)
		run_sql(s->db, arena_printf(&s->mem, "CREATE TEMP TABLE %s (%s)", about[i].name,
					    about[i].cols));
	run_sql(s->db, fleet_temp_views_sql);
}

void statement_names(struct statement *s, const char *table)
{
	for (unsigned i = 0; i < s->ntables; i++)
		s->tables[i].named |= table && !sqlite3_stricmp(s->tables[i].name, table);
}

/* ---- the file --------------------------------------------------------------------------------- */

struct views {
	struct statement *s;
	sqlite3 *db;
	bool numbered;
};

/* What stands behind FROM for the rows of report R in TABLE, and its own addresses if OWN is a table. */
static const char *rows_of(const struct views *v, const struct report *r, const char *table,
			   const char *own)
{
	struct arena *mem = &v->s->mem;
	const char *from;

	if (!v->numbered)
		return arena_printf(mem, "main.\"%s\" AS m", table);
	from = arena_printf(mem, "main.\"%s\" AS m JOIN main._dumps AS d ON %s", table,
			    r->of_build ? "d.part = m._of" : "d._id = m._of");
	if (!database_has(v->db, own))
		return from;
	return arena_printf(mem, "%s LEFT JOIN main.\"%s\" AS o ON o._of = d._id AND o.row = m.row",
			    from, own);
}

/* The view of one report. What an older fleet does not have is NULL. */
static bool add_view(const struct views *v, const struct sql_table *t)
{
	const struct report *r = t->part.report;
	struct arena *mem = &v->s->mem;
	const char *table = v->numbered ? arena_printf(mem, "_%s", t->name) : t->name;
	const char *own = arena_printf(mem, "_%s" FLEET_OWN, t->name);
	bool has = database_has(v->db, table);
	const char *sql = arena_printf(mem,
				       "CREATE TEMP VIEW \"%s\" AS SELECT %s AS dump_id, %s AS row",
				       t->name,
				       !has	     ? "NULL"
				       : v->numbered ? "d.dump_id"
						     : "m.dump_id",
				       has ? "m.row" : "NULL");

	for (unsigned i = 0; i < r->ncols; i++) {
		const char *c = r->cols[i].name;

		const char *from = database_has_column(v->db, "main", table, c) ? "m"
				   : database_has_column(v->db, "main", own, c) ? "o"
										: NULL;

		sql = from ? arena_printf(mem, "%s, %s.\"%s\"", sql, from, c)
			   : arena_printf(mem, "%s, NULL AS \"%s\"", sql, c);
	}
	if (!has)
		return run_sql(v->db, arena_printf(mem, "%s WHERE 0", sql));
	return run_sql(v->db, arena_printf(mem, "%s FROM %s", sql, rows_of(v, r, table, own)));
}

static bool add_about(const struct views *v, size_t i)
{
	return run_sql(v->db, arena_printf(&v->s->mem, "CREATE TEMP VIEW %s AS SELECT %s FROM %s",
					   about[i].name, about[i].cols,
					   v->numbered ? about[i].numbered : about[i].older));
}

static enum status add_views(struct views *v, struct diag *diag)
{
	enum status st = database_numbered(v->db, &v->numbered, diag);
	bool good;

	if (st)
		return st;
	good = run_sql(v->db, "PRAGMA temp_store = MEMORY");
	for (unsigned i = 0; i < v->s->ntables; i++)
		good = good && add_view(v, &v->s->tables[i]);
	for (size_t i = 0; i < ARRAY_LEN(about); i++)
		good = good && add_about(v, i);
	return good && run_sql(v->db, fleet_temp_views_sql) ? ST_OK : database_broken(v->db, diag);
}

/* Those of the tables that the statement names, of all dumps. */
static enum status take_issues(const struct views *v, struct issues *is, struct diag *diag)
{
	sqlite3_stmt *st = NULL;
	int rc = SQLITE_DONE;

	if (sqlite3_prepare_v2(v->db,
			       "SELECT kind, object, sum(count) FROM issues WHERE report = ? "
			       "GROUP BY kind, object",
			       -1, &st, NULL))
		return database_broken(v->db, diag);
	for (unsigned i = 0; i < v->s->ntables && rc == SQLITE_DONE; i++) {
		if (!v->s->tables[i].named)
			continue;
		sqlite3_reset(st);
		sqlite3_bind_text(st, 1, v->s->tables[i].name, -1, SQLITE_STATIC);
		while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
			const char *kind = database_str(st, 0, &v->s->mem);
			const char *object = database_str(st, 1, &v->s->mem);

			issue_add(is, status_of_name(kind), object ? object : "?",
				  (uint64_t)sqlite3_column_int64(st, 2), "%s",
				  v->s->tables[i].name);
		}
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? ST_OK : database_broken(v->db, diag);
}

/* From now on S is a statement of DB, which it closes. */
static void move_to(struct statement *s, sqlite3 *db)
{
	sqlite3_finalize(s->st);
	sqlite3_close(s->db);
	s->st = NULL;
	s->db = db;
}

enum status statement_run_fleet(struct statement *s, int fd, uint64_t size, struct issues *is,
				struct table *t, struct diag *diag)
{
	struct views v = { .s = s };
	struct trust trust;
	enum status st = database_open_fd(fd, size, &trust, diag, &v.db);

	if (!st)
		st = add_views(&v, diag);
	if (!st)
		st = take_issues(&v, is, diag);
	move_to(s, v.db);
	if (!st && statement_parse(s, diag)) { /* it was right without the file */
		s->wrong = false;
		st = fail_in(diag, ST_CORRUPT, "the database is damaged");
	}
	return st ? st : statement_step(s, t, diag);
}
