/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mcore files of both versions, word sizes and byte orders, written here by the
 * tables in mcore.c; then each kind of damage, which must affect only its own unit.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/format.h"
#include "tests/unit/check.h"

#define BLK 4096u
#define UNITS 3u
#define PAGES 5u		/* of one unit of version 2 */
#define V1_PAGES 4u		/* of one unit of version 1 */

struct kind { unsigned word; bool big; };

struct file {
	struct kind kind;
	uint8_t data[64 * BLK];
	uint32_t blocks;	/* used so far */
	uint32_t unit_at[UNITS];
};

static uint64_t base_va(const struct kind *k)
{
	return k->word == 8 ? 0xc000000000000000u : 0xc0000000u;
}

static void put(struct file *f, uint64_t at, uint64_t v, unsigned size)
{
	store_uint(f->data + at, v, size, f->kind.big);
}

static void fill(uint8_t *page, uint64_t pfn)
{
	for (unsigned i = 0; i < BLK; i++)
		page[i] = (uint8_t)(pfn * 31 + i / 16);
}

/* Pages of unit U of version 2: every second frame, so that there are holes. */
static uint64_t v2_pfn(unsigned u, unsigned i)
{
	return u * 128 + i * 2;
}

static uint32_t put_stream(struct file *f, const uint8_t *raw, size_t len)
{
	uLongf packed = sizeof(f->data) - f->blocks * BLK;
	uint32_t blocks;

	CHECK_EQ(compress(f->data + f->blocks * BLK, &packed, raw, len), Z_OK);
	blocks = (uint32_t)((packed + BLK - 1) / BLK);
	f->blocks += blocks;
	return blocks;
}

static void write_header(struct file *f, uint64_t at, uint32_t map_block)
{
	unsigned w = f->kind.word;

	put(f, at, 0x9a8bccdd, w);
	put(f, at + 4 * w, BLK, 4);
	put(f, at + 4 * w + 4, map_block, 4);
	put(f, at + 4 * w + 8, 1, 4);
}

static void write_v2(struct file *f)
{
	unsigned w = f->kind.word;
	uint32_t table = (129 * w + BLK - 1) / BLK * BLK;
	uint8_t *raw = calloc(1, table + PAGES * BLK);

	write_header(f, 0, 1);
	f->blocks = 2;
	for (unsigned u = 0; u < UNITS && raw; u++) {
		uint64_t e = BLK + u * (2 * w + 8);

		for (unsigned i = 0; i < PAGES; i++) {
			store_uint(raw + i * w, base_va(&f->kind) + v2_pfn(u, i) * BLK, w,
				   f->kind.big);
			fill(raw + table + i * BLK, v2_pfn(u, i));
		}
		f->unit_at[u] = f->blocks;
		put(f, e, base_va(&f->kind) + v2_pfn(u, 0) * BLK, w);
		put(f, e + w, 0x12345678, w);	/* a stale pointer, to be ignored */
		put(f, e + 2 * w, f->blocks, 4);
		put(f, e + 2 * w + 4, put_stream(f, raw, table + PAGES * BLK), 4);
	}
	free(raw);
}

static void write_v1(struct file *f)
{
	unsigned w = f->kind.word, step = w == 4 ? 20 : 32;
	uint8_t raw[V1_PAGES * BLK];

	put(f, 0, 2, 4);		/* one header, at block 2 */
	write_header(f, 2 * BLK, 1);
	put(f, 2 * BLK + 4 * w + 12, UNITS, 4);
	put(f, 2 * BLK + (w == 4 ? 32 : 48), sizeof(raw), w);
	f->blocks = 4;
	for (unsigned u = 0; u < UNITS; u++) {
		uint64_t e = 3 * BLK + u * step;

		for (unsigned i = 0; i < V1_PAGES; i++)
			fill(raw + i * BLK, u * V1_PAGES + i);
		f->unit_at[u] = f->blocks;
		put(f, e, base_va(&f->kind) + u * sizeof(raw), w);
		put(f, e + 2 * w, f->blocks - 2 + 100, 4);
		put(f, e + 2 * w + 4, put_stream(f, raw, sizeof(raw)), 4);
	}
}

static struct image *open_file(const struct file *f, size_t len, struct diag *g)
{
	char path[] = "/tmp/test-mcore-XXXXXX";
	const char *paths[1] = { path };
	struct image *im = NULL;
	int fd = mkstemp(path);

	if (CHECK(fd >= 0) && CHECK(write(fd, f->data, len) == (ssize_t)len))
		image_open(paths, 1, NULL, g, &im);
	close(fd);
	unlink(path);
	return im;
}

/* Pages of [0, max) that read as written; *bad counts those that read wrongly. */
static unsigned good_pages(struct image *im, uint64_t max, unsigned *absent, unsigned *corrupt)
{
	struct image_ctx *ctx = im->ops->ctx_new(im);
	uint8_t out[BLK], want[BLK];
	unsigned good = 0;

	*absent = *corrupt = 0;
	for (uint64_t pfn = 0; pfn < max; pfn++) {
		enum status st = im->ops->read(im, ctx, pfn, out);

		CHECK_EQ(im->ops->present(im, pfn), st != ST_NODATA);
		fill(want, pfn);
		if (!st)
			CHECK(!memcmp(out, want, BLK));
		good += !st;
		*absent += st == ST_NODATA;
		*corrupt += st == ST_CORRUPT;
	}
	im->ops->ctx_free(ctx);
	return good;
}

static void test_v2(const struct kind *k)
{
	struct file *f = calloc(1, sizeof(*f));
	unsigned absent, corrupt;
	struct image *im;
	struct diag g;

	f->kind = *k;
	write_v2(f);
	im = open_file(f, f->blocks * BLK, &g);
	if (CHECK(im)) {
		CHECK_STR(im->format, "mcore, version 2");
		CHECK_EQ(im->word_size, k->word);
		CHECK_EQ(im->big_endian, k->big);
		CHECK_EQ(im->pages_present, UNITS * PAGES);
		CHECK_EQ(im->max_pfn, v2_pfn(UNITS - 1, PAGES - 1) + 1);
		CHECK_EQ(good_pages(im, 400, &absent, &corrupt), UNITS * PAGES);
		CHECK_EQ(corrupt, 0);
		image_close(im);
	}
	/* a broken stream costs its unit: the first bytes are zlib's header */
	memset(f->data + f->unit_at[1] * BLK, 0xff, 16);
	im = open_file(f, f->blocks * BLK, &g);
	if (CHECK(im)) {
		CHECK_EQ(good_pages(im, 400, &absent, &corrupt), (UNITS - 1) * PAGES);
		CHECK_EQ(issues_total(&im->issues), 1);
		image_close(im);
	}
	/* cut off after the first unit; then inside the map */
	im = open_file(f, f->unit_at[1] * BLK, &g);
	if (CHECK(im)) {
		CHECK_EQ(good_pages(im, 400, &absent, &corrupt), PAGES);
		image_close(im);
	}
	CHECK(!open_file(f, BLK + 8, &g));
	free(f);
}

static void test_v1(const struct kind *k)
{
	struct file *f = calloc(1, sizeof(*f));
	unsigned absent, corrupt;
	struct image *im;
	struct diag g;

	f->kind = *k;
	write_v1(f);
	im = open_file(f, f->blocks * BLK, &g);
	if (CHECK(im)) {
		CHECK_STR(im->format, "mcore, version 1");
		CHECK_EQ(im->word_size, k->word);
		CHECK_EQ(im->big_endian, k->big);
		CHECK_EQ(good_pages(im, 20, &absent, &corrupt), UNITS * V1_PAGES);
		CHECK_EQ(absent, 20 - UNITS * V1_PAGES);
		image_close(im);
	}
	memset(f->data + f->unit_at[2] * BLK, 0xff, 16);
	im = open_file(f, f->blocks * BLK, &g);
	if (CHECK(im)) {
		CHECK_EQ(good_pages(im, 20, &absent, &corrupt), (UNITS - 1) * V1_PAGES);
		CHECK_EQ(corrupt, V1_PAGES);
		image_close(im);
	}
	free(f);
}

/* Any flipped bit of a stream: the page reads as written, or not at all. */
static void test_flips(const struct kind *k, void (*write_file)(struct file *), uint64_t frames)
{
	struct file *f = calloc(1, sizeof(*f));
	unsigned absent, corrupt, whole = 0;
	struct diag g;

	f->kind = *k;
	write_file(f);
	for (uint64_t at = f->unit_at[1] * BLK; f->data[at] || f->data[at + 1]; at += 3) {
		struct image *im;
		unsigned good;

		f->data[at] ^= (uint8_t)(1u << at % 8);
		im = open_file(f, f->blocks * BLK, &g);
		f->data[at] ^= (uint8_t)(1u << at % 8);
		if (!CHECK(im))
			continue;
		good = good_pages(im, frames, &absent, &corrupt);
		whole = good > whole ? good : whole;
		CHECK(corrupt || issues_total(&im->issues));
		image_close(im);
	}
	CHECK_EQ(whole, (UNITS - 1) * (write_file == write_v2 ? PAGES : V1_PAGES));
	free(f);
}

static void read_pages(struct image *im, uint64_t max)
{
	struct image_ctx *ctx = im->ops->ctx_new(im);
	uint8_t out[BLK];

	for (uint64_t pfn = 0; pfn < max; pfn++)
		im->ops->read(im, ctx, pfn, out);
	im->ops->ctx_free(ctx);
}

/* Every byte of the headers and maps, with three values: no crash, no hang. A page may be at another address. */
static void test_hostile(const struct kind *k, void (*write_file)(struct file *))
{
	static const uint8_t values[] = { 0, 0x7f, 0xff };
	struct file *f = calloc(1, sizeof(*f));
	unsigned opened = 0;
	struct diag g;

	f->kind = *k;
	write_file(f);
	for (size_t at = 0; at < 3 * BLK + 100; at += at % BLK < 100 ? 1 : BLK - at % BLK)
		for (size_t v = 0; v < sizeof(values); v++) {
			uint8_t was = f->data[at];
			struct image *im;

			f->data[at] = values[v];
			im = open_file(f, f->blocks * BLK, &g);
			f->data[at] = was;
			if (!im)
				continue;
			opened++;
			CHECK(im->pages_present);
			read_pages(im, 8);
			image_close(im);
		}
	CHECK(opened > 0);
	free(f);
}

int main(void)
{
	static const struct kind kinds[] = {
		{ 4, false }, { 4, true }, { 8, false }, { 8, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		test_v2(&kinds[i]);
		test_v1(&kinds[i]);
	}
	test_flips(&kinds[2], write_v2, 400);
	test_flips(&kinds[2], write_v1, 20);
	test_hostile(&kinds[1], write_v2);
	test_hostile(&kinds[3], write_v2);	/* a base far below the pages */
	test_hostile(&kinds[2], write_v1);
	return check_done();
}
