/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.h - manifest.jsonl: what became of each dump, a line for each.
 *
 * A line is written, and is on the disk, after the capsule of its dump has its name. So a run
 * that was killed has lines only of what is complete; a last line that was cut off is removed.
 */
#ifndef VMCENSUS_BATCH_MANIFEST_H
#define VMCENSUS_BATCH_MANIFEST_H

#include <stdbool.h>

#include "app/batch/find.h"
#include "dumpread/base/hash.h"

enum outcome {
	OUTCOME_DONE, OUTCOME_INCOMPLETE, OUTCOME_FAILED, OUTCOME_NO_DUMP, OUTCOME_TIMEOUT,
	OUTCOME_MEMORY, OUTCOME_UNPACKED, OUTCOMES
};

/* "done", "timed out" ... */
extern const char *const outcome_names[OUTCOMES];

#define KEY_TEXT 65

struct manifest_line {
	const char *const *files;	/* as the user knows them: of an archive "FILE!MEMBER" */
	unsigned nfiles;
	uint64_t bytes;
	const char *key;		/* of the files: manifest_key() */
	const char *id;			/* of the crash; NULL: not known */
	enum outcome outcome;
	const char *why;		/* NULL: nothing to say */
	double seconds;
	uint64_t memory;		/* bytes at most; 0: not known */
};

struct manifest {
	int fd;
	char path[4096];
	struct hash seen;		/* of keys: outcome of the last line */
	struct arena mem;
};

/* Opens or makes NAME in DIR, and locks it. ST_IO with DIAG. */
enum status manifest_open(struct manifest *m, const char *dir, const char *name,
			  struct diag *diag);
/* The outcome of an earlier run, or -1. */
int manifest_outcome(const struct manifest *m, const char *key);
/* Adds a line, on the disk. ST_IO with DIAG. */
enum status manifest_add(struct manifest *m, const struct manifest_line *l, struct diag *diag);
void manifest_close(struct manifest *m);

/* What makes files the same as in an earlier run: their names, sizes and times. */
void manifest_key(const char *const *files, unsigned n, uint64_t bytes, int64_t changed,
		  char ret[KEY_TEXT]);
#endif
