/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emit.h - a snapshot as columns of JSON inside of an HTML page.
 *
 * Strings stand once, in a table at the end; columns have their numbers. All text
 * is that of put_json_html(): no string can end the element that it stands in.
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
/* S where it stands: for what is told once. */
void emit_text(struct emit *e, const char *s);
/* , but before the first. */
void emit_comma(struct emit *e, size_t i);
/* "NAME": {"unit": scale, "v": [...]}: N sizes, the first at V, STRIDE bytes apart; in
   units of PAGE where all are whole pages; -2 and less: as many zeros. */
void emit_sizes(struct emit *e, const char *name, const void *v, size_t stride, size_t n,
		uint32_t page);
/* The columns NAMES (NULL ends; NULL itself: all) of T. */
void emit_table(struct emit *e, const struct table *t, const char *const *names);
/* The table of strings. */
void emit_strings(struct emit *e);

#endif
