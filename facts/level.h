/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * level.h - which mainline release the memory management of a kernel follows.
 *
 * A distribution keeps the number of an old release and takes whole subsystems of newer ones.
 * levels.def names one function for each release that matters to a rule. The level of a kernel
 * is its release, corrected by them:
 *
 *   - it rises as long as the function of the next release is there: one that is missing ends
 *     it, so that a single change taken early does not count as all that came before it;
 *   - it falls to the newest function at or below the release that is there. A kernel does not
 *     lose what its release has. A release that is newer than the list is believed.
 */
#ifndef VMCENSUS_LEVEL_H
#define VMCENSUS_LEVEL_H

#include <stdbool.h>

#include "facts/layout.h"
#include "facts/release.h"

struct level {
	bool known;	/* the functions of the kernel are listed, and its release is known */
	int version;	/* V() or V26(); not known: of the release */
};

/* The newest release of levels.def: what changed later is told by the release alone. */
int level_newest(void);

/* May a kernel of level L be of the release VERSION? Not if it lacks a function of that. */
bool level_may_be(const struct level *l, int version);

/* LISTED: a function that L lacks is one that the kernel lacks. */
struct level level_decide(const struct release *v, const struct layout *l, bool listed);

#endif
