/* SPDX-License-Identifier: GPL-3.0-or-later */
/* answer.c - the verdict of a snapshot: its evidence, and what the rules make of it. */
#include "model/cause/verdict/verdict.h"
#include "model/shared.h"

static void *make_verdict(const struct snapshot *s, struct arena *mem)
{
	struct verdict *ret = arena_array(mem, struct verdict, 1);
	struct oom_evidence *e = arena_array(mem, struct oom_evidence, 1);

	evidence_gather(s, oom_log_of(s), mem, e);
	verdict_find(e, mem, ret);
	return ret;
}

const struct verdict *verdict_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { .make = make_verdict };

	return shared_view(s, SHARED_VERDICT, &maker);
}
