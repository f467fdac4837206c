/* SPDX-License-Identifier: GPL-3.0-or-later */
/* open_files.h - the tables of open files of all processes. */
#ifndef VMCENSUS_OPEN_FILES_H
#define VMCENSUS_OPEN_FILES_H

#include "model/model.h"

/*
 * FN for each descriptor of each process, in the order of procs; FILE is the address of a struct
 * file that may be a kernel object, and comes once for each descriptor of it. A process's threads
 * may have tables of their own. A table that cannot be read is an issue. False: this kernel, or its
 * layout file, does not show open files.
 */
bool open_files_walk(const struct snapshot *s, struct reader *r,
		     void (*fn)(void *arg, uint32_t proc, uint64_t file), void *arg);

#endif
