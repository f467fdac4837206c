/* SPDX-License-Identifier: GPL-3.0-or-later */
/* things.h - what many crashes have in common: programs, libraries, objects, caches, classes. */
#ifndef VMCENSUS_FLEET_THINGS_H
#define VMCENSUS_FLEET_THINGS_H

#include "reports/fleet/fleet.h"

struct thing {
	const char *kind, *name;
	enum page_class class;	/* as of struct cost */
	uint64_t *bytes;	/* of each crash that was named to things_of(); 0: it is not there */
};

/* The things of the N crashes V (indices in F), by kind and name; their number. In MEM. */
size_t things_of(const struct fleet *f, const uint32_t *v, uint32_t n, struct arena *mem,
		 struct thing **ret);

#endif
