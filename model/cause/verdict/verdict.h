/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verdict.h - why memory ran out: evidence to rows, by a table of rules. A row has a cause, its
 * figure, the report that shows it, how certain it is and why. Its sentence is made of its rule and of the
 * evidence (reports/oom/words.h).
 */
#ifndef VMCENSUS_VERDICT_H
#define VMCENSUS_VERDICT_H

#include "model/cause/verdict/evidence.h"

enum certainty {
	CERTAIN,	/* the kernel said so, or the figure leaves nothing else */
	LIKELY,
	GUESS,
};

/* What a row is about, in the order of rows. */
enum verdict_kind {
	VERDICT_EVENT,	/* what happened */
	VERDICT_LIMIT,	/* what could not be exceeded */
	VERDICT_HOLDER,	/* what held the memory; the first is the cause */
	VERDICT_VICTIM,
	VERDICT_MORE,	/* what made it worse */
	VERDICT_KINDS
};

/* That made a row. */
enum verdict_rule {
#define RULE(kind, use, rule, cause, report) VERDICT_BY_##rule,
#include "model/cause/verdict/rules.def"
	VERDICT_RULES
};

/* Why a dump that is not whole makes a row less certain. */
enum verdict_doubt {
	DOUBT_NONE,
	DOUBT_FOUND,	/* some processes were not found */
	DOUBT_LOST,	/* a part of the dump is missing */
	DOUBT_UNLISTED,	/* not all variables of the kernel are known */
	DOUBT_LOG,	/* a part of the log could not be read */
};

#define SHARE_UNKNOWN UINT32_MAX	/* how large the scope is is not known */

struct verdict_row {
	enum verdict_kind kind;
	enum verdict_rule rule;
	enum verdict_cause cause;
	enum use use;		/* of a holder: of that memory; else USES */
	bool ranks;		/* it counts or ranks processes, whatever its cause is called */
	uint64_t bytes;		/* its figure; EV_UNKNOWN: none */
	unsigned share;		/* of the scope, thousandths; or SHARE_UNKNOWN */
	bool elsewhere;		/* bytes are outside of the scope: no share of it */
	struct subject subject;	/* who or what has it */
	bool told;		/* the owner of its use has enough of it to be named */
	const char *report;	/* the report that shows the figure */
	enum certainty certainty;
	enum verdict_reason why;	/* it is as certain as that */
	enum verdict_doubt doubt;	/* and why not more; what was certain (now LIKELY) has no other reason */
};

struct verdict {
	struct verdict_row *v;
	unsigned n;
	const struct oom_evidence *e;	/* that it was made of */
};

/* Rows are in MEM; the verdict keeps E. */
void verdict_find(const struct oom_evidence *e, struct arena *mem, struct verdict *ret);

/* What a report needs for the same verdict as others. */
#define NEED_VERDICT (NEED_LOG | NEED_MACHINE | NEED_TASKS | NEED_VMAS | NEED_CGROUPS)

/* Of S, shared by all who ask. */
const struct verdict *verdict_of(const struct snapshot *s);

const char *verdict_kind_text(enum verdict_kind k);

#endif
