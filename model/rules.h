/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.h - behaviour of the kernel's accounting that changed without a trace
 * in its types. These few are asked by version; everything else by layout.
 * rules.c holds them as one table, each with the commit and the stable
 * releases that took it, and "vmcensus layout" prints them.
 */
#ifndef VMCENSUS_RULES_H
#define VMCENSUS_RULES_H

#include <stdbool.h>

struct kernel;

enum rule {
#define RULE(id, ...) id,
#include "model/rules.def"
#undef RULE
	RULE_COUNT
};

struct rules {
	bool on[RULE_COUNT];
};

struct rule_spec {
	const char *name;
	const char *about;
	/* first mainline version with the behaviour, 0.0 = always ... */
	int from_major, from_minor;
	/* ... and first without it again, 0.0 = still so */
	int until_major, until_minor;
	/* stable trees that took it: "5.10.223 5.15.135", "" none */
	const char *backports;
};

extern const struct rule_spec rule_specs[RULE_COUNT];

/* Decide all rules from k->version. */
void rules_decide(struct kernel *k);

#endif
