/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rootpath.h - files of another machine's tree, opened as that machine would.
 */
#ifndef VMCENSUS_ROOTPATH_H
#define VMCENSUS_ROOTPATH_H

/*
 * A regular file, open for reading: PATH as seen from ROOT. Absolute symbolic links and
 * ".." do not leave ROOT. -1 if there is none.
 */
int rootpath_open(const char *root, const char *path);

#endif
