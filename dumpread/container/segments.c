/* SPDX-License-Identifier: GPL-3.0-or-later */
/* If segments overlap, the first one in the first file is read. */
#include "dumpread/container/segments.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/image/blocks.h"

/* Physical addresses that any supported CPU can form, and no more frames than
   this many for each byte of the file: a filtered dump keeps 32 or more bytes
   of page structs for every frame. */
#define PA_BITS 52
#define FRAMES_MIN ((uint64_t)1 << 24)
#define FRAMES_PER_BYTE 16


/* A place: number of the file, and offset in it. No file is as long as this: the
   offsets of /proc/kcore are addresses of at most 56 bits (__VIRTUAL_MASK). */
#define PLACE_BITS 56

static uint64_t place_offset(uint64_t place)
{
	return place & (((uint64_t)1 << PLACE_BITS) - 1);
}

static uint64_t stored_bytes(const struct image *im)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < im->nparts; i++)
		n += min_u64(im->parts[i].stored, (uint64_t)1 << PLACE_BITS);
	return n;
}

uint64_t image_address_limit(const struct image *im)
{
	uint64_t bytes = min_u64(stored_bytes(im), (uint64_t)1 << PA_BITS);
	uint64_t frames = max_u64(FRAMES_MIN, bytes * FRAMES_PER_BYTE);

	return min_u64(frames, (uint64_t)1 << (PA_BITS - im->page_shift)) << im->page_shift;
}

void segments_take(struct image *im, const struct segment *g)
{
	struct segments *s = im->priv;
	const struct image_part *p = &im->parts[g->part];
	uint64_t limit = image_address_limit(im);
	uint64_t size = min_u64(p->size, (uint64_t)1 << PLACE_BITS);
	uint64_t memsz, filesz, have, end;

	if (g->pa >= limit || g->memsz > limit - g->pa)
		s->beyond++;
	if (g->pa >= limit || g->part >= SEGMENTS_PARTS)
		return;
	memsz = min_u64(g->memsz, limit - g->pa);
	filesz = min_u64(g->filesz, memsz);
	have = g->off < size ? min_u64(filesz, size - g->off) : 0;
	end = g->pa + have;
	s->lost += filesz - have;
	s->claimed += filesz;
	s->top = max_u64(s->top, g->pa + memsz);
	extents_add(&s->left_out, end, g->pa + memsz, 0);
	extents_add(&s->x, g->pa, end, (uint64_t)g->part << PLACE_BITS | g->off);
}

/* Bytes that are in no segment are firmware's: zeros, unless a segment had them and its file has not. */
static bool gap_is_zeros(const struct segments *s, uint64_t from, uint64_t to)
{
	size_t i;

	if (from >= to)
		return true;
	i = extents_find(&s->left_out, from);
	return i == s->left_out.n || s->left_out.v[i].start >= to;
}

/* The frame has bytes in the file, and no segment keeps others of it back. */
static bool is_whole(const struct segments *s, unsigned shift, uint64_t pfn)
{
	uint64_t at = pfn << shift, end = at + ((uint64_t)1 << shift);
	size_t i = extents_find(&s->x, at);

	if (i == s->x.n || s->x.v[i].start >= end)
		return false;
	for (; i < s->x.n && s->x.v[i].start < end; i++) {
		if (!gap_is_zeros(s, at, s->x.v[i].start))
			return false;
		at = s->x.v[i].end;
	}
	return gap_is_zeros(s, at, end);
}

/* Only the first and the last frame of an extent can lack bytes. */
static uint64_t count_pages(const struct segments *s, unsigned shift)
{
	uint64_t n = 0, next = 0;

	for (size_t i = 0; i < s->x.n; i++) {
		uint64_t first = max_u64(s->x.v[i].start >> shift, next);
		uint64_t last = (s->x.v[i].end - 1) >> shift;

		if (last < first)
			continue;
		n += last - first + is_whole(s, shift, first);
		n -= last > first && !is_whole(s, shift, last);
		next = last + 1;
	}
	return n;
}

void segments_set_page_shift(struct image *im, uint8_t shift)
{
	const struct segments *s = im->priv;

	im->page_shift = shift;
	im->max_pfn = (s->top + (1u << shift) - 1) >> shift;
	im->pages_present = count_pages(s, shift);
}

void segments_finish(struct image *im)
{
	struct segments *s = im->priv;
	uint64_t page = (uint64_t)1 << im->page_shift;

	extents_resolve(&s->x, EXTENTS_FIRST_WINS);
	extents_resolve(&s->left_out, EXTENTS_FIRST_WINS);
	if (!im->live)
		s->blocks = blocks_new(im);
	segments_set_page_shift(im, im->page_shift);
	if (s->lost) {
		issue_add(&im->issues, ST_NODATA, "truncated image",
			  (s->lost + page - 1) >> im->page_shift,
			  "%s: %" PRIu64 " KiB of memory are after the end of the file",
			  im->parts[0].path, s->lost >> 10);
		cause_add(&im->causes, CAUSE_CUT, (s->lost + page - 1) >> im->page_shift,
			  (s->claimed + page - 1) >> im->page_shift, NULL);
	}
	if (s->beyond)
		issue_add(&im->issues, ST_LIMIT, "image segment", s->beyond,
			  "%s: segments at impossible addresses", im->parts[0].path);
}

bool segments_present(const struct image *im, uint64_t pfn)
{
	return pfn < im->max_pfn && is_whole(im->priv, im->page_shift, pfn);
}

/* The first frame from PFN on with bytes in the file that are not a hole of it. */
static uint64_t next_stored(const struct image *im, uint64_t pfn)
{
	const struct segments *s = im->priv;
	uint64_t pa = pfn << im->page_shift;

	for (size_t i = extents_find(&s->x, pa); i < s->x.n; i++) {
		const struct extent *x = &s->x.v[i];
		const struct image_part *p = &im->parts[x->pos >> PLACE_BITS];
		uint64_t at = max_u64(pa, x->start), off = place_offset(x->pos) + (at - x->start);
		uint64_t stored = im->live ? off : part_next(p, off);

		if (stored - off < x->end - at)
			return max_u64(pfn, (at + (stored - off)) >> im->page_shift);
	}
	return im->max_pfn;
}

uint64_t segments_next(const struct image *im, uint64_t pfn)
{
	if (pfn >= im->max_pfn)
		return pfn;
	for (pfn = next_stored(im, pfn); pfn < im->max_pfn && !segments_present(im, pfn);)
		pfn = next_stored(im, pfn + 1);
	return pfn;
}

struct image_ctx {
	/*
	 * Live: the file, opened once for each reader. read_kcore() copies through
	 * one page that belongs to the open file (kcore_open(), fs/proc/kcore.c): if
	 * two threads shared it, one could get what the other asked for.
	 */
	struct image_part own;
};

/* N bytes of the page from the place on; a place is valid: it was taken. */
static enum status read_place(const struct image *im, struct image_ctx *ctx, uint64_t place,
			      uint64_t n, uint8_t *out)
{
	const struct segments *s = im->priv;

	if (im->live) /* nothing is kept, nothing read ahead */
		return part_read(&ctx->own, place, out, n) ? ST_NODATA : ST_OK;
	return blocks_read(s->blocks, &im->parts[place >> PLACE_BITS], place_offset(place), out, n);
}

/*
 * A page that segments cover only in part (64K pages over 4K-grained firmware
 * ranges) is zero elsewhere. One that the file's end cuts, or of which a segment
 * has more than its file, is not in the dump.
 */
enum status segments_read(const struct image *im, struct image_ctx *ctx, uint64_t pfn, uint8_t *out)
{
	const struct segments *s = im->priv;
	uint64_t at = pfn << im->page_shift, end = at + ((uint64_t)1 << im->page_shift);
	bool any = false;

	if (pfn >= im->max_pfn)
		return ST_NODATA;
	for (size_t i = extents_find(&s->x, at); i < s->x.n && at < end; i++) {
		const struct extent *x = &s->x.v[i];
		enum status st;
		uint64_t n;

		if (x->start >= end)
			break;
		if (!gap_is_zeros(s, at, x->start))
			return ST_NODATA;
		if (at < x->start) {
			memset(out, 0, x->start - at);
			out += x->start - at;
			at = x->start;
		}
		n = min_u64(end, x->end) - at;
		st = read_place(im, ctx, x->pos + (at - x->start), n, out);
		if (st)
			return st;
		out += n;
		at += n;
		any = true;
	}
	if (!any || !gap_is_zeros(s, at, end))
		return ST_NODATA;
	memset(out, 0, end - at);
	return ST_OK;
}

struct image_ctx *segments_ctx_new(const struct image *im)
{
	struct image_ctx *ctx = heap_calloc(1, sizeof(*ctx));

	ctx->own.fd = -1;
	if (im->live) {
		ctx->own = im->parts[0];
		ctx->own.fd = open(im->parts[0].path, O_RDONLY | O_CLOEXEC);
	}
	return ctx;
}

void segments_ctx_free(struct image_ctx *ctx)
{
	if (ctx->own.fd >= 0)
		close(ctx->own.fd);
	free(ctx);
}

void segments_close(struct image *im)
{
	struct segments *s = im->priv;

	if (s) {
		extents_free(&s->x);
		extents_free(&s->left_out);
		blocks_free(s->blocks);
	}
	im->priv = NULL;
}
