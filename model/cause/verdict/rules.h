/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules.h - the rules of a verdict by kind; private to model/cause/verdict/. */
#ifndef VMCENSUS_VERDICT_RULES_H
#define VMCENSUS_VERDICT_RULES_H

#include "model/cause/verdict/verdict.h"

struct judge {
	const struct oom_evidence *e;
	struct arena *mem;
	const struct verdict_row *holder;	/* the first, once it is known; else NULL */
	const struct ev_owner *owner;		/* of its use */
	uint64_t weight;			/* bytes that it is told for */
};

/* Fills R if the rule holds: figure, certainty, why, text; cause and report are the table's,
   unless it sets them. */
typedef bool rule_fn(const struct judge *j, struct verdict_row *r);

struct cause_rule {
	enum verdict_cause cause;
	const char *report;
	rule_fn *holds;
};

extern const struct cause_rule event_rules[], limit_rules[], more_rules[], victim_rules[]; /* VC_NONE
											 ends */

/* Of a use of memory; of several of one use the first that holds is taken. */
struct holder_rule {
	enum use use;
	struct cause_rule rule;
};

extern const struct holder_rule holder_rules[];

/* "12 MiB" */
const char *size_text(const struct judge *j, uint64_t bytes);
/* Is a list of nodes ("0-1") a single one? */
bool nodes_are_one(const char *list);
/* "84 % of RAM", of the limit, of those nodes */
const char *share_text(const struct judge *j, uint64_t bytes);
const char *proc_text(const struct judge *j, const char *comm, int64_t pid);

/* FIG: is A at least THOUSANDTHS of B? */
static inline bool is_part(uint64_t a, uint64_t b, unsigned thousandths)
{
	return a != EV_UNKNOWN && b != EV_UNKNOWN && (double)a * 1000 >= (double)b * thousandths;
}

#endif
