/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows.c - a report's rows as a virtual table: "row", which counts them from 1, and the report's columns.
 *
 * SQLite makes no index of a virtual table, so a join of processes and vmas would read all vmas for each process.
 * What a column is compared with by "=" is looked up in the rows ordered by it, which are made when they are
 * first asked for. SQLite compares again what is found: a row too many does no harm.
 */
#include "reports/sql/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "reports/capsule/sql.h"
#include "reports/core/cell.h"

#define BEFORE	  1u	     /* columns of the table before those of the report: row */
#define ROWS_SEEN 100000     /* guessed, before they are made */
#define ROWS_MAX  UINT32_MAX /* that are ordered */

struct vtab {
	sqlite3_vtab base; /* first */
	struct sql_table *of;
};

struct cursor {
	sqlite3_vtab_cursor base; /* first */
	const uint32_t *order;	  /* rows to show; NULL: all, as they are */
	size_t at, end;
};

/* What a column is looked up by. */
struct key {
	const struct column *c;
	const struct table *t;
	uint64_t number;
	const char *text;
};

bool sql_table_reads(const struct sql_table *t, unsigned c)
{
	unsigned bit = c + BEFORE;

	return t->reads >> (bit < 63 ? bit : 63) & 1;
}

void sql_table_release(struct sql_table *t)
{
	for (unsigned i = 0; t->order && i < t->t.ncols; i++)
		free(t->order[i]);
	free(t->order);
	free(t->nordered);
	free(t->stored);
	arena_release(&t->t.mem);
}

/* ---- the table ------------------------------------------------------------------------------ */

const char *sql_declaration(const struct report *r, const char *begin, struct arena *mem)
{
	const char *sql = arena_printf(mem, "%s row INTEGER", begin);

	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];
		bool unit = c->type == COL_BYTES || c->type == COL_DELTA || c->type == COL_NSEC;

		sql = arena_printf(mem, "%s, \"%s\" %s%s%s", sql, c->name, capsule_sql_type(c),
				   unit ? " " : "", unit ? c->unit : "");
	}
	return arena_printf(mem, "%s)", sql);
}

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **why)
{
	struct sql_table *t = aux;
	const char *sql = sql_declaration(t->part.report, "CREATE TABLE t (", &t->t.mem);
	struct vtab *v = NULL;
	int rc;

	(void)argc, (void)argv, (void)why;
	*t->declaring = true;
	rc = sqlite3_declare_vtab(db, sql);
	*t->declaring = false;
	if (!rc)
		v = sqlite3_malloc(sizeof(*v));
	if (!v)
		return rc ? rc : SQLITE_NOMEM;
	memset(v, 0, sizeof(*v));
	v->of = t;
	*ret = &v->base;
	return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *v)
{
	sqlite3_free(v);
	return SQLITE_OK;
}

/* Can rows be looked up by what stands in constraint I? */
static bool can_look_up(const struct sql_table *t, sqlite3_index_info *x, int i)
{
	int at = x->aConstraint[i].iColumn - (int)BEFORE;

	if (!x->aConstraint[i].usable || x->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
	    at < 0)
		return false;
	return t->part.report->cols[at].type != COL_RATIO &&
	       !strcmp(sqlite3_vtab_collation(x, i), "BINARY");
}

static int choose(sqlite3_vtab *base, sqlite3_index_info *x)
{
	struct sql_table *t = ((struct vtab *)base)->of;

	t->named = true;
	t->reads |= x->colUsed;
	x->estimatedRows = ROWS_SEEN;
	x->estimatedCost = ROWS_SEEN;
	for (int i = 0; i < x->nConstraint; i++) {
		if (!can_look_up(t, x, i))
			continue;
		x->aConstraintUsage[i].argvIndex = 1;
		x->idxNum = x->aConstraint[i].iColumn;
		x->estimatedRows = 10;
		x->estimatedCost = 40;
		break;
	}
	return SQLITE_OK;
}

/* ---- rows by a value -------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b, void *arg)
{
	const struct key *k = arg;
	uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
	int d = cell_cmp(k->c, table_row(k->t, m), table_row(k->t, n));

	return d ? d : (m > n) - (m < n);
}

static void put_in_order(struct sql_table *t, unsigned c)
{
	struct key k = { .c = &t->t.cols[c], .t = &t->t };
	uint32_t *v = heap_grow(NULL, t->t.nrows, sizeof(*v)), n = 0;

	for (size_t i = 0; i < t->t.nrows; i++)
		if (t->stored[c] && !cell_unknown(k.c, table_row(&t->t, i)))
			v[n++] = (uint32_t)i;
	qsort_r(v, n, sizeof(*v), by_value, &k);
	t->order[c] = v;
	t->nordered[c] = n;
}

/* Fills K with what V is in column C. False: it is of another type, and SQLite may yet find it equal. */
static bool take_key(struct key *k, sqlite3_value *v)
{
	int type = sqlite3_value_type(v);

	if (type != (column_is_text(k->c) || k->c->type == COL_HEX ? SQLITE_TEXT : SQLITE_INTEGER))
		return false;
	if (type == SQLITE_INTEGER) {
		k->number = (uint64_t)sqlite3_value_int64(v);
		return true;
	}
	k->text = (const char *)sqlite3_value_text(v);
	if (!k->text)
		return false;
	k->number = k->c->type == COL_HEX ? strtoull(k->text, NULL, 16) : 0;
	return true;
}

/* <0, 0, >0 as the cell of ROW is less than K, equal, greater. */
static int cell_to_key(const struct key *k, uint32_t row)
{
	const void *r = table_row(k->t, row);
	uint64_t v;
	char buf[2];

	if (column_is_text(k->c))
		return strcmp(cell_str(k->c, r, buf), k->text);
	if (k->c->type == COL_INT || k->c->type == COL_DELTA)
		return (cell_int(k->c, r) > (int64_t)k->number) -
		       (cell_int(k->c, r) < (int64_t)k->number);
	v = cell_uint(k->c, r);
	return (v > k->number) - (v < k->number);
}

/* The first of N rows in ORDER whose cell is K or more, or with BEHIND: more than K. */
static size_t bound(const struct key *k, const uint32_t *order, size_t n, bool behind)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;
		int d = cell_to_key(k, order[mid]);

		if (d < 0 || (behind && !d))
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

static void look_up(struct sql_table *t, unsigned c, sqlite3_value *v, struct cursor *at)
{
	struct key k = { .c = &t->t.cols[c], .t = &t->t };

	if (sqlite3_value_type(v) == SQLITE_NULL) {
		at->end = 0; /* nothing is equal to it */
		return;
	}
	if (t->t.nrows >= ROWS_MAX || !take_key(&k, v))
		return;
	if (!t->order[c])
		put_in_order(t, c);
	at->order = t->order[c];
	at->at = bound(&k, at->order, t->nordered[c], false);
	at->end = bound(&k, at->order, t->nordered[c], true);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **ret)
{
	struct cursor *c = sqlite3_malloc(sizeof(*c));

	(void)v;
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof(*c));
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static struct sql_table *table_of(sqlite3_vtab_cursor *c)
{
	return ((struct vtab *)c->pVtab)->of;
}

static void make_lists(struct sql_table *t)
{
	unsigned n = t->part.report->ncols;

	t->order = heap_array(uint32_t *, n);
	t->nordered = heap_array(uint32_t, n);
	t->stored = heap_array(bool, n);
	memset(t->stored, 1, n * sizeof(*t->stored));
	t->t.cols = t->part.report->cols;
	t->t.ncols = n;
}

static int begin_rows(sqlite3_vtab_cursor *base, int column, const char *name, int argc,
		      sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct sql_table *t = table_of(base);

	(void)name;
	if (!t->made) {
		t->made = true;
		make_lists(t);
		if (t->make(t->arg, t))
			return SQLITE_ABORT;
	}
	c->order = NULL;
	c->at = 0;
	c->end = t->t.nrows;
	if (argc)
		look_up(t, (unsigned)column - BEFORE, argv[0], c);
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (struct cursor *)base;

	return c->at >= c->end;
}

static size_t row_of(const struct cursor *c)
{
	return c->order ? c->order[c->at] : c->at;
}

/* Names of the kernel may hold any byte. What is not UTF-8 is no text. */
static void put_str(sqlite3_context *to, const char *s, sqlite3_destructor_type life)
{
	if (!utf8_whole(s))
		sqlite3_result_blob64(to, s, strlen(s), life);
	else
		sqlite3_result_text64(to, s, strlen(s), life, SQLITE_UTF8);
}

/* As a capsule has it. */
static void put_cell(sqlite3_context *to, const struct column *c, const void *row)
{
	static const struct units bytes = { UNIT_BYTES, 1 };
	char buf[CELL_TEXT];

	if (cell_unknown(c, row)) {
		sqlite3_result_null(to);
	} else if (c->type == COL_STR) {
		put_str(to, cell_str(c, row, buf), SQLITE_STATIC);
	} else if (c->type == COL_CHAR) {
		put_str(to, cell_str(c, row, buf), SQLITE_TRANSIENT);
	} else if (c->type == COL_HEX) {
		cell_text(c, row, &bytes, buf);
		sqlite3_result_text(to, buf, -1, SQLITE_TRANSIENT);
	} else if (c->type == COL_RATIO) {
		sqlite3_result_double(to, cell_ratio(c, row));
	} else {
		sqlite3_result_int64(to, cell_int(c, row));
	}
}

static int put_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	struct sql_table *t = table_of(base);
	size_t row = row_of((struct cursor *)base);

	if (!column)
		sqlite3_result_int64(to, (sqlite3_int64)row + 1);
	else if (t->stored[(unsigned)column - BEFORE])
		put_cell(to, &t->t.cols[(unsigned)column - BEFORE], table_row(&t->t, row));
	return SQLITE_OK;
}

static int put_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)row_of((struct cursor *)base) + 1;
	return SQLITE_OK;
}

/* Without xCreate a table is there by its name, and nothing else of it can be made. */
static const sqlite3_module module = {
	.xConnect = connect_table,
	.xBestIndex = choose,
	.xDisconnect = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = begin_rows,
	.xNext = next_row,
	.xEof = at_end,
	.xColumn = put_column,
	.xRowid = put_rowid,
};

int sql_table_add(sqlite3 *db, struct sql_table *t)
{
	return sqlite3_create_module_v2(db, t->name, &module, t, NULL);
}
