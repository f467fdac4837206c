/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whole.c - the beginning of a file, all of it, and which split dump it belongs to.
 */
#include "dumpread/image/whole.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/outside.h"
#include "dumpread/container/kdump.h"
#include "dumpread/image/format.h"

/* An image of one file, of no known format. */
static struct image *open_one(const char *path, struct diag *diag)
{
	struct image *im = heap_array(struct image, 1);

	issues_init(&im->issues);
	im->parts = arena_array(&im->mem, struct image_part, 1);
	im->parts[0].fd = -1;
	im->nparts = 1;
	if (!part_open(im, &im->parts[0], path))
		return im;
	*diag = im->diag;
	image_close(im);
	return NULL;
}

size_t file_head(const char *path, uint8_t *buf, size_t len)
{
	int fd = outside_open(path);
	struct stat st;
	size_t got = 0;
	ssize_t n = 1;

	if (fd < 0)
		return 0;
	while (!fstat(fd, &st) && S_ISREG(st.st_mode) && got < len && n > 0) {
		n = pread(fd, buf + got, len - got, (off_t)got);
		got += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return got;
}

enum status file_whole(const char *path, uint64_t max, struct diag *diag, uint8_t **ret,
		       size_t *size)
{
	struct image *im = open_one(path, diag);
	enum status st;

	*ret = NULL;
	*size = 0;
	if (!im)
		return ST_IO;
	if (im->parts[0].size > max) {
		st = fail(diag, ST_LIMIT,
			  "%s: has %" PRIu64 " bytes, and at most %" PRIu64 " are read", path,
			  im->parts[0].size, max);
	} else {
		*size = (size_t)im->parts[0].size;
		*ret = heap_bytes(*size);
		st = part_read(&im->parts[0], 0, *ret, *size);
		if (st)
			fail(diag, ST_IO, "%s: cannot be read to its end", path);
	}
	image_close(im);
	if (!st)
		return ST_OK;
	free(*ret);
	*ret = NULL;
	return st;
}

bool file_is_split(const char *path, char key[SPLIT_KEY], uint64_t *start)
{
	struct kdump_header h = { 0 };
	uint8_t magic[8];
	struct diag none;
	struct image *im;
	bool split = false;

	/* flattened files are never split: makedumpfile refuses -F with --split */
	if (file_head(path, magic, 8) != 8 || memcmp(magic, "KDUMP   ", 8))
		return false;
	im = open_one(path, &none);
	if (!im)
		return false;
	if (!kdump_read_header(im, &im->parts[0], &h) && h.split) {
		snprintf(key, SPLIT_KEY, "%s %s %s %" PRId64 " %" PRIu64 " %d", h.about.nodename,
			 h.about.release, h.about.version, h.about.crash_time, h.max_mapnr,
			 h.about.dump_level);
		*start = h.start_pfn;
		split = true;
	}
	image_close(im);
	return split;
}
