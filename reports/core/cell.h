/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell.h - one cell of a table, read from a row by its column.
 *
 * Only this file knows how enum col_type is stored. Filters, sorting and renderers ask
 * here.
 */
#ifndef VMCENSUS_CELL_H
#define VMCENSUS_CELL_H

#include "reports/core/report.h"

/* Longest text of a cell that is not a string, with its NUL. */
#define CELL_TEXT 48

/* Units of COL_BYTES in text. */
enum text_unit { UNIT_KIB, UNIT_BYTES, UNIT_PAGES };

static inline const void *table_row(const struct table *t, size_t i)
{
	return (const char *)t->rows + i * t->row_size;
}

/* Its rows, with those that -n cut off. */
static inline size_t table_all(const struct table *t)
{
	return t->nall > t->nrows ? t->nall : t->nrows;
}

uint64_t cell_uint(const struct column *c, const void *row);
int64_t cell_int(const struct column *c, const void *row);
double cell_ratio(const struct column *c, const void *row);
/* The text of COL_STR and COL_CHAR (in BUF, 2 bytes), NULL if unknown. */
const char *cell_str(const struct column *c, const void *row, char *buf);

static inline bool column_is_text(const struct column *c)
{
	return c->type == COL_STR || c->type == COL_CHAR;
}

/* The word for each enum col_type. */
extern const char *const column_words[];

/* Is there no value ("-" in text, null in json, empty in csv)? */
bool cell_unknown(const struct column *c, const void *row);

/*
 * The reverse, for rows that were stored. V is the number as cell_uint() or, cast, as
 * cell_int() gives it; a string is not copied.
 */
void cell_set_unknown(const struct column *c, void *row);
void cell_set_uint(const struct column *c, void *row, uint64_t v);
void cell_set_ratio(const struct column *c, void *row, double v);
void cell_set_str(const struct column *c, void *row, const char *s);
/* Bytes of the cell in the row. */
size_t cell_size(const struct column *c);

/* <0, 0, >0 as A's cell is less, equal, greater. Both must be known. */
int cell_cmp(const struct column *c, const void *a, const void *b);

/* How sizes are printed: their unit, and the size of a page. */
struct units {
	enum text_unit unit;
	uint32_t page_size;
};

/*
 * Writes the text of a cell that is not COL_STR into BUF (CELL_TEXT bytes) and returns its
 * length. Unknown is "-".
 */
size_t cell_text(const struct column *c, const void *row, const struct units *u, char *buf);
/* Text of VALUE in a column of type COL_UINT, COL_BYTES, COL_DELTA, COL_HEX or COL_NSEC. */
size_t uint_text(enum col_type type, uint64_t value, const struct units *u, char *buf);

/* Decimal digits of V into BUF (at least 21 bytes), terminated; their number. */
size_t put_decimal(char *buf, uint64_t v);

#endif
