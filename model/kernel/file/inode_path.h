/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inode_path.h - a path of an inode, by its first name. */
#ifndef VMCENSUS_INODE_PATH_H
#define VMCENSUS_INODE_PATH_H

#include "model/kernel/file/path.h"

/* A mount of the super block, as a vfsmount; 0 if it has none. */
uint64_t sb_mount(const struct kernel *k, struct reader *r, uint64_t sb);

/*
 * Path of the inode at INODE below MNT, a vfsmount; MNT 0: from the root of its file system.
 * In MEM; PATH_UNKNOWN if the inode has no name in the dump, or if the path is longer than
 * *LEFT, the bytes that all paths may still have. " (deleted)" is added as in maps.
 */
const char *inode_path(struct pathwalk *w, uint64_t inode, uint64_t mnt, uint64_t *left,
		       struct arena *mem);

#endif
