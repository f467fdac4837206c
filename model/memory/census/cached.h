/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cached.h - the page cache of all files, mapped or not: every address_space that has a page in
 * memory, with its file and the processes that use it.
 */
#ifndef VMCENSUS_CENSUS_CACHED_H
#define VMCENSUS_CENSUS_CACHED_H

#include "model/kernel/file/inode_users.h"
#include "model/memory/frames/classes.h"

struct cached_file {
	const struct cache_owner *owner;	/* its kind and pages */
	const char *path;		/* "(inode N)": it has no name in the dump; "(?)" */
	const char *fs;			/* name of the file system's type; NULL: not known */
	uint64_t inode;			/* kernel address; 0: not known */
	uint32_t dev_major, dev_minor;	/* of the file system; of CACHE_BDEV: the device itself */
	uint64_t ino, size;		/* size: bytes. UINT64_MAX: not known */
	bool unlinked;			/* no name leads to it */
	bool lost;			/* its inode is not readable */
	struct inode_users users;
};

struct cached {
	struct cached_file *v;		/* in the order of addresses of mappings */
	uint32_t n;
	struct page_classes *own;	/* a pass of its own, if there are too many; else NULL */
};

/* Of S, shared by all who ask. Needs NEED_VMAS. */
const struct cached *cached_of(const struct snapshot *s);

#endif
