/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One file of a dump: opened with a sentence for whoever named the wrong one,
 * read by pread() only. A mapping would save a copy and cost a SIGBUS when the
 * file shrinks or its server goes away.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/elsewhere.h"
#include "dumpread/base/outside.h"
#include "dumpread/container/flat.h"
#include "dumpread/image/extents.h"
#include "dumpread/image/format.h"
#include "dumpread/image/remote.h"

static enum status open_failed(struct diag *g, const char *path, int err)
{
	switch (err) {
	case ENOENT:
	case ENOTDIR: return fail(g, ST_IO, "%s: no such file", path);
	case EACCES:
	case EPERM:
		return fail(g, ST_IO,
			    "%s: permission denied; dumps are often "
			    "readable by root only",
			    path);
	}
	return fail(g, ST_IO, "%s: cannot open: %s", path, strerror(err));
}

#define EXTENTS_COUNTED 1024	/* of a sparse file; with more, its blocks on disk count */
#define PACKING_MAX 256u	/* bytes of a file for each that its file system stores */

/*
 * Bytes of the file that are no hole. A packed file takes less on disk than it has,
 * so blocks decide only for a file with very many extents.
 */
static uint64_t stored_bytes(int fd, uint64_t size, uint64_t on_disk)
{
	uint64_t sum = 0;
	off_t at = 0;

	if (on_disk >= size)
		return size;
	for (unsigned i = 0; i < EXTENTS_COUNTED; i++) {
		off_t data = lseek(fd, at, SEEK_DATA);
		off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);

		if (data < 0 && errno == ENXIO)
			return sum;
		if (hole <= data)
			return size; /* it cannot tell */
		sum += (uint64_t)(hole - data);
		at = hole;
	}
	return min_u64(size, max_u64(sum, on_disk * PACKING_MAX));
}

/* A block device has no st_size, and reads as a file does. */
static enum status find_size(struct diag *g, struct image_part *p)
{
	struct stat sb;
	off_t end;

	if (fstat(p->fd, &sb))
		return fail(g, ST_IO, "%s: %s", p->path, strerror(errno));
	if (S_ISDIR(sb.st_mode))
		return fail(g, ST_IO, "%s: is a directory; name the dump file inside it", p->path);
	if (S_ISFIFO(sb.st_mode) || S_ISSOCK(sb.st_mode))
		return fail(g, ST_IO,
			    "%s: is a pipe, which cannot be read in any order; "
			    "save the dump to a file first",
			    p->path);
	if (S_ISCHR(sb.st_mode))
		return fail(g, ST_IO,
			    "%s: is a character device, which cannot be read in any "
			    "order; copy it to a file with cat (a copy of /dev/vmcensus is an "
			    "image)",
			    p->path);
	p->size = sb.st_size > 0 ? (uint64_t)sb.st_size : 0;
	if (S_ISBLK(sb.st_mode)) {
		end = lseek(p->fd, 0, SEEK_END);
		p->size = end > 0 ? (uint64_t)end : 0;
	}
	if (p->live) /* grows with the memory: no bound of ours */
		p->size = INT64_MAX;
	p->raw_size = p->stored = p->size;
	if (S_ISREG(sb.st_mode) && !p->live)
		p->stored = stored_bytes(p->fd, p->size, (uint64_t)sb.st_blocks * 512);
	if (!p->size)
		return fail(g, ST_IO,
			    "%s: is empty; the dump was never written, or "
			    "not copied",
			    p->path);
	return ST_OK;
}

/* The socket is libnbd's from now on. */
static enum status open_remote(struct image *im, struct image_part *p)
{
	char export[PATH_MAX];
	struct nbd *n = NULL;
	enum status st;
	int fd = p->fd;

	p->fd = -1;
	elsewhere_is_nbd(p->path, export, sizeof(export), NULL, 0);
	st = nbd_open(fd, export, &im->diag, &n);
	if (st)
		return fail_in(&im->diag, st, "%s", p->path);
	p->remote = remote_new(n);
	p->size = p->raw_size = p->stored = remote_size(p->remote);
	return p->size ? ST_OK : fail(&im->diag, ST_IO, "%s: the export is empty", p->path);
}

static enum status open_flat(struct image *im, struct image_part *p)
{
	enum status st = flat_open(im, p);

	return st == ST_NOTMINE ? ST_OK : st;
}

enum status part_open(struct image *im, struct image_part *p, const char *path)
{
	const char *file = live_path(path);
	enum status st;
	size_t len;

	p->placed = image_name_split(file, &len, &p->piece);
	p->path = arena_strndup(&im->mem, file, len);
	/* O_NONBLOCK: a pipe with no writer is refused below, not waited for */
	p->fd = outside_open(p->path);
	if (p->fd < 0 && file != path)
		return live_refused(&im->diag, errno);
	if (p->fd < 0)
		return open_failed(&im->diag, p->path, errno);
	p->read = arena_alloc(&im->mem, sizeof(*p->read));
	if (elsewhere_is_nbd(p->path, NULL, 0, NULL, 0)) {
		st = open_remote(im, p);
		return st || p->placed ? st : open_flat(im, p);
	}
	p->live = live_is(p->fd, p->path);
	if (!p->live && file != path)
		return live_masked(&im->diag);
	st = find_size(&im->diag, p);
	return st || p->placed ? st : open_flat(im, p);
}

void part_close(struct image_part *p)
{
	flat_free(p->flat);
	p->flat = NULL;
	remote_free(p->remote);
	p->remote = NULL;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

enum status part_read_some(const struct image_part *p, uint64_t off, void *buf, size_t len,
			   size_t *got)
{
	if (p->flat)
		return flat_read_some(p, off, buf, len, got);
	if (p->remote)
		return remote_read(p->remote, off, buf, len, got);
	*got = 0;
	if (off > INT64_MAX)
		return ST_OK;
	while (*got < len && off + *got <= INT64_MAX) {
		ssize_t n = pread(p->fd, (char *)buf + *got, len - *got, (off_t)(off + *got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ST_IO;
		if (!n)
			break;
		*got += (size_t)n;
	}
	if (p->read)
		__atomic_fetch_add(p->read, *got, __ATOMIC_RELAXED);
	return ST_OK;
}

/* Pieces of raw memory may be of one file. */
static bool is_named_before(const struct image *im, unsigned part)
{
	for (unsigned i = 0; i < part; i++)
		if (!strcmp(im->parts[i].path, im->parts[part].path))
			return true;
	return false;
}

uint64_t image_bytes_read(const struct image *im, uint64_t *size)
{
	uint64_t sum = 0;

	*size = 0;
	for (unsigned i = 0; i < im->nparts; i++) {
		const struct image_part *p = &im->parts[i];

		sum += p->remote ? remote_bytes(p->remote) : *p->read;
		*size += is_named_before(im, i) ? 0 : p->raw_size;
	}
	return sum;
}

enum status part_read(const struct image_part *p, uint64_t off, void *buf, size_t len)
{
	size_t got;
	enum status st = part_read_some(p, off, buf, len, &got);

	if (st)
		return st;
	return got == len ? ST_OK : ST_NODATA;
}

static uint64_t next_stored(int fd, uint64_t off, uint64_t end)
{
	off_t data = off > INT64_MAX ? -1 : lseek(fd, (off_t)off, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO || off > INT64_MAX ? end : off;
	return min_u64((uint64_t)data, end);
}

/* Holes of a flattened file: bytes that no record has, and holes of the file itself. */
static uint64_t next_in_flat(const struct image_part *p, uint64_t off)
{
	const struct extents *x = flat_extents(p->flat);

	for (size_t i = extents_find(x, off); i < x->n; i++) {
		const struct extent *e = &x->v[i];
		uint64_t at = max_u64(off, e->start), end = e->pos + (e->end - e->start), pos;

		if (p->stored == p->raw_size)
			return at;
		pos = next_stored(p->fd, e->pos + (at - e->start), end);
		if (pos < end)
			return e->start + (pos - e->pos);
	}
	return max_u64(off, p->size);
}

uint64_t part_next(const struct image_part *p, uint64_t off)
{
	if (p->flat)
		return next_in_flat(p, off);
	if (p->stored == p->size || off >= p->size)
		return off;
	return next_stored(p->fd, off, p->size);
}

bool part_claims(struct image *im, const struct image_part *p, uint64_t off, uint64_t len,
		 const char *what)
{
	uint64_t there = off < p->size ? min_u64(len, p->size - off) : 0;

	if (there < len)
		issue_add(&im->issues, ST_NODATA, "truncated header", len - there,
			  "%s: the file ends %" PRIu64 " bytes before the end of its %s", p->path,
			  len - there, what);
	return there == len;
}
