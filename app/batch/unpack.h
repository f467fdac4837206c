/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unpack.h - the dumps inside compressed files and archives.
 */
#ifndef VMCENSUS_BATCH_UNPACK_H
#define VMCENSUS_BATCH_UNPACK_H

#include <stdint.h>

/* Exit status: the directory cannot be written, and the archive is not to blame. */
#define UNPACK_OURS 3

/*
 * Writes each member of the archive or compressed file PATH that may be a dump to the directory
 * DIR, under its name with '/' as '!', and "~2" behind the second of one name. Pages of zeros
 * become holes; the others take MOST bytes at most. The archive is read in a sandbox, because it may be
 * hostile. Returns an exit status, and writes a sentence to stderr if it is not 0. EXIT_DAMAGED: what
 * was written so far is there, the last file perhaps not whole.
 */
int unpack(const char *path, const char *dir, uint64_t most);

/* Exit status: no dump is packed there. Nothing is said. */
#define UNPACK_NO_DUMP 4

/*
 * The same of one dump that is packed (gzip, bzip2, xz, zstd, lz4) from byte AT of PATH on, to the empty file FD, of
 * any size; -1: it is only looked whether one is packed there. EXIT_DAMAGED: what was expanded before the damage is there. libarchive (3.6) does not compare the sum and
 * the length at the end of gzip.
 */
int unpack_stream(const char *path, uint64_t at, int fd);

#endif
