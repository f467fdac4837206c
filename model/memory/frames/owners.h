/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owners.h - the address_spaces that pages of the page cache belong to, by page->mapping: of
 * what kind they are, and how many pages each has. For use by one thread.
 */
#ifndef VMCENSUS_PAGE_OWNERS_H
#define VMCENSUS_PAGE_OWNERS_H

#include "dumpread/base/hash.h"
#include "model/kernel/kobj.h"
#include "model/memory/frames/classes.h"

struct cache_owners {
	const struct kernel *k;
	bool keep;			/* all of them are wanted; else memory is bounded */
	bool whole;			/* all of them are here */
	uint64_t shmem_aops, secretmem_aops, bdev_sb;	/* 0: this kernel has none */
	bool bad_sb;			/* bdev_sb cannot be right */
	struct kobj mapping;
	struct hash seen;		/* address_space -> index in v */
	VEC(struct cache_owner) v;
	struct arena mem;
	struct cache_owner *last;	/* the latest one asked for; NULL: none */
};

void cache_owners_init(struct cache_owners *o, const struct kernel *k, struct reader *r, bool keep);
/* An issue, if the super block of block devices is none. */
void cache_owners_tell(const struct cache_owners *o);
void cache_owners_release(struct cache_owners *o);

/* The struct address_space at MAPPING; valid until the next call. CACHE_LOST: it is not readable. */
struct cache_owner *cache_owners_at(struct cache_owners *o, struct reader *r, uint64_t mapping);

/* Adds those of FROM to O, which keeps them. */
void cache_owners_add(struct cache_owners *o, const struct cache_owners *from);

#endif
