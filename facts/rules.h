/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.h - behaviour of the kernel's accounting that changed without a trace
 * in its types. These few are asked by version; everything else by layout.
 * rules.def has one line per rule, with the commit and the stable releases that
 * took it; "vmcensus layout" prints them.
 */
#ifndef VMCENSUS_RULES_H
#define VMCENSUS_RULES_H

#include <stdbool.h>

#include "facts/release.h"

enum rule {
#define RULE(id, ...) id,
#include "facts/rules.def"
#undef RULE
	RULE_COUNT
};

struct rules {
	bool on[RULE_COUNT];
};

struct rule_spec {
	const char *name;
	const char *about;
	struct era era;
	const char *backports;	/* stable releases that took it: "5.10.223 5.15.135", "" none */
};

extern const struct rule_spec rule_specs[RULE_COUNT];

/* Which rules hold for a kernel of this release. */
void rules_decide(const struct release *v, struct rules *ret);

#endif
