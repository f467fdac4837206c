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

/*
 * Bytes of the file from OFF on, which stay for the next search: a file of broken ranges is
 * read once, not a window for each of them. False at the end.
 */
static bool look(const struct image_part *p, struct lime_range *r, uint64_t off)
{
	if (off >= r->window_off && off - r->window_off + LIME_HEADER <= r->window_len)
		return true;
	if (r->searched / 2 > p->stored + SEARCH_BYTES)
		return false;
	if (!r->window)
		r->window = heap_bytes(SEARCH_BYTES);
	r->window_off = off;
	if (part_read_some(p, off, r->window, SEARCH_BYTES, &r->window_len))
		r->window_len = 0;
	r->searched += r->window_len;
	return r->window_len >= LIME_HEADER;
}

/* The next header at OFF or after it. */
static bool search(struct image *im, const struct lime_kind *kind, uint64_t off,
		   struct lime_range *r)
{
	const struct image_part *p = &im->parts[0];
	uint8_t magic[4];

	store_uint(magic, kind->magic, 4, im->big_endian);
	for (off = part_next(p, off); look(p, r, off); off = part_next(p, off)) {
		size_t at = (size_t)(off - r->window_off);
		const uint8_t *hit =
			memmem(r->window + at, r->window_len - at, magic, sizeof(magic));

		if (!hit) {
			off = r->window_off + r->window_len - (sizeof(magic) - 1);
			continue;
		}
		off = r->window_off + (uint64_t)(hit - r->window);
		if (lime_header(im, kind, off, false, r))
			return true;
		off++;
	}
	return false;
}

static bool no_more(struct lime_range *r)
{
	free(r->window);
	r->window = NULL;
	r->window_len = 0;
	return false;
}

bool lime_next(struct image *im, const struct lime_kind *kind, uint64_t off, struct lime_range *ret)
{
	const struct image_part *p = &im->parts[0];

	if (off >= p->size)
		return no_more(ret);
	if (lime_header(im, kind, off, false, ret))
		return true;
	cause_table(&im->causes, "the header of a range", 0, 0);
	issue_add(&im->issues, ST_CORRUPT, "image range", 1,
		  "%s: no range begins at byte %" PRIu64 ", where one should", p->path, off);
	return search(im, kind, off, ret) || no_more(ret);
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
