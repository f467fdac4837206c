/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search for a word: wherever it is, none is passed over, and nothing beyond the end is found.
 */
#include "dumpread/base/bytes.h"
#include "dumpread/symbols/kimage.h"
#include "tests/unit/check.h"

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
	return check_done();
}
