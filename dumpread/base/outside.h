/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outside.h - files of the analysing machine, by name. Everything behind the seam opens them
 * here, and nowhere else: in a sandbox (app/sandbox/sandbox.h) the process cannot open any, and asks
 * the one outside, which decides.
 *
 * A process is in a sandbox or it is not, so this is a property of the process, and the only
 * one that is not in an object.
 */
#ifndef VMCENSUS_OUTSIDE_H
#define VMCENSUS_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dumpread/base/diag.h"

/* What an export makes in its tree. */
struct outside_entry {
	enum outside_kind { OUTSIDE_FILE, OUTSIDE_DIR, OUTSIDE_LINK } kind;
	const char *path;	/* below the tree */
	const char *target;	/* of a link */
	bool owned;		/* give it to UID and GID */
	uint32_t uid, gid;
};

/* The way out of a sandbox. Descriptors belong to the caller; -1: errno says why not. */
struct outside {
	void *arg;
	int (*open)(void *arg, const char *path);
	bool (*real_path)(void *arg, const char *path, char *real, size_t size);
	int (*open_below)(void *arg, const char *root, const char *path);
	/* As debuginfod_ask(). */
	enum status (*debuginfo)(void *arg, const uint8_t *id, unsigned len, char **path,
				 struct diag *diag);
	/* A socket to a process that serves the dump in FDS by libkdumpfile. */
	int (*kdumpfile)(void *arg, unsigned n, const int *fds);
	enum status (*tree_open)(void *arg, const char *path, bool *owners, struct diag *diag);
	int (*tree_make)(void *arg, const struct outside_entry *e);
	enum status (*tree_close)(void *arg, bool drop, struct diag *diag);
	int status;		/* /proc/self/status, opened; -1: there is none */
};

/* From now on this process asks O; NULL: it opens files itself. */
void outside_use(const struct outside *o);
/* Who is asked, NULL if this process is in no sandbox. */
const struct outside *outside_now(void);

/* Opens PATH for reading, without waiting for the writer of a pipe. -1: errno says why not. */
int outside_open(const char *path);
/* The same as a stream. */
FILE *outside_fopen(const char *path);
/* Can PATH be read? */
bool outside_readable(const char *path);
/* Is there a file of that name, whether it can be read or not? */
bool outside_exists(const char *path);
/* As realpath(); REAL has PATH_MAX bytes. */
bool outside_real_path(const char *path, char *real);

#endif
