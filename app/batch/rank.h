/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rank.h - which of several capsules of one crash is kept. */
#ifndef VMCENSUS_BATCH_RANK_H
#define VMCENSUS_BATCH_RANK_H

#include <stdbool.h>

struct rank {
	bool known;		/* the capsule can be read; else all is 0 */
	int level;		/* makedumpfile -d */
	bool damaged;
	char path[4096];	/* of the dump */
	char id[65];		/* "" if it has none */
};

void rank_of(const char *path, struct rank *r);
/*
 * The same in a sandbox, for a process that is in none: a capsule may be anybody's file. KEPT:
 * descriptors that the sandbox does not get; -1: none.
 */
void rank_confined(const char *path, const int kept[2], struct rank *r);
/* Of two dumps of one crash the one that lacks less; the same one in whatever order they come. */
bool rank_is_better(const struct rank *a, const struct rank *b);

#endif
