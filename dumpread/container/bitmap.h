/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bitmap.h - a bitmap in a file: which pages are there, and how many before each.
 *
 * It is not held in memory: 24 TiB have 768 MiB of it. A chunk of 32768 bits costs 16
 * bytes; chunks with bits of both kinds are read when they are asked for, and kept up to
 * BITMAP_KEPT bytes. Answers are thread-safe.
 */
#ifndef VMCENSUS_IMAGE_BITMAP_H
#define VMCENSUS_IMAGE_BITMAP_H

#include "dumpread/image/format.h"

#define BITMAP_CHUNK 32768u		/* bits */
#define BITMAP_LINE 512u		/* bits */
#define BITMAP_KEPT (32u << 20)

/* The bits of one chunk. */
struct bitmap_bits {
	uint8_t bytes[BITMAP_CHUNK / 8];
	uint16_t before[BITMAP_CHUNK / BITMAP_LINE + 1];	/* set bits before each line */
};

struct bitmap_chunk {
	uint64_t before;		/* set bits before it */
	struct bitmap_bits *bits;	/* atomic; NULL: not kept */
};

struct bitmap {
	const struct image_part *file;
	uint64_t off;			/* in the file */
	uint64_t nbits;
	uint64_t nchunks;		/* chunks[nchunks].before: all set bits */
	struct bitmap_chunk *chunks;
	size_t kept;			/* bytes of chunks' bits; atomic */
	/* The chunks [patch_first, patch_end) are read at patch_off; 0: they have no bits. */
	uint64_t patch_first, patch_end, patch_off;
	uint64_t skipped;	/* set bits that they had */
};

/* The chunk that a caller read last, if it is not kept. All zero at first. */
struct bitmap_window {
	struct bitmap_bits *bits;
	uint64_t chunk;
};

/* Bits [0, NBITS) at OFF of FILE; MEM owns B's table. Close it also after a failure. */
enum status bitmap_open(struct bitmap *b, struct arena *mem, const struct image_part *file,
			uint64_t off, uint64_t nbits);
void bitmap_close(struct bitmap *b);

/* Set bits of a chunk, of BITMAP_CHUNK / 8 bytes at P. */
unsigned bitmap_count_chunk(const uint8_t *p);

/*
 * The chunks [FIRST, END) are damaged: they are read as those of a bitmap at OFF of the file, or have no bits if OFF is
 * 0. BITS counts for the pages after them: so many set bits they had. Before the first question.
 */
void bitmap_patch(struct bitmap *b, uint64_t first, uint64_t end, uint64_t off, uint64_t bits);

/* BIT < nbits. W: NULL or the caller's own, which saves reading a chunk again. A chunk
   that cannot be read any more has no set bits. */
bool bitmap_get(struct bitmap *b, struct bitmap_window *w, uint64_t bit);
/* Set bits below BIT <= nbits. */
uint64_t bitmap_rank(struct bitmap *b, struct bitmap_window *w, uint64_t bit);
/* BIT, or the start of the first line after it that has a set bit, or nbits or more. */
uint64_t bitmap_next(struct bitmap *b, uint64_t bit);
void bitmap_window_free(struct bitmap_window *w);

#endif
