/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spool.h - a dump that comes through standard input, or is packed. */
#ifndef VMCENSUS_SPOOL_H
#define VMCENSUS_SPOOL_H

#include "app/run.h"

/*
 * If standard input is an image of RUN: makes it a file that can be read in any order. A pipe is
 * written to a file without a name in $TMPDIR (/var/tmp), which is gone with the process; pages of
 * zeros take no space.
 *
 * If the only image of RUN is a packed dump (gzip, bzip2, xz, zstd, lz4), or what virsh saved packed: expands it in a
 * sandbox to such a file, which stands for the image from now on. So is each of two that are compared, if it is one file.
 * 0, or EXIT_NO_ANSWER with DIAG.
 */
int spool_images(struct run *run);

/* Is the file PATH a packed dump, which would be expanded? Its first bytes are, in a sandbox. A packed log is none. */
bool spool_is_packed_dump(const char *path);

#endif
