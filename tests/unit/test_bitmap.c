/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bitmaps of kdump files against the same bits held in memory. */
#include "dumpread/container/bitmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/check.h"

#define OFF 12345u			/* of the bitmap in its file */
#define CHUNKS 11u
#define NBITS (CHUNKS * BITMAP_CHUNK - 77)

static uint8_t bits[CHUNKS * BITMAP_CHUNK / 8];

/* Chunks of zeros, of ones, mixed, and with a single line; the bits after the last are set. */
TEST(make_bits)
{
	srand(7);
	memset(bits + BITMAP_CHUNK / 8, 0xff, 2 * BITMAP_CHUNK / 8);
	for (unsigned i = 3 * BITMAP_CHUNK / 8; i < 6 * BITMAP_CHUNK / 8; i++)
		bits[i] = (uint8_t)(rand() & rand());
	bits[8 * BITMAP_CHUNK / 8 + 1234] = 0x40;
	bits[9 * BITMAP_CHUNK / 8] = 1;
	memset(bits + 10 * BITMAP_CHUNK / 8, 0xff, BITMAP_CHUNK / 8);
}

static bool bit(uint64_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static FILE *open_part(struct image_part *p, unsigned len)
{
	static const uint8_t junk[OFF] = { 0xff };
	FILE *f = tmpfile();

	CHECK(f && fwrite(junk, OFF, 1, f) == 1 && fwrite(bits, len, 1, f) == 1 && !fflush(f));
	*p = (struct image_part){ .path = "bitmap", .fd = fileno(f) };
	p->size = p->raw_size = p->stored = OFF + len;
	return f;
}

/* All questions, for each bit; W may be NULL. */
static void compare(struct bitmap *b, struct bitmap_window *w)
{
	uint64_t rank = 0, wrong = 0, next = NBITS;

	for (uint64_t i = 0; i < NBITS; i++) {
		wrong += bitmap_rank(b, w, i) != rank;
		wrong += bitmap_get(b, w, i) != bit(i);
		rank += bit(i);
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(bitmap_rank(b, w, NBITS), rank);
	for (uint64_t i = NBITS; i--; ) {
		uint64_t line = i / BITMAP_LINE, got;

		if (bit(i))
			next = line * BITMAP_LINE;
		if (i % 61)
			continue;
		/* a set bit later in the same line counts as here */
		got = bitmap_next(b, i);
		wrong += got < i || got > (next > i ? next : i) ||
			 (got / BITMAP_LINE == line && got != i);
		for (uint64_t j = i; j < got && j < NBITS; j++)
			wrong += j / BITMAP_LINE != line && bit(j);
	}
	CHECK_EQ(wrong, 0);
}

TEST(answers)
{
	struct bitmap_window w = { 0 };
	struct image_part p;
	struct arena mem = { 0 };
	struct bitmap b;
	FILE *f = open_part(&p, sizeof(bits));

	CHECK(!bitmap_open(&b, &mem, &p, OFF, NBITS));
	compare(&b, NULL);
	CHECK(b.kept > 4096 && b.kept < 7 * sizeof(struct bitmap_bits));
	bitmap_close(&b);

	/* no room to keep any */
	CHECK(!bitmap_open(&b, &mem, &p, OFF, NBITS));
	b.kept = BITMAP_KEPT;
	compare(&b, &w);
	CHECK_EQ(b.kept, BITMAP_KEPT);
	for (unsigned i = 0; i < CHUNKS; i++)
		CHECK(!b.chunks[i].bits);
	CHECK_EQ(bitmap_get(&b, NULL, 8 * BITMAP_CHUNK + 1234 * 8 + 6), true);
	CHECK_EQ(bitmap_next(&b, 6 * BITMAP_CHUNK), 8 * BITMAP_CHUNK + 1234 * 8 / 512 * 512);
	bitmap_window_free(&w);
	bitmap_close(&b);
	arena_release(&mem);
	fclose(f);
}

/* What a file lost after it was opened is not there. */
TEST(shrunk)
{
	struct image_part p;
	struct arena mem = { 0 };
	struct bitmap b;
	FILE *f = open_part(&p, sizeof(bits));

	CHECK(!bitmap_open(&b, &mem, &p, OFF, NBITS));
	CHECK(!ftruncate(fileno(f), OFF));
	for (uint64_t i = 3 * BITMAP_CHUNK; i < 4 * BITMAP_CHUNK; i++)
		if (bitmap_get(&b, NULL, i)) {
			CHECK(false);
			break;
		}
	bitmap_close(&b);
	arena_release(&mem);
	fclose(f);
}

/* 32 TiB without a page: the memory is the table, 4 MiB, and not the 1 GiB of the bitmap. */
TEST(large)
{
	struct image_part p;
	struct arena mem = { 0 };
	struct rusage before, after;
	struct bitmap b;
	FILE *f = open_part(&p, 1);
	uint64_t nbits = UINT64_C(1) << 33;

	CHECK(!ftruncate(fileno(f), OFF + (off_t)(nbits / 8)));
	p.size = p.raw_size = OFF + nbits / 8;
	getrusage(RUSAGE_SELF, &before);
	CHECK(!bitmap_open(&b, &mem, &p, OFF, nbits));
	getrusage(RUSAGE_SELF, &after);
	CHECK(after.ru_maxrss - before.ru_maxrss < 16 << 10);
	CHECK_EQ(bitmap_rank(&b, NULL, nbits), (uint64_t)__builtin_popcount(bits[0]));
	CHECK_EQ(bitmap_next(&b, 600), nbits);
	bitmap_close(&b);
	arena_release(&mem);
	fclose(f);
}
