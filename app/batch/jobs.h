/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jobs.h - one dump, or one archive, in a process.
 */
#ifndef VMCENSUS_BATCH_JOBS_H
#define VMCENSUS_BATCH_JOBS_H

#include <sys/types.h>

#include "app/batch/manifest.h"

/* What all jobs have in common. */
struct job_opts {
	const char *dir;		/* of the result */
	const char *scratch;		/* below it, for what is not complete */
	const char **types;		/* -t FILE */
	unsigned ntypes;
	const char *layouts;		/* directory of the kernels' layouts (app/keep.h) */
	uint64_t memory;		/* bytes for one job */
	unsigned threads;		/* of one job */
	double timeout;			/* seconds */
	uint64_t unpack;		/* bytes that an archive may unpack to */
	int lock;			/* descriptor that a job must not keep */
	int placing;			/* locked while a capsule gets its name, where others write
					   to DIR as well; -1: they do not */
};

struct job {
	const struct found_dump *dump;
	const char *const *names;	/* of its files, for people */
	char key[KEY_TEXT];
	struct job *archive;		/* in which it is; NULL: in none */
	unsigned left;			/* of an archive: dumps in it that are not done */
	pid_t pid;			/* 0: it does not run */
	unsigned no;			/* names its files in the scratch directory */
	double began;			/* seconds of CLOCK_MONOTONIC */
	int err;			/* what it says, in memory; -1: it did not run */
	unsigned tries;			/* before this one, which were ended from outside */
	const char *torn;		/* of an archive: why not all of it is there; NULL: it is */
	bool killed;			/* it took too long */
	bool asks;			/* only for the identity: no capsule is made */
	bool again;			/* it has lost types: now it may use those of the others */
};

double job_now(void);
/* Starts it. ST_IO with DIAG. */
enum status job_start(struct job *j, const struct job_opts *o, struct diag *diag);
void job_kill(struct job *j);
/* To be called now and then while it runs: what it says is in memory, and it may say too much. */
void job_trim(struct job *j);
/* Directory into which an archive is unpacked. */
void job_unpacked_dir(const struct job *j, const struct job_opts *o, char *buf, size_t size);

/* The identity that a job which ASKS has found; false: the dump has none. */
bool job_identity(const struct job *j, const struct job_opts *o, char id[KEY_TEXT]);
/* Removes what it has written and nobody asks for any more. */
void job_forget(struct job *j, const struct job_opts *o);

/* Did it say that another dump of its kernel would help? */
bool job_has_lost_types(const struct job *j);

/* Did somebody else end it, as the kernel does when memory is short, or whoever stops services? */
bool job_ended_outside(const struct job *j, int status);

/*
 * J ended with STATUS of waitpid() and MEMORY bytes: puts its capsule into the directory, and
 * fills L, whose strings are in MEM. ST_IO with DIAG: what it makes cannot be written, and the
 * batch cannot go on: nothing is known of the dump.
 */
enum status job_end(struct job *j, const struct job_opts *o, int status, uint64_t memory,
		    struct manifest_line *l, struct arena *mem, struct diag *diag);

#endif
