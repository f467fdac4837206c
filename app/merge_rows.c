/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merge_rows.c - the tables of a fleet, and the rows of a capsule in them.
 *
 * What dumps of one kernel have alike is stored once: by what the rows are, not by what a capsule says that
 * they are of. So a capsule that lies about its build changes no other.
 */
#include "app/merge_rows.h"

#include <string.h>

#include "dumpread/base/arena.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/database.h"
#include "reports/capsule/digest.h"
#include "reports/capsule/sql.h"

/* A capsule on its way into a fleet. */
struct copying {
	sqlite3 *db;
	int64_t dump; /* its number */
	struct arena mem;
	struct diag *diag;
};

/* The first part from *I on that has a table in a fleet. */
static bool next_table(unsigned *i, struct capsule_part *p)
{
	bool is;

	while ((is = capsule_part(*i, p)) && !capsule_part_merges(p))
		++*i;
	return is;
}

int merge_tables(sqlite3 *fleet)
{
	int rc = sqlite3_exec(fleet, fleet_about_sql, NULL, NULL, NULL);
	struct arena mem = { 0 };
	char name[CAPSULE_TABLE];
	struct capsule_part p;

	for (unsigned i = 0; !rc && next_table(&i, &p); i++)
		rc = sqlite3_exec(fleet, fleet_table_sql(p.report, capsule_table(&p, name), &mem),
				  NULL, NULL, NULL);
	if (!rc)
		rc = sqlite3_exec(fleet, fleet_views_sql, NULL, NULL, NULL);
	arena_release(&mem);
	return rc;
}

/* All that says how the tables of DB are made, by name, in MEM; NULL: it cannot be read. */
static const char *schema_of(sqlite3 *db, struct arena *mem)
{
	sqlite3_stmt *st = NULL;
	const char *all = NULL;

	if (!sqlite3_prepare_v2(db,
				"SELECT group_concat(made, char(10)) FROM (SELECT type || name || "
				"coalesce(sql, '') AS made FROM main.sqlite_schema ORDER BY name)",
				-1, &st, NULL) &&
	    sqlite3_step(st) == SQLITE_ROW)
		all = database_str(st, 0, mem);
	sqlite3_finalize(st);
	return all;
}

static int64_t version_of(sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (!sqlite3_prepare_v2(db, "PRAGMA main.user_version", -1, &st, NULL) &&
	    sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

enum status merge_fits(sqlite3 *fleet, struct diag *diag)
{
	const char *have, *want = NULL;
	struct arena mem = { 0 };
	sqlite3 *db = NULL;
	bool fits;

	if (sqlite3_open(":memory:", &db) || merge_tables(db))
		arena_die(0);
	want = schema_of(db, &mem);
	have = schema_of(fleet, &mem);
	fits = have && want && !strcmp(have, want) && version_of(fleet) == FLEET_SCHEMA;
	sqlite3_close(db);
	arena_release(&mem);
	return fits ? ST_OK
		    : fail(diag, ST_UNSUPPORTED,
			   "nothing can be added to it: it is no fleet of this version of vmcensus; "
			   "merge without --add makes a new one");
}

bool merge_has(sqlite3 *fleet, const char *id)
{
	sqlite3_stmt *st = NULL;
	bool has = false;

	if (!sqlite3_prepare_v2(fleet, "SELECT 1 FROM main._dumps WHERE dump_id = ?", -1, &st,
				NULL)) {
		sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC);
		has = sqlite3_step(st) == SQLITE_ROW;
	}
	sqlite3_finalize(st);
	return has;
}

/* ---- statements ------------------------------------------------------------------------------ */

static enum status broken(struct copying *c, int rc)
{
	if (rc == SQLITE_FULL)
		return fail(c->diag, ST_CORRUPT,
			    "the database is damaged: it is too large in a fleet for its size");
	return database_broken(c->db, c->diag);
}

/* Runs ST, which it finalizes. RC: of its prepare. */
static enum status finish(struct copying *c, sqlite3_stmt *st, int rc)
{
	enum status ret = ST_OK;

	if (!rc)
		rc = sqlite3_step(st);
	if (rc != SQLITE_DONE)
		ret = broken(c, rc);
	sqlite3_finalize(st);
	return ret;
}

/* SQL, whose parameter is NUMBER. */
static enum status run_with(struct copying *c, const char *sql, int64_t number)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(c->db, sql, -1, &st, NULL);

	if (!rc)
		rc = sqlite3_bind_int64(st, 1, number);
	return finish(c, st, rc);
}

/* The number that SQL gives; -1: none. */
static int64_t one_number(struct copying *c, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (!sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

/* The rows that table NAME had when it was stored; -1: it is not known. */
static int64_t rows_of(struct copying *c, const char *name)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (!sqlite3_prepare_v2(c->db, "SELECT rows FROM c.reports WHERE report = ?", -1, &st,
				NULL)) {
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
		if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_type(st, 0) == SQLITE_INTEGER)
			n = sqlite3_column_int64(st, 0);
	}
	sqlite3_finalize(st);
	return n;
}

/* ---- the rows of a report ---------------------------------------------------------------------- */

/* Names and cells of columns, by commas; each begins with one. */
struct cells {
	const char *to, *from;
	unsigned n;
};

/* Those columns of R that the capsule has, of which ONCE says where they are stored. */
static struct cells cells_of(struct copying *c, const struct report *r,
			     const struct database_rows *rows, bool once)
{
	struct cells v = { "", "", 0 };

	for (unsigned i = 0; i < r->ncols; i++) {
		const char *cell = database_cell(rows, r->cols[i].name);

		if (!cell || fleet_has_once(r, &r->cols[i]) != once)
			continue;
		if (r->cols[i].type == COL_HEX) /* as in tables without sets */
			cell = arena_printf(&c->mem,
					    "iif(typeof(%s) = 'integer', printf('0x%%x', %s), %s)",
					    cell, cell, cell);
		v.to = arena_printf(&c->mem, "%s, \"%s\"", v.to, r->cols[i].name);
		v.from = arena_printf(&c->mem, "%s, %s", v.from, cell);
		v.n++;
	}
	return v;
}

/* Finds the part with DIGEST: *PART, 0 if there is none. */
static enum status find_part(struct copying *c, const uint8_t *digest, int64_t *part)
{
	sqlite3_stmt *st = NULL;
	enum status ret = ST_OK;
	int rc = sqlite3_prepare_v2(c->db, "SELECT _id FROM main._parts WHERE sha256 = ?", -1, &st,
				    NULL);

	*part = 0;
	if (!rc)
		rc = sqlite3_bind_blob(st, 1, digest, SHA256_DIGEST_SIZE, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*part = sqlite3_column_int64(st, 0);
	else if (rc != SQLITE_DONE)
		ret = broken(c, rc);
	sqlite3_finalize(st);
	return ret;
}

static enum status new_part(struct copying *c, const uint8_t *digest, int64_t *part)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(c->db, "INSERT INTO main._parts (sha256) VALUES (?)", -1, &st,
				    NULL);
	enum status ret;

	if (!rc)
		rc = sqlite3_bind_blob(st, 1, digest, SHA256_DIGEST_SIZE, SQLITE_STATIC);
	ret = finish(c, st, rc);
	*part = sqlite3_last_insert_rowid(c->db);
	return ret;
}

/* Of the rows of V's cells, and of its names. */
static enum status digest_part(struct copying *c, const struct cells *v, const char *from,
			       uint8_t digest[SHA256_DIGEST_SIZE])
{
	sqlite3_stmt *st = NULL;
	const char *sql =
		arena_printf(&c->mem, "SELECT '%s', m.row%s FROM %s", v->to, v->from, from);
	enum status ret = ST_OK;
	int rc = sqlite3_prepare_v2(c->db, sql, -1, &st, NULL);

	if (!rc)
		rc = digest_of_rows(st, digest);
	if (rc != SQLITE_DONE)
		ret = broken(c, rc);
	sqlite3_finalize(st);
	return ret;
}

/* Inserts V's cells of the rows FROM in table _NAME: they are OF this number. */
static enum status insert(struct copying *c, const char *name, int64_t of, const struct cells *v,
			  const char *from)
{
	return run_with(
		c,
		arena_printf(&c->mem,
			     "INSERT INTO main.\"_%s\" (_of, row%s) SELECT ?1, m.row%s FROM %s",
			     name, v->to, v->from, from),
		of);
}

/* What differs between dumps of a kernel. Rows without such a cell are left out. */
static enum status insert_own(struct copying *c, const struct report *r, const char *name,
			      const struct database_rows *rows)
{
	struct cells v = cells_of(c, r, rows, false);
	const char *own = arena_printf(&c->mem, "%s" FLEET_OWN, name);

	if (!v.n)
		return ST_OK;
	return insert(c, own, c->dump, &v,
		      arena_printf(&c->mem, "%s WHERE coalesce(%s%s) IS NOT NULL", rows->from,
				   v.from + strlen(", "), v.n == 1 ? ", NULL" : ""));
}

/* Stores them once for all dumps that have the same. *N: how many they are. */
static enum status copy_once(struct copying *c, const struct report *r, const char *name,
			     const struct database_rows *rows, int64_t *n)
{
	const struct cells v = cells_of(c, r, rows, true);
	uint8_t digest[SHA256_DIGEST_SIZE];
	int64_t part;

	if (digest_part(c, &v, rows->from, digest) || find_part(c, digest, &part))
		return ST_CORRUPT;
	if (!part && (new_part(c, digest, &part) || insert(c, name, part, &v, rows->from)))
		return ST_CORRUPT;
	if (run_with(c,
		     arena_printf(&c->mem, "UPDATE main._dumps SET part = %lld WHERE _id = ?1",
				  (long long)part),
		     c->dump))
		return ST_CORRUPT;
	*n = one_number(c, arena_printf(&c->mem, "SELECT count(*) FROM %s", rows->from));
	return insert_own(c, r, name, rows);
}

static enum status copy_rows(struct copying *c, const struct report *r, const char *name,
			     const struct database_rows *rows, int64_t *n)
{
	const struct cells v = cells_of(c, r, rows, false);
	enum status st;

	if (r->of_build)
		return copy_once(c, r, name, rows, n);
	st = insert(c, name, c->dump, &v, rows->from);
	*n = sqlite3_changes64(c->db);
	return st;
}

static enum status copy_report(struct copying *c, const struct capsule_part *p)
{
	char name[CAPSULE_TABLE];
	struct database_rows rows;
	int64_t want = rows_of(c, capsule_table(p, name)), n = 0;
	enum status st;

	switch (database_rows(c->db, "c", name, &c->mem, &rows)) {
	case ROWS_FOUND:
		st = copy_rows(c, p->report, name, &rows, &n);
		return st || want < 0 || n == want
			       ? st
			       : fail(c->diag, ST_CORRUPT,
				      "the capsule is damaged: rows of %s are missing", name);
	case ROWS_ABSENT:
		return want < 0 ? ST_OK
				: fail(c->diag, ST_CORRUPT,
				       "the capsule is damaged: it has no table %s", name);
	case ROWS_BROKEN: break;
	}
	return fail(c->diag, ST_CORRUPT,
		    "the capsule is damaged: the rows of %s are not those that were stored", name);
}

/* ---- a capsule ------------------------------------------------------------------------------- */

static enum status new_dump(struct copying *c, const char *id)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(c->db, "INSERT INTO main._dumps (dump_id) VALUES (?)", -1, &st,
				    NULL);
	enum status ret;

	if (!rc)
		rc = sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC);
	ret = finish(c, st, rc);
	c->dump = sqlite3_last_insert_rowid(c->db);
	return ret;
}

enum status merge_rows(sqlite3 *fleet, const char *id, struct diag *diag)
{
	struct copying c = { .db = fleet, .diag = diag };
	enum status st = new_dump(&c, id);
	struct capsule_part p;

	for (unsigned i = 0; !st && next_table(&i, &p); i++)
		st = copy_report(&c, &p);
	if (!st)
		st = run_with(
			&c,
			"INSERT INTO main._reports SELECT ?1, report, rows, lacks, head, note "
			"FROM c.reports",
			c.dump);
	if (!st)
		st = run_with(&c,
			      "INSERT INTO main._issues SELECT ?1, report, number, kind, object, "
			      "count FROM c.issues",
			      c.dump);
	arena_release(&c.mem);
	return st;
}
