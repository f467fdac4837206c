/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bitmap.c - two levels of counts: set bits before each chunk, which are in memory, and
 * before each line of a chunk, which come with its bits. So the number of a page's
 * descriptor costs one popcount of a cache line.
 */
#include "dumpread/container/bitmap.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"

#define CHUNK_BYTES (BITMAP_CHUNK / 8)
#define LINE_BYTES (BITMAP_LINE / 8)
#define AT_ONCE 256u			/* chunks that are counted at once */
#define THREADS_FROM 8			/* items of AT_ONCE: less is not worth a thread */

/* ---- counting ----------------------------------------------------------------- */

struct count {
	struct bitmap *b;
	uint8_t *buf[JOBS_MAX];
	enum status failed;
};

static unsigned count_line(const uint8_t *line)
{
	unsigned n = 0;

	for (unsigned i = 0; i < LINE_BYTES; i += 8)
		n += (unsigned)__builtin_popcountll(load64(line + i, false));
	return n;
}

/* Nearly all chunks of a large dump are all zeros or all ones. */
unsigned bitmap_count_chunk(const uint8_t *p)
{
	unsigned n = 0;

	if (!memcmp(p, p + 1, CHUNK_BYTES - 1) && (!p[0] || p[0] == 0xff))
		return p[0] ? BITMAP_CHUNK : 0;
	for (unsigned i = 0; i < CHUNK_BYTES; i += LINE_BYTES)
		n += count_line(p + i);
	return n;
}

/* Bits after the last one are no pages. */
static void clip(const struct bitmap *b, uint64_t chunk, uint8_t *bytes)
{
	uint64_t left = b->nbits - chunk * BITMAP_CHUNK;

	if (left >= BITMAP_CHUNK)
		return;
	if (left % 8)
		bytes[left / 8] &= (uint8_t)((1u << left % 8) - 1);
	memset(bytes + (left + 7) / 8, 0, CHUNK_BYTES - (left + 7) / 8);
}

/* Of byte AT of the bitmap: where it is in the file; 0: nowhere. */
static uint64_t place_of(const struct bitmap *b, uint64_t at)
{
	uint64_t chunk = at / CHUNK_BYTES, off = b->off;

	if (chunk >= b->patch_first && chunk < b->patch_end)
		off = b->patch_off;
	return off ? off + at : 0;
}

/* N bytes of the bitmap from AT on; after the end of the file, and in its holes, zeros. */
static enum status read_bytes(const struct bitmap *b, uint64_t at, uint8_t *out, size_t n)
{
	uint64_t off = place_of(b, at), hole = off ? part_next(b->file, off) - off : UINT64_MAX;
	enum status st;
	size_t got = 0;

	if (hole >= n) {
		memset(out, 0, n);
		return ST_OK;
	}
	st = part_read_some(b->file, off, out, n, &got);
	if (!st)
		memset(out + got, 0, n - got);
	return st;
}

/* Leaves each chunk's own count in the next one's `before`. */
static void count_some(void *arg, unsigned worker, size_t item)
{
	struct count *c = arg;
	struct bitmap *b = c->b;
	uint64_t first = (uint64_t)item * AT_ONCE, end = min_u64(first + AT_ONCE, b->nchunks);
	enum status st;

	if (part_next(b->file, b->off + first * CHUNK_BYTES) >= b->off + end * CHUNK_BYTES)
		return;
	if (!c->buf[worker])
		c->buf[worker] = heap_bytes((size_t)AT_ONCE * CHUNK_BYTES);
	st = read_bytes(b, first * CHUNK_BYTES, c->buf[worker],
			(size_t)(end - first) * CHUNK_BYTES);
	if (st) {
		__atomic_store_n(&c->failed, st, __ATOMIC_RELAXED);
		return;
	}
	for (uint64_t i = first; i < end; i++) {
		uint8_t *p = c->buf[worker] + (i - first) * CHUNK_BYTES;

		clip(b, i, p);
		b->chunks[i + 1].before = bitmap_count_chunk(p);
	}
}

enum status bitmap_open(struct bitmap *b, struct arena *mem, const struct image_part *file,
			uint64_t off, uint64_t nbits)
{
	struct count *c = heap_array(struct count, 1);
	size_t items;
	enum status st;

	*b = (struct bitmap){ .file = file, .off = off, .nbits = nbits };
	b->nchunks = (nbits + BITMAP_CHUNK - 1) / BITMAP_CHUNK;
	b->chunks = arena_array(mem, struct bitmap_chunk, b->nchunks + 1);
	items = (size_t)((b->nchunks + AT_ONCE - 1) / AT_ONCE);
	c->b = b;
	jobs_run(items < THREADS_FROM ? 1 : jobs_default(), items, count_some, c);
	for (uint64_t i = 0; i < b->nchunks; i++)
		b->chunks[i + 1].before += b->chunks[i].before;
	for (unsigned i = 0; i < JOBS_MAX; i++)
		free(c->buf[i]);
	st = c->failed;
	free(c);
	return st;
}

static unsigned count_patched(const struct bitmap *b, uint64_t chunk)
{
	uint8_t p[CHUNK_BYTES];

	if (read_bytes(b, chunk * CHUNK_BYTES, p, sizeof(p)))
		return 0;
	clip(b, chunk, p);
	return bitmap_count_chunk(p);
}

void bitmap_patch(struct bitmap *b, uint64_t first, uint64_t end, uint64_t off, uint64_t bits)
{
	uint64_t was = b->chunks[end].before;

	b->patch_first = first;
	b->patch_end = end;
	b->patch_off = off;
	for (uint64_t i = first; i < end; i++) {
		/* they may have been asked for while the damage was looked for */
		b->kept -= b->chunks[i].bits ? sizeof(*b->chunks[i].bits) : 0;
		free(b->chunks[i].bits);
		b->chunks[i].bits = NULL;
		b->chunks[i + 1].before = b->chunks[i].before + count_patched(b, i);
	}
	b->skipped = off ? 0 : bits;
	b->chunks[end].before += b->skipped;
	for (uint64_t i = end + 1; i <= b->nchunks; i++)
		b->chunks[i].before += b->chunks[end].before - was;
}

void bitmap_close(struct bitmap *b)
{
	for (uint64_t i = 0; b->chunks && i < b->nchunks; i++)
		free(b->chunks[i].bits);
	*b = (struct bitmap){ 0 };
}

/* ---- bits ------------------------------------------------------------------------- */

static void load_bits(const struct bitmap *b, uint64_t chunk, struct bitmap_bits *out)
{
	out->before[0] = 0;
	if (read_bytes(b, chunk * CHUNK_BYTES, out->bytes, CHUNK_BYTES))
		memset(out->bytes, 0, CHUNK_BYTES);
	for (unsigned i = 0; i < BITMAP_CHUNK / BITMAP_LINE; i++)
		out->before[i + 1] =
			(uint16_t)(out->before[i] + count_line(out->bytes + i * LINE_BYTES));
}

/* Keep a chunk's bits, if there is room; NULL: there is not. */
static const struct bitmap_bits *keep_bits(struct bitmap *b, uint64_t chunk)
{
	struct bitmap_bits *bits, *other = NULL;

	if (__atomic_fetch_add(&b->kept, sizeof(*bits), __ATOMIC_RELAXED) + sizeof(*bits) >
	    BITMAP_KEPT) {
		__atomic_fetch_sub(&b->kept, sizeof(*bits), __ATOMIC_RELAXED);
		return NULL;
	}
	bits = heap_bytes(sizeof(*bits));
	load_bits(b, chunk, bits);
	if (__atomic_compare_exchange_n(&b->chunks[chunk].bits, &other, bits, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return bits;
	__atomic_fetch_sub(&b->kept, sizeof(*bits), __ATOMIC_RELAXED);
	free(bits);
	return other;
}

/* The bits of a chunk, in memory of B, of W, or in SPACE. */
static const struct bitmap_bits *get_bits(struct bitmap *b, struct bitmap_window *w, uint64_t chunk,
					  struct bitmap_bits *space)
{
	const struct bitmap_bits *bits = __atomic_load_n(&b->chunks[chunk].bits, __ATOMIC_ACQUIRE);

	if (!bits && w && w->bits && w->chunk == chunk)
		return w->bits;
	if (!bits)
		bits = keep_bits(b, chunk);
	if (bits)
		return bits;
	if (w) {
		if (!w->bits)
			w->bits = heap_bytes(sizeof(*w->bits));
		w->chunk = chunk;
		space = w->bits;
	}
	load_bits(b, chunk, space);
	return space;
}

static uint64_t in_chunk(const struct bitmap *b, uint64_t chunk)
{
	return b->chunks[chunk + 1].before - b->chunks[chunk].before -
	       (chunk + 1 == b->patch_end ? b->skipped : 0);
}

bool bitmap_get(struct bitmap *b, struct bitmap_window *w, uint64_t bit)
{
	uint64_t chunk = bit / BITMAP_CHUNK, n = in_chunk(b, chunk);
	struct bitmap_bits space;

	if (!n || n == BITMAP_CHUNK)
		return n;
	return get_bits(b, w, chunk, &space)->bytes[bit % BITMAP_CHUNK / 8] >> bit % 8 & 1;
}

uint64_t bitmap_rank(struct bitmap *b, struct bitmap_window *w, uint64_t bit)
{
	uint64_t chunk = bit / BITMAP_CHUNK, at = bit % BITMAP_CHUNK, rank, n;
	const struct bitmap_bits *bits;
	struct bitmap_bits space;
	const uint8_t *line;

	rank = b->chunks[chunk].before;
	if (!at)
		return rank;
	n = in_chunk(b, chunk);
	if (!n || n == BITMAP_CHUNK)
		return rank + (n ? at : 0);
	bits = get_bits(b, w, chunk, &space);
	rank += bits->before[at / BITMAP_LINE];
	line = bits->bytes + at / BITMAP_LINE * LINE_BYTES;
	for (at %= BITMAP_LINE; at >= 64; at -= 64, line += 8)
		rank += (unsigned)__builtin_popcountll(load64(line, false));
	if (at)
		rank += (unsigned)__builtin_popcountll(load64(line, false) << (64 - at));
	return rank;
}

/* The first line of a chunk from LINE on that has a set bit. */
static unsigned next_line(struct bitmap *b, uint64_t chunk, unsigned line)
{
	const unsigned lines = BITMAP_CHUNK / BITMAP_LINE;
	const struct bitmap_bits *bits;
	struct bitmap_bits space;
	uint64_t n = in_chunk(b, chunk);

	if (!n || n == BITMAP_CHUNK)
		return n ? line : lines;
	bits = get_bits(b, NULL, chunk, &space);
	while (line < lines && bits->before[line] == bits->before[line + 1])
		line++;
	return line;
}

uint64_t bitmap_next(struct bitmap *b, uint64_t bit)
{
	uint64_t chunk = bit / BITMAP_CHUNK;
	unsigned first = bit % BITMAP_CHUNK / BITMAP_LINE, line = first;

	for (; chunk < b->nchunks; chunk++, first = 0) {
		line = next_line(b, chunk, first);
		if (line < BITMAP_CHUNK / BITMAP_LINE)
			break;
	}
	if (chunk == bit / BITMAP_CHUNK && line == first)
		return bit;
	return chunk < b->nchunks ? chunk * BITMAP_CHUNK + (uint64_t)line * BITMAP_LINE : b->nbits;
}

void bitmap_window_free(struct bitmap_window *w)
{
	free(w->bits);
	*w = (struct bitmap_window){ 0 };
}
