/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * where.h - the rows a user asks for: --where EXPR.
 *
 *     expr  = and { "or" and }
 *     and   = not { "and" not }
 *     not   = "not" not | "(" expr ")" | COLUMN OP VALUE
 *     OP    = "=" "!=" "<" "<=" ">" ">=" "~" "!~"      ("==" is "=")
 *     "and" is also "&&", "or" is "||", "not" is "!".
 *     VALUE = a word, or a string in '...' or "..."; a column whose numbers mean the same as those of COLUMN
 *
 * Numbers: decimal or 0x..., sizes with K, M, G, T (powers of 1024), times in
 * seconds or with ns, us, ms, s, m, h, d. Text compares by bytes; "~" is a
 * POSIX extended regular expression that matches anywhere. The bare word "-"
 * stands for an unknown value; otherwise an unknown cell satisfies nothing.
 */
#ifndef VMCENSUS_WHERE_H
#define VMCENSUS_WHERE_H

#include "reports/core/report.h"

struct where;

/*
 * Compiles TEXT against COLS. On error *ret is NULL and DIAG has the reason; for an
 * unknown column, also the names of all columns.
 */
enum status where_parse(const char *text, const struct column *cols, unsigned ncols,
			struct diag *diag, struct where **ret);
void where_free(struct where *w);
/* enum need of the columns that W (may be NULL) compares. */
unsigned where_needs(const struct where *w);

/* Does W (may be NULL) compare this column? */
bool where_uses(const struct where *w, const struct column *c);

bool where_match(const struct where *w, const void *row);

#endif
