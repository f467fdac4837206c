/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doubt.c - rows of a verdict from a dump that is not whole.
 *
 * The kernel's counters and its log are whole or unknown. Who has most is found by walks: where a process
 * or an object is not in the dump, another one is taken for the largest.
 */
#include "model/cause/verdict/doubt.h"

static void lower(struct verdict_row *r, enum verdict_doubt doubt)
{
	r->doubt = doubt;
	r->certainty = r->certainty == CERTAIN ? LIKELY : GUESS;
}

void verdict_doubt(struct verdict *v)
{
	const struct oom_evidence *e = v->e;

	for (unsigned i = 0; i < v->n; i++) {
		struct verdict_row *r = &v->v[i];

		if (e->found && !e->from_log && r->ranks)
			lower(r, DOUBT_FOUND);
		else if (e->lost && r->certainty == CERTAIN && r->kind == VERDICT_HOLDER)
			lower(r, DOUBT_LOST);
		else if (e->unlisted && r->certainty == CERTAIN && r->kind == VERDICT_HOLDER)
			lower(r, DOUBT_UNLISTED);
		else if (e->log_partial && r->kind == VERDICT_EVENT)
			lower(r, DOUBT_LOG);
	}
}
