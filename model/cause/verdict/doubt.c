/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doubt.c - rows of a verdict from a dump that is not whole.
 *
 * The kernel's counters and its log are whole or unknown. Who has most is found by walks: where a process
 * or an object is not in the dump, another one is taken for the largest.
 */
#include "model/cause/verdict/doubt.h"

#include <string.h>

#include "dumpread/base/bytes.h"

static void lower(struct verdict_row *r, struct arena *mem, const char *why)
{
	if (r->certainty == CERTAIN)
		r->why = why;
	else
		r->why = arena_printf(mem, "%s; %s", r->why, why);
	r->certainty = r->certainty == CERTAIN ? LIKELY : GUESS;
}

/* "... together, 32 % of RAM (of those found: 206 of 234 processes)." */
static const char *with_found(const char *text, const char *found, struct arena *mem)
{
	size_t n = strlen(text);

	n -= n && text[n - 1] == '.';
	return arena_printf(mem, "%.*s (of those found: %s).", (int)n, text, found);
}

void verdict_doubt(const struct oom_evidence *e, struct arena *mem, struct verdict *v)
{
	for (unsigned i = 0; i < v->n; i++) {
		struct verdict_row *r = &v->v[i];

		if (e->found && !e->from_log && r->ranks) {
			r->text = with_found(r->text, e->found, mem);
			lower(r, mem, arena_printf(mem, "%s were found", e->found));
		} else if (e->lost && r->certainty == CERTAIN && r->kind == VERDICT_HOLDER) {
			lower(r, mem, e->lost);
		} else if (e->log_partial && r->kind == VERDICT_EVENT) {
			lower(r, mem, "a part of the log could not be read");
		}
	}
}
