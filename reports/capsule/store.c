/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.c - rows of reports into a database.
 *
 * Beside the columns a table has what the table engine keeps outside of them: _incomplete (the
 * parts that could not be read), _key (equal where rows show one thing, for totals) and _by_NAME
 * (sorts in place of column NAME).
 *
 * A table NAME with sets (sets.h) is a view: of _NAME, which has the rows, and of _NAME_1 ..., the
 * sets. Column _1 of _NAME is the _id of a row of _NAME_1. Addresses are numbers there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>
#include <zlib.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/digest.h"
#include "reports/capsule/sets.h"
#include "reports/capsule/sql.h"

const bool capsule_here = true;

struct capsule {
	sqlite3 *db;
	struct arena mem;
};

/* ---- SQL --------------------------------------------------------------------------- */

/* A database in memory fails only without memory: what it is asked is written here. */
static void must(sqlite3 *db, int rc)
{
	if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW)
		return;
	if (rc != SQLITE_NOMEM && rc != SQLITE_TOOBIG && rc != SQLITE_FULL)
		fprintf(stderr, "vmcensus: capsule: %s\n", sqlite3_errmsg(db));
	arena_die(0);
}

static void run_sql(struct capsule *c, const char *sql)
{
	must(c->db, sqlite3_exec(c->db, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(struct capsule *c, const char *sql)
{
	sqlite3_stmt *st = NULL;

	must(c->db, sqlite3_prepare_v2(c->db, sql, -1, &st, NULL));
	return st;
}

static void step(struct capsule *c, sqlite3_stmt *st)
{
	must(c->db, sqlite3_step(st));
	must(c->db, sqlite3_reset(st));
}

/* Names of the kernel may hold any byte. What is not UTF-8 is no text to those who read it. */
static void bind_str(struct capsule *c, sqlite3_stmt *st, int at, const char *s)
{
	if (!s) {
		must(c->db, sqlite3_bind_null(st, at));
		return;
	}
	if (!utf8_whole(s))
		must(c->db, sqlite3_bind_blob64(st, at, s, strlen(s), SQLITE_TRANSIENT));
	else
		must(c->db,
		     sqlite3_bind_text64(st, at, s, strlen(s), SQLITE_TRANSIENT, SQLITE_UTF8));
}

/* HEX: an address is a text. */
static void bind_cell(struct capsule *c, sqlite3_stmt *st, int at, const struct column *col,
		      const void *row, bool hex)
{
	static const struct units bytes = { UNIT_BYTES, 1 };
	char buf[CELL_TEXT];

	if (cell_unknown(col, row)) {
		must(c->db, sqlite3_bind_null(st, at));
	} else if (column_is_text(col)) {
		bind_str(c, st, at, cell_str(col, row, buf));
	} else if (col->type == COL_HEX && hex) {
		cell_text(col, row, &bytes, buf);
		bind_str(c, st, at, buf);
	} else if (col->type == COL_RATIO) {
		must(c->db, sqlite3_bind_double(st, at, cell_ratio(col, row)));
	} else {
		must(c->db, sqlite3_bind_int64(st, at, cell_int(col, row)));
	}
}

/* ---- tables -------------------------------------------------------------------------- */

static void put_fact(struct capsule *c, const char *key, const char *text, int64_t number)
{
	sqlite3_stmt *st = prepare(c, "INSERT INTO capsule VALUES (?, ?)");

	bind_str(c, st, 1, key);
	if (text)
		bind_str(c, st, 2, text);
	else
		must(c->db, sqlite3_bind_int64(st, 2, number));
	step(c, st);
	sqlite3_finalize(st);
}

static void put_facts(struct capsule *c, const struct image_facts *f)
{
	char key[32];

	put_fact(c, "schema_version", NULL, CAPSULE_SCHEMA);
	put_fact(c, "vmcensus", VMCENSUS_VERSION, 0);
	for (unsigned i = 0; i < f->npaths; i++) {
		snprintf(key, sizeof(key), "path %u", i);
		put_fact(c, key, f->paths[i], 0);
	}
	for (const struct image_text *t = image_texts; t->name; t++) {
		const char *text = image_text_of(f, t);

		if (text && *text)
			put_fact(c, t->name, text, 0);
	}
	for (unsigned i = 0; i < f->ndamage; i++) {
		snprintf(key, sizeof(key), "damage %u", i);
		put_fact(c, key, f->damage[i], 0);
	}
	put_fact(c, "page_size", NULL, f->page_size);
	if (f->crash_time)
		put_fact(c, "crash_time", NULL, f->crash_time);
	if (f->level >= 0)
		put_fact(c, "dump_level", NULL, f->level);
}

struct capsule *capsule_new(const struct image_facts *f)
{
	struct capsule *c = heap_array(struct capsule, 1);

	must(NULL, sqlite3_open(":memory:", &c->db));
	run_sql(c, capsule_about_sql);
	put_facts(c, f);
	return c;
}

/* A table with what is beside its columns, as it is stored. */
struct wide {
	const struct capsule_rows *rows;
	const char *name;
	const struct column **cols;
	unsigned ncols;
	struct sets sets;
};

static bool is_stored(const struct capsule_rows *r, size_t offset)
{
	for (unsigned i = 0; i < r->ncols; i++)
		if (!strcmp(r->cols[i]->name, "incomplete") && r->cols[i]->offset == offset)
			return true;
	return false;
}

static void add_hidden(struct capsule *c, struct wide *w, const char *name, enum col_type type,
		       size_t offset)
{
	struct column *col = arena_array(&c->mem, struct column, 1);

	*col = (struct column){ .name = name, .type = type, .offset = offset };
	w->cols[w->ncols++] = col;
}

static void plan_columns(struct capsule *c, struct wide *w)
{
	const struct capsule_rows *r = w->rows;
	const struct table *t = r->t;

	w->cols = arena_array(&c->mem, const struct column *, 2 * (size_t)r->ncols + 2);
	for (; w->ncols < r->ncols; w->ncols++)
		w->cols[w->ncols] = r->cols[w->ncols];
	if (t->incomplete && !is_stored(r, t->incomplete))
		add_hidden(c, w, "_incomplete", COL_STR, t->incomplete);
	if (t->total_key)
		add_hidden(c, w, "_key", COL_UINT, t->total_key);
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *col = r->cols[i];

		if (col->order)
			add_hidden(c, w, arena_printf(&c->mem, "_by_%s", col->name), col->type,
				   col->order);
	}
	sets_plan(w->cols, w->ncols, t, &c->mem, &w->sets);
}

/* Rows that become a table: all of them, or those of set NUMBER, each once. */
struct filling {
	unsigned number; /* 0: all */
	sqlite3_stmt *st;
	VEC(const void *) firsts; /* a row with the cells of each row of the set */
	struct hash known;	  /* of cells: an index in FIRSTS */
};

/* "INSERT INTO ... VALUES (?, ?)" with N of them. */
static sqlite3_stmt *prepare_insert(struct capsule *c, const char *name, unsigned n)
{
	char *sql = arena_printf(&c->mem, "INSERT INTO \"%s\" VALUES (?", name);

	while (--n)
		sql = arena_printf(&c->mem, "%s, ?", sql);
	return prepare(c, arena_printf(&c->mem, "%s)", sql));
}

static void make_table(struct capsule *c, const struct wide *w, struct filling *f)
{
	unsigned sets = f->number ? 0 : w->sets.n, n = 1 + sets;
	const char *name = w->name;
	char *sql;

	if (f->number)
		name = arena_printf(&c->mem, "_%s_%u", w->name, f->number);
	else if (sets)
		name = arena_printf(&c->mem, "_%s", w->name);
	sql = arena_printf(&c->mem,
			   f->number ? CAPSULE_SET_SQL
				     : "CREATE TABLE \"%s\" (row INTEGER PRIMARY KEY",
			   name);
	for (unsigned i = 1; i <= sets; i++)
		sql = arena_printf(&c->mem, "%s, _%u INTEGER", sql, i);
	for (unsigned i = 0; i < w->ncols; i++) {
		if (w->sets.of[i] != f->number)
			continue;
		sql = arena_printf(&c->mem, "%s, \"%s\" %s", sql, w->cols[i]->name,
				   w->sets.n && w->cols[i]->type == COL_HEX
					   ? "INTEGER"
					   : capsule_sql_type(w->cols[i]));
		n++;
	}
	run_sql(c, arena_printf(&c->mem, "%s)", sql));
	f->st = prepare_insert(c, name, n);
	f->known.mem = &c->mem;
}

/* The table as it would be without sets. */
static void make_view(struct capsule *c, const struct wide *w)
{
	char *sql = arena_printf(&c->mem, "CREATE VIEW \"%s\" AS SELECT m.row", w->name);

	for (unsigned i = 0; i < w->ncols; i++) {
		const char *name = w->cols[i]->name, *cell;
		unsigned set = w->sets.of[i];

		cell = set ? arena_printf(&c->mem, "s%u.\"%s\"", set, name)
			   : arena_printf(&c->mem, "m.\"%s\"", name);
		if (w->cols[i]->type == COL_HEX)
			cell = arena_printf(
				&c->mem,
				"CASE WHEN %s IS NOT NULL THEN printf('0x%%x', %s) END AS \"%s\"",
				cell, cell, name);
		sql = arena_printf(&c->mem, "%s, %s", sql, cell);
	}
	sql = arena_printf(&c->mem, "%s FROM \"_%s\" AS m", sql, w->name);
	for (unsigned i = 1; i <= w->sets.n; i++)
		sql = arena_printf(&c->mem, "%s JOIN \"_%s_%u\" AS s%u ON s%u._id = m._%u", sql,
				   w->name, i, i, i, i);
	run_sql(c, sql);
}

/* The cells of ROW that are in F's table, from parameter AT on. */
static void put_cells(struct capsule *c, const struct wide *w, struct filling *f, int at,
		      const void *row)
{
	for (unsigned i = 0; i < w->ncols; i++)
		if (w->sets.of[i] == f->number)
			bind_cell(c, f->st, at++, w->cols[i], row, !w->sets.n);
	step(c, f->st);
}

static bool is_like(const struct wide *w, unsigned set, const void *a, const void *b)
{
	for (unsigned i = 0; i < w->ncols; i++)
		if (w->sets.of[i] == set && !sets_same(w->cols[i], a, b))
			return false;
	return true;
}

/* The number of ROW's cells in the set, which gets them if they are new. */
static int64_t put_in_set(struct capsule *c, const struct wide *w, struct filling *f,
			  const void *row)
{
	uint64_t key = 1;
	uint32_t known;

	for (unsigned i = 0; i < w->ncols; i++)
		if (w->sets.of[i] == f->number)
			key = key * UINT64_C(0x9e3779b97f4a7c15) + sets_hash(w->cols[i], row);
	key += !key;
	while ((known = hash_get(&f->known, key)) != HASH_NONE) {
		if (is_like(w, f->number, f->firsts.v[known], row))
			return (int64_t)known + 1;
		key = key + 1 ? key + 1 : 1;
	}
	hash_put(&f->known, key, (uint32_t)f->firsts.n);
	*vec_push(&c->mem, &f->firsts) = row;
	must(c->db, sqlite3_bind_int64(f->st, 1, (int64_t)f->firsts.n));
	put_cells(c, w, f, 2, row);
	return (int64_t)f->firsts.n;
}

static void put_rows(struct capsule *c, const struct wide *w)
{
	struct filling *all = arena_array(&c->mem, struct filling, w->sets.n + 1);
	const struct table *t = w->rows->t;

	for (unsigned i = 0; i <= w->sets.n; i++) {
		all[i].number = i;
		make_table(c, w, &all[i]);
	}
	for (size_t n = 0; n < t->nrows; n++) {
		const void *row = table_row(t, n);

		must(c->db, sqlite3_bind_int64(all->st, 1, (int64_t)n + 1));
		for (unsigned i = 1; i <= w->sets.n; i++)
			must(c->db, sqlite3_bind_int64(all->st, (int)i + 1,
						       put_in_set(c, w, &all[i], row)));
		put_cells(c, w, all, (int)w->sets.n + 2, row);
	}
	for (unsigned i = 0; i <= w->sets.n; i++)
		sqlite3_finalize(all[i].st);
	if (w->sets.n)
		make_view(c, w);
}

static void put_issues(struct capsule *c, const char *name, const struct issues *is)
{
	sqlite3_stmt *st = prepare(c, "INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?)");

	for (unsigned i = 0; is && i < is->n; i++) {
		const struct issue *v = &is->v[i];
		char *texts = arena_strdup(&c->mem, v->ntexts ? v->text[0] : "");

		for (unsigned j = 1; j < v->ntexts; j++)
			texts = arena_printf(&c->mem, "%s\n%s", texts, v->text[j]);
		bind_str(c, st, 1, name);
		must(c->db, sqlite3_bind_int64(st, 2, (int64_t)i + 1));
		bind_str(c, st, 3, status_name(v->kind));
		bind_str(c, st, 4, v->object);
		must(c->db, sqlite3_bind_int64(st, 5, (int64_t)v->count));
		bind_str(c, st, 6, v->ntexts ? texts : NULL);
		step(c, st);
	}
	sqlite3_finalize(st);
}

static void put_report(struct capsule *c, const char *name, const struct capsule_rows *r,
		       const char *why)
{
	sqlite3_stmt *st = prepare(c, "INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?, ?, ?)");

	bind_str(c, st, 1, name);
	if (r) {
		must(c->db, sqlite3_bind_int64(st, 2, (int64_t)r->t->nrows));
		bind_str(c, st, 4, r->made);
		bind_str(c, st, 5, r->t->head);
		bind_str(c, st, 6, r->t->note);
		if (r->crash_time)
			must(c->db, sqlite3_bind_int64(st, 8, r->crash_time));
	}
	bind_str(c, st, 3, why);
	step(c, st);
	sqlite3_finalize(st);
}

void capsule_add(struct capsule *c, const struct capsule_rows *rows)
{
	char name[CAPSULE_TABLE];
	struct wide w = { .rows = rows, .name = capsule_table(&rows->part, name) };

	run_sql(c, "BEGIN");
	plan_columns(c, &w);
	put_rows(c, &w);
	put_issues(c, name, rows->issues);
	put_report(c, name, rows, NULL);
	run_sql(c, "COMMIT");
	arena_release(&c->mem);
}

void capsule_text(struct capsule *c, const struct capsule_part *p, const char *text)
{
	sqlite3_stmt *st = prepare(c, "UPDATE reports SET text = ? WHERE report = ?");
	char name[CAPSULE_TABLE];

	bind_str(c, st, 1, text);
	bind_str(c, st, 2, capsule_table(p, name));
	step(c, st);
	sqlite3_finalize(st);
}

void capsule_page(struct capsule *c, const char *name, const char *text, size_t size,
		  const struct issues *is)
{
	sqlite3_stmt *st = prepare(c, "INSERT INTO written VALUES (?, ?, ?)");
	uLong len = compressBound(size);
	Bytef *packed = arena_array(&c->mem, Bytef, len);

	if (compress2(packed, &len, (const Bytef *)text, size, Z_BEST_COMPRESSION) != Z_OK)
		arena_die(size);
	bind_str(c, st, 1, name);
	must(c->db, sqlite3_bind_int64(st, 2, (int64_t)size));
	must(c->db, sqlite3_bind_blob64(st, 3, packed, len, SQLITE_STATIC));
	step(c, st);
	sqlite3_finalize(st);
	put_issues(c, name, is);
	arena_release(&c->mem);
}

void capsule_fact(struct capsule *c, const char *key, const char *text)
{
	put_fact(c, key, text, 0);
}

void capsule_lacks(struct capsule *c, const struct capsule_part *p, const char *why)
{
	char name[CAPSULE_TABLE];

	put_report(c, capsule_table(p, name), NULL, why);
}

/* ---- the end ------------------------------------------------------------------------- */

void capsule_write(struct capsule *c, FILE *out)
{
	sqlite3_int64 size = 0;
	unsigned char *bytes;

	must(c->db, digests_store(c->db));
	bytes = sqlite3_serialize(c->db, "main", &size, 0);
	if (!bytes)
		arena_die((size_t)size);
	fwrite(bytes, 1, (size_t)size, out);
	sqlite3_free(bytes);
	capsule_drop(c);
}

void capsule_drop(struct capsule *c)
{
	if (!c)
		return;
	sqlite3_close(c->db);
	arena_release(&c->mem);
	free(c);
}

/* ---- one report as a database ------------------------------------------------------------ */

void render_sqlite(const struct render *r, FILE *out)
{
	struct capsule *c = capsule_new(r->image);
	const struct capsule_rows rows = {
		.part = { .report = r->report, .opts = { .all = r->opts->all, .by = r->opts->by } },
		.cols = r->cols,
		.ncols = r->ncols,
		.t = r->t,
		.made = r->made,
		.crash_time = r->image->crash_time,
		.issues = r->issues,
	};

	capsule_add(c, &rows);
	capsule_write(c, out);
}
