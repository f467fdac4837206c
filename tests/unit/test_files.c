/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of files and the names of vmas. */
#include "facts/layout/file.h"
#include "facts/layout/mm.h"
#include "model/kernel/file/files.h"
#include "model/kernel/file/inode_path.h"
#include "model/kernel/file/path.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* Where the members of the made-up kernel lie (64-bit, little-endian). */
enum {
	F_MNT = 0, F_DENTRY = 8, F_INODE = 16, F_MAPPING = 24, F_MODE = 32, F_SIZE = 40,
	F_USER_MNT = 40, F_USER_DENTRY = 48,
	D_PARENT = 0, D_NAME = 8, D_LEN = 16, D_INODE = 24, D_SB = 32, D_PPREV = 40, D_OPS = 48,
	D_INAME = 56, D_SIZE = 96,
	I_INO = 0, I_MODE = 8, I_BYTES = 16, I_SB = 24, I_SIZE = 32, SHMEM_BEFORE = 64,
	SB_DEV = 0, SB_MAGIC = 8, SB_INFO = 16,
	A_HOST = 0, A_NRPAGES = 8, A_OPS = 16,
};

enum {
	PA_MNT = 0x1000, PA_ROOT = 0x2000, PA_DENTRY = 0x3000, PA_INODE = 0x4100,
	PA_SB = 0x5000, PA_MAPPING = 0x6000, PA_FILE = 0x7000, PA_AOPS = 0x8000,
	PA_MNT2 = 0x9000, PA_ROOT2 = 0xa000, PA_DENTRY2 = 0xb000, PA_INODE2 = 0xc100,
	PA_SB2 = 0xd000, PA_HSTATE = 0xe000, PA_OPS = 0xf000, PA_VMA = 0x10000, PA_NAME = 0x11000,
	PA_MM = 0x12000, PA_FILES = 0x20000,
};

static const uint64_t REGULAR = 0100644, CHARDEV = 0020666;

static struct fake *machine(void)
{
	static const struct { enum layout_id id; uint32_t offset, size; } m[] = {
		{ M_FILE_MNT, F_MNT, 8 }, { M_FILE_DENTRY, F_DENTRY, 8 },
		{ M_FILE_INODE, F_INODE, 8 }, { M_FILE_MAPPING, F_MAPPING, 8 },
		{ M_FILE_MODE, F_MODE, 4 },
		{ M_DENTRY_PARENT, D_PARENT, 8 }, { M_DENTRY_NAME, D_NAME, 8 },
		{ M_DENTRY_NAME_LEN, D_LEN, 4 }, { M_DENTRY_INODE, D_INODE, 8 },
		{ M_DENTRY_SB, D_SB, 8 }, { M_DENTRY_HASH_PPREV, D_PPREV, 8 },
		{ M_DENTRY_OPS, D_OPS, 8 }, { M_DOP_DNAME, 0, 8 },
		{ M_MOUNT_VFS, 16, 16 }, { M_MOUNT_PARENT, 0, 8 }, { M_MOUNT_POINT, 8, 8 },
		{ M_MOUNT_ROOT, 16, 8 }, { M_MOUNT_SB, 24, 8 },
		{ M_INODE_INO, I_INO, 8 }, { M_INODE_MODE, I_MODE, 2 },
		{ M_INODE_SIZE, I_BYTES, 8 }, { M_INODE_SB, I_SB, 8 },
		{ M_SB_DEV, SB_DEV, 4 }, { M_SB_MAGIC, SB_MAGIC, 8 }, { M_SB_FS_INFO, SB_INFO, 8 },
		{ M_MAPPING_HOST, A_HOST, 8 }, { M_MAPPING_NRPAGES, A_NRPAGES, 8 },
		{ M_MAPPING_AOPS, A_OPS, 8 },
		{ M_SHMEM_INODE, SHMEM_BEFORE, I_SIZE }, { M_SHMEM_SWAPPED, 8, 8 },
		{ M_HUGETLBFS_HSTATE, 8, 8 }, { M_HSTATE_ORDER, 4, 4 },
	};
	struct fake *f = fake_new(8, false);

	for (unsigned i = 0; i < sizeof(m) / sizeof(m[0]); i++)
		fake_member(f, m[i].id, m[i].offset, m[i].size);
	fake_size(f, S_FILE, F_SIZE);
	fake_size(f, S_DENTRY, D_SIZE);
	fake_size(f, S_MOUNT, 32);
	fake_size(f, S_INODE, I_SIZE);
	fake_size(f, S_HLIST_BL_NODE, 16);
	return f;
}

static void put_ptr(struct fake *f, uint64_t pa, uint64_t target_pa)
{
	fake_put_uint(f, pa, fake_kva(f, target_pa), 8);
}

static void put_dentry(struct fake *f, uint64_t pa, uint64_t parent, const char *name,
		       uint64_t inode, uint64_t sb)
{
	put_ptr(f, pa + D_PARENT, parent);
	put_ptr(f, pa + D_NAME, pa + D_INAME);
	fake_put_uint(f, pa + D_LEN, strlen(name), 4);
	put_ptr(f, pa + D_INODE, inode);
	put_ptr(f, pa + D_SB, sb);
	put_ptr(f, pa + D_PPREV, PA_NAME);
	fake_put_uint(f, pa + D_OPS, 0, 8);
	fake_put(f, pa + D_INAME, name, strlen(name) + 1);
}

static void put_inode(struct fake *f, uint64_t pa, uint64_t ino, uint64_t mode, uint64_t sb)
{
	fake_put_uint(f, pa + I_INO, ino, 8);
	fake_put_uint(f, pa + I_MODE, mode, 2);
	fake_put_uint(f, pa + I_BYTES, 12345, 8);
	put_ptr(f, pa + I_SB, sb);
	fake_put_uint(f, pa - SHMEM_BEFORE + 8, 3, 8);
}

static void put_sb(struct fake *f, uint64_t pa, unsigned major, unsigned minor, uint64_t magic)
{
	fake_put_uint(f, pa + SB_DEV, (uint64_t)major << 20 | minor, 4);
	fake_put_uint(f, pa + SB_MAGIC, magic, 8);
}

static void put_file(struct fake *f, uint64_t pa, uint64_t mnt, uint64_t dentry, uint64_t inode)
{
	put_ptr(f, pa + F_MNT, mnt + 16);
	put_ptr(f, pa + F_DENTRY, dentry);
	put_ptr(f, pa + F_INODE, inode);
	put_ptr(f, pa + F_MAPPING, PA_MAPPING);
	fake_put_uint(f, pa + F_MODE, 1, 4);
}

static void put_mount(struct fake *f, uint64_t pa, uint64_t root, uint64_t sb)
{
	put_ptr(f, pa, pa);
	put_ptr(f, pa + 8, root);
	put_ptr(f, pa + 16, root);
	put_ptr(f, pa + 24, sb);
}

/* "/f" on one file system, "/up" on another. */
static void put_all(struct fake *f)
{
	put_mount(f, PA_MNT, PA_ROOT, PA_SB);
	put_dentry(f, PA_ROOT, PA_ROOT, "/", PA_INODE, PA_SB);
	put_dentry(f, PA_DENTRY, PA_ROOT, "f", PA_INODE, PA_SB);
	put_inode(f, PA_INODE, 42, REGULAR, PA_SB);
	put_sb(f, PA_SB, 0xfe, 0x12345, 0xef53);
	put_mount(f, PA_MNT2, PA_ROOT2, PA_SB2);
	put_dentry(f, PA_ROOT2, PA_ROOT2, "/", PA_INODE2, PA_SB2);
	put_dentry(f, PA_DENTRY2, PA_ROOT2, "up", PA_INODE2, PA_SB2);
	put_inode(f, PA_INODE2, 4242, REGULAR, PA_SB2);
	put_sb(f, PA_SB2, 0, 0x33, 0x794c7630);
	put_ptr(f, PA_MAPPING + A_HOST, PA_INODE);
	fake_put_uint(f, PA_MAPPING + A_NRPAGES, 3, 8);
	put_ptr(f, PA_MAPPING + A_OPS, PA_AOPS);
	put_file(f, PA_FILE, PA_MNT, PA_DENTRY, PA_INODE);
}

/* The row of the file at PA, the only one in a new table. */
static struct file only(struct fake *f, uint64_t pa)
{
	struct snapshot s = { .k = &f->kernel };
	struct filetab *t = filetab_new(&s, f->r);
	struct file row = { 0 };

	CHECK_EQ(filetab_get(t, fake_kva(f, pa)), 0);
	CHECK_EQ(s.nfiles, 1);
	filetab_finish(t);
	row = s.files[0];
	row.path = arena_strdup(&f->dump.mem, row.path);
	arena_release(&s.mem);
	return row;
}

TEST(kinds)
{
	struct fake *f = machine();
	struct file r;

	put_all(f);
	r = only(f, PA_FILE);
	CHECK_STR(r.path, "/f");
	CHECK_EQ(r.kind, FILE_REGULAR);
	CHECK_EQ(r.dev_major, 0xfe);
	CHECK_EQ(r.dev_minor, 0x12345);
	CHECK_EQ(r.ino, 42);
	CHECK_EQ(r.size, 12345);
	CHECK_EQ(r.cached, 3);
	CHECK(r.status_known && !r.deleted);

	fake_symbol(f, Y_SHMEM_AOPS, fake_kva(f, PA_AOPS));
	fake_put_uint(f, PA_DENTRY + D_PPREV, 0, 8);
	r = only(f, PA_FILE);
	CHECK_EQ(r.kind, FILE_SHMEM);
	CHECK_EQ(r.shmem_swapped, 3);
	CHECK_STR(r.path, "/f (deleted)");
	CHECK(r.deleted);
	/* no such symbol: by the magic number */
	f->kernel.layout.v[Y_SHMEM_AOPS].alt = -1;
	CHECK_EQ(only(f, PA_FILE).kind, FILE_REGULAR);
	put_sb(f, PA_SB, 0, 1, MAGIC_TMPFS);
	CHECK_EQ(only(f, PA_FILE).kind, FILE_SHMEM);

	put_sb(f, PA_SB, 0, 0x10, MAGIC_HUGETLBFS);
	put_ptr(f, PA_SB + SB_INFO, PA_HSTATE);
	put_ptr(f, PA_HSTATE + 8, PA_HSTATE);
	fake_put_uint(f, PA_HSTATE + 4, 9, 4);
	r = only(f, PA_FILE);
	CHECK_EQ(r.kind, FILE_HUGETLB);
	CHECK_EQ(r.huge_page_size, 2 << 20);
	CHECK_EQ(fake_issues(f, "file"), 0);
	fake_put_uint(f, PA_HSTATE + 4, 200, 4);
	CHECK_EQ(only(f, PA_FILE).huge_page_size, 0);

	put_all(f);
	put_inode(f, PA_INODE, 42, CHARDEV, PA_SB);
	CHECK_EQ(only(f, PA_FILE).kind, FILE_DEVICE);
	CHECK_EQ(fake_issues(f, "file"), 1);	/* the order */
	fake_free(f);
}

TEST(same)
{
	struct fake *f = machine();
	struct snapshot s = { .k = &f->kernel };
	struct filetab *t;

	put_all(f);
	for (unsigned i = 0; i < 3; i++)
		put_file(f, PA_FILES + i * 0x100, PA_MNT, PA_DENTRY, PA_INODE);
	/* the same file system on another mount: the same path */
	put_mount(f, PA_MNT2, PA_ROOT, PA_SB);
	put_file(f, PA_FILES + 0x300, PA_MNT2, PA_DENTRY, PA_INODE);
	/* another inode of the same path, and another path of the same inode */
	put_dentry(f, PA_DENTRY2, PA_ROOT, "f", PA_INODE2, PA_SB);
	put_file(f, PA_FILES + 0x400, PA_MNT, PA_DENTRY2, PA_INODE2);
	put_dentry(f, PA_ROOT2, PA_ROOT, "g", PA_INODE, PA_SB);
	put_file(f, PA_FILES + 0x500, PA_MNT, PA_ROOT2, PA_INODE);
	t = filetab_new(&s, f->r);
	CHECK_EQ(filetab_get(t, 0), NONE);
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(filetab_get(t, fake_kva(f, PA_FILES + i * 0x100)), 0);
	CHECK_EQ(filetab_get(t, fake_kva(f, PA_FILES + 0x400)), 1);
	CHECK_EQ(filetab_get(t, fake_kva(f, PA_FILES + 0x500)), 2);
	CHECK_EQ(filetab_get(t, fake_kva(f, PA_FILES + 0x100)), 0);
	filetab_finish(t);
	CHECK_EQ(s.nfiles, 3);
	arena_release(&s.mem);
	fake_free(f);
}

/* overlayfs: the opened file, and the lower file that is mapped. */
TEST(backing)
{
	struct fake *f = machine();
	struct file r;

	put_all(f);
	put_ptr(f, PA_FILE + F_USER_MNT, PA_MNT2 + 16);
	put_ptr(f, PA_FILE + F_USER_DENTRY, PA_DENTRY2);
	fake_put_uint(f, PA_FILE + F_MODE, 1u << 25 | 1, 4);
	/* v6.5: the bit, and no path after the file */
	CHECK_STR(only(f, PA_FILE).path, "/f");
	/* v6.7: path, v6.8: and inode */
	fake_member(f, M_BACKING_MNT, F_USER_MNT, 8);
	fake_member(f, M_BACKING_DENTRY, F_USER_DENTRY, 8);
	r = only(f, PA_FILE);
	CHECK_STR(r.path, "/up");
	CHECK_EQ(r.ino, 42);
	f->kernel.rules.on[RULE_MAPS_USER_INODE] = true;
	r = only(f, PA_FILE);
	CHECK_STR(r.path, "/up");
	CHECK_EQ(r.ino, 4242);
	CHECK_EQ(r.dev_minor, 0x33);
	CHECK_EQ(r.inode, fake_kva(f, PA_INODE));
	/* bit 24 means parallel writes before v6.10, and backing in some later releases */
	fake_put_uint(f, PA_FILE + F_MODE, 1u << 24 | 1, 4);
	CHECK_STR(only(f, PA_FILE).path, "/f");
	fake_member(f, M_FOP_FLAGS, 0, 4);
	CHECK_STR(only(f, PA_FILE).path, "/up");
	/* bit 25 has another meaning since v6.14: no path follows then */
	fake_put_uint(f, PA_FILE + F_MODE, 1u << 25 | 1, 4);
	put_ptr(f, PA_FILE + F_USER_MNT, PA_MNT + 16);
	CHECK_STR(only(f, PA_FILE).path, "/f");
	fake_put_uint(f, PA_FILE + F_USER_MNT, 0, 8);
	CHECK_STR(only(f, PA_FILE).path, "/f");
	CHECK_EQ(fake_issues(f, "file"), 0);
	fake_free(f);
}

/* Ubuntu's vm_prfile: the file to print instead. */
TEST(prfile)
{
	struct fake *f = machine();
	struct snapshot s = { .k = &f->kernel };
	struct vma v = { .addr = fake_kva(f, PA_VMA), .file_addr = fake_kva(f, PA_FILE) };
	struct filetab *t;

	put_all(f);
	put_file(f, PA_FILES, PA_MNT2, PA_DENTRY2, PA_INODE2);
	fake_member(f, M_VMA_PRFILE, 48, 8);
	put_ptr(f, PA_VMA + 48, PA_FILES);
	t = filetab_new(&s, f->r);
	CHECK_EQ(filetab_of_vma(t, &v), 0);
	CHECK_EQ(filetab_get(t, v.file_addr), 1);
	CHECK_EQ(filetab_of_vma(t, &v), 0);
	v.file_addr = 0;
	CHECK_EQ(filetab_of_vma(t, &v), NONE);
	filetab_finish(t);
	CHECK_STR(s.files[0].path, "/up");
	CHECK_EQ(s.files[0].ino, 4242);
	CHECK_EQ(s.files[0].inode, fake_kva(f, PA_INODE));
	CHECK_STR(s.files[1].path, "/f");
	arena_release(&s.mem);
	fake_free(f);
}

TEST(lost)
{
	struct fake *f = machine();
	struct file r;

	put_all(f);
	fake_drop(f, PA_FILE);
	r = only(f, PA_FILE);
	CHECK_STR(r.path, PATH_UNKNOWN);
	CHECK(!r.status_known);
	CHECK_EQ(fake_issues(f, "file"), 1);
	put_all(f);
	fake_drop(f, PA_INODE);
	r = only(f, PA_FILE);
	CHECK_STR(r.path, "/f");
	CHECK(!r.status_known);
	put_all(f);
	fake_drop(f, PA_SB);
	CHECK(!only(f, PA_FILE).status_known);
	put_all(f);
	fake_drop(f, PA_DENTRY);
	r = only(f, PA_FILE);
	CHECK_STR(r.path, PATH_UNKNOWN);
	CHECK_EQ(r.ino, 42);
	CHECK(!r.status_known);
	put_all(f);
	fake_put_uint(f, PA_FILE + F_INODE, 0x1234, 8);
	CHECK(!only(f, PA_FILE).status_known);
	CHECK(only(f, 0x123456789000).path != NULL);
	fake_free(f);
}

/* ---- names of vmas ---------------------------------------------------------------------- */

struct vma_case {
	uint64_t start, end;
	uint64_t ops, private_data;
	uint32_t file;
};

static const char *name_of(struct fake *f, const struct vma_case *c)
{
	static struct file file = { .path = "/f" };
	static struct mm mm = { .start_brk = 0x10000, .brk = 0x20000, .start_stack = 0x7ff800 };
	struct snapshot s = { .k = &f->kernel, .mms = &mm, .nmms = 1, .files = &file, .nfiles = 1 };
	struct vma v = { .addr = fake_kva(f, PA_VMA), .start = c->start, .end = c->end,
			 .ops = c->ops, .private_data = c->private_data, .file = c->file };
	const char *name;

	mm.addr = fake_kva(f, PA_MM);
	vma_name(&s, f->r, &v);
	name = arena_strdup(&f->dump.mem, v.name);
	arena_release(&s.mem);
	return name;
}

/* The dentries of an inode are a list, before 3.6 a ring through the inode. */
TEST(name_of_inode)
{
	enum { I_DENTRY = 40, D_ALIAS = 80 };
	struct fake *f = machine();
	struct pathwalk w;
	uint64_t left = 100;

	put_all(f);
	fake_member(f, M_INODE_DENTRY, I_DENTRY, 8);
	fake_member(f, M_DENTRY_ALIAS, D_ALIAS, 16);
	put_ptr(f, PA_INODE + I_DENTRY, PA_DENTRY + D_ALIAS);
	put_ptr(f, PA_DENTRY + D_ALIAS + 8, PA_INODE + I_DENTRY);
	/* none: what would be its dentry is no name */
	put_dentry(f, PA_INODE2 + I_DENTRY - D_ALIAS, PA_ROOT2, "x", PA_INODE2, PA_SB2);
	put_ptr(f, PA_INODE2 + I_DENTRY, PA_INODE2 + I_DENTRY);
	put_ptr(f, PA_INODE2 + I_DENTRY + 8, PA_INODE2 + I_DENTRY);
	pathwalk_init(&w, &f->kernel, f->r);
	CHECK_STR(inode_path(&w, fake_kva(f, PA_INODE), 0, &left, &f->dump.mem), "/f");
	CHECK_STR(inode_path(&w, fake_kva(f, PA_INODE2), 0, &left, &f->dump.mem), PATH_UNKNOWN);
	CHECK_EQ(issues_total(f->kernel.issues), 0);
	/* a hlist does not end at its head, and the first node points back to it */
	pathwalk_release(&w);
	put_ptr(f, PA_INODE2 + I_DENTRY + 8, 0);
	put_ptr(f, PA_DENTRY + D_ALIAS + 8, PA_INODE);
	pathwalk_init(&w, &f->kernel, f->r);
	CHECK_STR(inode_path(&w, fake_kva(f, PA_INODE2), 0, &left, &f->dump.mem), PATH_UNKNOWN);
	CHECK_EQ(issues_total(f->kernel.issues), 1);
	CHECK_STR(inode_path(&w, fake_kva(f, PA_INODE), 0, &left, &f->dump.mem), PATH_UNKNOWN);
	CHECK_EQ(issues_total(f->kernel.issues), 2);
	pathwalk_release(&w);
	fake_free(f);
}

TEST(plain_names)
{
	struct fake *f = machine();
	struct vma_case c = { .start = 0x1000, .end = 0x2000, .file = NONE };

	CHECK_STR(name_of(f, &c), "");
	CHECK_STR(name_of(f, &(struct vma_case){ 0x1000, 0x2000, 0, 0, 0 }), "/f");
	CHECK_STR(name_of(f, &(struct vma_case){ 0x10000, 0x21000, 0, 0, NONE }), "[heap]");
	CHECK_STR(name_of(f, &(struct vma_case){ 0x20000, 0x21000, 0, 0, NONE }), "");
	f->kernel.rules.on[RULE_HEAP_PART] = true;
	CHECK_STR(name_of(f, &(struct vma_case){ 0x20000, 0x21000, 0, 0, NONE }), "[heap]");
	f->kernel.rules.on[RULE_HEAP_STRICT] = true;
	CHECK_STR(name_of(f, &(struct vma_case){ 0x20000, 0x21000, 0, 0, NONE }), "");
	CHECK_STR(name_of(f, &(struct vma_case){ 0xf000, 0x10000, 0, 0, NONE }), "");
	CHECK_STR(name_of(f, &(struct vma_case){ 0x7ff000, 0x800000, 0, 0, NONE }), "[stack]");
	fake_free(f);
}

TEST(given_names)
{
	struct fake *f = machine();
	struct vma_case anon = { 0x1000, 0x2000, 0, 0, NONE }, file = { 0x1000, 0x2000, 0, 0, 0 };
	char name[100];

	fake_members(f, { M_VMA_ANON_NAME, 8, 8 }, { M_VMA_SHARED, 8, 32 },
		     { M_ANON_NAME_TEXT, 4, 0 });
	fake_put_uint(f, PA_VMA + 8, 0, 8);
	CHECK_STR(name_of(f, &anon), "");
	put_ptr(f, PA_VMA + 8, PA_NAME);
	fake_put(f, PA_NAME + 4, "arena 1", 8);
	CHECK_STR(name_of(f, &anon), "[anon:arena 1]");
	/* the union with `shared` */
	CHECK_STR(name_of(f, &file), "/f");
	fake_member(f, M_VMA_SHARED, 16, 32);
	CHECK_STR(name_of(f, &file), "[anon_shmem:arena 1]");
	/* not terminated */
	memset(name, 'n', sizeof(name));
	fake_put(f, PA_NAME + 4, name, sizeof(name));
	CHECK_EQ(strlen(name_of(f, &anon)), strlen("[anon:]") + 79);
	CHECK_EQ(fake_issues(f, "vma name"), 0);
	fake_drop(f, PA_NAME);
	CHECK_STR(name_of(f, &anon), "");
	CHECK_STR(name_of(f, &file), "/f");
	fake_put_uint(f, PA_VMA + 8, 0x123, 8);
	CHECK_STR(name_of(f, &anon), "");
	CHECK_EQ(fake_issues(f, "vma name"), 3);
	fake_free(f);
}

TEST(special_names)
{
	struct fake *f = machine();
	uint64_t ops = fake_kva(f, PA_OPS), hook = fake_kva(f, 0x999000);
	struct vma_case c = { 0x10000, 0x11000, ops, fake_kva(f, PA_VMA), NONE };
	struct vma_case lost = { 0x1000, 0x2000, ops, 0x10, NONE };

	fake_members(f, { M_VMOPS_NAME, 8, 8 }, { M_VMOPS_FAULT, 16, 8 }, { M_SPECIAL_NAME, 24, 8 },
		     { M_MM_VDSO, 32, 8 });
	fake_symbol(f, Y_SPECIAL_MAPPING_NAME, hook);
	fake_symbol(f, Y_SPECIAL_MAPPING_FAULT, hook + 0x10);
	fake_put_uint(f, PA_OPS + 8, hook, 8);
	fake_put_uint(f, PA_OPS + 16, hook + 0x10, 8);
	put_ptr(f, PA_VMA + 24, PA_NAME);
	fake_put(f, PA_NAME, "[vdso]", 7);
	/* it comes before the heap */
	CHECK_STR(name_of(f, &c), "[vdso]");
	CHECK_EQ(fake_issues(f, "vma name"), 0);
	CHECK_STR(name_of(f, &lost), "");
	CHECK_EQ(fake_issues(f, "vma name"), 1);
	/* an unknown hook */
	fake_put_uint(f, PA_OPS + 8, hook + 8, 8);
	lost.private_data = c.private_data;
	CHECK_STR(name_of(f, &lost), "");
	CHECK_EQ(fake_issues(f, "vma name"), 2);
	/* no hook: the vdso by its address */
	fake_put_uint(f, PA_OPS + 8, 0, 8);
	fake_put_uint(f, PA_MM + 32, 0x1000, 8);
	CHECK_STR(name_of(f, &lost), "[vdso]");
	CHECK_EQ(fake_issues(f, "vma name"), 2);
	fake_put_uint(f, PA_MM + 32, 0x800, 8);		/* a later part of it */
	CHECK_STR(name_of(f, &lost), "");
	CHECK_EQ(fake_issues(f, "vma name"), 2);
	fake_put_uint(f, PA_MM + 32, 0x3000, 8);
	CHECK_STR(name_of(f, &lost), "");
	CHECK_EQ(fake_issues(f, "vma name"), 3);
	fake_free(f);
}

/* v3.4 .. v4.4: stacks by the stack pointers of threads. */
TEST(thread_stacks)
{
	struct fake *f = machine();
	struct task tasks[2] = { { .addr = fake_kva(f, PA_MM), .pid = 7 },
				 { .addr = fake_kva(f, PA_MM) + 0x100, .pid = 8 } };
	struct proc proc = { .ntasks = 2 };
	struct mm mm = { .start_stack = 0x7fff12345678 };
	struct snapshot s = { .k = &f->kernel, .mms = &mm, .nmms = 1, .procs = &proc, .nprocs = 1,
			      .tasks = tasks, .ntasks = 2 };
	struct vma v = { .start = 0x7fff12340000, .end = 0x7fff12350000, .file = NONE };

	f->kernel.rules.on[RULE_STACK_TID] = true;
	fake_member(f, M_THREAD_USERSP, 0x20, 8);
	fake_put_uint(f, PA_MM + 0x20, 0x7fff12344000, 8);
	fake_put_uint(f, PA_MM + 0x120, 0x7f0000001000, 8);
	vma_name(&s, f->r, &v);
	CHECK_STR(v.name, "[stack]");
	v.start = 0x7f0000000000;
	v.end = 0x7f0000002000;
	vma_name(&s, f->r, &v);
	CHECK_STR(v.name, "[stack:8]");
	/* a process that shares the mm: its own stack; what is no stack keeps its name */
	struct proc both[2] = { proc, { .first_task = 1, .ntasks = 1 } };

	s.procs = both;
	s.nprocs = 2;
	CHECK(vma_name_in(&s, f->r, &v, &both[0], &s.mem) == v.name);
	CHECK_STR(vma_name_in(&s, f->r, &v, &both[1], &s.mem), "[stack:8]");
	both[1].first_task = 0;
	CHECK_STR(vma_name_in(&s, f->r, &v, &both[1], &s.mem), "");
	v.name = "[heap]";
	CHECK_STR(vma_name_in(&s, f->r, &v, &both[1], &s.mem), "[heap]");
	s.procs = &proc;
	s.nprocs = 1;
	/* by the registers saved on the kernel stack */
	f->kernel.layout.v[M_THREAD_USERSP].alt = -1;
	fake_member(f, M_THREAD_SP0, 0x28, 8);
	fake_size(f, S_PT_REGS, 0x40);
	fake_member(f, M_REGS_SP, 0x38, 8);
	put_ptr(f, PA_MM + 0x28, PA_NAME + 0x40);
	put_ptr(f, PA_MM + 0x128, PA_NAME + 0x40);
	fake_put_uint(f, PA_NAME + 0x38, 0x7f0000001000, 8);
	vma_name(&s, f->r, &v);
	CHECK_STR(v.name, "[stack:7]");
	/* PowerPC */
	f->kernel.layout.v[M_THREAD_SP0].alt = -1;
	fake_member(f, M_THREAD_REGS, 0x28, 8);
	fake_array(f, M_REGS_GPR, 0x38, 8, 32);
	fake_put_uint(f, PA_NAME + 0x40 + 0x40, 0x7f0000001000, 8);
	vma_name(&s, f->r, &v);
	CHECK_STR(v.name, "[stack:7]");
	put_ptr(f, PA_MM + 0x28, 0x900000);
	fake_put_uint(f, PA_MM + 0x128, 0, 8);
	vma_name(&s, f->r, &v);
	CHECK_STR(v.name, "");
	arena_release(&s.mem);
	fake_free(f);
}
