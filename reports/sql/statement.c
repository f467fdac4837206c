/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statement.c - parses a SELECT over the tables of reports, and runs it within limits. */
#include "reports/sql/statement.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "reports/capsule/database.h"
#include "reports/core/cell.h"
#include "reports/core/nearest.h"
#include "reports/sql/inner.h"

#define STEPS 10000 /* of SQLite's machine, between two looks at what is left */

/* ---- what it may do --------------------------------------------------------------------------- */

static int may(void *arg, int what, const char *a, const char *b, const char *schema,
	       const char *inside)
{
	struct statement *s = arg;

	(void)schema, (void)inside;
	if (what == SQLITE_READ && s->of_fleet)
		statement_names(s, a);
	if (s->declaring || what == SQLITE_SELECT || what == SQLITE_READ ||
	    what == SQLITE_RECURSIVE)
		return SQLITE_OK;
	if (what == SQLITE_FUNCTION && b && sqlite3_stricmp(b, "load_extension"))
		return SQLITE_OK;
	s->refused = true;
	return SQLITE_DENY;
}

static int count(void *arg)
{
	struct statement *s = arg;

	s->left.steps -= min_u64(s->left.steps, STEPS);
	return !s->left.steps;
}

static void limit(struct statement *s)
{
	static const struct {
		int what, most;
	} limits[] = {
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_COLUMN, 1000 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 50 },
		{ SQLITE_LIMIT_VDBE_OP, 200000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 100 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};
	int on;

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		sqlite3_limit(s->db, limits[i].what, limits[i].most);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, &on);
	sqlite3_progress_handler(s->db, STEPS, count, s);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static enum status make_rows(void *arg, struct sql_table *t)
{
	struct statement *s = arg;

	s->failed = s->src->rows(s->src->arg, &t->part, &t->t, t->stored, &s->why);
	return s->failed;
}

static void add_tables(struct statement *s)
{
	struct capsule_part p;
	char name[CAPSULE_TABLE];

	while (statement_table(s->ntables, &p, name))
		s->ntables++;
	s->tables = arena_array(&s->mem, struct sql_table, s->ntables);
	for (unsigned i = 0; i < s->ntables; i++) {
		struct sql_table *t = &s->tables[i];

		statement_table(i, &t->part, t->name);
		t->make = make_rows;
		t->arg = s;
		t->declaring = &s->declaring;
		if (sql_table_add(s->db, t))
			arena_die(0);
	}
}

/* ---- the statement ---------------------------------------------------------------------------- */

/* WHY of SQLite, with the name that was meant if it names a table that is not there. */
static enum status sql_wrong(struct statement *s, struct diag *diag)
{
	static const char no_table[] = "no such table: ";
	const char *why = sqlite3_errmsg(s->db);
	struct nearest near = { .word = why };
	char meant[96];

	if (sqlite3_errcode(s->db) == SQLITE_NOMEM)
		arena_die(0);
	s->wrong = true;
	if (s->refused)
		return fail(diag, ST_ABSENT, "the statement may only read: one SELECT");
	if (str_begins(why, no_table))
		near.word = why + strlen(no_table);
	near.len = strlen(near.word);
	for (unsigned i = 0; near.word != why && i < s->ntables; i++)
		nearest_try(&near, s->tables[i].name);
	return fail(diag, ST_ABSENT, "the statement is wrong: %.300s%s%s", why,
		    nearest_words(&near, "", meant, sizeof(meant)),
		    near.word != why ? "; --tables lists them" : "");
}

/* Nothing but blanks, semicolons and comments? */
static bool is_end(struct statement *s, const char *tail)
{
	sqlite3_stmt *more = NULL;
	int rc = sqlite3_prepare_v2(s->db, tail, -1, &more, &tail);

	sqlite3_finalize(more);
	return !rc && !more && !*tail;
}

enum status statement_parse(struct statement *s, struct diag *diag)
{
	const char *tail;

	limit(s);
	sqlite3_set_authorizer(s->db, may, s);
	if (sqlite3_prepare_v2(s->db, s->sql, -1, &s->st, &tail))
		return sql_wrong(s, diag);
	if (!s->st)
		return fail(diag, ST_ABSENT, "the statement is empty");
	if (!is_end(s, tail))
		return fail(diag, ST_ABSENT, "there is more than one statement, or no end: %.60s",
			    tail);
	if (sqlite3_bind_parameter_count(s->st))
		return fail(diag, ST_ABSENT, "the statement has parameters, which nothing fills");
	return ST_OK;
}

static bool is_named(const struct statement *s, const char *name, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(s->cols[i].name, name))
			return true;
	return false;
}

/* The second column "pid" is "pid:1", as SQLite itself calls it where it needs names. */
static const char *new_name(struct statement *s, const char *name, unsigned n)
{
	char *own = arena_strdup(&s->mem, name && *name ? name : "?");
	const char *is = own;

	for (char *c = own; *c;
	     c++) /* the name of an expression is its text, which may have lines */
		if ((unsigned char)*c < ' ')
			*c = ' ';
	for (unsigned i = 1; is_named(s, is, n); i++)
		is = arena_printf(&s->mem, "%s:%u", own, i);
	return is;
}

static void add_columns(struct statement *s)
{
	s->ncols = (unsigned)sqlite3_column_count(s->st);
	s->cols = arena_array(&s->mem, struct column, s->ncols);
	for (unsigned i = 0; i < s->ncols; i++) {
		const char *type = sqlite3_column_decltype(s->st, (int)i);
		const char *unit = type ? strchr(type, ' ') : NULL;

		s->cols[i] = (struct column){
			.name = new_name(s, sqlite3_column_name(s->st, (int)i), i),
			.type = COL_STR,
			.flags = COL_SHOWN,
			.offset = i * sizeof(uint64_t),
			.unit = unit ? arena_strdup(&s->mem, unit + 1) : "",
			.about = "",
		};
	}
}

enum status statement_new(const char *sql, bool of_fleet, const struct statement_limits *l,
			  struct diag *diag, struct statement **ret)
{
	struct statement *s = heap_array(struct statement, 1);
	enum status st;

	*ret = NULL;
	s->left = *l;
	if (sqlite3_open(":memory:", &s->db))
		arena_die(0);
	s->sql = arena_strdup(&s->mem, sql);
	s->of_fleet = of_fleet;
	if (of_fleet)
		statement_add_fleet(s);
	else
		add_tables(s);
	st = statement_parse(s, diag);
	if (st) {
		statement_free(s);
		return st;
	}
	add_columns(s);
	*ret = s;
	return ST_OK;
}

void statement_free(struct statement *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->st);
	sqlite3_close(s->db);
	for (unsigned i = 0; i < s->ntables; i++)
		sql_table_release(&s->tables[i]);
	arena_release(&s->mem);
	free(s);
}

struct column *statement_cols(struct statement *s, unsigned *n)
{
	*n = s->ncols;
	return s->cols;
}

unsigned statement_needs(const struct statement *s)
{
	unsigned needs = 0;

	for (unsigned i = 0; i < s->ntables; i++) {
		const struct sql_table *t = &s->tables[i];
		const struct report *r = t->part.report;

		if (!t->named)
			continue;
		needs |= r->needs | r->wants;
		for (unsigned c = 0; c < r->ncols; c++)
			needs |= sql_table_reads(t, c) ? r->cols[c].needs : 0;
	}
	return needs;
}

bool statement_wrong(const struct statement *s)
{
	return s && s->wrong;
}

/* ---- its result ------------------------------------------------------------------------------- */

/* A cell as it came. */
struct value {
	union {
		int64_t i;
		double d;
		const char *s;
	};
	int type; /* SQLITE_INTEGER ... */
};

struct result {
	struct statement *s;
	struct table *t;
	VEC(struct value) v;
	unsigned *types; /* of each column: 1 << SQLITE_INTEGER ... of those that it has */
};

/* What a cell of a table cannot have, because it stands for unknown there, is a text. */
static bool is_number(const struct value *v)
{
	return v->type == SQLITE_INTEGER ? v->i != COL_UNKNOWN_INT
					 : v->type == SQLITE_FLOAT && isfinite(v->d);
}

static void take_value(struct result *x, unsigned column)
{
	sqlite3_stmt *st = x->s->st;
	struct value *v = vec_push(&x->t->mem, &x->v);
	int at = (int)column, type = sqlite3_column_type(st, at);

	*v = (struct value){ .type = type };
	if (type == SQLITE_INTEGER)
		v->i = sqlite3_column_int64(st, at);
	else if (type == SQLITE_FLOAT)
		v->d = sqlite3_column_double(st, at);
	if (type != SQLITE_NULL && !is_number(v)) {
		const void *p = type == SQLITE_BLOB ? sqlite3_column_blob(st, at)
						    : (const void *)sqlite3_column_text(st, at);
		size_t n = p ? (size_t)sqlite3_column_bytes(st, at) : 0;

		*v = (struct value){ .s = arena_strndup(&x->t->mem, p ? p : "", n),
				     .type = SQLITE_TEXT };
		x->s->left.bytes -= min_u64(x->s->left.bytes, n + 1);
	}
	x->types[column] |= 1u << v->type;
}

static enum col_type type_of(unsigned types)
{
	if (types & 1u << SQLITE_TEXT || !(types & ~(1u << SQLITE_NULL)))
		return COL_STR;
	return types & 1u << SQLITE_FLOAT ? COL_RATIO : COL_INT;
}

static const char *number_text(const struct value *v, struct arena *mem)
{
	if (v->type == SQLITE_INTEGER)
		return arena_printf(mem, "%" PRId64, v->i);
	return arena_printf(mem, "%.15g", v->d);
}

static void set_cell(struct result *x, const struct column *c, void *row, const struct value *v)
{
	if (v->type == SQLITE_NULL)
		cell_set_unknown(c, row);
	else if (c->type == COL_STR)
		cell_set_str(c, row, v->type == SQLITE_TEXT ? v->s : number_text(v, &x->t->mem));
	else if (c->type == COL_RATIO)
		cell_set_ratio(c, row, v->type == SQLITE_INTEGER ? (double)v->i : v->d);
	else
		cell_set_uint(c, row, (uint64_t)v->i);
}

/* The values as rows of a table: a column has one type. */
static void set_rows(struct result *x)
{
	struct statement *s = x->s;
	struct table *t = x->t;
	char *rows;

	for (unsigned i = 0; i < s->ncols; i++)
		s->cols[i].type = type_of(x->types[i]);
	t->row_size = s->ncols * sizeof(uint64_t);
	t->nrows = t->nall = s->ncols ? x->v.n / s->ncols : 0;
	t->rows = rows = arena_calloc(&t->mem, t->nrows, t->row_size);
	for (size_t i = 0; i < t->nrows * s->ncols; i++)
		set_cell(x, &s->cols[i % s->ncols], rows + i / s->ncols * t->row_size, &x->v.v[i]);
}

static enum status too_much(const char *what, struct diag *diag)
{
	return fail(diag, ST_LIMIT, "the statement takes more %s than it may", what);
}

static enum status ended(struct statement *s, int rc, struct diag *diag)
{
	if (rc == SQLITE_DONE)
		return ST_OK;
	if (s->failed)
		return fail(diag, s->failed, "%s", s->why.text);
	if (rc == SQLITE_INTERRUPT)
		return too_much("steps", diag);
	if (rc == SQLITE_ROW || rc == SQLITE_NOMEM)
		return too_much("memory", diag);
	if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || rc == SQLITE_IOERR)
		return database_broken(s->db, diag);
	return sql_wrong(s, diag);
}

enum status statement_step(struct statement *s, struct table *t, struct diag *diag)
{
	struct result x = { .s = s, .t = t, .types = arena_array(&s->mem, unsigned, s->ncols) };
	sqlite3_int64 most = (sqlite3_int64)min_u64(s->left.bytes, INT64_MAX / 2);
	uint64_t row = s->ncols * (sizeof(struct value) + sizeof(uint64_t));
	sqlite3_int64
		was; /* the limit is the process's: a program that has this as a library may have its own */
	enum status st;
	int rc;

	t->cols = s->cols;
	t->ncols = s->ncols;
	was = sqlite3_hard_heap_limit64(sqlite3_memory_used() + most);
	while ((rc = sqlite3_step(s->st)) == SQLITE_ROW && s->left.bytes > row) {
		s->left.bytes -= row;
		for (unsigned i = 0; i < s->ncols; i++)
			take_value(&x, i);
	}
	st = ended(s, rc, diag);
	sqlite3_hard_heap_limit64(was);
	if (!st)
		set_rows(&x);
	return st;
}

enum status statement_run(struct statement *s, const struct statement_source *src, struct table *t,
			  struct diag *diag)
{
	s->src = src;
	return statement_step(s, t, diag);
}
