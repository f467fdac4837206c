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

#include "app/batch/find.h"
#include "app/options.h"
#include "app/sandbox/broker.h"
#include "app/tell.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/library.h"
#include "dumpread/base/outside.h"
#include "dumpread/image/begins.h"

#define DUMPS_MAX 100000u
#define BLOCK	  4096
#define BUFFER	  ((size_t)1 << 20)
#define MEMORY	  (UINT64_C(4) << 30) /* of address space: xz and zstd have dictionaries of 2 GiB */
#define SECONDS	  (24u * 3600)	      /* of processor time; the batch has its own limit */
#define FILES	  64u

/* What is used of libarchive. */
#define FUNCTIONS(F)                                                                               \
	F(entry_filetype)                                                                          \
	F(entry_pathname) F(entry_size) F(entry_size_is_set) F(error_string) F(format)             \
		F(read_data_block) F(read_free) F(read_new) F(read_next_header) F(read_open_fd)    \
			F(read_support_filter_bzip2) F(read_support_filter_gzip)                   \
				F(read_support_filter_lz4) F(read_support_filter_lzma) F(          \
					read_support_filter_xz) F(read_support_filter_zstd)        \
					F(read_support_format_cpio) F(read_support_format_gnutar)  \
						F(read_support_format_raw)                         \
							F(read_support_format_tar)                 \
								F(read_support_format_zip)

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
	tellf(path, "cannot unpack: %s", why ? why : "unknown");
	return EXIT_NO_ANSWER;
}

/* What is unpacked. */
struct unpacking {
	const char *path;
	struct archive *a;
	uint64_t left;	   /* bytes that may be written */
	uint64_t most;	   /* at first */
	unsigned made;	   /* files */
	bool look;	   /* nothing is written */
	bool stream;	   /* one packed stream, which begins at: */
	uint64_t at;
	struct hash names; /* of files: how often they were asked for */
	struct arena mem;
};

/* The directory fails. */
static int ours(const struct unpacking *u)
{
	complain(u->path, strerror(errno));
	return UNPACK_OURS;
}

/* Writes at the current place; blocks of zeros are skipped. */
static int put(struct unpacking *u, int fd, const char *p, size_t n)
{
	while (n) {
		size_t len = n < BLOCK ? n : BLOCK;
		bool zero = is_zero(p, len);
		ssize_t done = zero ? 0 : 1;

		if (!zero && len > u->left) {
			tellf(u->path,
			      "cannot unpack: it takes more than %llu MiB; --unpack SIZE "
			      "allows more",
			      (unsigned long long)(u->most >> 20));
			return EXIT_NO_ANSWER;
		}
		if (zero && lseek(fd, (off_t)len, SEEK_CUR) < 0)
			return complain(u->path, strerror(errno));
		for (size_t at = 0; !zero && at < len; at += (size_t)done) {
			done = write(fd, p + at, len - at);
			if (done <= 0)
				return ours(u);
		}
		u->left -= zero ? 0 : len;
		p += len;
		n -= len;
	}
	return 0;
}

/* The first block was read: N bytes at P, for the place AT. */
static int copy(struct unpacking *u, int fd, int rc, const void *p, size_t n, int64_t at)
{
	off_t end;
	int err = 0;

	for (; !err && rc == ARCHIVE_OK; rc = err ? rc : lib.read_data_block(u->a, &p, &n, &at))
		err = lseek(fd, at, SEEK_SET) < 0 ? complain(u->path, strerror(errno))
						  : put(u, fd, p, n);
	if (!err && rc != ARCHIVE_EOF)
		err = complain(u->path, lib.error_string(u->a));
	end = lseek(fd, 0, SEEK_CUR);
	if (end < 0 || ftruncate(fd, end))
		return err ? err : ours(u);
	return err;
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

/* A new file NAME, or NAME~2 ... where others have that name. -1: errno says why not. */
static int make_file(struct unpacking *u, const char *name)
{
	const struct outside *o = outside_now();
	uint64_t key = hash_str(name);
	uint32_t n = hash_get(&u->names, key);
	char numbered[NAME_MAX + 1];
	const struct outside_entry file = { .kind = OUTSIDE_FILE, .path = numbered };
	int fd;

	n = n == HASH_NONE ? 0 : n;
	do {
		if (n++)
			snprintf(numbered, sizeof(numbered), "%s~%u", name, n);
		else
			snprintf(numbered, sizeof(numbered), "%s", name);
		fd = o->tree_make(o->arg, &file);
	} while (fd < 0 && errno == EEXIST && n <= DUMPS_MAX);
	hash_put(&u->names, key, n);
	return fd;
}

/* Is it worth a file, as far as its first block (N bytes at P, for the place AT) tells? */
static bool may_be_dump(struct archive_entry *e, const char *name, const void *p, size_t n,
			int64_t at)
{
	bool all = lib.entry_size_is_set(e) && (uint64_t)lib.entry_size(e) <= n;

	return at || (n < FIND_HEAD && !all) || find_takes(name, p, n);
}

static int take_member(struct unpacking *u, struct archive_entry *e)
{
	char name[NAME_MAX - 8];
	const void *p = "";
	size_t n = 0;
	int64_t at = 0;
	int fd, err, rc;

	if (lib.entry_filetype(e) && lib.entry_filetype(e) != AE_IFREG)
		return 0;
	file_name(u->a, e, u->path, name, sizeof(name));
	if (!*name)
		snprintf(name, sizeof(name), "!");
	rc = lib.read_data_block(u->a, &p, &n, &at);
	if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF)
		return complain(u->path, lib.error_string(u->a));
	if (rc == ARCHIVE_OK && !may_be_dump(e, name, p, n, at))
		return 0;
	if (u->made == DUMPS_MAX)
		return complain(u->path, "more than 100,000 dumps are in it");
	fd = make_file(u, name);
	if (fd < 0)
		return errno == ENAMETOOLONG || errno == EINVAL ? complain(u->path, strerror(errno))
								: ours(u);
	u->made++;
	err = copy(u, fd, rc, p, n, at);
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

/* ---- one packed dump ---------------------------------------------------------------------- */

static int take_stream(struct unpacking *u, int fd)
{
	struct archive_entry *e;
	const void *p = "";
	size_t n = 0;
	int64_t at = 0;
	int to, err, rc;

	if (lseek(fd, (off_t)u->at, SEEK_SET) < 0)
		return UNPACK_NO_DUMP;
	lib.read_support_filter_gzip(u->a);
	lib.read_support_filter_bzip2(u->a);
	lib.read_support_filter_xz(u->a);
	lib.read_support_filter_zstd(u->a);
	lib.read_support_filter_lz4(u->a);
	lib.read_support_format_raw(u->a);
	if (lib.read_open_fd(u->a, fd, BUFFER) || lib.read_next_header(u->a, &e) != ARCHIVE_OK)
		return UNPACK_NO_DUMP;
	rc = lib.read_data_block(u->a, &p, &n, &at);
	/* a packed log is expanded where it is read */
	if (rc != ARCHIVE_OK || at || !begins_dump(begins_as(p, n)))
		return UNPACK_NO_DUMP;
	if (u->look)
		return 0;
	to = make_file(u, "memory");
	if (to < 0)
		return ours(u);
	err = copy(u, to, rc, p, n, at);
	close(to);
	return err == EXIT_NO_ANSWER ? EXIT_DAMAGED : err;
}

/* ---- the sandbox ------------------------------------------------------------------------ */

/* Where the archive is torn, the members before it are there. */
static int take_all(struct unpacking *u, int fd)
{
	struct archive_entry *e;
	int rc, err = 0;

	allow(u->a);
	if (lib.read_open_fd(u->a, fd, BUFFER))
		err = complain(u->path, lib.error_string(u->a));
	while (!err && (rc = lib.read_next_header(u->a, &e)) != ARCHIVE_EOF)
		err = rc == ARCHIVE_OK || rc == ARCHIVE_WARN
			      ? take_member(u, e)
			      : complain(u->path, lib.error_string(u->a));
	return err == EXIT_NO_ANSWER && u->made ? EXIT_DAMAGED : err;
}

static int inside(void *arg, const struct sandbox_lacks *lacks)
{
	struct unpacking *u = arg;
	int fd = outside_open(u->path), err;

	u->a = lib.read_new();
	u->names.mem = &u->mem;
	sandbox_warn(lacks);
	err = !u->a	  ? complain(u->path, "out of memory")
	      : fd < 0	  ? complain(u->path, strerror(errno))
	      : u->stream ? take_stream(u, fd)
			  : take_all(u, fd);
	lib.read_free(u->a);
	arena_release(&u->mem);
	if (fd >= 0)
		close(fd);
	return err;
}

/* Files go to DIR; NULL: all to the one file. */
static int run(struct unpacking *u, const char *dir, const int *file)
{
	const char *path = u->path;
	struct broker b = {
		.permits = { .files = &path, .nfiles = 1 },
		.into = dir,
		.file = file,
		.limits = { .memory = MEMORY, .seconds = SECONDS, .files = FILES },
		.inside = inside,
		.arg = u,
	};
	struct diag diag;
	int status;

	if (!library_load("libarchive.so.13", functions, ARRAY_LEN(functions)))
		return complain(path, "libarchive.so.13 cannot be loaded: install it (Debian "
				      "package libarchive13)");
	if (broker_run(&b, &status, &diag))
		return complain(path, diag.text);
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	/* as if it had ended this process, which is looked at by its signal */
	if (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM)
		kill(getpid(), WTERMSIG(status));
	return complain(path, strsignal(WTERMSIG(status)));
}

int unpack(const char *path, const char *dir, uint64_t most)
{
	struct unpacking u = { .path = path, .left = most, .most = most };

	return run(&u, dir, NULL);
}

int unpack_stream(const char *path, uint64_t at, int fd)
{
	struct unpacking u = { .path = path,
			       .left = UINT64_MAX,
			       .most = UINT64_MAX,
			       .look = fd < 0,
			       .stream = true,
			       .at = at };

	return run(&u, NULL, &fd);
}
