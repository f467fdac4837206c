/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verdict.h - why memory ran out: evidence to rows, by a table of rules. A row has a cause, its
 * figure, the report that shows it, how certain it is and why, and a sentence that says it.
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

#define SHARE_UNKNOWN UINT32_MAX	/* how large the scope is is not known */

struct verdict_row {
	enum verdict_kind kind;
	enum verdict_cause cause;
	bool ranks;		/* it counts or ranks processes, whatever its cause is called */
	uint64_t bytes;		/* its figure; EV_UNKNOWN: none */
	unsigned share;		/* of the scope, thousandths; or SHARE_UNKNOWN */
	bool elsewhere;		/* bytes are outside of the scope: no share of it */
	struct subject subject;	/* who or what has it */
	const char *owner;	/* the same in words; NULL: not one */
	const char *report;	/* the report that shows the figure */
	enum certainty certainty;
	const char *why;	/* it is as certain as that */
	const char *text;
};

struct verdict {
	struct verdict_row *v;
	unsigned n;
	/* of the dump, [PAGE_CLASSES]; NULL: no rule needed them */
	const struct class_counts *classes;
};

/* Rows and texts are in MEM. */
void verdict_find(const struct oom_evidence *e, struct arena *mem, struct verdict *ret);

/* What a report needs for the same verdict as others. */
#define NEED_VERDICT (NEED_LOG | NEED_MACHINE | NEED_TASKS | NEED_VMAS | NEED_CGROUPS)

/* Of S, shared by all who ask. */
const struct verdict *verdict_of(const struct snapshot *s);

const char *verdict_kind_text(enum verdict_kind k);
const char *certainty_text(enum certainty c);

#endif
