/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcounts.h - dentries, inodes and open files that have more references than pointers lead to them, by super block.
 *
 * A word of the kernel's memory that is the address of such an object is one reference, unless it is known to be none.
 * Too many count, never too few: what is left over is a reference that nobody can give back.
 */
#ifndef VMCENSUS_REFCOUNTS_H
#define VMCENSUS_REFCOUNTS_H

#include "model/memory/reach/reach.h"

#define REFCOUNTS_GROUPS 4096u

enum refcounts_type { REFCOUNTS_DENTRY, REFCOUNTS_INODE, REFCOUNTS_FILE, REFCOUNTS_TYPES };

struct refcounts_group {
	enum refcounts_type type;
	uint64_t sb; /* kernel address of the super block */
	const char *fs, *device, *mount; /* NULL: not known, or it has none */
	uint64_t objects, excess; /* excess: references above pointers, of all */
	uint64_t bytes; /* with metadata, and of the dentries and inodes that they keep; each once in all groups */
	uint64_t example; /* kernel address */
	const char *name; /* path of it; NULL: not known */
};

struct refcounts {
	struct refcounts_group *v; /* largest first */
	uint32_t n;
	uint64_t seen[REFCOUNTS_TYPES]; /* objects that were compared */
	bool known[REFCOUNTS_TYPES]; /* their slab cache and members are */
};

/* Of X; in MEM. */
void refcounts_build(const struct reach *x, struct arena *mem, struct refcounts *ret);

#endif
