/* SPDX-License-Identifier: GPL-3.0-or-later */
/* things.h - what many crashes have in common: programs, libraries, objects, caches, classes. */
#ifndef VMCENSUS_FLEET_THINGS_H
#define VMCENSUS_FLEET_THINGS_H

#include "reports/fleet/fleet.h"

/* What a thing costs in the crash that was named at AT to things_of(). */
struct price {
	uint32_t at;
	uint64_t bytes;
};

struct thing {
	const char *kind, *name;
	enum page_class class;	/* as of struct cost */
	struct price *v;	/* in the order of AT, each once: of those that have it */
	uint32_t n;
};

/* The things of the N crashes V (indices in F), by kind and name; their number. In MEM. */
size_t things_of(const struct fleet *f, const uint32_t *v, uint32_t n, struct arena *mem,
		 struct thing **ret);

#endif
