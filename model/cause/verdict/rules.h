/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules.h - the rules of a verdict by kind; private to model/cause/verdict/. */
#ifndef VMCENSUS_VERDICT_RULES_H
#define VMCENSUS_VERDICT_RULES_H

#include "model/cause/verdict/verdict.h"

struct judge {
	const struct oom_evidence *e;
	const struct verdict_row *holder;	/* the first, once it is known; else NULL */
	const struct ev_owner *owner;		/* of its use */
	uint64_t weight;			/* bytes that it is told for */
};

/* Fills R if the rule holds: figure, certainty, why; cause and report are those of rules.def, unless it sets them. */
typedef bool rule_fn(const struct judge *j, struct verdict_row *r);

#define RULE(kind, use, rule, cause, report) rule_fn rule_##rule;
#define ALIKE(use, rule, cause, report)
#include "model/cause/verdict/rules.def"

/* The size of the use of R, and who has most of it. */
rule_fn rule_of_use;

#endif
