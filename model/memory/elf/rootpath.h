/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rootpath.h - files of another machine's tree, opened as that machine would.
 */
#ifndef VMCENSUS_ROOTPATH_H
#define VMCENSUS_ROOTPATH_H

#include <stdbool.h>

/*
 * A regular file, open for reading: PATH as seen from ROOT. Absolute symbolic links and
 * ".." do not leave ROOT. -1 if there is none.
 */
int rootpath_open(const char *root, const char *path);
/* Is there one, whether it can be read or not? */
bool rootpath_exists(const char *root, const char *path);

#define ROOTPATH_PASSWD "/etc/passwd"	/* the one file there that is not ELF */

#endif
