/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * find.h - the dumps that a user named, by file, by directory, or in a list.
 *
 * A file that is named is a dump, whatever is in it. In a directory those are taken that begin
 * as a dump or as an archive does, and those named vmcore*; others are counted. A text file whose
 * first line names a file is a list: a name on each line, relative to the list. The parts
 * of a split dump that lie in one directory are one dump.
 */
#ifndef VMCENSUS_BATCH_FIND_H
#define VMCENSUS_BATCH_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/diag.h"

struct found_dump {
	const char **paths;	/* its files; of a split dump in the order of frames */
	unsigned npaths;
	uint64_t bytes;		/* of all of them */
	int64_t changed;	/* ns since 1970: the newest change of one of them */
	bool packed;		/* compressed, or an archive: the dump is inside */
	bool named;		/* by the user; else found in a directory */
};

struct found {
	VEC(struct found_dump) v;	/* in the order of names */
	unsigned long others;		/* files in directories that are no dumps */
	struct arena *mem;		/* owns all */
};

/* Is a file in a directory taken that begins with HEAD (N bytes, FIND_HEAD of them unless it has fewer)? NAME
   is its own, without directories. */
#define FIND_HEAD 512
bool find_takes(const char *name, const uint8_t *head, size_t n);
/* Adds the dumps of NAME. ST_IO with DIAG if it cannot be read. */
enum status find_dumps(struct found *f, const char *name, struct diag *diag);
/* To be called once all are added: joins split dumps, orders them, and drops doubles. */
void find_done(struct found *f);

#endif
