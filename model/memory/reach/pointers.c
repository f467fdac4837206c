/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pointers.c - counts words that are the address of a dentry, an inode or an open file.
 *
 * Lists and trees link these objects by members inside: their words are not the address of an object, and do not count.
 * Of pointers to the object itself those that are known not to be references are left out.
 */
#include "model/memory/reach/pointers.h"

#include <string.h>

#include "facts/layout/file.h"
#include "model/kernel/kobj.h"

#define MARKS UINT64_C(7) /* low bits of a pointer, as in io_fixed_file.file_ptr */

/* ---- caches ----------------------------------------------------------------------------------- */

/* Pointers of a cache that are no references, and inodes that are held in another way. */
static const struct {
	const char *name;
	struct refcounts_cache is;
} special[] = {
	/* socket.file; a kernel's socket is held by its sock */
	{ "sock_inode_cache", { .weak = 1u << REFCOUNTS_FILE, .before = true } },
	/* the device inside a block_device has the reference, and is in lists */
	{ "bdev_cache", { .before = true } },
	{ "jbd2_inode", { .weak = 1u << REFCOUNTS_INODE } }, /* i_vfs_inode */
	/* inode_security_struct.inode */
	{ "lsm_inode_cache", { .weak = 1u << REFCOUNTS_INODE } },
	{ "selinux_inode_security", { .weak = 1u << REFCOUNTS_INODE } },
	{ "xfs_inode", { .tree = true } }, /* xfs_perag.pag_ici_root */
};
#define TREE "radix_tree_node"

/* Caches of one control group have its name behind: "dentry(5:a.service)", to 10befea91b61 (v5.9). */
static bool is_named(const char *cache, const char *name)
{
	size_t n = strlen(name);

	return cache && !strncmp(cache, name, n) && (!cache[n] || cache[n] == '(');
}

static bool is_alone(const struct reach *x, struct reader *r, uint64_t cache)
{
	uint64_t n;

	return has(x->k, M_CACHE_ALIASES) && !kmember_u64(x->k, r, cache, M_CACHE_ALIASES, &n) &&
	       n == 1;
}

static void set_named(struct pointers *c, struct reader *r, uint32_t i)
{
	const struct kernel *k = c->x->k;
	const char *name = c->x->caches.v[i].name;

	c->of[i].type = REFCOUNTS_NONE;
	if (is_named(name, "dentry") && has(k, M_DENTRY_COUNT) && has(k, M_DENTRY_SB))
		c->of[i].type = REFCOUNTS_DENTRY;
	else if (is_named(name, "filp") && has(k, M_FILE_DENTRY) &&
		 (has(k, M_FILE_COUNT) || has(k, M_FILE_REF)))
		c->of[i].type = REFCOUNTS_FILE;
	for (size_t j = 0; j < ARRAY_LEN(special); j++)
		if (is_named(name, special[j].name) && is_alone(c->x, r, c->x->caches.v[i].addr)) {
			c->of[i] = special[j].is;
			c->of[i].type = REFCOUNTS_NONE;
		}
}

bool refcounts_is(const struct pointers *c, uint64_t kva, enum refcounts_type type, uint64_t *node)
{
	const struct reach *x = c->x;
	uint64_t unit, i = reach_at(x, kva, &unit);
	const struct refcounts_cache *of;
	const struct reach_unit *u;

	if (node)
		*node = i;
	if (i >= x->unit_nodes || reach_bit(x->freed, i))
		return false;
	u = &x->units.v[unit];
	of = u->cache == REACH_BLOCK ? NULL : &c->of[u->cache];
	return of && of->type == type &&
	       (kva - reach_slab(x, u)) % x->caches.v[u->cache].size == of->at;
}

/* Where the inode is in the objects of a cache, a dentry that points to one says: both are of one super block. */
static void learn_inode(struct pointers *c, struct reader *r, uint64_t dentry)
{
	const struct reach *x = c->x;
	uint64_t inode, sb, its_sb, unit, node;
	const struct reach_unit *u;

	if (kmember_u64(x->k, r, dentry, M_DENTRY_INODE, &inode) || !inode)
		return;
	node = reach_at(x, inode, &unit);
	if (node >= x->unit_nodes || reach_bit(x->freed, node))
		return;
	u = &x->units.v[unit];
	if (u->cache == REACH_BLOCK || c->of[u->cache].type != REFCOUNTS_NONE ||
	    kmember_u64(x->k, r, dentry, M_DENTRY_SB, &sb) ||
	    kmember_u64(x->k, r, inode, M_INODE_SB, &its_sb) || sb != its_sb)
		return;
	c->of[u->cache].type = REFCOUNTS_INODE;
	c->of[u->cache].at = (uint32_t)((inode - reach_slab(x, u)) % x->caches.v[u->cache].size);
}

void refcounts_caches(struct pointers *c, struct reader *r, struct arena *mem)
{
	const struct reach *x = c->x;

	c->of = arena_array(mem, struct refcounts_cache, x->caches.n);
	for (uint32_t i = 0; i < x->caches.n; i++)
		set_named(c, r, i);
	if (!has(x->k, M_INODE_COUNT) || !has(x->k, M_INODE_SB) || !has(x->k, M_DENTRY_INODE))
		return;
	for (uint64_t i = 0; i < x->units.n; i++) {
		const struct reach_unit *u = &x->units.v[i];

		if (u->cache == REACH_BLOCK || c->of[u->cache].type != REFCOUNTS_DENTRY)
			continue;
		for (uint32_t j = 0; j < u->n; j++)
			if (!reach_bit(x->freed, u->first + j))
				learn_inode(c, r,
					    reach_slab(x, u) +
						    (uint64_t)j * x->caches.v[u->cache].size);
	}
}

/* ---- pointers ------------------------------------------------------------------------------------ */

/* Is the word at AT, in an object, no reference to one of OF? */
static bool is_weak(const struct pointers *c, uint64_t at, const struct refcounts_cache *of)
{
	const struct reach *x = c->x;
	uint64_t unit, node = reach_at(x, at, &unit);
	const struct reach_unit *u;

	if (node >= x->unit_nodes)
		return false;
	u = &x->units.v[unit];
	if (u->cache == REACH_BLOCK)
		return false;
	if (c->of[u->cache].weak & 1u << of->type ||
	    (of->tree && is_named(x->caches.v[u->cache].name, TREE)))
		return true;
	/* file.f_inode: the dentry of the file has the reference */
	return of->type == REFCOUNTS_INODE && c->of[u->cache].type == REFCOUNTS_FILE &&
	       has(x->k, M_FILE_INODE) &&
	       (at - reach_slab(x, u)) % x->caches.v[u->cache].size ==
		       layout_offset(&x->k->layout, M_FILE_INODE);
}

/*
 * Offset OFF of an object of OF. An inode inside a larger object is also held by the address of that, as btrfs does,
 * and by its member for marks, as fsnotify does.
 */
static bool is_object(const struct pointers *c, const struct refcounts_cache *of, uint64_t off)
{
	const struct kernel *k = c->x->k;

	if (!off || off == of->at || (of->before && off < of->at))
		return true;
	return of->type == REFCOUNTS_INODE && has(k, M_INODE_MARKS) &&
	       off == of->at + layout_offset(&k->layout, M_INODE_MARKS);
}

static void count(struct reach_scan *sc, uint64_t at, uint64_t word)
{
	struct pointers *c = sc->arg;
	const struct reach *x = c->x;
	uint64_t kva = word & ~MARKS, unit, node = reach_at(x, kva, &unit);
	const struct refcounts_cache *of;
	const struct reach_unit *u;

	if (node >= x->unit_nodes || node == sc->from)
		return;
	u = &x->units.v[unit];
	if (u->cache == REACH_BLOCK || c->of[u->cache].type == REFCOUNTS_NONE)
		return;
	of = &c->of[u->cache];
	if (is_object(c, of, (kva - reach_slab(x, u)) % x->caches.v[u->cache].size) &&
	    (sc->from == REACH_NONE || !is_weak(c, at, of)))
		__atomic_fetch_add(&c->pointers[node], 1, __ATOMIC_RELAXED);
}

void refcounts_points(struct pointers *c, struct arena *mem)
{
	struct reach_scan *scans = reach_scans_new(c->x, count, c);

	c->pointers = arena_array(mem, uint32_t, c->x->unit_nodes);
	reach_all(c->x, scans);
	reach_scans_free(scans, NULL, NULL, NULL);
}
