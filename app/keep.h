/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * keep.h - layouts of kernels, kept by build-id (dumpread/find/kept_layout.h): where they are looked for, and one more.
 *
 * The process that reads the dump writes the layout to a file in memory. The one outside names it by the build-id
 * that it says, and by nothing else of it.
 */
#ifndef VMCENSUS_KEEP_H
#define VMCENSUS_KEEP_H

#include "app/run.h"

/* Sets run->layouts: --layouts DIR, and vmcensus/layouts in the user's cache ($XDG_CACHE_HOME, else ~/.cache). */
void keep_find(struct run *run);

/* Before the dump is read: makes the file in memory if a layout is to be kept. 0, or an exit status with a sentence. */
int keep_begin(struct run *run);

/*
 * Where the dump is read: writes the layout of its kernel, if all of it is the dump's own or a vmlinux's. Returns
 * STATUS; or, if the user asked for it (--keep) and it is not, EXIT_NO_ANSWER with a sentence.
 */
int keep_write(struct run *run, int status);

/* Outside: gives it its name. Returns STATUS, or the exit status of a failure, which was told. */
int keep_end(struct run *run, int status);

#endif
