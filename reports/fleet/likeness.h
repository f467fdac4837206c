/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * likeness.h - of crashes, what is compared, with a number for each name: equal names have equal
 * numbers.
 */
#ifndef VMCENSUS_FLEET_LIKENESS_H
#define VMCENSUS_FLEET_LIKENESS_H

#include "reports/fleet/fleet.h"

#define WORDS_MAX 32u		/* of an owner */

/* What a difference of panics weighs. */
#define WEIGHT_REASON 0.25
#define WEIGHT_FUNCTION 0.30
#define WEIGHT_FRAMES 0.45

/* The numbers of names, from 1 on; 0: no name. */
struct names {
	struct hash at;			/* hash of a name, or the next free one -> its number */
	VEC(const char *) v;
	struct arena *mem;
};

struct weighted {
	uint32_t name;
	double weight;			/* > 0 */
};

struct likeness {
	enum crash_kind kind;
	uint32_t reason, function, limit, cause;
	enum verdict_cause cause_id;
	struct weighted frame[FRAMES_KEPT];	/* each once: the innermost weighs most */
	unsigned nframes;
	uint32_t word[WORDS_MAX];	/* of the subject, each once */
	unsigned nwords;
	struct weighted *share;		/* of RAM, by the number of the class */
	unsigned nshares;
};

/* What is compared of C. Its array is in N->mem. */
void likeness_of(const struct crashed *c, struct names *n, struct likeness *ret);
/* From 0, the same, to 1. Both are of one struct names. */
double likeness_distance(const struct likeness *a, const struct likeness *b);

/* The least and the largest distance of crashes of memory with the names of A and B, whatever
   their censuses are. */
void likeness_bounds(const struct likeness *a, const struct likeness *b, double *least,
		     double *most);

/* At most this far apart are crashes of kind K that are of one cause. */
double likeness_near(enum crash_kind k);

#endif
