/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spool.c - copies a pipe to a file, or expands a packed dump to one, before the dump is read. */
#include "app/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/batch/unpack.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/elsewhere.h"
#include "dumpread/base/heap.h"
#include "dumpread/container/virsh.h"
#include "dumpread/image/begins.h"
#include "dumpread/image/image.h"

#define BUFFER (1u << 20)
#define BLOCK 4096u

static bool is_asked_for(const struct run *run)
{
	for (unsigned i = 0; i < run->o.nimages; i++)
		if (!strcmp(run->o.images[i], ELSEWHERE_STDIN))
			return !run->open;
	return false;
}

static const char *temporary(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

static int unnamed_file(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* some file systems have no files without a name */
	if (fd >= 0 || snprintf(path, sizeof(path), "%s/vmcensus-XXXXXX", dir) >= (int)sizeof(path))
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Up to LEN bytes; fewer only at the end. -1: errno. */
static ssize_t read_whole(uint8_t *buf, size_t len)
{
	size_t at = 0;

	while (at < len) {
		ssize_t n = read(STDIN_FILENO, buf + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		at += (size_t)n;
	}
	return (ssize_t)at;
}

/* Writes N bytes at AT, but blocks of zeros. */
static bool put(int fd, const uint8_t *buf, size_t n, off_t at)
{
	for (size_t i = 0; i < n;) {
		size_t len = min_u64(BLOCK, n - i);
		ssize_t done = is_zero(buf + i, len) ? (ssize_t)len
						     : pwrite(fd, buf + i, len, at + (off_t)i);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		i += (size_t)done;
	}
	return true;
}

static bool copy(int fd)
{
	uint8_t *buf = heap_bytes(BUFFER);
	off_t size = 0;
	bool ok = true;
	ssize_t n;

	while ((n = read_whole(buf, BUFFER)) > 0 && (ok = put(fd, buf, (size_t)n, size)))
		size += n;
	free(buf);
	return ok && !n && !ftruncate(fd, size);
}

static int spool_stdin(struct run *run)
{
	const char *dir = temporary();
	struct stat st;
	int fd;

	if (!is_asked_for(run) || (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode)))
		return 0;
	if (isatty(STDIN_FILENO)) {
		fail(&run->diag, ST_IO, "standard input is a terminal, not a dump");
		return EXIT_NO_ANSWER;
	}
	fd = unnamed_file(dir);
	if (fd >= 0 && copy(fd)) {
		elsewhere_stdin(fd);
		return 0;
	}
	fail(&run->diag, ST_IO,
	     "standard input cannot be kept in %s: %s; TMPDIR names another place", dir,
	     strerror(errno));
	if (fd >= 0)
		close(fd);
	return EXIT_NO_ANSWER;
}

/* ---- packed dumps ------------------------------------------------------------------------- */

/* Where a packed stream may begin in the file; only its first bytes are looked at. */
static bool is_packed(const char *path, uint64_t *at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t h[VIRSH_HEADER] = { 0 };
	struct virsh_header v;
	struct stat st;
	ssize_t n = -1;

	*at = 0;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		n = pread(fd, h, sizeof(h), 0);
	if (fd >= 0)
		close(fd);
	if (n == (ssize_t)sizeof(h) && virsh_header_read(h, &v)) {
		*at = v.stream;
		return v.packed != 0;
	}
	return n > 0 && begins_packed(begins_as(h, (size_t)n));
}

bool spool_is_packed_dump(const char *path)
{
	uint64_t at;

	return is_packed(path, &at) && !unpack_stream(path, at, -1);
}

static int spool_packed(struct run *run, const char *path)
{
	const char *dir = temporary();
	int status, fd;
	uint64_t at;

	if (live_named(path) || elsewhere_named(path) || !is_packed(path, &at))
		return 0;
	/* it never has a name: whatever ends this process leaves nothing */
	fd = unnamed_file(dir);
	status = fd >= 0 ? unpack_stream(path, at, fd) : EXIT_NO_ANSWER;
	if (fd >= 0 && (!status || status == EXIT_DAMAGED)) {
		elsewhere_file(path, fd, status != 0);
		run->status = status ? status : run->status;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (status == UNPACK_NO_DUMP)
		return 0;
	fail(&run->diag, ST_IO, "%s: cannot be expanded in %s; TMPDIR names another place", path,
	     dir);
	return EXIT_NO_ANSWER;
}

/* Is each dump one file: the only one, or that of two which are compared? A dump of several files is not packed. */
static bool is_single(const struct options *o)
{
	return o->nearlier <= 1 && o->nimages == o->nearlier + 1;
}

int spool_images(struct run *run)
{
	const struct options *o = &run->o;
	int status = spool_stdin(run);

	for (unsigned i = 0; !status && !run->open && is_single(o) && i < o->nimages; i++)
		status = spool_packed(run, o->images[i]);
	return status;
}
