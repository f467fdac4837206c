/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owners.c - an address_space is told by its operations (shmem, secretmem) and by the super
 * block of its inode (block devices: bdev_test_super(), fs/block_dev.c, block/bdev.c).
 */
#include "model/memory/frames/owners.h"

#include "facts/layout/file.h"
#include "facts/layout/gate.h"
#include "facts/layout/system.h"
#include "model/kernel/file/path.h"

#define SEEN_MAX (1u << 18)	/* if not all are kept: 32 MiB; then the set begins anew */

void cache_owners_init(struct cache_owners *o, const struct kernel *k, struct reader *r, bool keep)
{
	uint64_t magic = 0;

	*o = (struct cache_owners){ .k = k, .keep = keep, .whole = true };
	o->seen.mem = &o->mem;
	o->shmem_aops = layout_symbol(&k->layout, Y_SHMEM_AOPS);
	o->secretmem_aops = layout_symbol(&k->layout, Y_SECRETMEM_AOPS);
	if (kvar_u64(k, r, Y_BLOCKDEV_SB, 0, &o->bdev_sb))
		o->bdev_sb = 0;
	else if (has(k, M_SB_MAGIC) &&
		 (!kernel_ptr_ok(k, o->bdev_sb, k->dump->word_size) ||
		  kmember_u64(k, r, o->bdev_sb, M_SB_MAGIC, &magic) || magic != MAGIC_BDEV))
		o->bad_sb = true;
	kobj_init(&o->mapping, k, S_ADDRESS_SPACE);
}

void cache_owners_tell(const struct cache_owners *o)
{
	if (o->bad_sb)
		issue_add(o->k->issues, ST_CORRUPT, "file system", 1, "that of block devices");
}

void cache_owners_release(struct cache_owners *o)
{
	kobj_release(&o->mapping);
	arena_release(&o->mem);
}

static enum cache_kind read_owner(struct cache_owners *o, struct reader *r, struct cache_owner *to)
{
	uint64_t aops, sb = 0, magic = 0;

	if (kobj_read(&o->mapping, r, to->mapping))
		return CACHE_LOST;
	aops = kobj_u64(&o->mapping, M_MAPPING_AOPS);
	to->inode = kobj_u64(&o->mapping, M_MAPPING_HOST);
	to->nrpages = kobj_u64(&o->mapping, M_MAPPING_NRPAGES);
	if (aops && aops == o->shmem_aops)
		return CACHE_SHMEM;
	if (aops && aops == o->secretmem_aops)
		return CACHE_SECRETMEM;
	if (!kernel_ptr_ok(o->k, to->inode, o->k->dump->word_size) ||
	    kmember_u64(o->k, r, to->inode, M_INODE_SB, &sb))
		return CACHE_LOST;
	if (sb && sb == o->bdev_sb)
		return CACHE_BDEV;
	/* perf_mmap_fault() ties its pages to the file (kernel/events/core.c; in 6.12, not in 7.2) */
	if (!kmember_u64(o->k, r, sb, M_SB_MAGIC, &magic) && magic == MAGIC_ANON_INODE)
		return CACHE_PERF;
	return CACHE_FILE;
}

static struct cache_owner *add_owner(struct cache_owners *o, uint64_t mapping)
{
	struct cache_owner *to;

	hash_put(&o->seen, mapping, (uint32_t)o->v.n);
	to = vec_push(&o->mem, &o->v);
	*to = (struct cache_owner){ .mapping = mapping };
	return to;
}

struct cache_owner *cache_owners_at(struct cache_owners *o, struct reader *r, uint64_t mapping)
{
	uint32_t i;

	if (o->last && o->last->mapping == mapping)
		return o->last;
	i = hash_get(&o->seen, mapping);
	if (i == HASH_NONE && !o->keep && o->v.n >= SEEN_MAX) {
		arena_release(&o->mem);
		o->seen = (struct hash){ .mem = &o->mem };
		o->v.v = NULL;
		o->v.n = o->v.cap = 0;
		o->whole = false;
	}
	if (i == HASH_NONE) {
		o->last = add_owner(o, mapping);
		o->last->kind = read_owner(o, r, o->last);
	} else {
		o->last = &o->v.v[i];
	}
	return o->last;
}

void cache_owners_add(struct cache_owners *o, const struct cache_owners *from)
{
	o->whole &= from->whole;
	for (size_t i = 0; i < from->v.n; i++) {
		const struct cache_owner *f = &from->v.v[i];
		uint32_t at = hash_get(&o->seen, f->mapping);
		struct cache_owner *to;

		if (!f->count.pages) /* pages with a class of their own: perf */
			continue;
		to = at == HASH_NONE ? add_owner(o, f->mapping) : &o->v.v[at];
		to->kind = f->kind;
		to->inode = f->inode;
		to->nrpages = f->nrpages;
		class_counts_add(&to->count, &f->count);
		to->maybe += f->maybe;
	}
}
