/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of mapped files. Every struct file leads to one row. Struct files of one inode
 * with one path share a row: they are "the same file" in maps, whatever mount or mount
 * namespace they were opened in.
 */
#include "model/kernel/file/files.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "dumpread/base/hash.h"
#include "facts/layout/file.h"
#include "model/kernel/file/path.h"
#include "model/kernel/hugetlb/hugetlb.h"

/*
 * Bits of file.f_mode (include/linux/fs.h) that mean "part of a struct backing_file": bit
 * 25 since v6.5, bit 24 since v6.14 and in 6.12.y. Between v6.5 and v6.9 bit 24 meant that
 * a file takes parallel direct writes; since v6.14 bit 25 means that it makes no fsnotify
 * events: see is_backing().
 */
#define FMODE_BACKING_OLD (1u << 25)
#define FMODE_BACKING_NEW (1u << 24)

#define MINOR_BITS 20		/* include/linux/kdev_t.h; 8 of 16 in v2.4 */
#define PATHS_MAX (256u << 20)	/* bytes of all paths together */

/* The pointers of a struct file: if they are equal, the rows are. */
struct ident {
	uint64_t mnt, dentry;	/* path to show */
	uint64_t inode;		/* whose pages are mapped */
};

struct ident_row {
	struct ident id;
	uint32_t row;
	uint32_t next;		/* of the same hash; NONE ends */
};

struct filetab {
	struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct pathwalk walk;
	struct kobj file, inode;
	VEC(struct file) files;		/* in s->mem */
	VEC(uint32_t) same_path;	/* [row]: next of the same hash; NONE ends */
	VEC(struct ident_row) idents;
	struct hash by_addr;		/* struct file (and vm_prfile) -> row */
	struct hash by_ident;		/* -> index in idents */
	struct hash by_path;		/* (inode, path) -> row */
	uint64_t paths_left;		/* bytes */
	uint64_t sb, sb_magic;		/* latest super block looked at */
	uint32_t sb_major, sb_minor;
	enum status sb_st;
	struct arena mem;		/* memory that is freed by filetab_finish() */
};

struct filetab *filetab_new(struct snapshot *s, struct reader *r)
{
	struct filetab *t = arena_alloc(&s->mem, sizeof(*t));

	t->s = s;
	t->k = s->k;
	t->r = r;
	t->by_addr.mem = t->by_ident.mem = t->by_path.mem = &t->mem;
	t->paths_left = PATHS_MAX;
	pathwalk_init(&t->walk, t->k, r);
	kobj_init(&t->file, t->k, S_FILE);
	kobj_init(&t->inode, t->k, S_INODE);
	return t;
}

void filetab_finish(struct filetab *t)
{
	kobj_release(&t->file);
	kobj_release(&t->inode);
	pathwalk_release(&t->walk);
	arena_release(&t->mem);
}

static void damaged(struct filetab *t, struct file *f, enum status st, const char *what,
		    uint64_t addr)
{
	f->status_known = false;
	issue_add(t->k->issues, st, "file", 1, "%s at %#" PRIx64, what, addr);
}

static enum status load_object(const struct filetab *t, struct kobj *o, uint64_t addr)
{
	if (!kernel_ptr_ok(t->k, addr, t->k->dump->word_size))
		return ST_CORRUPT;
	return kobj_read(o, t->r, addr);
}

/* ---- super block and inode ----------------------------------------------------------- */

static enum status load_sb(struct filetab *t, uint64_t sb)
{
	uint64_t dev = 0;
	unsigned bits = t->k->layout.v[M_SB_DEV].m.size == 2 ? 8 : MINOR_BITS;

	if (sb == t->sb && sb)
		return t->sb_st;
	t->sb = sb;
	t->sb_magic = 0;
	t->sb_st = ST_CORRUPT;
	if (kernel_ptr_ok(t->k, sb, t->k->dump->word_size))
		t->sb_st = kmember_u64(t->k, t->r, sb, M_SB_DEV, &dev);
	if (!t->sb_st)
		t->sb_st = kmember_u64(t->k, t->r, sb, M_SB_MAGIC, &t->sb_magic);
	if (!t->sb_st && !dev && !t->sb_magic)
		t->sb_st = ST_CORRUPT;
	t->sb_major = (uint32_t)(dev >> bits);
	t->sb_minor = (uint32_t)(dev & ((1u << bits) - 1));
	return t->sb_st;
}

/* HUGETLBFS_SB(sb)->hstate, include/linux/hugetlb.h; one size per mount. */
static uint64_t huge_page_size(struct filetab *t, struct file *f, uint64_t sb)
{
	const struct kernel *k = t->k;
	uint64_t info = 0, hstate = 0, order = 0;

	if (!has(k, M_HUGETLBFS_HSTATE))
		return 0;
	if (kmember_u64(k, t->r, sb, M_SB_FS_INFO, &info) || !info ||
	    kmember_u64(k, t->r, info, M_HUGETLBFS_HSTATE, &hstate) ||
	    hstate_order(k, t->r, hstate, &order) || order + k->dump->page_shift >= 48) {
		damaged(t, f, ST_CORRUPT, "size of huge pages", sb);
		return 0;
	}
	return (uint64_t)dump_page_size(k->dump) << order;
}

/* MADE_UP: no path leads to it. */
static enum file_kind kind_of(const struct filetab *t, uint64_t aops, bool made_up)
{
	uint64_t mode = kobj_u64(&t->inode, M_INODE_MODE);
	uint64_t shmem = layout_symbol(&t->k->layout, Y_SHMEM_AOPS);

	if (S_ISCHR(mode) || S_ISBLK(mode))
		return FILE_DEVICE;
	if (t->sb_magic == MAGIC_HUGETLBFS)
		return FILE_HUGETLB;
	if (shmem ? aops == shmem : t->sb_magic == MAGIC_TMPFS)
		return FILE_SHMEM;
	return S_ISREG(mode) && !made_up ? FILE_REGULAR : FILE_OTHER;
}

static void set_cached(struct filetab *t, struct file *f, uint64_t pages)
{
	if (t->k->memmap.max_pfn && pages > t->k->memmap.max_pfn)
		damaged(t, f, ST_CORRUPT, "more cached pages than frames, inode", f->inode);
	else
		f->cached = pages;
}

static void set_size(struct filetab *t, struct file *f, uint64_t size)
{
	f->size = size >> 63 ? UINT64_MAX : size; /* a loff_t */
	if (size >> 63)
		damaged(t, f, ST_CORRUPT, "size of the inode", f->inode);
}

/* Page cache of the mapped file: for a block device its own, not that of its node's inode. */
static uint64_t fill_mapping(struct filetab *t, struct file *f)
{
	const struct kernel *k = t->k;
	uint64_t aops = 0, host = 0, pages, size;
	enum status st = ST_CORRUPT;

	if (!f->mapping) {
		f->cached = 0;
		return 0;
	}
	if (kernel_ptr_ok(k, f->mapping, k->dump->word_size))
		st = kmember_u64(k, t->r, f->mapping, M_MAPPING_NRPAGES, &pages);
	if (!st)
		set_cached(t, f, pages);
	if (!st)
		st = kmember_u64(k, t->r, f->mapping, M_MAPPING_AOPS, &aops);
	if (!st)
		st = kmember_u64(k, t->r, f->mapping, M_MAPPING_HOST, &host);
	if (!st && host != f->inode && kernel_ptr_ok(k, host, k->dump->word_size)) {
		st = kmember_u64(k, t->r, host, M_INODE_SIZE, &size);
		if (!st)
			set_size(t, f, size);
	}
	if (st && st != ST_ABSENT)
		damaged(t, f, st, "mapping", f->mapping);
	return aops;
}

/*
 * Values that no inode has. Those of anon_inodes had no type until v6.16 (alloc_anon_inode()),
 * but permissions. Only fs-verity keeps pages behind the end, of files that are not empty.
 */
static void check_inode(struct filetab *t, struct file *f)
{
	uint64_t mode = kobj_u64(&t->inode, M_INODE_MODE);
	bool file = f->kind == FILE_REGULAR || f->kind == FILE_SHMEM;

	if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISCHR(mode) && !S_ISBLK(mode) &&
	    !S_ISFIFO(mode) && !S_ISLNK(mode) && !S_ISSOCK(mode) && (mode & S_IFMT || !mode))
		damaged(t, f, ST_CORRUPT, "mode of the inode", f->inode);
	if (file && !f->size && f->cached && f->cached != UINT64_MAX)
		damaged(t, f, ST_CORRUPT, "size of the inode", f->inode);
}

/*
 * The inode whose pages are mapped. It is that of the dentry, in the same file system; only
 * overlayfs and aufs show a path of their own for a file of another.
 */
static void check_dentry(struct filetab *t, struct file *f, const struct path_text *text)
{
	uint64_t sb = kobj_u64(&t->inode, M_INODE_SB), magic = 0;

	if (!text->inode || !text->sb || (f->inode == text->inode && sb == text->sb))
		return;
	if (sb != text->sb && kernel_ptr_ok(t->k, text->sb, t->k->dump->word_size) &&
	    !kmember_u64(t->k, t->r, text->sb, M_SB_MAGIC, &magic) &&
	    (magic == MAGIC_OVERLAYFS || magic == MAGIC_AUFS))
		return;
	damaged(t, f, ST_CORRUPT, "another inode than its dentry has: the file of that", f->inode);
}

/* TEXT: its path; NULL: that of another. */
static void fill_inode(struct filetab *t, struct file *f, bool made_up,
		       const struct path_text *text)
{
	uint64_t sb, aops;
	enum status st = load_object(t, &t->inode, f->inode);

	if (st) {
		damaged(t, f, st, "inode", f->inode);
		return;
	}
	sb = kobj_u64(&t->inode, M_INODE_SB);
	st = load_sb(t, sb);
	if (st)
		damaged(t, f, st, "super block", sb);
	if (text)
		check_dentry(t, f, text);
	f->dev_major = t->sb_major;
	f->dev_minor = t->sb_minor;
	if (!st) /* else it may be no inode */
		f->ino = kobj_u64(&t->inode, M_INODE_INO);
	set_size(t, f, kobj_u64(&t->inode, M_INODE_SIZE));
	if (!f->mapping)
		f->mapping = kobj_u64(&t->inode, M_INODE_MAPPING);
	aops = fill_mapping(t, f);
	f->kind = kind_of(t, aops, made_up);
	if (f->kind == FILE_HUGETLB) {
		f->huge_page_size = huge_page_size(t, f, sb);
		/* nrpages counts huge pages before a08c7193e4f1 (v6.7); blocks are of 512 bytes */
		if (has(t->k, M_INODE_BLOCKS))
			set_cached(t, f,
				   kobj_u64(&t->inode, M_INODE_BLOCKS) >> (t->k->page_shift - 9));
	}
	check_inode(t, f);
	if (f->kind == FILE_SHMEM && has(t->k, M_SHMEM_SWAPPED)) {
		uint64_t info = f->inode - layout_offset(&t->k->layout, M_SHMEM_INODE);

		st = kmember_u64(t->k, t->r, info, M_SHMEM_SWAPPED, &f->shmem_swapped);
		if (st)
			damaged(t, f, st, "shmem inode", info);
		else if (f->shmem_swapped > f->size >> t->k->page_shift)
			damaged(t, f, ST_CORRUPT, "more pages in swap than the file has, inode",
				info);
	}
}

/*
 * Since 3efdc78fdc21 (v6.8) maps prints device and inode number of the file that the user
 * opened, although the pages belong to a file below it.
 */
static void show_user_inode(struct filetab *t, struct file *f, uint64_t inode)
{
	enum status st = load_object(t, &t->inode, inode);

	if (!st)
		st = load_sb(t, kobj_u64(&t->inode, M_INODE_SB));
	if (st) {
		damaged(t, f, st, "inode", inode);
		return;
	}
	f->dev_major = t->sb_major;
	f->dev_minor = t->sb_minor;
	f->ino = kobj_u64(&t->inode, M_INODE_INO);
}

/* ---- struct file --------------------------------------------------------------------- */

/* A mount and a dentry in it have the same super block. */
static bool path_consistent(struct filetab *t, uint64_t mnt, uint64_t dentry)
{
	const struct kernel *k = t->k;
	unsigned word = k->dump->word_size;
	uint64_t mount = mnt - layout_offset(&k->layout, M_MOUNT_VFS), mnt_sb, dentry_sb;

	return kernel_ptr_ok(k, mnt, word) && kernel_ptr_ok(k, dentry, word) &&
	       !kmember_u64(k, t->r, mount, M_MOUNT_SB, &mnt_sb) &&
	       !kmember_u64(k, t->r, dentry, M_DENTRY_SB, &dentry_sb) &&
	       kernel_ptr_ok(k, mnt_sb, word) && mnt_sb == dentry_sb;
}

/*
 * Is the struct file in t->file the first member of a struct backing_file? The bit for
 * this moved, and its old place has another meaning now, so the path in the backing_file
 * must be valid too.
 */
static bool is_backing(struct filetab *t, struct ident *id)
{
	const struct kernel *k = t->k;
	uint64_t mode = kobj_u64(&t->file, M_FILE_MODE), mnt, dentry;
	uint64_t bits = FMODE_BACKING_OLD;

	if (!has(k, M_BACKING_MNT))
		return false;
	/* 210a03c9d51a (v6.10) made fop_flags; since then bit 24 was free for this */
	if (has(k, M_FOP_FLAGS))
		bits |= FMODE_BACKING_NEW;
	if (!(mode & bits) || kmember_u64(k, t->r, t->file.addr, M_BACKING_MNT, &mnt) ||
	    kmember_u64(k, t->r, t->file.addr, M_BACKING_DENTRY, &dentry) ||
	    !path_consistent(t, mnt, dentry))
		return false;
	id->mnt = mnt;
	id->dentry = dentry;
	return true;
}

static uint32_t add_row(struct filetab *t, const struct file *f)
{
	uint32_t row = (uint32_t)t->files.n;

	*vec_push(&t->s->mem, &t->files) = *f;
	*vec_push(&t->mem, &t->same_path) = NONE;
	t->s->files = t->files.v;
	t->s->nfiles = (uint32_t)t->files.n;
	return row;
}

static uint64_t path_key(uint64_t inode, const char *path, size_t len)
{
	uint64_t key = hash_bytes(&inode, sizeof(inode)) ^ hash_bytes(path, len);

	return key ? key : 1;
}

/* The row of F with the path in TEXT, new or old. */
static uint32_t intern(struct filetab *t, struct file *f, const struct path_text *text)
{
	uint64_t key = path_key(f->inode, text->s, text->len);
	uint32_t first = hash_get(&t->by_path, key), row;

	for (row = first; row != NONE; row = t->same_path.v[row]) {
		const struct file *old = &t->files.v[row];

		if (old->inode == f->inode && old->ino == f->ino &&
		    old->dev_major == f->dev_major && old->dev_minor == f->dev_minor &&
		    old->deleted == f->deleted && !strcmp(old->path, text->s))
			return row;
	}
	if (text->len < t->paths_left) {
		t->paths_left -= text->len;
		f->path = arena_strndup(&t->s->mem, text->s, text->len);
	} else {
		issue_add(t->k->issues, ST_LIMIT, "path", 1,
			  "the paths of all files are longer than %u bytes", PATHS_MAX);
		f->path = PATH_UNKNOWN;
		f->status_known = false;
	}
	row = add_row(t, f);
	t->same_path.v[row] = first;
	hash_put(&t->by_path, key, row);
	return row;
}

static uint32_t row_of_ident(struct filetab *t, const struct ident *id, bool own_path,
			     bool user_inode)
{
	struct path_text text;
	struct file f = {
		.inode = id->inode,
		.mapping = kobj_u64(&t->file, M_FILE_MAPPING),
		.ino = UINT64_MAX,
		.size = UINT64_MAX,
		.cached = UINT64_MAX,
	};

	path_read(&t->walk, id->mnt, id->dentry, &text);
	f.deleted = text.deleted;
	f.status_known = text.whole;
	if (!f.inode)
		f.inode = text.inode; /* no f_inode before v3.9 */
	fill_inode(t, &f, text.made_up, own_path ? &text : NULL);
	if (user_inode)
		show_user_inode(t, &f, text.inode);
	return intern(t, &f, &text);
}

/*
 * vm_area_struct.vm_prfile, from the aufs patch that Ubuntu carries (at least 4.4 .. 6.2):
 * the file to print instead of vm_file. Its overlayfs sets it too.
 */
static bool has_prfile(struct filetab *t, uint64_t prfile, struct ident *id)
{
	uint64_t mnt, dentry;
	enum status st = ST_CORRUPT;

	if (!prfile)
		return false;
	if (kernel_ptr_ok(t->k, prfile, t->k->dump->word_size))
		st = kmember_u64(t->k, t->r, prfile, M_FILE_MNT, &mnt);
	if (!st)
		st = kmember_u64(t->k, t->r, prfile, M_FILE_DENTRY, &dentry);
	if (st) {
		issue_add(t->k->issues, st, "file", 1, "vm_prfile at %#" PRIx64, prfile);
		return false;
	}
	id->mnt = mnt;
	id->dentry = dentry;
	return true;
}

/* A row for the struct file in t->file; PRFILE: the file to print in its place, or 0. */
static uint32_t row_of_file(struct filetab *t, uint64_t prfile)
{
	struct ident id = {
		.mnt = kobj_u64(&t->file, M_FILE_MNT),
		.dentry = kobj_u64(&t->file, M_FILE_DENTRY),
		.inode = kobj_u64(&t->file, M_FILE_INODE),
	};
	bool other_path = has_prfile(t, prfile, &id), backing = !other_path && is_backing(t, &id);
	bool user_inode = other_path || (backing && kernel_rule(t->k, RULE_MAPS_USER_INODE));
	uint64_t key = hash_bytes(&id, sizeof(id));
	uint32_t first = hash_get(&t->by_ident, key), i, row;
	struct ident_row *n;

	for (i = first; i != NONE; i = t->idents.v[i].next)
		if (!memcmp(&t->idents.v[i].id, &id, sizeof(id)))
			return t->idents.v[i].row;
	row = row_of_ident(t, &id, !other_path && !backing, user_inode);
	n = vec_push(&t->mem, &t->idents);
	*n = (struct ident_row){ .id = id, .row = row, .next = first };
	hash_put(&t->by_ident, key, (uint32_t)(t->idents.n - 1));
	return row;
}

static uint64_t address_key(uint64_t file_kva, uint64_t prfile)
{
	uint64_t key[2] = { file_kva, prfile };

	return prfile ? hash_bytes(key, sizeof(key)) : file_kva;
}

static uint32_t get_file(struct filetab *t, uint64_t file_kva, uint64_t prfile)
{
	struct file lost = { .path = PATH_UNKNOWN, .kind = FILE_OTHER, .status_known = true };
	uint64_t hash = address_key(file_kva, prfile);
	uint32_t row;
	enum status st;

	if (!file_kva)
		return NONE;
	row = hash_get(&t->by_addr, hash);
	if (row != HASH_NONE)
		return row;
	st = load_object(t, &t->file, file_kva);
	if (st) {
		damaged(t, &lost, st, "struct file", file_kva);
		row = add_row(t, &lost);
	} else {
		row = row_of_file(t, prfile);
	}
	hash_put(&t->by_addr, hash, row);
	return row;
}

uint32_t filetab_get(struct filetab *t, uint64_t file_kva)
{
	return get_file(t, file_kva, 0);
}

void filetab_forget(struct filetab *t, const struct vma *v)
{
	uint64_t prfile = 0, hash;
	uint32_t row;

	if (!v->file_addr)
		return;
	if (has(t->k, M_VMA_PRFILE) && kmember_u64(t->k, t->r, v->addr, M_VMA_PRFILE, &prfile))
		return;
	hash = address_key(v->file_addr, prfile);
	row = hash_get(&t->by_addr, hash);
	if (row == HASH_NONE)
		return;
	hash_put(&t->by_addr, hash, HASH_NONE);
	for (size_t i = 0; i < t->idents.n; i++)
		if (t->idents.v[i].row == row)
			t->idents.v[i].id.dentry = UINT64_MAX; /* no address: never asked for */
}

uint32_t filetab_of_vma(struct filetab *t, const struct vma *v)
{
	uint64_t prfile = 0;
	enum status st;

	if (v->file_addr && has(t->k, M_VMA_PRFILE)) {
		st = kmember_u64(t->k, t->r, v->addr, M_VMA_PRFILE, &prfile);
		if (st)
			issue_add(t->k->issues, st, "file", 1, "vm_prfile of the vma at %#" PRIx64,
				  v->addr);
	}
	return get_file(t, v->file_addr, prfile);
}
