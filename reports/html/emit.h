/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emit.h - a snapshot as columns of JSON inside of an HTML page.
 *
 * Each string is stored once, in a table at the end; columns have its number. All text
 * goes through put_json_html(): no string can end the element that contains it.
 */
#ifndef VMCENSUS_HTML_EMIT_H
#define VMCENSUS_HTML_EMIT_H

#include <stdio.h>

#include "dumpread/base/hash.h"
#include "reports/core/cell.h"

struct emit {
	FILE *out;
	struct hash known;		/* hash of a string -> index in strings */
	VEC(const char *) strings;
	struct arena mem;
};

void emit_init(struct emit *e, FILE *out);
void emit_release(struct emit *e);

void emit_uint(struct emit *e, uint64_t v);	/* COL_UNKNOWN: null */
/* Number of S in the table of strings, which keeps the pointer; NULL: null. */
void emit_str(struct emit *e, const char *s);
/* S in place: for strings that occur once. */
void emit_text(struct emit *e, const char *s);
/* A comma, except before the first element. */
void emit_comma(struct emit *e, size_t i);
/* "NAME": {"unit": scale, "v": [...]}: N sizes, the first at V, STRIDE bytes apart; in units
   of PAGE if all are whole pages; a number of -2 or less stands for as many zeros. */
void emit_sizes(struct emit *e, const char *name, const void *v, size_t stride, size_t n,
		uint32_t page);
/* The columns NAMES (ended by NULL; NULL itself: all) of T. */
void emit_table(struct emit *e, const struct table *t, const char *const *names);
/* The table of strings. */
void emit_strings(struct emit *e);

#endif
