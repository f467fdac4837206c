/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of dentries: the output of d_path(), and the rest of damaged paths. */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/file.h"
#include "facts/layout/task.h"
#include "model/kernel/file/escape.h"
#include "model/kernel/file/files.h"
#include "model/kernel/file/path.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* Where the members of the made-up kernel lie. */
enum {
	D_FLAGS = 0, D_HASH_NEXT = 8, D_HASH_PPREV = 16, D_PARENT = 24, D_NAME = 32, D_LEN = 40,
	D_INODE = 48, D_OPS = 56, D_SB = 64, D_FSDATA = 72, D_INAME = 80, D_SIZE = 120,
	M_PARENT = 0, M_POINT = 8, M_VFS = 16, M_ROOT = 16, M_SB = 24, M_SIZE = 48,
	SB_MAGIC = 16, OPS_DNAME = 64, INO = 32,
};

/* Addresses: each object in a page of its own, so that it can be removed. */
enum {
	PA_ROOT = 0x1000, PA_USR = 0x2000, PA_LIB = 0x3000, PA_FILE = 0x4000,	/* dentries */
	PA_MNT = 0x5000, PA_MNT2 = 0x6000, PA_ROOT2 = 0x7000, PA_DIR2 = 0x8000,
	PA_OPS = 0x9000, PA_SB = 0xa000, PA_INODE = 0xb000, PA_NAME = 0xc000,
	PA_NS = 0xd000, PA_TASK = 0xe000, PA_FS = 0xf000, PA_MANY = 0x20000,
	PA_DMABUF = 0x10000,
};

static struct fake *machine(unsigned w, bool big)
{
	struct fake *f = fake_new(w, big);

	fake_size(f, S_DENTRY, D_SIZE);
	fake_size(f, S_HLIST_BL_NODE, 2 * w);
	fake_members(f, { M_DENTRY_FLAGS, D_FLAGS, 4 }, { M_DENTRY_HASH_NEXT, D_HASH_NEXT, w },
		     { M_DENTRY_HASH_PPREV, D_HASH_PPREV, w }, { M_DENTRY_PARENT, D_PARENT, w },
		     { M_DENTRY_NAME, D_NAME, w }, { M_DENTRY_NAME_LEN, D_LEN, 4 },
		     { M_DENTRY_INODE, D_INODE, w }, { M_DENTRY_OPS, D_OPS, w },
		     { M_DENTRY_SB, D_SB, w }, { M_DENTRY_FSDATA, D_FSDATA, w });
	fake_size(f, S_MOUNT, M_SIZE);
	fake_members(f, { M_MOUNT_VFS, M_VFS, 2 * w }, { M_MOUNT_PARENT, M_PARENT, w },
		     { M_MOUNT_POINT, M_POINT, w }, { M_MOUNT_ROOT, M_ROOT, w },
		     { M_MOUNT_SB, M_SB, w }, { M_SB_MAGIC, SB_MAGIC, w },
		     { M_DOP_DNAME, OPS_DNAME, w }, { M_INODE_INO, INO, w });
	return f;
}

static void put_ptr(struct fake *f, uint64_t pa, uint64_t target_pa)
{
	fake_put_uint(f, pa, fake_kva(f, target_pa), f->dump.word_size);
}

static void store_ptr(struct fake *f, uint8_t *at, uint64_t v)
{
	store_uint(at, v, f->dump.word_size, f->dump.big_endian);
}

/* A hashed dentry with its name in itself, or at PA_NAME if it is long. */
static void put_dentry_n(struct fake *f, uint64_t pa, uint64_t parent, const char *name,
			 size_t len)
{
	uint8_t d[D_SIZE] = { 0 };
	uint64_t at = pa + D_INAME;

	if (len >= D_SIZE - D_INAME) {
		at = PA_NAME;
		fake_put(f, at, name, len);
		fake_put_uint(f, at + len, 0, 1);
	} else {
		memcpy(d + D_INAME, name, len);
	}
	store_ptr(f, d + D_HASH_PPREV, fake_kva(f, PA_MANY));
	store_ptr(f, d + D_PARENT, fake_kva(f, parent));
	store_ptr(f, d + D_NAME, fake_kva(f, at));
	store_uint(d + D_LEN, len, 4, f->dump.big_endian);
	store_ptr(f, d + D_INODE, fake_kva(f, PA_INODE));
	store_ptr(f, d + D_SB, fake_kva(f, PA_SB));
	fake_put(f, pa, d, sizeof(d));
}

static void put_dentry(struct fake *f, uint64_t pa, uint64_t parent, const char *name)
{
	put_dentry_n(f, pa, parent, name, strlen(name));
}

static void put_mount(struct fake *f, uint64_t pa, uint64_t parent, uint64_t point,
		      uint64_t root)
{
	put_ptr(f, pa + M_PARENT, parent);
	put_ptr(f, pa + M_POINT, point);
	put_ptr(f, pa + M_ROOT, root);
	put_ptr(f, pa + M_SB, PA_SB);
}

/* "/usr/lib/NAME" on the mount PA_MNT. */
static void put_tree(struct fake *f, const char *name)
{
	put_mount(f, PA_MNT, PA_MNT, PA_ROOT, PA_ROOT);
	put_dentry(f, PA_ROOT, PA_ROOT, "/");
	put_dentry(f, PA_USR, PA_ROOT, "usr");
	put_dentry(f, PA_LIB, PA_USR, "lib");
	put_dentry(f, PA_FILE, PA_LIB, name);
}

static const char *path(struct fake *f, uint64_t mnt, uint64_t dentry)
{
	return path_of(&f->kernel, f->r, &f->dump.mem, fake_kva(f, mnt + M_VFS),
		       fake_kva(f, dentry));
}

static void unhash(struct fake *f, uint64_t dentry)
{
	fake_put_uint(f, dentry + D_HASH_PPREV, 0, f->dump.word_size);
}

static void test_plain(unsigned w, bool big)
{
	struct fake *f = machine(w, big);
	char name[256];

	put_tree(f, "libc.so.6");
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/libc.so.6");
	CHECK_STR(path(f, PA_MNT, PA_ROOT), "/");
	unhash(f, PA_FILE);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/libc.so.6 (deleted)");
	/* a removed directory does not count, nor does a root */
	put_tree(f, "x");
	unhash(f, PA_LIB);
	unhash(f, PA_ROOT);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/x");
	CHECK_STR(path(f, PA_MNT, PA_ROOT), "/");

	memset(name, 'n', 255);
	name[255] = 0;
	put_tree(f, name);
	CHECK_EQ(strlen(path(f, PA_MNT, PA_FILE)), 9 + 255);
	CHECK_EQ(fake_issues(f, "path"), 0);
	fake_free(f);
}

static void test_unhashed_before(void)
{
	struct fake *f = machine(4, true);

	/* v2.6.0 .. v2.6.37: a flag, and pprev is poisoned, not null */
	f->kernel.layout.v[S_HLIST_BL_NODE].alt = -1;
	put_tree(f, "x");
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/x");
	fake_put_uint(f, PA_FILE + D_FLAGS, 0x10, 4);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/x (deleted)");
	/* v2.4: an empty list */
	f->kernel.layout.v[M_DENTRY_HASH_PPREV].alt = -1;
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/x");
	put_ptr(f, PA_FILE + D_HASH_NEXT, PA_FILE + D_HASH_NEXT);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/x (deleted)");
	fake_free(f);
}

static void put_init_root(struct fake *f, uint64_t mnt, uint64_t dentry)
{
	unsigned w = f->dump.word_size;

	fake_symbol(f, Y_INIT_PID_NS, fake_kva(f, PA_NS));
	fake_members(f, { M_PIDNS_REAPER, 8, w }, { M_TASK_FS, 16, w }, { M_FS_ROOT_MNT, 24, w },
		     { M_FS_ROOT_DENTRY, 32, w });
	put_ptr(f, PA_NS + 8, PA_TASK);
	put_ptr(f, PA_TASK + 16, PA_FS);
	put_ptr(f, PA_FS + 24, mnt + M_VFS);
	put_ptr(f, PA_FS + 32, dentry);
}

static void test_mounts(unsigned w, bool big)
{
	struct fake *f = machine(w, big);

	put_tree(f, "x");
	/* another file system on /usr/lib, its file dir */
	put_dentry(f, PA_ROOT2, PA_ROOT2, "/");
	put_dentry(f, PA_DIR2, PA_ROOT2, "dir");
	put_mount(f, PA_MNT2, PA_MNT, PA_LIB, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2, PA_DIR2), "/usr/lib/dir");
	CHECK_STR(path(f, PA_MNT2, PA_ROOT2), "/usr/lib");
	/* mounted over the root of all */
	put_mount(f, PA_MNT2, PA_MNT, PA_ROOT, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2, PA_DIR2), "/dir");
	/* detached: the rest of the path */
	put_mount(f, PA_MNT2, PA_MNT2, PA_ROOT2, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2, PA_DIR2), "/dir");
	/* cloned and in no namespace: the mountpoint is that of the source */
	put_mount(f, PA_MNT2, PA_MNT2, PA_LIB, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2, PA_DIR2), "/dir");
	/* a bind mount of /usr on /usr/lib, and a file that was moved out of it */
	put_mount(f, PA_MNT2, PA_MNT, PA_LIB, PA_USR);
	CHECK_STR(path(f, PA_MNT2, PA_FILE), "/usr/lib/lib/x");
	put_dentry(f, PA_FILE, PA_ROOT, "x");
	CHECK_STR(path(f, PA_MNT2, PA_FILE), "/");
	unhash(f, PA_FILE);
	CHECK_STR(path(f, PA_MNT2, PA_FILE), "/ (deleted)");
	CHECK_EQ(fake_issues(f, "path"), 0);
	/* the reader's root is /usr */
	put_tree(f, "x");
	put_init_root(f, PA_MNT, PA_USR);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/lib/x");
	CHECK_STR(path(f, PA_MNT, PA_USR), "/");
	/* the path to that root is broken: the whole path */
	fake_drop(f, PA_TASK);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/x");
	fake_free(f);
}

/* Before v3.3 a struct path points to the same type as mnt_parent. */
static void test_vfsmount(void)
{
	struct fake *f = machine(8, false);

	f->kernel.layout.v[M_MOUNT_VFS].alt = -1;
	put_tree(f, "x");
	put_dentry(f, PA_ROOT2, PA_ROOT2, "/");
	put_dentry(f, PA_DIR2, PA_ROOT2, "dir");
	put_mount(f, PA_MNT2, PA_MNT, PA_LIB, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2 - M_VFS, PA_DIR2), "/usr/lib/dir");
	fake_free(f);
}

/* Until 2.6.35 the name of the root is printed, which nobody mounted. */
static void test_root_named(void)
{
	struct fake *f = machine(8, false);

	put_tree(f, "x");
	put_dentry(f, PA_ROOT2, PA_ROOT2, "anon_inode:");
	put_dentry(f, PA_DIR2, PA_ROOT2, "[perf_event]");
	put_mount(f, PA_MNT2, PA_MNT2, PA_ROOT2, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2, PA_DIR2), "/[perf_event]");
	f->kernel.rules.on[RULE_ROOT_NAMED] = true;
	CHECK_STR(path(f, PA_MNT2, PA_DIR2), "anon_inode:[perf_event]");
	CHECK_STR(path(f, PA_MNT2, PA_ROOT2), "anon_inode:");
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/x");
	CHECK_EQ(fake_issues(f, "path"), 0);
	fake_drop(f, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2, PA_DIR2), "(?)/[perf_event]");
	CHECK_EQ(fake_issues(f, "path"), 1);
	fake_free(f);
}

static void test_made_up(unsigned w, bool big)
{
	static const struct { uint64_t magic; const char *name, *path; } t[] = {
		{ 0x01021994, "memfd:a b", "/memfd:a b (deleted)" },
		{ 0x01021994, "SYSV00005151", "/SYSV00005151 (deleted)" },
		{ 0x01021994, "dev/zero", "/dev/zero (deleted)" },
		{ 0x958458f6, "anon_hugepage", "/anon_hugepage (deleted)" },
		{ 0xa10a10a1, "[aio]", "/[aio] (deleted)" },
		{ MAGIC_ANON_INODE, "[perf_event]", "anon_inode:[perf_event]" },
		{ MAGIC_SOCK, "PACKET", "socket:[4711]" },
		{ MAGIC_PIPE, "", "pipe:[4711]" },
		{ MAGIC_PID, "", "anon_inode:[pidfd]" },
		{ MAGIC_DMABUF, "dmabuf", "/dmabuf:" },
	};
	struct fake *f = machine(w, big);

	f->kernel.rules.on[RULE_ANON_INODE_PREFIX] = true;
	fake_member(f, M_DMABUF_NAME, 8, w);
	put_ptr(f, PA_OPS + OPS_DNAME, PA_MANY);
	fake_put_uint(f, PA_INODE + INO, 4711, w);
	fake_put_uint(f, PA_DMABUF + 8, 0, w);
	for (unsigned i = 0; i < ARRAY_LEN(t); i++) {
		fake_put_uint(f, PA_SB + SB_MAGIC, t[i].magic, w);
		put_dentry(f, PA_ROOT2, PA_ROOT2, "/");
		put_mount(f, PA_MNT2, PA_MNT2, PA_ROOT2, PA_ROOT2);
		put_dentry(f, PA_FILE, PA_FILE, t[i].name);
		put_ptr(f, PA_FILE + D_OPS, PA_OPS);
		put_ptr(f, PA_FILE + D_FSDATA, PA_DMABUF);
		CHECK_STR(path(f, PA_MNT2, PA_FILE), t[i].path);
	}
	/* the hook of RHEL 6 */
	f->kernel.rules.on[RULE_ANON_INODE_PREFIX] = false;
	fake_put_uint(f, PA_SB + SB_MAGIC, MAGIC_ANON_INODE, w);
	put_dentry(f, PA_FILE, PA_FILE, "[perf_event]");
	put_ptr(f, PA_FILE + D_OPS, PA_OPS);
	CHECK_STR(path(f, PA_MNT2, PA_FILE), "[perf_event]");
	fake_put_uint(f, PA_SB + SB_MAGIC, MAGIC_DMABUF, w);
	put_dentry(f, PA_FILE, PA_FILE, "dmabuf");
	put_ptr(f, PA_FILE + D_OPS, PA_OPS);
	put_ptr(f, PA_FILE + D_FSDATA, PA_DMABUF);
	put_ptr(f, PA_DMABUF + 8, PA_NAME);
	fake_put(f, PA_NAME, "camera", 7);
	CHECK_STR(path(f, PA_MNT2, PA_FILE), "/dmabuf:camera");
	CHECK_EQ(fake_issues(f, "path"), 0);
	fake_drop(f, PA_NAME);
	CHECK_STR(path(f, PA_MNT2, PA_FILE), "/dmabuf:(?)");
	CHECK_EQ(fake_issues(f, "path"), 1);
	/* a mounted one is found by its mountpoint */
	put_tree(f, "x");
	put_ptr(f, PA_ROOT2 + D_OPS, PA_OPS);
	put_mount(f, PA_MNT2, PA_MNT, PA_LIB, PA_ROOT2);
	CHECK_STR(path(f, PA_MNT2, PA_ROOT2), "/usr/lib");
	/* it cannot be known any more whether there is a hook */
	fake_drop(f, PA_OPS);
	CHECK_STR(path(f, PA_MNT2, PA_ROOT2), "/usr/lib");
	CHECK_EQ(fake_issues(f, "path"), 2);
	fake_free(f);
}

static void test_missing(unsigned w, bool big)
{
	struct fake *f = machine(w, big);
	char name[100];

	put_tree(f, "x");
	fake_drop(f, PA_USR);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/lib/x");
	put_tree(f, "x");
	fake_drop(f, PA_FILE);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)");
	put_tree(f, "x");
	unhash(f, PA_FILE);
	fake_drop(f, PA_MNT);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/usr/lib/x (deleted)");
	CHECK_EQ(fake_issues(f, "path"), 3);
	/* a long name lies elsewhere */
	memset(name, 'n', sizeof(name));
	name[99] = 0;
	put_tree(f, "x");
	put_dentry(f, PA_LIB, PA_USR, name);
	fake_drop(f, PA_NAME);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/(?)/x");
	put_tree(f, "x");
	fake_put_uint(f, PA_LIB + D_PARENT, 0, w);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/lib/x");
	fake_put_uint(f, PA_LIB + D_PARENT, fake_kva(f, PA_USR) + 1, w);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/lib/x");
	CHECK_EQ(fake_issues(f, "path"), 6);
	fake_free(f);
}

static void test_circles(unsigned w, bool big)
{
	struct fake *f = machine(w, big);

	put_tree(f, "x");
	put_ptr(f, PA_USR + D_PARENT, PA_FILE);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/x");
	put_tree(f, "x");
	put_ptr(f, PA_USR + D_PARENT, PA_LIB);
	unhash(f, PA_FILE);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/x (deleted)");
	/* two mounts, each mounted on the other */
	put_tree(f, "x");
	put_mount(f, PA_MNT, PA_MNT2, PA_ROOT2, PA_ROOT);
	put_mount(f, PA_MNT2, PA_MNT, PA_ROOT, PA_ROOT2);
	put_dentry(f, PA_ROOT2, PA_ROOT2, "/");
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/x");
	CHECK_EQ(fake_issues(f, "path"), 3);
	fake_free(f);
}

static void test_names(unsigned w, bool big)
{
	struct fake *f = machine(w, big);

	put_tree(f, "a\nb \\ \x1b\xff");
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/a\nb \\ \x1b\xff");
	CHECK_EQ(fake_issues(f, "path"), 0);
	/* the length counts, and a NUL inside of it is damage */
	put_dentry_n(f, PA_FILE, PA_LIB, "abc", 2);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/ab");
	put_dentry_n(f, PA_FILE, PA_LIB, "a\0c", 3);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/(?)");
	CHECK_EQ(fake_issues(f, "path"), 1);
	put_tree(f, "x");
	fake_put_uint(f, PA_LIB + D_LEN, 0xffffffff, 4);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/(?)/x");
	fake_put_uint(f, PA_LIB + D_NAME, 0x1000, w);
	fake_put_uint(f, PA_LIB + D_LEN, 5, 4);
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/(?)/x");
	CHECK_EQ(fake_issues(f, "path"), 3);
	fake_free(f);
}

/* What another place contradicts: one issue each, and no name that is wrong. */
static void test_contradictions(unsigned w, bool big)
{
	struct fake *f = machine(w, big);

	put_tree(f, "x");
	put_ptr(f, PA_FILE + D_SB, PA_INODE);		/* of another file system than its mount */
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/usr/lib/x");
	put_tree(f, "x");
	put_ptr(f, PA_USR + D_SB, PA_INODE);		/* a directory of another */
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/lib/x");
	put_tree(f, "x");
	put_ptr(f, PA_MNT + M_ROOT, PA_INODE);		/* the root of the mount is no dentry of it */
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/usr/lib/x");
	put_tree(f, "x");
	put_ptr(f, PA_USR + D_PARENT, PA_USR);		/* without a parent, and called "usr" */
	CHECK_STR(path(f, PA_MNT, PA_FILE), "(?)/lib/x");
	put_tree(f, "x");
	fake_put_uint(f, PA_FILE + D_LEN, 0, 4);		/* a name that goes on after its end */
	CHECK_STR(path(f, PA_MNT, PA_FILE), "/usr/lib/(?)");
	CHECK_EQ(fake_issues(f, "path"), 5);
	fake_free(f);
}

/* COUNT nested directories of the name of LEN bytes at PA_NAME. */
static void put_deep(struct fake *f, unsigned count, unsigned len)
{
	uint8_t *all = calloc(count, 128);
	char name[256];

	if (!all)
		abort();
	memset(name, 'd', sizeof(name));
	name[len] = 0;
	fake_put(f, PA_NAME, name, len + 1);
	for (unsigned i = 0; i < count; i++) {
		uint8_t *d = all + i * 128;
		uint64_t up = i ? PA_MANY + (i - 1) * 128 : PA_ROOT;

		store_ptr(f, d + D_HASH_PPREV, fake_kva(f, PA_MANY));
		store_ptr(f, d + D_PARENT, fake_kva(f, up));
		store_ptr(f, d + D_NAME, fake_kva(f, PA_NAME));
		store_ptr(f, d + D_SB, fake_kva(f, PA_SB));
		store_uint(d + D_LEN, len, 4, f->dump.big_endian);
	}
	fake_put(f, PA_MANY, all, (size_t)count * 128);
	free(all);
}

static void test_limits(unsigned w, bool big)
{
	struct fake *f = machine(w, big);
	const char *s;

	put_tree(f, "x");
	/* longer than PATH_MAX: the text that the kernel prints in maps */
	put_deep(f, 100, 200);
	CHECK_EQ(strlen(path(f, PA_MNT, PA_MANY + 99 * 128)), 100 * 201);
	/* the largest number of components */
	put_deep(f, 32000, 1);
	s = path(f, PA_MNT, PA_MANY + 31999 * 128);
	CHECK_EQ(strlen(s), 64000);
	CHECK_EQ(fake_issues(f, "path"), 0);
	put_deep(f, 34000, 1);
	CHECK_STR(path(f, PA_MNT, PA_MANY + 33999 * 128), "(?)/d");
	put_deep(f, 1000, 200);
	s = path(f, PA_MNT, PA_MANY + 999 * 128);
	CHECK_EQ(strlen(s), 3 + 201);
	CHECK_EQ(fake_issues(f, "path"), 2);
	fake_free(f);
}

static void test_escape(void)
{
	char buf[64];
	FILE *out = fmemopen(buf, sizeof(buf), "w");

	if (!CHECK(out != NULL))
		return;
	maps_escape(out, "/a b\\\t\n/c\n");
	fclose(out);
	CHECK_STR(buf, "/a b\\\t\\012/c\\012");
}

int main(void)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned w = i & 1 ? 8 : 4;
		bool big = i & 2;

		test_plain(w, big);
		test_mounts(w, big);
		test_made_up(w, big);
		test_missing(w, big);
		test_circles(w, big);
		test_names(w, big);
		test_contradictions(w, big);
		test_limits(w, big);
	}
	test_unhashed_before();
	test_vfsmount();
	test_root_named();
	test_escape();
	return check_done();
}
