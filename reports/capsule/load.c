/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load.c - rows of reports out of a database.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "reports/capsule/capsule.h"
#include "reports/capsule/database.h"
#include "reports/capsule/digest.h"
#include "reports/capsule/sql.h"
#include "reports/core/pick.h"

#define PATHS_MAX      4096u /* files of a split dump */
#define SCHEMA_DATA    5     /* schema_version of the first that have data in place of a page */
#define SCHEMA_DIGESTS 5     /* schema_version of the first capsules with digests */
#define TEXTS_ALWAYS   (64u << 20) /* bytes of texts of one report that are believed ... */
#define TEXTS_A_BYTE   1024u	   /* ... and for each byte of the file */

struct capsule_file {
	sqlite3 *db;
	uint8_t *bytes;
	size_t size;
	struct trust trust;
	int64_t schema;
	bool undigested; /* it is of a version that stored no digests */
	struct image_facts image;
	struct arena mem;
};

bool capsule_is(const uint8_t *head, size_t n)
{
	return database_is(head, n, CAPSULE_ID);
}

static enum status broken(struct capsule_file *f, struct diag *diag)
{
	return database_broken(f->db, diag);
}

/* ---- what it is of ------------------------------------------------------------------- */

static void take_fact(struct capsule_file *f, sqlite3_stmt *st, int64_t *schema)
{
	const char *key = database_str(st, 0, &f->mem);
	int64_t number = sqlite3_column_int64(st, 1);

	if (!key)
		return;
	for (const struct image_text *t = image_texts; t->name; t++)
		if (!strcmp(key, t->name))
			*(const char **)((char *)&f->image + t->offset) =
				database_str(st, 1, &f->mem);
	if (!strcmp(key, "schema_version"))
		*schema = number;
	else if (!strcmp(key, "crash_time"))
		f->image.crash_time = number;
	else if (!strcmp(key, "page_size") && page_shift_of((uint64_t)number))
		f->image.page_size = (uint32_t)number;
	else if (!strcmp(key, "dump_level"))
		f->image.level = (int)number;
}

/* The facts "NAME 0", "NAME 1" ..., of which V has room for MAX; their number. */
static unsigned read_list(struct capsule_file *f, sqlite3_stmt *st, const char *name,
			  const char **v, unsigned max)
{
	char key[32];
	unsigned n = 0;

	while (n < max) {
		snprintf(key, sizeof(key), "%s %u", name, n);
		sqlite3_reset(st);
		sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
		if (sqlite3_step(st) != SQLITE_ROW)
			break;
		v[n] = database_str(st, 0, &f->mem);
		if (!v[n])
			break;
		n++;
	}
	return n;
}

/* Of the tables that are about all others. */
static enum status check_digests(struct capsule_file *f, struct diag *diag)
{
	static const char *const about[] = { "capsule", "reports", "issues" };
	enum status st = ST_OK;

	f->undigested = !digests_here(f->db, "main");
	if (f->undigested)
		return ST_OK;
	st = digests_complete(f->db, "main", diag);
	for (size_t i = 0; !st && i < ARRAY_LEN(about); i++)
		st = digest_check(f->db, "main", about[i], diag);
	return st;
}

static enum status read_facts(struct capsule_file *f, struct diag *diag)
{
	const char **paths = arena_array(&f->mem, const char *, PATHS_MAX);
	const char **damage = arena_array(&f->mem, const char *, CAUSES_MAX);
	sqlite3_stmt *st = NULL;
	int64_t schema = 0;
	int rc;

	f->image = (struct image_facts){
		.paths = paths, .damage = damage, .page_size = 4096, .level = -1
	};
	if (!database_has(f->db, "capsule") || !database_has(f->db, "reports") ||
	    !database_has(f->db, "issues"))
		return fail(diag, ST_CORRUPT, "the capsule is damaged: a table is missing");
	if (check_digests(f, diag))
		return ST_CORRUPT;
	if (sqlite3_prepare_v2(f->db, "SELECT key, value FROM capsule", -1, &st, NULL))
		return broken(f, diag);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		take_fact(f, st, &schema);
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE)
		return broken(f, diag);
	if (schema < 1 || schema > CAPSULE_SCHEMA)
		return fail(diag, ST_UNSUPPORTED,
			    "the capsule has schema_version %" PRId64 "; this program knows %d",
			    schema, CAPSULE_SCHEMA);
	f->schema = schema;
	if (schema >= SCHEMA_DIGESTS && f->undigested)
		return fail(diag, ST_CORRUPT, "the capsule is damaged: it has lost its digests");
	if (sqlite3_prepare_v2(f->db, "SELECT value FROM capsule WHERE key = ?", -1, &st, NULL))
		return broken(f, diag);
	f->image.npaths = read_list(f, st, "path", paths, PATHS_MAX);
	f->image.ndamage = read_list(f, st, "damage", damage, CAUSES_MAX);
	sqlite3_finalize(st);
	return ST_OK;
}

enum status capsule_open(uint8_t *bytes, size_t size, struct diag *diag, struct capsule_file **ret)
{
	struct capsule_file *f = heap_array(struct capsule_file, 1);
	enum status st;

	*ret = NULL;
	f->bytes = bytes;
	f->size = size;
	st = database_open(bytes, size, &f->trust, diag, &f->db);
	if (!st)
		st = read_facts(f, diag);
	if (st)
		capsule_close(f);
	else
		*ret = f;
	return st;
}

void capsule_close(struct capsule_file *f)
{
	if (!f)
		return;
	sqlite3_close(f->db);
	arena_release(&f->mem);
	free(f->bytes);
	free(f);
}

const struct image_facts *capsule_image(const struct capsule_file *f)
{
	return &f->image;
}

const char *capsule_text_fact(struct capsule_file *f, const char *key)
{
	sqlite3_stmt *st = NULL;
	const char *text = NULL;

	if (!sqlite3_prepare_v2(f->db, "SELECT value FROM capsule WHERE key = ?", -1, &st, NULL)) {
		sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
		if (sqlite3_step(st) == SQLITE_ROW)
			text = database_str(st, 0, &f->mem);
	}
	sqlite3_finalize(st);
	return text;
}

bool capsule_is_damaged(struct capsule_file *f)
{
	sqlite3_stmt *st = NULL;
	bool is = true;

	if (!sqlite3_prepare_v2(f->db,
				"SELECT 1 FROM issues UNION ALL SELECT 1 FROM reports "
				"WHERE report = 'procs' AND lacks IS NOT NULL LIMIT 1",
				-1, &st, NULL))
		is = sqlite3_step(st) == SQLITE_ROW;
	sqlite3_finalize(st);
	return is;
}

bool capsule_undigested(const struct capsule_file *f)
{
	return f->undigested;
}

/* ---- rows ------------------------------------------------------------------------------ */

/* A column of the database, and where it goes in a row. */
struct target {
	struct column col;
	int at; /* its number in the result; -1: it is not stored */
};

struct loader {
	struct capsule_file *f;
	const char *name; /* of the table */
	struct database_rows rows;
	int64_t nrows;	/* that it should have; -1: not known */
	uint64_t texts; /* bytes of texts */
	struct table *t;
	struct target *v;
	unsigned n;
	char *sql;
	struct arena mem;
};

static bool take_column(struct loader *l, const struct column *c, const char *name, size_t offset)
{
	const char *cell = database_cell(&l->rows, name);
	struct target *to = &l->v[l->n++];

	to->col = *c;
	to->col.offset = offset;
	to->at = -1;
	if (!cell)
		return false;
	to->at = (int)l->n - 1;
	l->sql = arena_printf(&l->mem, "%s%s%s", l->sql, l->n > 1 ? ", " : "", cell);
	return true;
}

static void grow(struct table *t, size_t end)
{
	if (t->row_size < end)
		t->row_size = end;
}

/* A cell of 8 bytes behind the columns. */
static size_t place_behind(struct table *t)
{
	t->row_size = (t->row_size + 7) / 8 * 8 + 8;
	return t->row_size - 8;
}

/* A column that is missing is selected as NULL, so that numbers of results stay in step. */
static void take_columns(struct loader *l, const struct report *r, bool *stored)
{
	static const struct column words = { .type = COL_STR }, number = { .type = COL_UINT };
	struct table *t = l->t;

	l->sql = arena_strdup(&l->mem, "SELECT ");
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		stored[i] = take_column(l, c, c->name, c->offset);
		if (!stored[i])
			l->sql = arena_printf(&l->mem, "%s%sNULL", l->sql, i ? ", " : "");
		grow(t, c->offset + cell_size(c));
		if (c->order)
			grow(t, c->order + cell_size(c));
	}
	for (unsigned i = 0; i < r->ncols; i++) {
		char name[80];

		if (!r->cols[i].order)
			continue;
		snprintf(name, sizeof(name), "_by_%s", r->cols[i].name);
		if (!take_column(l, &r->cols[i], name, r->cols[i].order))
			l->n--;
	}
	if (database_cell(&l->rows, "_incomplete")) {
		t->incomplete = place_behind(t);
		take_column(l, &words, "_incomplete", t->incomplete);
	} else {
		for (unsigned i = 0; i < r->ncols; i++)
			if (stored[i] && !strcmp(r->cols[i].name, "incomplete"))
				t->incomplete = r->cols[i].offset;
	}
	if (database_cell(&l->rows, "_key")) {
		t->total_key = place_behind(t);
		take_column(l, &number, "_key", t->total_key);
	}
	t->row_size = (t->row_size + 7) / 8 * 8;
	l->sql = arena_printf(&l->mem, "%s FROM %s ORDER BY m.row", l->sql, l->rows.from);
}

static void take_cell(struct loader *l, sqlite3_stmt *st, const struct target *to, void *row)
{
	const struct column *c = &to->col;
	const char *s = NULL;
	bool number;

	cell_set_unknown(c, row);
	if (to->at < 0 || sqlite3_column_type(st, to->at) == SQLITE_NULL)
		return;
	/* addresses are texts in tables, numbers in those with sets */
	number = !column_is_text(c) &&
		 (c->type != COL_HEX || sqlite3_column_type(st, to->at) == SQLITE_INTEGER);
	if (!number)
		s = database_str(st, to->at, &l->t->mem);
	l->texts += s ? strlen(s) : 0;
	if (c->type == COL_HEX && s)
		cell_set_uint(c, row, strtoull(s, NULL, 16));
	else if (column_is_text(c) && s)
		cell_set_str(c, row, s);
	else if (c->type == COL_RATIO)
		cell_set_ratio(c, row, sqlite3_column_double(st, to->at));
	else if (number)
		cell_set_uint(c, row, (uint64_t)sqlite3_column_int64(st, to->at));
}

/* Sets repeat texts, and pages of a hostile file may be those of many rows. */
static bool is_too_much(const struct loader *l)
{
	return (l->nrows >= 0 && l->t->nrows >= (uint64_t)l->nrows) || l->t->nrows > l->f->size ||
	       l->texts > TEXTS_ALWAYS + (uint64_t)l->f->size * TEXTS_A_BYTE;
}

static enum status load_rows(struct loader *l, struct diag *diag)
{
	VEC(char) rows = { 0 };
	struct table *t = l->t;
	sqlite3_stmt *st = NULL;
	size_t cap = 0;
	int rc;

	if (sqlite3_prepare_v2(l->f->db, l->sql, -1, &st, NULL))
		return broken(l->f, diag);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		char *row;

		if (is_too_much(l))
			break;
		if (t->nrows == cap) {
			rows.v = arena_grow(&t->mem, rows.v, cap, cap ? 2 * cap : 64, t->row_size);
			cap = cap ? 2 * cap : 64;
		}
		row = rows.v + t->nrows++ * t->row_size;
		for (unsigned i = 0; i < l->n; i++)
			take_cell(l, st, &l->v[i], row);
	}
	t->rows = rows.v;
	sqlite3_finalize(st);
	if (rc == SQLITE_ROW)
		return fail(diag, ST_CORRUPT,
			    "the capsule is damaged: %s has more rows than it "
			    "should",
			    l->name);
	if (rc != SQLITE_DONE)
		return broken(l->f, diag);
	/* a row whose set is not there is left out by a join */
	return l->nrows >= 0 && t->nrows != (uint64_t)l->nrows
		       ? fail(diag, ST_CORRUPT, "the capsule is damaged: rows of %s are missing",
			      l->name)
		       : ST_OK;
}

/* ---- beside the rows --------------------------------------------------------------------- */

static enum status find_rows(struct loader *l, struct diag *diag)
{
	switch (database_rows(l->f->db, "main", l->name, &l->mem, &l->rows)) {
	case ROWS_FOUND: return ST_OK;
	case ROWS_ABSENT:
		return fail(diag, ST_CORRUPT, "the capsule is damaged: it has no table %s",
			    l->name);
	case ROWS_BROKEN: break;
	}
	return fail(diag, ST_CORRUPT,
		    "the capsule is damaged: the rows of %s are not those that were stored",
		    l->name);
}

static enum status load_report(struct loader *l, const struct report *r, struct capsule_more *more,
			       struct diag *diag)
{
	struct arena *mem = &l->t->mem;
	sqlite3_stmt *st = NULL;
	enum status ret = ST_OK;
	const char *lacks;

	if (sqlite3_prepare_v2(
		    l->f->db,
		    "SELECT lacks, made, note, text, crash_time, head, rows FROM reports "
		    "WHERE report = ?",
		    -1, &st, NULL))
		return broken(l->f, diag);
	sqlite3_bind_text(st, 1, l->name, -1, SQLITE_STATIC);
	if (sqlite3_step(st) != SQLITE_ROW) {
		ret = fail(diag, ST_NODATA,
			   "the capsule does not have report %s: it needs the dump", r->name);
	} else if ((lacks = database_str(st, 0, mem))) {
		ret = fail(diag, ST_NODATA, "%s", lacks);
	} else {
		more->made = database_str(st, 1, mem);
		l->t->note = database_str(st, 2, mem);
		l->t->head = database_str(st, 5, mem);
		more->text = database_str(st, 3, mem);
		more->crash_time = sqlite3_column_int64(st, 4);
		l->nrows = sqlite3_column_type(st, 6) == SQLITE_INTEGER
				   ? sqlite3_column_int64(st, 6)
				   : -1;
	}
	sqlite3_finalize(st);
	return ret ? ret : find_rows(l, diag);
}

static void take_issue(sqlite3_stmt *st, struct issues *is, struct arena *mem)
{
	const char *kind = database_str(st, 0, mem), *object = database_str(st, 1, mem);
	const char *texts = database_str(st, 3, mem);
	struct issue *v = &is->v[is->n];

	if (!object)
		return;
	is->n++;
	v->kind = status_of_name(kind);
	v->object = object;
	v->count = (uint64_t)sqlite3_column_int64(st, 2);
	while (texts && v->ntexts < ISSUE_TEXTS) {
		size_t n = strcspn(texts, "\n");

		snprintf(v->text[v->ntexts++], sizeof(v->text[0]), "%.*s", (int)min_u64(n, 159),
			 texts);
		texts = texts[n] ? texts + n + 1 : NULL;
	}
}

/* Of table NAME, in the order in which they were counted. Texts in MEM. */
static enum status load_issues(struct capsule_file *f, const char *name, struct issues *is,
			       struct arena *mem, struct diag *diag)
{
	sqlite3_stmt *st = NULL;
	int rc;

	if (sqlite3_prepare_v2(f->db,
			       "SELECT kind, object, count, texts FROM issues WHERE report = ? "
			       "ORDER BY number",
			       -1, &st, NULL))
		return broken(f, diag);
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && is->n < ISSUES_MAX)
		take_issue(st, is, mem);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? ST_OK : broken(f, diag);
}

enum status capsule_load(struct capsule_file *f, const struct capsule_part *p, struct table *t,
			 bool *stored, struct issues *is, struct capsule_more *more,
			 struct diag *diag)
{
	const struct report *r = p->report;
	char name[CAPSULE_TABLE];
	struct loader l = { .f = f, .name = capsule_table(p, name), .t = t };
	enum status st;

	*more = (struct capsule_more){ .made = NULL };
	t->cols = r->cols;
	t->ncols = r->ncols;
	st = load_report(&l, r, more, diag);
	if (!st) {
		l.v = arena_array(&l.mem, struct target, 2 * (size_t)r->ncols + 2);
		take_columns(&l, r, stored);
		st = load_rows(&l, diag);
	}
	if (!st)
		st = load_issues(f, l.name, is, &t->mem, diag);
	t->nall = t->nrows;
	arena_release(&l.mem);
	return st;
}

/* ---- what is no table ---------------------------------------------------------------------- */

/* Columns size and zlib of page NAME. */
static enum status find_page(struct capsule_file *f, const char *name, struct diag *diag,
			     sqlite3_stmt **ret)
{
	int rc;

	*ret = NULL;
	if (f->schema < SCHEMA_DATA && database_has(f->db, "written"))
		return fail(
			diag, ST_NODATA,
			"the capsule is of an older vmcensus and has a whole page in place of the "
			"data of %s: it needs the dump",
			name);
	if (!database_has(f->db, "written"))
		return fail(diag, ST_NODATA, "the capsule does not have %s: it needs the dump",
			    name);
	if (digest_check(f->db, "main", "written", diag))
		return ST_CORRUPT;
	if (sqlite3_prepare_v2(f->db, "SELECT size, zlib FROM written WHERE name = ?", -1, ret,
			       NULL))
		return broken(f, diag);
	sqlite3_bind_text(*ret, 1, name, -1, SQLITE_STATIC);
	rc = sqlite3_step(*ret);
	if (rc == SQLITE_ROW)
		return ST_OK;
	sqlite3_finalize(*ret);
	*ret = NULL;
	return rc == SQLITE_DONE ? fail(diag, ST_NODATA,
					"the capsule does not have %s: it needs the dump", name)
				 : broken(f, diag);
}

enum status capsule_page_check(struct capsule_file *f, const char *name, struct issues *is,
			       struct diag *diag)
{
	sqlite3_stmt *st;
	enum status ret = find_page(f, name, diag, &st);

	if (!ret)
		ret = load_issues(f, name, is, &f->mem, diag);
	sqlite3_finalize(st);
	/* before anything is written */
	return ret ? ret : capsule_page_write(f, name, NULL, diag);
}

/* Inflates Z's input to OUT (NULL: nowhere), SIZE bytes at most, without "<". False: it is not what it should be. */
static bool inflate_to(z_stream *z, uint64_t size, FILE *out)
{
	uint8_t buf[1 << 14] = { 0 };
	int err = Z_OK;

	while (err == Z_OK) {
		size_t n;

		z->next_out = buf;
		z->avail_out = sizeof(buf);
		err = inflate(z, Z_NO_FLUSH);
		n = sizeof(buf) - z->avail_out;
		if (n > size || (!n && err == Z_OK) || memchr(buf, '<', n))
			return false;
		size -= n;
		if (out)
			fwrite(buf, 1, n, out);
	}
	return err == Z_STREAM_END && !size;
}

enum status capsule_page_write(struct capsule_file *f, const char *name, FILE *out,
			       struct diag *diag)
{
	z_stream z = { .avail_in = 0 };
	sqlite3_stmt *st;
	enum status ret = find_page(f, name, diag, &st);
	bool whole;

	if (ret)
		return ret;
	z.next_in = (Bytef *)(uintptr_t)sqlite3_column_blob(st, 1);
	z.avail_in = (uInt)sqlite3_column_bytes(st, 1);
	if (inflateInit(&z) != Z_OK)
		arena_die(0);
	whole = inflate_to(&z, (uint64_t)sqlite3_column_int64(st, 0), out);
	inflateEnd(&z);
	sqlite3_finalize(st);
	return whole ? ST_OK
		     : fail(diag, ST_CORRUPT,
			    "the capsule is damaged: its data of %s are not those of a page", name);
}
