/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search for a word: wherever it is, none is passed over, and nothing beyond the end is found.
 * The pieces of the image: each has what memory has, and pages are read once.
 */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/reader.h"
#include "dumpread/symbols/kimage.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define LEN ((size_t)300)	/* some blocks of 64 bytes, and a piece of one */

static uint8_t buf[LEN];

/* The first offset from FROM on that a plain loop finds. */
static size_t plain(size_t from, const struct kimage_word *w)
{
	for (size_t off = from; off < LEN; off += 4) {
		uint32_t v = load32(buf + off, false);

		if (v && ((v & w->mask) == w->either || (v & w->mask) == w->or))
			return off;
	}
	return LEN;
}

static void each_place(const struct kimage_word *w, uint32_t word)
{
	for (size_t at = 0; at < LEN; at += 4) {
		memset(buf, 0, LEN);
		memcpy(buf + at, &word, 4);
		for (size_t from = 0; from <= LEN; from += 4)
			CHECK_EQ(kimage_next(buf, from, LEN, w), from <= at ? at : LEN);
		CHECK_EQ(kimage_next(buf, 0, at, w), at);
	}
}

/* ---- pieces ----------------------------------------------------------------------- */

#define PAGE 4096u
#define PAGES 1000u		/* of the image: four pieces, the last one short */
#define FROM ((uint64_t)2 << 20)	/* the search begins there, and goes back first */

struct seen {
	const struct fake *f;
	bool piece[4];
	unsigned n;
};

static bool in_memory(const struct fake *f, uint64_t pa, const uint8_t *p)
{
	static const uint8_t zeros[PAGE];

	return !memcmp(p, f->page[pa / PAGE] ? f->page[pa / PAGE] : zeros, PAGE);
}

static bool look_at(void *arg, uint64_t addr, const uint8_t *p, size_t len)
{
	struct seen *s = arg;
	uint64_t left = PAGES * PAGE - addr, most = KIMAGE_STEP + KIMAGE_OVERLAP;

	CHECK_EQ(len, left < most ? left : most);
	for (size_t i = 0; i < len; i += PAGE)
		CHECK(in_memory(s->f, addr + i, p + i));
	CHECK(!s->piece[addr / KIMAGE_STEP]);
	s->piece[addr / KIMAGE_STEP] = true;
	s->n++;
	return false;
}

static void put_pages(struct fake *f)
{
	uint8_t page[PAGE];

	for (unsigned i = 0; i < PAGES; i++) {
		for (unsigned j = 0; j < PAGE; j++)
			page[j] = (uint8_t)(i * 7 + i / 256 + j % 251 + j / 64);
		fake_put(f, (uint64_t)i * PAGE, page, PAGE);
	}
}

/* MISSING: a page that the dump does not have, or 0. */
static void test_pieces(uint64_t missing)
{
	struct fake *f = fake_new(8, false);
	struct seen s = { .f = f };
	uint64_t before;
	struct kimage ki;

	put_pages(f);
	if (missing)
		fake_drop(f, missing * PAGE);
	ki = (struct kimage){ .r = reader_new(&f->dump), .end = PAGES * PAGE, .data = FROM,
			      .physical = true };
	before = f->dump.pages_read;
	CHECK(!kimage_scan(&ki, look_at, &s));
	CHECK_EQ(s.n, 4);
	/* the first piece has 16 pages of the one after it, which comes much later; of the 16 pages around
	   the one that is missing some are read twice */
	CHECK(f->dump.pages_read - before <= PAGES + 16 + (missing ? 16 : 0));
	reader_free(ki.r);
	fake_free(f);
}

int main(void)
{
	const struct kimage_word two = { .mask = 0xffffff, .either = 0x01eb9f, .or = 0x019feb };
	const struct kimage_word small = { .mask = 0xfc00ffff };
	uint32_t seed = 1;

	each_place(&two, 0x0101eb9f);
	each_place(&two, 0x02019feb);
	each_place(&small, 0x00050000);
	/* neither 0 nor what has other bits */
	memset(buf, 0, LEN);
	CHECK_EQ(kimage_next(buf, 0, LEN, &small), LEN);
	memset(buf, 0xff, LEN);
	CHECK_EQ(kimage_next(buf, 0, LEN, &small), LEN);
	/* many in one block */
	for (unsigned round = 0; round < 200; round++) {
		for (size_t i = 0; i < LEN; i++) {
			seed = seed * 1103515245 + 12345;
			buf[i] = (uint8_t)(seed >> 24 & (round % 2 ? 3 : 0xff));
		}
		for (size_t from = 0; from < LEN; from += 4)
			CHECK_EQ(kimage_next(buf, from, LEN, &small), plain(from, &small));
	}
	test_pieces(0);
	for (uint64_t missing = 15; missing < PAGES; missing += 61)
		test_pieces(missing);
	return check_done();
}
