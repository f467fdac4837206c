/* SPDX-License-Identifier: GPL-3.0-or-later */
/* damage.h - what is wrong with a dump as a whole, in words. */
#ifndef VMCENSUS_DAMAGE_H
#define VMCENSUS_DAMAGE_H

#include <stdbool.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/causes.h"

struct snapshot;

struct damage {
	const char *key;	/* a word that does not change: "cut" */
	uint64_t n;		/* its number (pages, processes, bytes, rules), COL_UNKNOWN */
	const char *unit;	/* of it */
	bool loss;		/* results lack something; false: it is only told */
	const char *text;	/* a sentence, without a period */
};

/* The words for C; in MEM. */
void damage_words(const struct cause *c, struct arena *mem, struct damage *ret);
/* All causes of S: those of the file, and those that the parts of S show that are built. FIRST: only those that need
   no process. */
void damage_causes(const struct snapshot *s, bool first, struct causes *ret);

#endif
