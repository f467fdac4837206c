/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * met.h - which part of a build met which issues, so that a snapshot that was built for several
 * reports can tell each of them its own.
 */
#ifndef VMCENSUS_MET_H
#define VMCENSUS_MET_H

#include "model/model.h"

struct met {
	struct met *next;
	unsigned runs_for;		/* enum need: the part runs if one of these is built */
	unsigned depends;		/* what it meets depends on which of these are built */
	struct issues issues;
};

/* Around a part of the build of S. PART is the caller's. Did it meet any? */
void met_begin(const struct snapshot *s, struct issues_part *part);
bool met_end(struct snapshot *s, struct issues_part *part, unsigned runs_for, unsigned depends);
/* A build with one of RUNS_FOR would meet other issues if another choice of DEPENDS were built. */
void met_depends(struct snapshot *s, unsigned runs_for, unsigned depends);
void met_free(struct snapshot *s);

/* Would a snapshot that has BUILT alone have met the same as S, of what it builds? */
bool met_alike(const struct snapshot *s, unsigned built);
/* Adds to IS what it would have met; how much. IS may be NULL. */
uint64_t met_by(const struct snapshot *s, unsigned built, struct issues *is);

#endif
