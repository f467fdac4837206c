/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owners.c - an address_space is told by its operations (shmem, secretmem) and by the super
 * block of its inode (block devices: bdev_test_super(), fs/block_dev.c, block/bdev.c).
 */
#include "model/page/owners.h"

#define SEEN_MAX (1u << 20)	/* 24 MiB; then the set begins anew */

void cache_owners_init(struct cache_owners *o, const struct kernel *k, struct reader *r)
{
	*o = (struct cache_owners){ .k = k };
	o->seen.mem = &o->mem;
	o->shmem_aops = layout_symbol(&k->layout, Y_SHMEM_AOPS);
	o->secretmem_aops = layout_symbol(&k->layout, Y_SECRETMEM_AOPS);
	if (kvar_u64(k, r, Y_BLOCKDEV_SB, 0, &o->bdev_sb))
		o->bdev_sb = 0;
	kobj_init(&o->mapping, k, S_ADDRESS_SPACE);
}

void cache_owners_release(struct cache_owners *o)
{
	kobj_release(&o->mapping);
	arena_release(&o->mem);
}

static enum cache_kind read_kind(struct cache_owners *o, struct reader *r, uint64_t mapping)
{
	uint64_t aops, host, sb = 0;

	if (kobj_read(&o->mapping, r, mapping))
		return CACHE_LOST;
	aops = kobj_u64(&o->mapping, M_MAPPING_AOPS);
	if (aops && aops == o->shmem_aops)
		return CACHE_SHMEM;
	if (aops && aops == o->secretmem_aops)
		return CACHE_SECRETMEM;
	host = kobj_u64(&o->mapping, M_MAPPING_HOST);
	if (!kernel_ptr_ok(o->k, host, o->k->dump->word_size) ||
	    kmember_u64(o->k, r, host, M_INODE_SB, &sb))
		return CACHE_LOST;
	return sb && sb == o->bdev_sb ? CACHE_BDEV : CACHE_FILE;
}

enum cache_kind cache_owners_kind(struct cache_owners *o, struct reader *r, uint64_t mapping)
{
	uint32_t kind;

	if (mapping == o->last)
		return o->last_kind;
	kind = hash_get(&o->seen, mapping);
	if (kind == HASH_NONE) {
		kind = read_kind(o, r, mapping);
		if (o->seen.n >= SEEN_MAX) {
			arena_release(&o->mem);
			o->seen = (struct hash){ .mem = &o->mem };
		}
		hash_put(&o->seen, mapping, kind);
	}
	o->last = mapping;
	o->last_kind = (enum cache_kind)kind;
	return o->last_kind;
}
