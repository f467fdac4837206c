/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One file of a dump: opened with a sentence for whoever named the wrong one,
 * read by pread() only. A mapping would save a copy and cost a SIGBUS when the
 * file shrinks or its server goes away.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/image/flat.h"
#include "dumpread/image/format.h"

static enum status open_failed(struct diag *g, const char *path, int err)
{
	switch (err) {
	case ENOENT:
	case ENOTDIR:
		return fail(g, ST_IO, "%s: no such file", path);
	case EACCES:
	case EPERM:
		return fail(g, ST_IO, "%s: permission denied; dumps are often "
			    "readable by root only", path);
	}
	return fail(g, ST_IO, "%s: cannot open: %s", path, strerror(err));
}

/* A block device has no st_size, and reads as a file does. */
static enum status find_size(struct diag *g, struct image_part *p)
{
	struct stat sb;
	off_t end;

	if (fstat(p->fd, &sb))
		return fail(g, ST_IO, "%s: %s", p->path, strerror(errno));
	if (S_ISDIR(sb.st_mode))
		return fail(g, ST_IO, "%s: is a directory; name the dump file inside it",
			    p->path);
	if (S_ISFIFO(sb.st_mode) || S_ISSOCK(sb.st_mode))
		return fail(g, ST_IO, "%s: is a pipe; a dump is read in any order, "
			    "so save it to a file first", p->path);
	if (S_ISCHR(sb.st_mode))
		return fail(g, ST_IO, "%s: is a character device; what is read in any order must "
			    "be a file: cat it to one (a file of /dev/vmcensus is an image)",
			    p->path);
	p->size = sb.st_size > 0 ? (uint64_t)sb.st_size : 0;
	if (S_ISBLK(sb.st_mode)) {
		end = lseek(p->fd, 0, SEEK_END);
		p->size = end > 0 ? (uint64_t)end : 0;
	}
	if (p->live)			/* grows with the memory: no bound of ours */
		p->size = INT64_MAX;
	p->stored = p->size;
	if (!p->size)
		return fail(g, ST_IO, "%s: is empty; the dump was never written, or "
			    "not copied", p->path);
	return ST_OK;
}

enum status part_open(struct image *im, struct image_part *p, const char *path)
{
	const char *file = live_path(path);
	enum status st;
	size_t len;

	p->placed = image_name_split(file, &len, &p->address);
	p->path = arena_strndup(&im->mem, file, len);
	/* O_NONBLOCK: a pipe with no writer is refused below, not waited for */
	p->fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (p->fd < 0 && file != path)
		return live_refused(&im->diag, errno);
	if (p->fd < 0)
		return open_failed(&im->diag, p->path, errno);
	p->live = live_is(p->fd, p->path);
	if (!p->live && file != path)
		return live_masked(&im->diag);
	st = find_size(&im->diag, p);
	if (st || p->placed)
		return st;
	st = flat_open(im, p);
	return st == ST_NOTMINE ? ST_OK : st;
}

void part_close(struct image_part *p)
{
	flat_free(p->flat);
	p->flat = NULL;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

enum status part_read_some(const struct image_part *p, uint64_t off, void *buf,
			   size_t len, size_t *got)
{
	if (p->flat)
		return flat_read_some(p, off, buf, len, got);
	*got = 0;
	if (off > INT64_MAX)
		return ST_OK;
	while (*got < len && off + *got <= INT64_MAX) {
		ssize_t n = pread(p->fd, (char *)buf + *got, len - *got,
				  (off_t)(off + *got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ST_IO;
		if (!n)
			break;
		*got += (size_t)n;
	}
	return ST_OK;
}

enum status part_read(const struct image_part *p, uint64_t off, void *buf, size_t len)
{
	size_t got;
	enum status st = part_read_some(p, off, buf, len, &got);

	if (st)
		return st;
	return got == len ? ST_OK : ST_NODATA;
}
