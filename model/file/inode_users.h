/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inode_users.h - the processes that map a file, or have it open. */
#ifndef VMCENSUS_INODE_USERS_H
#define VMCENSUS_INODE_USERS_H

#include "model/model.h"

struct inode_users {
	uint32_t nvmas, mappers;	/* vmas, and processes, that map it */
	uint32_t openers;		/* processes that have it open */
	uint32_t first;			/* index in procs: first process of either kind, or NONE */
};

/*
 * Fills V[N]; BY_INODE: address of an inode -> index in V. Needs NEED_VMAS. R may be NULL: then
 * only mappings are known. Tables of open files that cannot be read are issues. Scratch memory
 * is taken from MEM.
 */
struct hash;
void inode_users_find(const struct snapshot *s, struct reader *r, const struct hash *by_inode,
		      struct inode_users *v, uint32_t n, struct arena *mem);

#endif
