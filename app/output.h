/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.h - where the answer goes: stdout, a host's stream, or the file of -o.
 *
 * A file is whole or not there: it is written beside the place it is named for,
 * where possible without a name (O_TMPFILE, so that nothing is left of a killed
 * run), and takes its name when all is on disk. What was there before stays until
 * then. Devices, FIFOs and what /dev/fd or /proc name are written as they are.
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
	FILE *file;		/* write the answer here; NULL: it is not open */
	bool ours;		/* opened here: to be closed */
	bool aside;		/* a new file, that has to take its name */
	bool named;		/* ... and has one already, BESIDE */
	bool exists;		/* the name was there before; what it named is WAS */
	struct stat was;
	char path[PATH_MAX];	/* of -o, without symbolic links at its end */
	char beside[PATH_MAX];
	const char *name;	/* as the user has it, for messages */
};

/*
 * Open for NAME, or for STREAM where that is NULL. Early, so that a name that cannot
 * be written costs no wait. ST_IO with a sentence in DIAG.
 */
enum status output_open(struct output *o, const char *name, FILE *stream, struct diag *diag);
/* Would FILE be written over? */
bool output_is(const struct output *o, const struct stat *file);
/* Does a person see what is written? */
bool output_is_terminal(const struct output *o);
/* All is written: put it where it belongs. ST_IO with DIAG: it is not there. A pipe
   whose reader has seen enough is no failure. */
enum status output_done(struct output *o, struct diag *diag);
/* Let go of it; what is not done never was. */
void output_drop(struct output *o);

#endif
