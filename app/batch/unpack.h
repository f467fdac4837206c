/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unpack.h - the dumps inside compressed files and archives.
 */
#ifndef VMCENSUS_BATCH_UNPACK_H
#define VMCENSUS_BATCH_UNPACK_H

/*
 * Writes each member of the archive or compressed file PATH that may be a dump to the directory
 * DIR, under its name with '/' as '!'. Pages of zeros become holes. The archive is read in a
 * sandbox, because it may be hostile. Returns an exit status, and writes a sentence to stderr if
 * it is not 0.
 */
int unpack(const char *path, const char *dir);

#endif
