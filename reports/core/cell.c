/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell.c - formats one cell of a table.
 */
#include "reports/core/cell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const column_words[] = {
	[COL_STR] = "text", [COL_CHAR] = "letter", [COL_INT] = "number", [COL_UINT] = "number",
	[COL_BYTES] = "size", [COL_DELTA] = "size", [COL_HEX] = "address", [COL_NSEC] = "time", [COL_RATIO] = "ratio",
};

static const void *cell(const struct column *c, const void *row)
{
	return (const char *)row + c->offset;
}

uint64_t cell_uint(const struct column *c, const void *row)
{
	return *(const uint64_t *)cell(c, row);
}

int64_t cell_int(const struct column *c, const void *row)
{
	return *(const int64_t *)cell(c, row);
}

double cell_ratio(const struct column *c, const void *row)
{
	return *(const double *)cell(c, row);
}

const char *cell_str(const struct column *c, const void *row, char *buf)
{
	if (c->type == COL_STR)
		return *(const char *const *)cell(c, row);
	buf[0] = *(const char *)cell(c, row);
	buf[1] = '\0';
	return buf[0] ? buf : NULL;
}

bool cell_unknown(const struct column *c, const void *row)
{
	char buf[2];

	switch (c->type) {
	case COL_STR:
	case COL_CHAR: return !cell_str(c, row, buf);
	case COL_INT:
	case COL_DELTA: return cell_int(c, row) == COL_UNKNOWN_INT;
	case COL_RATIO: return !isfinite(cell_ratio(c, row)); /* a capsule may say anything */
	case COL_UINT:
	case COL_BYTES:
	case COL_HEX:
	case COL_NSEC: break;
	}
	return cell_uint(c, row) == COL_UNKNOWN;
}

size_t cell_size(const struct column *c)
{
	return c->type == COL_CHAR ? 1 : sizeof(uint64_t);
}

static void set(const struct column *c, void *row, const void *v, size_t size)
{
	memcpy((char *)row + c->offset, v, size);
}

void cell_set_uint(const struct column *c, void *row, uint64_t v)
{
	set(c, row, &v, sizeof(v));
}

void cell_set_ratio(const struct column *c, void *row, double v)
{
	set(c, row, &v, sizeof(v));
}

void cell_set_str(const struct column *c, void *row, const char *s)
{
	if (c->type == COL_STR)
		set(c, row, &s, sizeof(s));
	else
		set(c, row, s, 1);
}

void cell_set_unknown(const struct column *c, void *row)
{
	switch (c->type) {
	case COL_STR:
	case COL_CHAR: memset((char *)row + c->offset, 0, cell_size(c)); break;
	case COL_RATIO: cell_set_ratio(c, row, NAN); break;
	case COL_INT:
	case COL_DELTA: cell_set_uint(c, row, (uint64_t)COL_UNKNOWN_INT); break;
	case COL_UINT:
	case COL_BYTES:
	case COL_HEX:
	case COL_NSEC: cell_set_uint(c, row, COL_UNKNOWN); break;
	}
}

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

int cell_cmp(const struct column *c, const void *a, const void *b)
{
	char abuf[2], bbuf[2];

	switch (c->type) {
	case COL_STR:
	case COL_CHAR: return strcmp(cell_str(c, a, abuf), cell_str(c, b, bbuf));
	case COL_INT:
	case COL_DELTA: return CMP(cell_int(c, a), cell_int(c, b));
	case COL_RATIO: return CMP(cell_ratio(c, a), cell_ratio(c, b));
	case COL_UINT:
	case COL_BYTES:
	case COL_HEX:
	case COL_NSEC: break;
	}
	return CMP(cell_uint(c, a), cell_uint(c, b));
}

size_t put_decimal(char *buf, uint64_t v)
{
	char tmp[20];
	size_t n = 0;

	do {
		tmp[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		buf[i] = tmp[n - 1 - i];
	buf[n] = '\0';
	return n;
}

/* [days-]hh:mm:ss, as ps prints cumulative times. */
static size_t put_duration(char *buf, uint64_t ns)
{
	uint64_t s = ns / 1000000000, days = s / 86400;
	char *p = buf;

	if (days)
		p += snprintf(p, CELL_TEXT, "%" PRIu64 "-", days);
	p += snprintf(p, CELL_TEXT - (size_t)(p - buf), "%02u:%02u:%02u", (unsigned)(s / 3600 % 24),
		      (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	return (size_t)(p - buf);
}

static uint64_t in_unit(uint64_t bytes, const struct units *u)
{
	return u->unit == UNIT_KIB     ? bytes >> 10
	       : u->unit == UNIT_PAGES ? bytes / u->page_size
				       : bytes;
}

static size_t delta_text(int64_t v, const struct units *u, char *buf)
{
	uint64_t size = in_unit(v < 0 ? -(uint64_t)v : (uint64_t)v, u);
	size_t sign = v < 0 && size;

	buf[0] = '-';
	return sign + put_decimal(buf + sign, size);
}

size_t uint_text(enum col_type type, uint64_t v, const struct units *u, char *buf)
{
	if (type == COL_DELTA)
		return delta_text((int64_t)v, u, buf);
	if (v == COL_UNKNOWN) {
		memcpy(buf, "-", 2);
		return 1;
	}
	switch (type) {
	case COL_HEX: return (size_t)snprintf(buf, CELL_TEXT, "0x%" PRIx64, v);
	case COL_NSEC: return put_duration(buf, v);
	case COL_BYTES: v = in_unit(v, u); break;
	case COL_STR:
	case COL_CHAR:
	case COL_INT:
	case COL_UINT:
	case COL_DELTA:
	case COL_RATIO: break;
	}
	return put_decimal(buf, v);
}

size_t cell_text(const struct column *c, const void *row, const struct units *u, char *buf)
{
	if (cell_unknown(c, row)) {
		memcpy(buf, "-", 2);
		return 1;
	}
	switch (c->type) {
	case COL_CHAR:
		cell_str(c, row, buf);
		if (buf[0] < ' ' || buf[0] > '~')
			buf[0] = '?';
		return 1;
	case COL_INT: return (size_t)snprintf(buf, CELL_TEXT, "%" PRId64, cell_int(c, row));
	case COL_RATIO: return (size_t)snprintf(buf, CELL_TEXT, "%.3f", cell_ratio(c, row));
	case COL_STR:
	case COL_UINT:
	case COL_BYTES:
	case COL_DELTA:
	case COL_HEX:
	case COL_NSEC: break;
	}
	return uint_text(c->type, cell_uint(c, row), u, buf);
}
