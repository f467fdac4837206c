/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files a sandboxed process is given, and where an export of it may write. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/sandbox/permits.h"
#include "reports/export/tree.h"
#include "tests/unit/check.h"

static void file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

/* The beginning of an ELF file of TYPE, in the byte order DATA. */
static void elf(const char *path, unsigned data, unsigned type)
{
	const char head[] = { '\177',
			      'E',
			      'L',
			      'F',
			      2,
			      (char)data,
			      1,
			      0,
			      0,
			      0,
			      0,
			      0,
			      0,
			      0,
			      0,
			      0,
			      (char)(data == 1 ? type : 0),
			      (char)(data == 1 ? 0 : type) };
	FILE *f = fopen(path, "w");

	if (!f || fwrite(head, 1, sizeof(head), f) != sizeof(head) || fclose(f))
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* 0: opened; else the errno. */
static int said(int fd)
{
	int err = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

#define OPEN(p, path) said(permits_open(p, path))
#define BELOW(p, root, path) said(permits_open_below(p, root, path))

static void test_layouts(void)
{
	static const char *const dirs[] = { "kept" };
	struct permits p = { .layouts = dirs, .nlayouts = 1 };

	if (mkdir("kept", 0700) || mkdir("kept/aa", 0700))
		abort();
	file("kept/0a9f.layout", "# vmcensus layout 1\nword 8\n");
	file("kept/bb.layout", "root:x:0:0\n");
	file("kept/cc.layout", "# vmcensus");
	file("kept/secret.layout", "# vmcensus layout 1\n");
	file("kept/.layout", "# vmcensus layout 1\n");
	file("kept/aa/aa.layout", "# vmcensus layout 1\n");
	CHECK_EQ(OPEN(&p, "kept/0a9f.layout"), 0);
	CHECK_EQ(OPEN(&p, "kept/bb.layout"), EPERM);
	CHECK_EQ(OPEN(&p, "kept/cc.layout"), EPERM);
	CHECK_EQ(OPEN(&p, "kept/none.layout"), EPERM);
	CHECK_EQ(OPEN(&p, "kept/0a.layout"), ENOENT);
	CHECK_EQ(OPEN(&p, "kept/secret.layout"), EPERM);
	CHECK_EQ(OPEN(&p, "kept/.layout"), EPERM);
	CHECK_EQ(OPEN(&p, "kept/aa/aa.layout"), EPERM);
	CHECK_EQ(OPEN(&p, "kept/../kept/0a9f.layout"), EPERM);
	p.nlayouts = 0;
	CHECK_EQ(OPEN(&p, "kept/0a9f.layout"), EPERM);
	permits_release(&p);
}

static void test_names(void)
{
	static const char *const names[] = { "dump", "raw@0x1000", "none", "a@b@0" };
	struct permits p = { .files = names, .nfiles = 4 };

	file("dump", "D");
	file("raw", "R");
	file("a@b", "A");
	file("a", "B");
	file("secret", "\177ELF");
	CHECK_EQ(OPEN(&p, "dump"), 0);
	CHECK_EQ(OPEN(&p, "raw"), 0);
	CHECK_EQ(OPEN(&p, "raw@0x1000"), ENOENT);
	CHECK_EQ(OPEN(&p, "none"), ENOENT);
	CHECK_EQ(OPEN(&p, "a@b"), 0);
	/* a piece of one: asked for, and not there; nothing else may follow */
	CHECK_EQ(OPEN(&p, "dump@0+0x1000:0x2000"), ENOENT);
	CHECK_EQ(OPEN(&p, "a@b@0+16:32"), ENOENT);
	CHECK_EQ(OPEN(&p, "dump@0/etc"), EPERM);
	CHECK_EQ(OPEN(&p, "dumps@0"), EPERM);
	/* neither another name of the same file, nor a part of a name */
	CHECK_EQ(OPEN(&p, "a"), EPERM);
	CHECK_EQ(OPEN(&p, "./dump"), EPERM);
	CHECK_EQ(OPEN(&p, "dum"), EPERM);
	CHECK_EQ(OPEN(&p, "dump2"), EPERM);
	CHECK_EQ(OPEN(&p, "secret"), EPERM);
	CHECK_EQ(OPEN(&p, ""), EPERM);
	CHECK_EQ(OPEN(&p, "/etc/passwd"), EPERM);
	permits_add(&p, "secret");
	CHECK_EQ(OPEN(&p, "secret"), 0);
	permits_release(&p);
}

static void test_debug_files(void)
{
	struct permits p = { .nfiles = 0 };

	/* not there, or there: never refused by its name */
	CHECK_EQ(OPEN(&p, "/usr/lib/debug/no/such"), ENOENT);
	CHECK_EQ(OPEN(&p, "/lib/modules/no/such"), ENOENT);
	CHECK_EQ(OPEN(&p, "/boot/vmlinux-no-such"), ENOENT);
	CHECK_EQ(OPEN(&p, "/boot/System.map-no-such"), ENOENT);
	CHECK_EQ(OPEN(&p, "/usr/lib/debug/../../../etc/passwd"), EPERM);
	CHECK_EQ(OPEN(&p, "/boot/vmlinux-/../../etc/passwd"), EPERM);
	CHECK_EQ(OPEN(&p, "/boot/grub/grub.cfg"), EPERM);
	CHECK_EQ(OPEN(&p, "/usr/lib/debug"), EPERM);
	CHECK_EQ(OPEN(&p, "/usr/lib/debug/\033[2J"), EPERM);
	CHECK_EQ(BELOW(&p, "/", "/usr/lib/debug/.build-id/00/00.debug"), ENOENT);
	CHECK_EQ(BELOW(&p, "/", "/usr/lib/debug/../../../etc/passwd"), EPERM);
	CHECK_EQ(BELOW(&p, "/", "/etc/passwd"), EPERM);
}

/* Beside a vmlinux whose real path was told: ELF files, also in .debug, no deeper. */
static void test_beside(void)
{
	static const char *const names[] = { "link" };
	struct permits p = { .files = names, .nfiles = 1, .types = names, .ntypes = 1 };
	struct permits dump = { .files = names, .nfiles = 1 };
	char here[PATH_MAX], real[PATH_MAX], path[2 * PATH_MAX];

	if (!getcwd(here, sizeof(here)) || mkdir("k", 0700) || mkdir("k/.debug", 0700) ||
	    mkdir("k/sub", 0700) || symlink("k/vmlinux", "link"))
		abort();
	elf("k/vmlinux", 1, 2);
	elf("k/vmlinux.debug", 1, 3);
	elf("k/.debug/vmlinux.debug", 2, 1);
	elf("k/sub/elf", 1, 2);
	elf("k/core", 1, 4);
	elf("k/core.be", 2, 4);
	elf("k/none", 1, 0);
	file("k/text", "text");
	file("k/short", "\177ELF");
	snprintf(path, sizeof(path), "%s/k/vmlinux.debug", here);
	CHECK_EQ(OPEN(&p, path), EPERM);
	CHECK(permits_real_path(&p, "link", real));
	CHECK_EQ(OPEN(&p, path), 0);
	snprintf(path, sizeof(path), "%s/k/.debug/vmlinux.debug", here);
	CHECK_EQ(OPEN(&p, path), 0);
	snprintf(path, sizeof(path), "%s/k/sub/elf", here);
	CHECK_EQ(OPEN(&p, path), EPERM);
	for (unsigned i = 0; i < 5; i++) {
		static const char *const not_debug[] = { "text", "core", "core.be", "none",
							 "short" };

		snprintf(path, sizeof(path), "%s/k/%s", here, not_debug[i]);
		CHECK_EQ(OPEN(&p, path), EPERM);
	}
	snprintf(path, sizeof(path), "%s/k/../secret", here);
	CHECK_EQ(OPEN(&p, path), EPERM);
	CHECK(!permits_real_path(&p, "/etc/passwd", real));
	permits_release(&p);
	/* what is not of -t has a real path, and nothing beside it */
	snprintf(path, sizeof(path), "%s/k/vmlinux.debug", here);
	CHECK(permits_real_path(&dump, "link", real));
	CHECK_EQ(OPEN(&dump, path), EPERM);
	permits_release(&dump);
}

static void test_sysroot(void)
{
	struct permits p = { .sysroot = "root" };

	if (mkdir("root", 0700) || mkdir("root/etc", 0700) || mkdir("root/bin", 0700) ||
	    symlink("/etc/shadow", "root/bin/out") || symlink("../../secret", "root/bin/up"))
		abort();
	file("root/etc/passwd", "root:x:0:0\n");
	file("root/etc/shadow", "root:x\n");
	elf("root/bin/sh", 1, 3);
	elf("root/bin/core", 1, 4);
	CHECK_EQ(BELOW(&p, "root", "/bin/sh"), 0);
	CHECK_EQ(BELOW(&p, "root", "/etc/passwd"), 0);
	CHECK_EQ(BELOW(&p, "root", "/etc/shadow"), EPERM);
	CHECK_EQ(BELOW(&p, "root", "/bin/out"), EPERM);
	CHECK_EQ(BELOW(&p, "root", "/bin/core"), EPERM);
	CHECK_EQ(BELOW(&p, "root", "/bin/up"), ENOENT);
	CHECK_EQ(BELOW(&p, "root", "/../secret"), ENOENT);
	CHECK_EQ(BELOW(&p, "root", "/bin"), ENOENT);
	CHECK_EQ(BELOW(&p, "k", "/vmlinux"), EPERM);
	CHECK_EQ(BELOW(&p, "/", "/etc/passwd"), EPERM);
	p.sysroot = NULL;
	CHECK_EQ(BELOW(&p, "root", "/bin/sh"), EPERM);
}

/* A header of SQLite's with application_id "VMCE". */
static void capsule(const char *path)
{
	static const char head[100] = "SQLite format 3";
	FILE *f = fopen(path, "w");

	if (!f || fwrite(head, 1, 68, f) != 68 || fputs("VMCE", f) < 0 ||
	    fwrite(head + 72, 1, 28, f) != 28 || fclose(f))
		abort();
}

/* In a folder that was named: capsules and manifests, and links to such. */
static void test_folders(void)
{
	static const char *const folders[] = { "caps", "more/" };
	struct permits p = { .folders = folders, .nfolders = 2 };

	if (mkdir("caps", 0700) || mkdir("caps/sub", 0700) || mkdir("more", 0700) ||
	    symlink("../secret", "caps/link.vmc") || symlink("a.vmc", "caps/same.vmc"))
		abort();
	file("caps/a.vmc", "SQLite format 3");
	file("caps/sub/a.vmc", "SQLite format 3");
	file("caps/text.vmc", "SQLite format");
	file("caps/manifest.jsonl", "{}");
	file("caps/manifest.1-4.jsonl", "");
	file("caps/passwd.jsonl", "root:x:0:0\n");
	file("caps/other", "SQLite format 3");
	capsule("caps/named");
	file("more/a.vmc", "SQLite format 3");
	CHECK_EQ(OPEN(&p, "caps/a.vmc"), 0);
	CHECK_EQ(OPEN(&p, "more//a.vmc"), 0);
	CHECK_EQ(OPEN(&p, "caps/same.vmc"), 0);
	CHECK_EQ(OPEN(&p, "caps/manifest.jsonl"), 0);
	CHECK_EQ(OPEN(&p, "caps/manifest.1-4.jsonl"), 0);
	CHECK_EQ(OPEN(&p, "caps/none.vmc"), ENOENT);
	CHECK_EQ(OPEN(&p, "caps/link.vmc"), EPERM);
	CHECK_EQ(OPEN(&p, "caps/text.vmc"), EPERM);
	CHECK_EQ(OPEN(&p, "caps/passwd.jsonl"), EPERM);
	CHECK_EQ(OPEN(&p, "caps/other"), EPERM);
	CHECK_EQ(OPEN(&p, "caps/named"), 0);
	CHECK_EQ(OPEN(&p, "caps/sub"), EPERM);
	CHECK_EQ(OPEN(&p, "caps/sub/a.vmc"), EPERM);
	CHECK_EQ(OPEN(&p, "more/../caps/a.vmc"), EPERM);
	CHECK_EQ(OPEN(&p, "a.vmc"), EPERM);
}

/* ---- an export's tree -------------------------------------------------------------- */

static int put(const struct tree *t, enum outside_kind kind, const char *path)
{
	const struct outside_entry e = { .kind = kind, .path = path, .target = "/etc" };
	int ret = tree_put(t, &e), err = ret < 0 ? errno : 0;

	if (ret > 0)
		close(ret);
	return err;
}

static void test_tree(void)
{
	char deep[] =
		"1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1";
	struct diag diag;
	struct tree t;

	CHECK(!tree_open(&t, "tree", &diag));
	CHECK_EQ(put(&t, OUTSIDE_DIR, "1"), 0);
	CHECK_EQ(put(&t, OUTSIDE_DIR, "1"), 0);
	CHECK_EQ(put(&t, OUTSIDE_FILE, "1/comm"), 0);
	CHECK_EQ(put(&t, OUTSIDE_FILE, "1/comm"), EEXIST);
	CHECK_EQ(put(&t, OUTSIDE_LINK, "1/exe"), 0);
	/* a link of its own is no way out */
	CHECK(put(&t, OUTSIDE_FILE, "1/exe/passwd") != 0);
	CHECK(put(&t, OUTSIDE_DIR, "1/exe/new") != 0);
	CHECK_EQ(put(&t, OUTSIDE_FILE, "../out"), EINVAL);
	CHECK_EQ(put(&t, OUTSIDE_FILE, "1/../../out"), EINVAL);
	CHECK_EQ(put(&t, OUTSIDE_FILE, "/tmp/out"), EINVAL);
	CHECK_EQ(put(&t, OUTSIDE_FILE, ".hidden"), EINVAL);
	CHECK_EQ(put(&t, OUTSIDE_FILE, ""), EINVAL);
	CHECK_EQ(put(&t, OUTSIDE_DIR, "1/"), EINVAL);
	for (char *at = strchr(deep, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		put(&t, OUTSIDE_DIR, deep);
		*at = '/';
	}
	CHECK_EQ(put(&t, OUTSIDE_DIR, deep), EINVAL);
	CHECK(!tree_close(&t));
	CHECK(!access("tree/1/comm", F_OK) && access("out", F_OK));
	CHECK(!tree_open(&t, "tree", &diag));
	t.st = fail(&diag, ST_IO, "as if a disk were full");
	CHECK(tree_close(&t) == ST_IO);
	CHECK(!access("tree/1/comm", F_OK));
}

int main(void)
{
	char dir[] = "/tmp/test_permits.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	test_names();
	test_layouts();
	test_debug_files();
	test_beside();
	test_folders();
	test_sysroot();
	test_tree();
	CHECK(!chdir("/") && !nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS));
	return check_done();
}
