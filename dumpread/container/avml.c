/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AVML files (version 2): ranges of at most 16 MiB as a rule, each with the
 * header of lime.h, then the memory in snappy's framing format
 * (google/snappy framing_format.txt), then the length of that data as a u64.
 *
 * A frame holds at most 64 KiB of memory:
 *	0	type	u8	0 compressed, 1 uncompressed, 0xff "sNaPpY" at the start,
 *				0x80.. to be skipped
 *	1	length	u24	little-endian, of what follows
 *	4	CRC	u32	CRC-32C of the memory, masked (types 0 and 1)
 *	8	the data
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "dumpread/container/lime.h"
#include "dumpread/container/segments.h"
#include "dumpread/image/bundles.h"
#include "dumpread/image/decompress.h"
#include "dumpread/image/saved.h"

#define FRAME_HEADER 4u
#define FRAME_MAX (64u << 10)		/* bytes of memory in a frame */
#define PACKED_MAX (FRAME_MAX + FRAME_MAX / 6 + 32)	/* snappy_max_compressed_length() */
#define FRAME_PACKED 0
#define FRAME_PLAIN 1
#define FRAME_STREAM 0xff
/* No frame is smaller: 64 KiB of zeros need 3 KiB. It bounds their number in a file. */
#define FRAME_LEAST 256u

static const struct lime_kind avml = { 0x4c4d5641, 2 };

struct frame {
	uint64_t pa, off;		/* of its memory; of its data in the file */
	uint32_t stored, size;		/* bytes of data, of memory */
	uint32_t crc;
	bool packed;
};

struct avml {
	struct frame *v;		/* ascending, without overlaps */
	size_t n, cap;
	struct bundles *kept;		/* frames, expanded */
};

struct image_ctx {
	struct decompressor *unpack;
	uint32_t crc[8][256];
	uint8_t *stored;
};

/* ---- CRC-32C, eight bytes at a time -------------------------------------------- */

static void crc_init(uint32_t t[8][256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0x82f63b78 : c >> 1;
		t[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 0xff];
}

static uint32_t crc_masked(const uint32_t t[8][256], const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;

	for (; n >= 8; n -= 8, p += 8) {
		uint32_t a = load32(p, false) ^ c, b = load32(p + 4, false);

		c = t[7][a & 0xff] ^ t[6][a >> 8 & 0xff] ^ t[5][a >> 16 & 0xff] ^ t[4][a >> 24] ^
		    t[3][b & 0xff] ^ t[2][b >> 8 & 0xff] ^ t[1][b >> 16 & 0xff] ^ t[0][b >> 24];
	}
	for (; n; n--, p++)
		c = c >> 8 ^ t[0][(c ^ *p) & 0xff];
	c = ~c;
	return (c >> 15 | c << 17) + 0xa282ead8;
}

/* ---- the table of frames ---------------------------------------------------------- */

/* Snappy data begins with the length of what it expands to, seven bits per byte. */
static uint32_t packed_size(const uint8_t *p, size_t n)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < n && i < 4; i++) {
		v |= (p[i] & 0x7fu) << 7 * i;
		if (!(p[i] & 0x80))
			return v;
	}
	return 0;
}

/* The frame at OFF, with memory from PA on; *next is the place of the frame after it. */
static enum status parse_frame(struct image *im, uint64_t off, uint64_t pa, uint64_t *next,
			       struct frame *f)
{
	uint8_t h[16] = { 0 };
	uint32_t len;
	size_t got;

	if (part_read_some(&im->parts[0], off, h, sizeof(h), &got) || got < FRAME_HEADER)
		return ST_NODATA;
	len = load32(h, false) >> 8;
	*next = off + FRAME_HEADER + len;
	if (!part_holds(&im->parts[0], off, FRAME_HEADER + (uint64_t)len))
		return ST_NODATA;
	*f = (struct frame){ .pa = pa,
			     .off = off + 8,
			     .crc = load32(h + 4, false),
			     .packed = h[0] == FRAME_PACKED };
	if (h[0] == FRAME_STREAM)
		return len == 6 && !memcmp(h + 4, "sNaPpY", 6) ? ST_OK : ST_CORRUPT;
	if (h[0] > FRAME_PLAIN)
		return h[0] >= 0x80 ? ST_OK : ST_CORRUPT;
	if (len <= 4)
		return ST_CORRUPT;
	f->stored = len - 4;
	f->size = f->packed ? packed_size(h + 8, min_u64(f->stored, 8)) : f->stored;
	return f->stored <= PACKED_MAX && f->size && f->size <= FRAME_MAX ? ST_OK : ST_CORRUPT;
}

static bool add_frame(struct image *im, const struct frame *f, uint64_t limit)
{
	struct avml *a = im->priv;

	if (f->pa >= limit || f->size > limit - f->pa ||
	    a->n > im->parts[0].stored / FRAME_LEAST + 1024) {
		issue_add(&im->issues, ST_LIMIT, "image frame", 1,
			  "%s: more frames, or higher addresses, than possible", im->parts[0].path);
		return false;
	}
	if (a->n == a->cap) {
		a->cap = a->cap ? a->cap * 2 : 1024;
		a->v = heap_grow(a->v, a->cap, sizeof(*a->v));
	}
	a->v[a->n++] = *f;
	return true;
}

/* The length of the frames, stated after them. */
static uint64_t check_trailer(struct image *im, const struct lime_range *r, uint64_t off)
{
	const struct image_part *p = &im->parts[0];
	uint8_t said[8];

	if (part_claims(im, p, off, sizeof(said), "last range") &&
	    (part_read(p, off, said, sizeof(said)) || load64(said, false) != off - r->off))
		issue_add(&im->issues, ST_CORRUPT, "image range", 1,
			  "%s: the range at %#" PRIx64 " is not as long as it says", p->path,
			  r->start);
	return off + sizeof(said);
}

/* Read all frames of a range; returns where the next header should be. */
static uint64_t take_range(struct image *im, const struct lime_range *r, uint64_t limit)
{
	uint64_t off = r->off, pa = r->start, next;
	enum status st = ST_OK;
	struct frame f;

	while (pa < r->end) {
		st = parse_frame(im, off, pa, &next, &f);
		if (st)
			break;
		if (f.size && !add_frame(im, &f, limit))
			return im->parts[0].size;
		off = next;
		pa += f.size;
	}
	if (!st)
		return check_trailer(im, r, off);
	issue_add(&im->issues, st, st == ST_NODATA ? "truncated image" : "image range",
		  (r->end - pa + 4095) >> 12,
		  "%s: the range at %#" PRIx64 " ends at %#" PRIx64 " of %#" PRIx64,
		  im->parts[0].path, r->start, pa, r->end);
	if (st == ST_NODATA)
		cause_add(&im->causes, CAUSE_CUT, 0, 0, NULL);
	return off;
}

static int by_address(const void *pa, const void *pb)
{
	const struct frame *a = pa, *b = pb;

	if (a->pa != b->pa)
		return a->pa < b->pa ? -1 : 1;
	return (a->off > b->off) - (a->off < b->off);
}

static void set_page_shift(struct image *im, uint8_t shift)
{
	const struct avml *a = im->priv;
	uint64_t next = 0;

	im->page_shift = shift;
	im->pages_present = 0;
	for (size_t i = 0; i < a->n; i++) {
		uint64_t end = ((a->v[i].pa + a->v[i].size - 1) >> shift) + 1;

		im->pages_present += end - max_u64(a->v[i].pa >> shift, next);
		next = end;
	}
	im->max_pfn = next;
}

/* Of two frames for the same memory the first stays. */
static void settle(struct image *im)
{
	struct avml *a = im->priv;
	uint64_t last = 0;
	size_t n = 0;

	sort_array(a->v, a->n, sizeof(*a->v), by_address);
	for (size_t i = 0; i < a->n; i++) {
		if (a->v[i].pa < last) {
			issue_add(&im->issues, ST_CORRUPT, "image frame", 1,
				  "%s: memory at %#" PRIx64 " is there twice", im->parts[0].path,
				  a->v[i].pa);
			continue;
		}
		last = a->v[i].pa + a->v[i].size;
		a->v[n++] = a->v[i];
	}
	a->n = n;
	set_page_shift(im, 12);
}

/* ---- the index ---------------------------------------------------------------------------- */

#define INDEX_WORDS 4u	/* of a frame: address, place, bytes of data << 32 | of memory, CRC << 1 | packed */

/* False: no AVML file has such a frame after LAST. */
static bool is_frame(const struct image *im, const struct frame *f, const uint64_t *v,
		     uint64_t last, uint64_t limit)
{
	return f->pa >= last && f->pa < limit && f->size && f->size <= FRAME_MAX &&
	       f->size <= limit - f->pa && f->stored && f->stored <= PACKED_MAX &&
	       part_holds(&im->parts[0], f->off, f->stored) && v[3] >> 33 == 0;
}

static bool index_get(struct image *im, uint64_t limit)
{
	const struct image_part *p = &im->parts[0];
	struct avml *a = im->priv;
	uint64_t *v, last = 0;
	size_t n = 0, i;

	v = saved_get(im, p, "avml", &n);
	if (!v)
		return false;
	a->cap = n / INDEX_WORDS;
	a->v = heap_array(struct frame, a->cap + 1);
	for (i = 0; i + INDEX_WORDS <= n; i += INDEX_WORDS) {
		struct frame *f = &a->v[a->n];

		*f = (struct frame){ .pa = v[i],
				     .off = v[i + 1],
				     .stored = (uint32_t)(v[i + 2] >> 32),
				     .size = (uint32_t)v[i + 2],
				     .crc = (uint32_t)(v[i + 3] >> 1),
				     .packed = v[i + 3] & 1 };
		if (!is_frame(im, f, v + i, last, limit))
			break;
		last = f->pa + f->size;
		a->n++;
	}
	free(v);
	if (n && i == n)
		return true;
	saved_refuse(im, p);
	free(a->v);
	a->v = NULL;
	a->n = a->cap = 0;
	return false;
}

static void index_put(const struct image *im)
{
	const struct avml *a = im->priv;
	uint64_t *v = heap_array(uint64_t, INDEX_WORDS * a->n + 1);

	for (size_t i = 0; i < a->n; i++) {
		const struct frame *f = &a->v[i];
		uint64_t *to = v + INDEX_WORDS * i;

		to[0] = f->pa;
		to[1] = f->off;
		to[2] = (uint64_t)f->stored << 32 | f->size;
		to[3] = (uint64_t)f->crc << 1 | f->packed;
	}
	saved_put(im, &im->parts[0], "avml", v, INDEX_WORDS * a->n);
	free(v);
}

/* ---- opening ------------------------------------------------------------------------------ */

static void find_frames(struct image *im, uint64_t limit)
{
	uint64_t issues = issues_total(&im->issues), off = 0;
	struct lime_range r = { .searched = 0 };

	while (lime_next(im, &avml, off, &r))
		off = take_range(im, &r, limit);
	settle(im);
	if (saved_wanted(im) && issues_total(&im->issues) == issues)
		index_put(im);
}

static void expand(const struct image *im, struct image_ctx *ctx, size_t number, struct bundle *to)
{
	const struct avml *a = im->priv;
	const struct frame *f = &a->v[number];

	to->st = part_read(&im->parts[0], f->off, ctx->stored, f->stored);
	if (!to->st)
		to->st = decompress(ctx->unpack, f->packed ? PAGE_SNAPPY : 0, ctx->stored,
				    f->stored, to->bytes, f->size);
	if (!to->st && crc_masked(ctx->crc, to->bytes, f->size) != f->crc)
		to->st = ST_CORRUPT;
	to->got = to->st ? 0 : f->size;
}

static enum status avml_open(struct image *im)
{
	struct lime_range r = { .searched = 0 };
	struct avml *a;
	uint64_t limit;

	if (!lime_header(im, &avml, 0, true, &r))
		return ST_NOTMINE;
	if (im->nparts > 1)
		return fail(&im->diag, ST_UNSUPPORTED,
			    "%s: an AVML dump is one file; name "
			    "each dump on its own",
			    im->parts[0].path);
	im->priv = a = arena_alloc(&im->mem, sizeof(*a));
	a->kept = bundles_new(FRAME_MAX, expand);
	im->page_shift = 12;
	limit = image_address_limit(im);
	if (index_get(im, limit))
		set_page_shift(im, 12);
	else
		find_frames(im, limit);
	/* From version 0.15 on AVML writes no block of zeros (copy_if_nonzero() in its src/image.rs). */
	im->zeros_left_out = !issues_total(&im->issues);
	snprintf(im->format, sizeof(im->format), "AVML");
	snprintf(im->header.compression, sizeof(im->header.compression), "snappy");
	return ST_OK;
}

/* ---- pages --------------------------------------------------------------------------- */

/* The first frame that ends after PA, or a->n. */
static size_t find_frame(const struct avml *a, uint64_t pa)
{
	size_t lo = search_first(a->n, mid, a->v[mid].pa + a->v[mid].size <= pa);

	return lo;
}

static bool avml_present(const struct image *im, uint64_t pfn)
{
	const struct avml *a = im->priv;
	uint64_t pa = pfn << im->page_shift;
	size_t i = pfn < im->max_pfn ? find_frame(a, pa) : a->n;

	return i < a->n && a->v[i].pa < pa + (1u << im->page_shift);
}

static enum status avml_read(const struct image *im, struct image_ctx *ctx, uint64_t pfn,
			     uint8_t *out)
{
	const struct avml *a = im->priv;
	uint64_t at = pfn << im->page_shift, end = at + (1u << im->page_shift);
	enum status st = ST_OK;

	if (!avml_present(im, pfn))
		return ST_NODATA;
	memset(out, 0, end - at);
	for (size_t i = find_frame(a, at); !st && i < a->n && a->v[i].pa < end; i++) {
		const struct frame *f = &a->v[i];
		uint64_t from = max_u64(at, f->pa), to = min_u64(end, f->pa + f->size);
		const struct bundle *x = bundles_get(a->kept, im, ctx, i);

		st = x->st;
		if (!st)
			memcpy(out + (from - at), x->bytes + (from - f->pa), to - from);
		bundles_release(a->kept);
	}
	return st;
}

static struct image_ctx *avml_ctx_new(const struct image *im)
{
	struct image_ctx *ctx = heap_calloc(1, sizeof(*ctx));

	(void)im;
	crc_init(ctx->crc);
	ctx->unpack = decompressor_new();
	ctx->stored = heap_calloc(1, PACKED_MAX);
	return ctx;
}

static void avml_ctx_free(struct image_ctx *ctx)
{
	decompressor_free(ctx->unpack);
	free(ctx->stored);
	free(ctx);
}

static void avml_close(struct image *im)
{
	struct avml *a = im->priv;

	if (a) {
		bundles_free(a->kept);
		free(a->v);
	}
	im->priv = NULL;
}

const struct image_ops avml_image_ops = {
	.name = "avml",
	.open = avml_open,
	.present = avml_present,
	.read = avml_read,
	.ctx_new = avml_ctx_new,
	.ctx_free = avml_ctx_free,
	.close = avml_close,
	.set_page_shift = set_page_shift,
};
