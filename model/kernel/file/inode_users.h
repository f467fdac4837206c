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

struct hash;

/* Each mm (MAPS), or process that has it open: an index in mms or procs; once for each AT. */
typedef void inode_user_fn(void *arg, uint32_t at, uint32_t user, bool maps);

/* The users of each inode, to FN. BY_INODE, R, issues and scratch memory as below. */
void inode_users_each(const struct snapshot *s, struct reader *r, const struct hash *by_inode,
		      uint32_t n, struct arena *mem, inode_user_fn *fn, void *arg);

/*
 * Fills V[N]; BY_INODE: address of an inode -> index in V. Needs NEED_VMAS. R may be NULL: then
 * only mappings are known. Tables of open files that cannot be read are issues. Scratch memory
 * is taken from MEM.
 */
void inode_users_find(const struct snapshot *s, struct reader *r, const struct hash *by_inode,
		      struct inode_users *v, uint32_t n, struct arena *mem);

#endif
