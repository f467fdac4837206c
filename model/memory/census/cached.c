/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cached.c - from the pages to the files: one pass over the page array finds every
 * address_space with pages, also of files that no list of inodes would show.
 */
#include "model/memory/census/cached.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/hash.h"
#include "facts/layout/census.h"
#include "facts/layout/file.h"
#include "model/kernel/file/inode_path.h"
#include "model/kernel/kobj.h"
#include "model/shared.h"

#define PATHS_MAX (256u << 20)	/* bytes of all paths together */
#define NAME_BYTES 64

struct cacher {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct pathwalk path;
	struct kobj inode;
	uint64_t paths_left;
	/* of the latest super block */
	uint64_t sb, sb_mnt, sb_dev;
	const char *fs;
};

/* struct super_block, with its mount; kept for the next file. */
static void read_sb(struct cacher *c, uint64_t sb)
{
	uint64_t type, name;
	char text[NAME_BYTES];

	if (sb == c->sb)
		return;
	c->sb = sb;
	c->fs = NULL;
	c->sb_mnt = c->sb_dev = 0;
	if (!kernel_ptr_ok(c->k, sb, c->k->dump->word_size))
		return;
	if (kmember_u64(c->k, c->r, sb, M_SB_DEV, &c->sb_dev))
		c->sb_dev = 0;
	c->sb_mnt = sb_mount(c->k, c->r, sb);
	if (!has(c->k, M_SB_TYPE) || !has(c->k, M_FSTYPE_NAME))
		return;
	/* both are constants of the file system's code */
	if (!kmember_u64(c->k, c->r, sb, M_SB_TYPE, &type) && kernel_static_ok(c->k, type, 1) &&
	    !kmember_u64(c->k, c->r, type, M_FSTYPE_NAME, &name) &&
	    kernel_static_ok(c->k, name, 1) && !read_kva_str(c->r, name, text, sizeof(text)) &&
	    isalnum((unsigned char)*text))
		c->fs = arena_strdup(c->mem, text);
	else
		issue_add(c->k->issues, ST_CORRUPT, "file system", 1,
			  "type of the super block at %#" PRIx64, sb);
}

/*
 * A mapping inside an inode is that inode's. Others, of metadata, have a host of their own, and
 * then no inode begins where this one would (gfs2, nilfs2).
 */
static bool host_sound(struct cacher *c, uint64_t mapping, uint64_t host)
{
	uint64_t inode = mapping - layout_offset(&c->k->layout, M_INODE_DATA), own;

	return !mapping || !has(c->k, M_INODE_DATA) || inode == host ||
	       kmember_u64(c->k, c->r, inode, M_INODE_MAPPING, &own) || own != mapping;
}

/* dev_t of the kernel: 12 and 20 bits (include/linux/kdev_t.h); 8 and 8 in 2.4. */
static void set_dev(const struct cacher *c, uint64_t dev, struct cached_file *f)
{
	unsigned bits = c->k->layout.v[M_SB_DEV].m.size == 2 ? 8 : 20;

	f->dev_major = (uint32_t)(dev >> bits);
	f->dev_minor = (uint32_t)(dev & ((1u << bits) - 1));
}

static void read_file(struct cacher *c, struct cached_file *f)
{
	const struct kobj *i = &c->inode;

	f->path = PATH_UNKNOWN;
	f->ino = f->size = UINT64_MAX;
	f->lost = !kernel_ptr_ok(c->k, f->inode, c->k->dump->word_size) ||
		  kobj_read(&c->inode, c->r, f->inode);
	if (!f->lost && !host_sound(c, f->owner->mapping, f->inode)) {
		issue_add(c->k->issues, ST_CORRUPT, "file", 1, "host of the mapping at %#" PRIx64,
			  f->owner->mapping);
		f->lost = true;
	}
	if (f->lost)
		return;
	f->ino = kobj_u64(i, M_INODE_INO);
	f->size = kobj_u64(i, M_INODE_SIZE);
	if (f->size >> 63) { /* a loff_t */
		f->size = UINT64_MAX;
		issue_add(c->k->issues, ST_CORRUPT, "file", 1, "size of the inode at %#" PRIx64,
			  f->inode);
	}
	f->unlinked = has(c->k, M_INODE_NLINK) && !kobj_u64(i, M_INODE_NLINK);
	read_sb(c, kobj_u64(i, M_INODE_SB));
	f->fs = c->fs;
	set_dev(c, c->sb_dev, f);
	if (f->owner->kind == CACHE_BDEV) {
		set_dev(c, kobj_u64(i, M_INODE_RDEV), f);
		f->path = arena_printf(c->mem, "(block device %u:%u)", f->dev_major, f->dev_minor);
		f->unlinked = false;
	} else {
		f->path = inode_path(&c->path, f->inode, c->sb_mnt, &c->paths_left, c->mem);
		/* its dentries were reclaimed: what find -inum or debugfs can look up */
		if (!strcmp(f->path, PATH_UNKNOWN))
			f->path = arena_printf(c->mem, "(inode %" PRIu64 ")", f->ino);
	}
}

/* A mapped file has a path as its processes see it, from maps. */
static void take_mapped_paths(const struct snapshot *s, const struct hash *by_inode,
			      struct cached *ret)
{
	for (uint32_t i = 0; i < s->nfiles; i++) {
		uint32_t at = s->files[i].inode ? hash_get(by_inode, s->files[i].inode) : HASH_NONE;

		if (at < ret->n)
			ret->v[at].path = s->files[i].path;
	}
}

static void *make_cached(const struct snapshot *s, struct arena *mem)
{
	struct cacher c = {
		.k = s->k, .mem = mem, .r = kernel_reader(s->k), .paths_left = PATHS_MAX
	};
	struct hash by_inode = { .mem = mem };
	struct cached *ret = arena_array(mem, struct cached, 1);
	const struct page_classes *classes = page_classes_of(s);
	struct inode_users *users;

	if (!classes->all_owners)
		classes = ret->own = page_classes_build(s->k, true);
	ret->n = (uint32_t)classes->nowners;
	ret->v = arena_array(mem, struct cached_file, ret->n);
	users = arena_array(mem, struct inode_users, ret->n);
	kobj_init(&c.inode, s->k, S_INODE);
	pathwalk_init(&c.path, s->k, c.r);
	for (uint32_t i = 0; i < ret->n; i++) {
		ret->v[i].owner = &classes->owners[i];
		ret->v[i].inode = ret->v[i].owner->inode;
		read_file(&c, &ret->v[i]);
		if (ret->v[i].inode)
			hash_put(&by_inode, ret->v[i].inode, i);
	}
	take_mapped_paths(s, &by_inode, ret);
	inode_users_find(s, c.r, &by_inode, users, ret->n, mem);
	for (uint32_t i = 0; i < ret->n; i++)
		ret->v[i].users = users[i];
	pathwalk_release(&c.path);
	kobj_release(&c.inode);
	reader_free(c.r);
	return ret;
}

static void release_cached(void *view)
{
	page_classes_free(((struct cached *)view)->own);
}

const struct cached *cached_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { make_cached, release_cached };

	return shared_view(s, SHARED_CACHED, &maker);
}
