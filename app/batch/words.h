/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.h - the words of the command batch. */
#ifndef VMCENSUS_BATCH_WORDS_H
#define VMCENSUS_BATCH_WORDS_H

#include <stdbool.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/diag.h"
#include <stdint.h>

struct batch_words {
	const char **inputs, **types;
	unsigned ninputs, ntypes;
	const char *dir;		/* -o */
	unsigned jobs;			/* -j; 0: one for each processor */
	uint64_t unpack;		/* --unpack, bytes; 0: the default */
	uint64_t memory;		/* --memory, bytes; 0: the default */
	double timeout;			/* --timeout, seconds */
	unsigned shard, shards;		/* --shard; shards 0 or 1: all */
	bool retry, quiet;
};

/* 0, or EXIT_USAGE with a sentence in DIAG. Arrays are in MEM. */
int batch_words(struct batch_words *w, int argc, char **argv, struct arena *mem,
		struct diag *diag);

#endif
