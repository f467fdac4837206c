/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.h - the destination of the output: stdout, a host's stream, or the file of -o.
 *
 * A file is complete or absent. It is written beside its final name, if possible without a
 * name (O_TMPFILE, so that a killed run leaves nothing), and gets its name when all is on
 * disk. Until then the earlier file stays. Devices, FIFOs and paths in /dev/fd or /proc
 * are written in place.
 */
#ifndef VMCENSUS_OUTPUT_H
#define VMCENSUS_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "dumpread/base/diag.h"

/* Zero, then output_open(). */
struct output {
	FILE *file;		/* write the output here; NULL: it is not open */
	bool ours;		/* opened here: to be closed */
	bool aside;		/* a new file that has yet to get its name */
	bool named;		/* ... and has one already, BESIDE */
	bool exists;		/* the name existed before; WAS is its file */
	struct stat was;
	char path[PATH_MAX];	/* of -o, without symbolic links at its end */
	char beside[PATH_MAX];
	const char *name;	/* as the user wrote it, for messages */
};

/*
 * Opens NAME, or uses STREAM if NAME is NULL. Called early, so that a name that cannot be
 * written costs no wait. ST_IO with a sentence in DIAG.
 */
enum status output_open(struct output *o, const char *name, FILE *stream, struct diag *diag);
/* Would FILE be written over? */
bool output_is(const struct output *o, const struct stat *file);
/* Does a person read the output? */
bool output_is_terminal(const struct output *o);
/* All is written, as far as this process knows: empties its buffer. ST_IO with DIAG. */
enum status output_flush(struct output *o, struct diag *diag);
/* The same, and all is written: give the file its name. ST_IO with DIAG: it is not there. If the reader of a
   pipe has closed it, that is no failure. */
enum status output_done(struct output *o, struct diag *diag);
/* Releases it; a file that is not done disappears. */
void output_drop(struct output *o);

#endif
