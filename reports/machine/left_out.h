/* SPDX-License-Identifier: GPL-3.0-or-later */
/* left_out.h - which page frames a dump does not hold, by kind, and why. */
#ifndef VMCENSUS_LEFT_OUT_H
#define VMCENSUS_LEFT_OUT_H

#include "model/memory/trust/absent_frames.h"
#include "reports/core/report.h"

struct left_out {
	struct { const char *key, *note; uint64_t frames; } v[ABSENT_KINDS + 2];
	unsigned n;
	uint64_t kernels_own;	/* bytes of them that a filter took for the users'; 0: none */
	int level;		/* of makedumpfile; -1: not known */
	const char *kept;	/* what it should have left out, in words; NULL: nothing */
};

/* Strings live in MEM. No kind: the image has all frames, or is no dump. */
void left_out_count(const struct snapshot *s, struct arena *mem, struct left_out *ret);
/* Adds to C what a reader has to know of that, or whoever is given the file. */
void left_out_causes(const struct left_out *l, struct causes *c);

#endif
