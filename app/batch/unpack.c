/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unpack.c - members of archives to files, by libarchive, in a sandbox: the process outside
 * opens the archive, and makes each file in the one directory.
 */
#include "app/batch/unpack.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "app/sandbox/broker.h"
#include "app/options.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/library.h"
#include "dumpread/base/outside.h"

#define MEMBERS_MAX 100000u
#define BLOCK 4096
#define BUFFER ((size_t)1 << 20)
#define MEMORY (UINT64_C(4) << 30)	/* of address space: xz and zstd have dictionaries of 2 GiB */
#define SECONDS (24u * 3600)		/* of processor time; the batch has its own limit */
#define FILES 64u

/* What is used of libarchive. */
#define FUNCTIONS(F) \
	F(entry_filetype) F(entry_pathname) F(error_string) F(format) F(read_data_block) \
	F(read_free) F(read_new) F(read_next_header) F(read_open_fd) \
	F(read_support_filter_bzip2) F(read_support_filter_gzip) F(read_support_filter_lz4) \
	F(read_support_filter_lzma) F(read_support_filter_xz) F(read_support_filter_zstd) \
	F(read_support_format_cpio) F(read_support_format_gnutar) \
	F(read_support_format_raw) F(read_support_format_tar) F(read_support_format_zip)

static struct {
#define MEMBER(name) __typeof__(&archive_##name) name;
	FUNCTIONS(MEMBER)
} lib;

static const struct library_function functions[] = {
#define ROW(name) { "archive_" #name, &lib.name },
	FUNCTIONS(ROW)
};

static int complain(const char *path, const char *why)
{
	fprintf(stderr, "vmcensus: %s: cannot unpack: %s\n", path, why ? why : "unknown");
	return EXIT_NO_ANSWER;
}

/* Writes at the current place; blocks of zeros are skipped. */
static int put(int fd, const char *p, size_t n)
{
	while (n) {
		size_t len = n < BLOCK ? n : BLOCK;

		if (is_zero(p, len) ? lseek(fd, (off_t)len, SEEK_CUR) < 0
				    : write(fd, p, len) != (ssize_t)len)
			return -1;
		p += len;
		n -= len;
	}
	return 0;
}

static int copy(struct archive *a, int fd, const char *path)
{
	const void *p;
	size_t n;
	off_t end;
	int64_t at;
	int rc;

	while ((rc = lib.read_data_block(a, &p, &n, &at)) == ARCHIVE_OK)
		if (lseek(fd, at, SEEK_SET) < 0 || put(fd, p, n))
			return complain(path, strerror(errno));
	if (rc != ARCHIVE_EOF)
		return complain(path, lib.error_string(a));
	end = lseek(fd, 0, SEEK_CUR);
	return end < 0 || ftruncate(fd, end) ? complain(path, strerror(errno)) : 0;
}

/* The name of a member as that of one file; a compressed file has no name for what is in it. */
static void file_name(struct archive *a, struct archive_entry *e, const char *path, char *buf,
		      size_t size)
{
	const char *name = lib.entry_pathname(e), *slash = strrchr(path, '/');
	bool raw = lib.format(a) == ARCHIVE_FORMAT_RAW;
	size_t n;

	if (raw || !name)
		name = slash ? slash + 1 : path;
	while (!strncmp(name, "./", 2) || *name == '/')
		name += *name == '/' ? 1 : 2;
	snprintf(buf, size, "%s", name);
	n = strlen(buf);
	if (raw && strrchr(buf, '.') && strrchr(buf, '.') != buf)
		*strrchr(buf, '.') = '\0';
	for (size_t i = 0; i < n; i++)
		if (buf[i] == '/' || (!i && buf[i] == '.'))
			buf[i] = '!';
}

static int take_member(struct archive *a, struct archive_entry *e, const char *path)
{
	const struct outside *o = outside_now();
	char name[NAME_MAX - 8];
	const struct outside_entry file = { .kind = OUTSIDE_FILE, .path = name };
	int fd, err;

	if (lib.entry_filetype(e) && lib.entry_filetype(e) != AE_IFREG)
		return 0;
	file_name(a, e, path, name, sizeof(name));
	if (!*name)
		return 0;
	fd = o->tree_make(o->arg, &file);
	if (fd < 0)
		return errno == EEXIST ? 0 : complain(path, strerror(errno));
	err = copy(a, fd, path);
	close(fd);
	return err;
}

/* Not all that the library knows: some filters start programs, and mtree names other files. */
static void allow(struct archive *a)
{
	lib.read_support_filter_gzip(a);
	lib.read_support_filter_bzip2(a);
	lib.read_support_filter_xz(a);
	lib.read_support_filter_lzma(a);
	lib.read_support_filter_zstd(a);
	lib.read_support_filter_lz4(a);
	lib.read_support_format_tar(a);
	lib.read_support_format_gnutar(a);
	lib.read_support_format_cpio(a);
	lib.read_support_format_zip(a);
	lib.read_support_format_raw(a);
}

/* ---- the sandbox ------------------------------------------------------------------------ */

static int take_all(struct archive *a, int fd, const char *path)
{
	struct archive_entry *e;
	unsigned n = 0;
	int rc, err = 0;

	allow(a);
	if (lib.read_open_fd(a, fd, BUFFER))
		err = complain(path, lib.error_string(a));
	while (!err && n++ < MEMBERS_MAX && (rc = lib.read_next_header(a, &e)) != ARCHIVE_EOF)
		err = rc == ARCHIVE_OK || rc == ARCHIVE_WARN ? take_member(a, e, path)
							     : complain(path, lib.error_string(a));
	return err;
}

static int inside(void *arg, const struct sandbox_lacks *lacks)
{
	const char *path = arg;
	struct archive *a = lib.read_new();
	int fd = outside_open(path), err;

	sandbox_warn(lacks);
	err = !a       ? complain(path, "out of memory")
	      : fd < 0 ? complain(path, strerror(errno))
		       : take_all(a, fd, path);
	lib.read_free(a);
	if (fd >= 0)
		close(fd);
	return err;
}

int unpack(const char *path, const char *dir)
{
	struct broker b = {
		.permits = { .files = &path, .nfiles = 1 },
		.into = dir,
		.limits = { .memory = MEMORY, .seconds = SECONDS, .files = FILES },
		.inside = inside,
		.arg = (void *)(uintptr_t)path,
	};
	struct diag diag;
	int status;

	if (!library_load("libarchive.so.13", functions, ARRAY_LEN(functions)))
		return complain(path, "libarchive.so.13 cannot be loaded: install it (Debian "
				      "package libarchive13)");
	if (broker_run(&b, &status, &diag))
		return complain(path, diag.text);
	return WIFSIGNALED(status) ? complain(path, strsignal(WTERMSIG(status)))
				   : WEXITSTATUS(status);
}
