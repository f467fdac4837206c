/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pointers.h - pointers that are references; private to model/memory/reach. */
#ifndef VMCENSUS_REACH_POINTERS_H
#define VMCENSUS_REACH_POINTERS_H

#include "model/memory/reach/refcounts.h"
#include "model/memory/reach/scan.h"

#define REFCOUNTS_NONE REFCOUNTS_TYPES

/* What a slab cache has. */
struct refcounts_cache {
	enum refcounts_type type; /* or REFCOUNTS_NONE */
	uint32_t at;	     /* of an inode: its offset in the object */
	unsigned weak;	     /* bits of enum refcounts_type: its pointers to those are no references */
	bool tree;	     /* of an inode: the kernel keeps a tree of all of them, without references */
	bool before;	     /* of an inode: a pointer to what is before it in the object has a reference */
};

struct pointers {
	const struct reach *x;
	struct refcounts_cache *of; /* of each cache */
	uint32_t *pointers;    /* of each node of units */
};

/* Finds the caches. */
void refcounts_caches(struct pointers *c, struct reader *r, struct arena *mem);
/* Then counts the pointers to their objects. */
void refcounts_points(struct pointers *c, struct arena *mem);

/* Is an object of TYPE in use at kernel address KVA? NODE may be NULL. */
bool refcounts_is(const struct pointers *c, uint64_t kva, enum refcounts_type type, uint64_t *node);

#endif
