/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owners.h - to what kind of object a page of the page cache belongs, by page->mapping.
 * For use by one thread.
 */
#ifndef VMCENSUS_PAGE_OWNERS_H
#define VMCENSUS_PAGE_OWNERS_H

#include "dumpread/base/hash.h"
#include "model/kobj.h"

enum cache_kind { CACHE_FILE, CACHE_BDEV, CACHE_SHMEM, CACHE_SECRETMEM, CACHE_LOST };

struct cache_owners {
	const struct kernel *k;
	uint64_t shmem_aops, secretmem_aops, bdev_sb;	/* 0: this kernel has none */
	struct kobj mapping;
	struct hash seen;		/* address_space -> enum cache_kind */
	struct arena mem;
	uint64_t last;			/* the latest one asked for, and its kind */
	enum cache_kind last_kind;
};

void cache_owners_init(struct cache_owners *o, const struct kernel *k, struct reader *r);
void cache_owners_release(struct cache_owners *o);

/* The kind of the struct address_space at MAPPING; CACHE_LOST: it is not readable. */
enum cache_kind cache_owners_kind(struct cache_owners *o, struct reader *r, uint64_t mapping);

#endif
