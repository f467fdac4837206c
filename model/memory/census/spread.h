/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread.h - the classes of a census divided once more: by node, zone, migrate type, order, or the
 * control group that is charged. Each frame is counted once, so that the parts of a class add up
 * to it.
 */
#ifndef VMCENSUS_CENSUS_SPREAD_H
#define VMCENSUS_CENSUS_SPREAD_H

#include "model/memory/census/census.h"

enum spread_by {
	SPREAD_NODE, SPREAD_ZONE,
	SPREAD_MIGRATETYPE,		/* of the pageblock */
	SPREAD_ORDER,			/* of the free block or compound page */
	SPREAD_CGROUP,
	SPREADS
};

struct spread_part {
	const char *key;		/* "0", "0 Normal", "Movable", "3", "/a.slice"; NULL: not
					   known, or of none */
	uint64_t pages[PAGE_CLASSES];
};

struct spread {
	struct spread_part *v;		/* nodes, zones, orders ascending; groups by size */
	uint32_t n;
};

/* The kind named NAME ("node", "zone", ...); SPREADS: there is none. */
enum spread_by spread_named(const char *name);
/* Their names, and NULL. */
extern const char *const spread_names[SPREADS + 1];

/* In MEM. ST_ABSENT: this kernel does not show it. SPREAD_CGROUP needs NEED_CGROUPS. */
enum status spread_build(const struct snapshot *s, const struct census *c, enum spread_by by,
			 struct arena *mem, struct spread *ret);

#endif
