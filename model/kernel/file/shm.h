/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shm.h - the objects of shared memory: files of tmpfs and devtmpfs, memfd, SysV segments,
 * shared anonymous memory; also objects that nobody maps. Also files of hugetlbfs, which
 * the kernel counts separately (not in Shmem).
 */
#ifndef VMCENSUS_SHM_H
#define VMCENSUS_SHM_H

#include "model/kernel/file/inode_users.h"

enum shm_kind { SHM_TMPFS, SHM_MEMFD, SHM_SYSV, SHM_ANON, SHM_KERNEL, SHM_HUGETLB };

struct shm_object {
	uint64_t inode;		/* kernel address */
	enum shm_kind kind;
	const char *path;
	uint64_t ino;		/* of a segment: the shmid (newseg(), ipc/shm.c) */
	uint64_t key;		/* of a segment */
	bool segment;		/* of SysV; SHM_SYSV or SHM_HUGETLB */
	uint64_t size;		/* bytes */
	uint64_t resident, swapped;	/* pages */
	uint32_t uid;
	bool unlinked;		/* no name leads to it */
	bool regular;		/* no directory, link, device */
	struct inode_users users;
};

struct shm {
	struct shm_object *v;
	uint32_t n;
	bool whole;		/* all file systems were walked */
};

/* Of S, shared by all who ask. Needs VMAs; data that cannot be read is an issue. */
const struct shm *shm_of(const struct snapshot *s);

#endif
