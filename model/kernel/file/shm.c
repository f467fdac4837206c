/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shm.c - walks the inodes of every super block of shmem (s_op is shmem_ops: tmpfs mounts,
 * devtmpfs, and the kernel's own mount shm_mnt, which has memfd, SysV segments and shared
 * anonymous memory); then adds objects that VMAs map and no list contained.
 */
#include "model/kernel/file/shm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dumpread/base/hash.h"
#include "facts/layout/file.h"
#include "facts/layout/system.h"
#include "model/kernel/file/inode_path.h"
#include "model/kernel/file/inode_users.h"
#include "model/kernel/walk/list.h"
#include "model/shared.h"

#define SBS_MAX (1u << 20)
#define INODES_MAX (16u << 20)	/* of all super blocks together */
#define PATHS_MAX (256u << 20)	/* bytes of all paths together */

struct walk {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct shm *ret;
	VEC(struct shm_object) v;
	struct hash by_inode;
	struct pathwalk path;
	struct kobj inode;
	uint64_t own_sb;		/* of shm_mnt; 0 not known */
	uint64_t inodes_left, paths_left;
};

static void damaged(struct walk *w, enum status st, const char *what, uint64_t addr)
{
	w->ret->whole = false;
	issue_add(w->k->issues, st, "shared memory", 1, "%s at %#" PRIx64, what, addr);
}

/* ---- the names of objects ---------------------------------------------------------- */

/* Names that mm/shmem.c, mm/memfd.c and ipc/shm.c give on the kernel's own mount. */
static void classify(struct shm_object *o, bool own)
{
	const char *name = o->path;

	if (o->unlinked && !strncmp(name, "/SYSV", 5)) {
		o->segment = o->kind == SHM_HUGETLB || own;
		o->key = o->segment ? strtoull(name + 5, NULL, 16) : 0;
	}
	if (!own || o->kind == SHM_HUGETLB)
		return;
	if (o->segment) {
		o->kind = SHM_SYSV;
	} else if (!strncmp(name, "/memfd:", 7)) {
		o->kind = SHM_MEMFD;
	} else if (!strncmp(name, "/dev/zero", 9)) {
		o->kind = SHM_ANON;
	} else {
		o->kind = SHM_KERNEL;
	}
}

/* ---- objects ----------------------------------------------------------------------- */

static struct shm_object *add_object(struct walk *w, uint64_t inode)
{
	struct shm_object *o;

	hash_put(&w->by_inode, inode, (uint32_t)w->v.n);
	o = vec_push(w->mem, &w->v);
	o->inode = inode;
	return o;
}

static uint64_t swapped_of(struct walk *w, uint64_t inode)
{
	uint64_t info = inode - layout_offset(&w->k->layout, M_SHMEM_INODE), v = 0;

	if (has(w->k, M_SHMEM_INODE) && has(w->k, M_SHMEM_SWAPPED) &&
	    kmember_u64(w->k, w->r, info, M_SHMEM_SWAPPED, &v))
		damaged(w, ST_NODATA, "shmem_inode_info", info);
	return v;
}

/* Huge pages in the page cache, which i_blocks counts in units of 512 bytes (mm/hugetlb.c,
   hugetlb_add_to_page_cache()); nrpages is in huge pages before a08c7193e4f1 (v6.7). */
static uint64_t huge_pages(struct walk *w, uint64_t inode)
{
	uint64_t blocks = 0;

	if (kmember_u64(w->k, w->r, inode, M_INODE_BLOCKS, &blocks))
		damaged(w, ST_NODATA, "inode", inode);
	return blocks >> (w->k->page_shift - 9);
}

static void add_inode(struct walk *w, uint64_t addr, uint64_t sb, uint64_t mnt, bool huge)
{
	const struct kobj *i = &w->inode;
	enum status st = kernel_ptr_ok(w->k, addr, w->k->dump->word_size)
				 ? kobj_read(&w->inode, w->r, addr)
				 : ST_CORRUPT;
	struct shm_object *o;

	if (st) {
		damaged(w, st, "inode", addr);
		return;
	}
	if (hash_get(&w->by_inode, addr) != HASH_NONE)
		return;
	o = add_object(w, addr);
	o->ino = kobj_u64(i, M_INODE_INO);
	o->size = kobj_u64(i, M_INODE_SIZE);
	if (o->size >> 63) { /* a loff_t */
		o->size = UINT64_MAX;
		damaged(w, ST_CORRUPT, "size of inode", addr);
	}
	o->uid = (uint32_t)kobj_u64(i, M_INODE_UID);
	o->unlinked = has(w->k, M_INODE_NLINK) && !kobj_u64(i, M_INODE_NLINK);
	o->regular = S_ISREG(kobj_u64(i, M_INODE_MODE));
	/* the inode's own address_space; for a device node i_mapping is the device's */
	if (huge) {
		o->kind = SHM_HUGETLB;
		o->resident = huge_pages(w, addr);
	} else if (kmember_u64(w->k, w->r, addr + layout_offset(&w->k->layout, M_INODE_DATA),
			       M_MAPPING_NRPAGES, &o->resident)) {
		damaged(w, ST_NODATA, "mapping of inode", addr);
	}
	if (w->k->memmap.max_pfn && o->resident > w->k->memmap.max_pfn) {
		o->resident = 0;
		damaged(w, ST_CORRUPT, "more pages than frames, inode", addr);
	}
	o->swapped = huge ? 0 : swapped_of(w, addr);
	o->path = inode_path(&w->path, addr, mnt, &w->paths_left, w->mem);
	classify(o, sb == w->own_sb);
}

static void walk_sb(struct walk *w, uint64_t sb, bool huge)
{
	uint64_t head = sb + layout_offset(&w->k->layout, M_SB_INODES),
		 mnt = sb_mount(w->k, w->r, sb);
	struct listwalk l = listwalk_start(w->k, w->r, head, w->inodes_left);

	while (listwalk_next(&l))
		add_inode(w, l.node - layout_offset(&w->k->layout, M_INODE_SB_LIST), sb, mnt, huge);
	w->inodes_left -= l.seen < w->inodes_left ? l.seen : w->inodes_left;
	if (l.st)
		damaged(w, l.st, "inodes of super block", sb);
}

static void walk_sbs(struct walk *w)
{
	const struct kernel *k = w->k;
	uint64_t ops = layout_symbol(&k->layout, Y_SHMEM_OPS), op;
	uint64_t head = layout_symbol(&k->layout, Y_SUPER_BLOCKS), mnt;
	uint64_t huge = has(k, M_INODE_BLOCKS) ? layout_symbol(&k->layout, Y_HUGETLBFS_OPS) : 0;
	struct listwalk l;
	bool own = false, told;

	w->ret->whole = head && ops && has(k, M_SB_LIST) && has(k, M_SB_OP) &&
			has(k, M_SB_INODES) && has(k, M_INODE_SB_LIST);
	if (!w->ret->whole)
		return;
	told = !kvar_u64(k, w->r, Y_SHM_MNT, 0, &mnt);
	if (told && kmember_u64(k, w->r, mnt, M_VFSMOUNT_SB, &w->own_sb))
		damaged(w, ST_NODATA, "shm_mnt", mnt);
	l = listwalk_start(k, w->r, head, SBS_MAX);
	while (listwalk_next(&l)) {
		uint64_t sb = l.node - layout_offset(&k->layout, M_SB_LIST);

		if (kmember_u64(k, w->r, sb, M_SB_OP, &op))
			damaged(w, ST_NODATA, "super block", sb);
		else if (op == ops || (huge && op == huge))
			walk_sb(w, sb, op != ops);
		own |= sb == w->own_sb;
	}
	if (told && !own)
		damaged(w, ST_CORRUPT, "super block of shm_mnt", w->own_sb);
	if (l.st)
		damaged(w, l.st, "super blocks", head);
}

/* A mapped object has a path as its processes see it, from maps. */
static void add_mapped(struct walk *w)
{
	const struct snapshot *s = w->s;

	for (uint32_t i = 0; i < s->nfiles; i++) {
		const struct file *f = &s->files[i];
		uint32_t at;
		struct shm_object *o;

		if ((f->kind != FILE_SHMEM && f->kind != FILE_HUGETLB) || !f->inode)
			continue;
		at = hash_get(&w->by_inode, f->inode);
		if (at != HASH_NONE) {
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): AT is one of v */
			w->v.v[at].path = f->path;
			continue;
		}
		/* without its inode's blocks the size of such a file is unknown */
		if (f->kind == FILE_HUGETLB)
			continue;
		o = add_object(w, f->inode);
		o->path = f->path;
		o->ino = f->ino;
		o->size = f->size;
		o->resident = f->cached == UINT64_MAX ? 0 : f->cached;
		o->swapped = f->shmem_swapped;
		o->unlinked = f->deleted;
		o->uid = UINT32_MAX;
		o->regular = true;
		classify(o, f->deleted);
		if (o->kind == SHM_KERNEL)
			o->kind = SHM_TMPFS;
	}
}

static void set_users(struct walk *w)
{
	struct inode_users *users = arena_array(w->mem, struct inode_users, w->ret->n);

	inode_users_find(w->s, w->r, &w->by_inode, users, w->ret->n, w->mem);
	for (uint32_t i = 0; i < w->ret->n; i++)
		w->ret->v[i].users = users[i];
}

static void *make_shm(const struct snapshot *s, struct arena *mem)
{
	struct shm *ret = arena_array(mem, struct shm, 1);
	struct walk w = { .s = s,
			  .k = s->k,
			  .mem = mem,
			  .ret = ret,
			  .inodes_left = INODES_MAX,
			  .paths_left = PATHS_MAX };

	w.by_inode.mem = mem;
	if (s->k->dump) {
		w.r = reader_new(s->k->dump);
		kobj_init(&w.inode, s->k, S_INODE);
		pathwalk_init(&w.path, s->k, w.r);
		walk_sbs(&w);
		pathwalk_release(&w.path);
		kobj_release(&w.inode);
	}
	add_mapped(&w);
	ret->v = w.v.v;
	ret->n = (uint32_t)w.v.n;
	set_users(&w);
	reader_free(w.r);
	return ret;
}

const struct shm *shm_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { .make = make_shm };

	return shared_view(s, SHARED_SHM, &maker);
}
