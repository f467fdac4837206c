/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spool.c - copies a pipe to a file, before the dump is read. */
#include "app/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/elsewhere.h"
#include "dumpread/base/heap.h"

#define BUFFER (1u << 20)
#define BLOCK 4096u

static bool is_asked_for(const struct run *run)
{
	for (unsigned i = 0; i < run->o.nimages; i++)
		if (!strcmp(run->o.images[i], ELSEWHERE_STDIN))
			return !run->open;
	return false;
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

int spool_stdin(struct run *run)
{
	const char *dir = getenv("TMPDIR");
	struct stat st;
	int fd;

	if (!is_asked_for(run) || (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode)))
		return 0;
	if (isatty(STDIN_FILENO)) {
		fail(&run->diag, ST_IO, "standard input is a terminal, not a dump");
		return EXIT_NO_ANSWER;
	}
	dir = dir && *dir ? dir : "/var/tmp";
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
