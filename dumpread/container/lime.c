/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LiME files (format=lime), which AVML writes too when asked for version 1. Of
 * LiME's other formats, "padded" is raw memory at 0, and "raw" has no addresses.
 */
#include "dumpread/container/lime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/container/segments.h"

#define SEARCH_BYTES (1u << 20)

static const struct lime_kind lime = { 0x4c694d45, 1 };

bool lime_header(struct image *im, const struct lime_kind *kind, uint64_t off, bool first,
		 struct lime_range *ret)
{
	uint8_t h[LIME_HEADER];
	bool big;

	if (part_read(&im->parts[0], off, h, sizeof(h)))
		return false;
	big = first ? load32(h, false) != kind->magic : im->big_endian;
	if (load32(h, big) != kind->magic || load32(h + 4, big) != kind->version)
		return false;
	ret->off = off + LIME_HEADER;
	ret->start = load64(h + 8, big);
	ret->end = load64(h + 16, big) + 1;
	if (ret->end <= ret->start || load64(h + 24, big))
		return false;
	if (first)
		im->big_endian = big;
	return true;
}

/* The next header at OFF or after it. */
static bool search(struct image *im, const struct lime_kind *kind, uint64_t off,
		   struct lime_range *ret)
{
	uint8_t *buf = heap_calloc(1, SEARCH_BYTES), magic[4];
	bool found = false;
	size_t got = 0;

	off = part_next(&im->parts[0], off);
	store_uint(magic, kind->magic, 4, im->big_endian);
	while (!found && ret->searched / 2 <= im->parts[0].stored + SEARCH_BYTES &&
	       !part_read_some(&im->parts[0], off, buf, SEARCH_BYTES, &got) &&
	       got >= sizeof(magic)) {
		const uint8_t *hit = buf - 1;

		while (!found && (hit = memmem(hit + 1, got - (size_t)(hit + 1 - buf), magic, 4)))
			found = lime_header(im, kind, off + (uint64_t)(hit - buf), false, ret);
		ret->searched += found ? (size_t)(hit - buf) : got;
		off = part_next(&im->parts[0], off + got - (sizeof(magic) - 1));
	}
	free(buf);
	return found;
}

bool lime_next(struct image *im, const struct lime_kind *kind, uint64_t off, struct lime_range *ret)
{
	const struct image_part *p = &im->parts[0];

	if (off >= p->size)
		return false;
	if (lime_header(im, kind, off, false, ret))
		return true;
	issue_add(&im->issues, ST_CORRUPT, "image range", 1,
		  "%s: no range begins at byte %" PRIu64 ", where one should", p->path, off);
	return search(im, kind, off, ret);
}

static enum status lime_open(struct image *im)
{
	struct lime_range r = { .searched = 0 };
	uint64_t off = 0;

	if (!lime_header(im, &lime, 0, true, &r))
		return ST_NOTMINE;
	if (im->nparts > 1)
		return fail(&im->diag, ST_UNSUPPORTED,
			    "%s: a LiME dump is one file; name "
			    "each dump on its own",
			    im->parts[0].path);
	im->priv = arena_alloc(&im->mem, sizeof(struct segments));
	im->page_shift = 12;
	while (lime_next(im, &lime, off, &r)) {
		uint64_t size = r.end - r.start;

		segments_take(im,
			      &(struct segment){
				      .pa = r.start, .off = r.off, .filesz = size, .memsz = size });
		off = r.off + min_u64(size, im->parts[0].size);
	}
	segments_finish(im);
	snprintf(im->format, sizeof(im->format), "LiME");
	snprintf(im->header.compression, sizeof(im->header.compression), "none");
	return ST_OK;
}

const struct image_ops lime_image_ops = {
	.name = "lime",
	.open = lime_open,
	SEGMENTS_OPS,
};
