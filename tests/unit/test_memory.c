/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The containers that have only memory: LiME, AVML, raw memory, mcore as
 * mkimage writes it. Each is read back page by page, then damaged: a damaged range or
 * frame loses only itself. The AVML constants are from files that AVML wrote.
 */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/format.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

static const struct mkimage plain = { .word = 8, .page_shift = 12, .max_pfn = 60 };

static struct image *open_names(const char *const *names, unsigned n)
{
	struct diag g = { "" };
	struct image *im;

	if (image_open(names, n, NULL, &g, &im))
		printf("\t%s\n", g.text);
	return im;
}

static struct image *open_bytes(const struct bytes *b, char path[64])
{
	const char *paths[] = { mk_file(b, b->n, path) };
	struct image *im = open_names(paths, 1);

	unlink(path);
	return im;
}

struct tally {
	unsigned ok, nodata, corrupt, wrong;
};

/* Does next() skip no page that is there, but zeros of a saved machine, and stop at no missing page? */
static bool next_is_right(const struct image *im, uint64_t pfn)
{
	uint64_t n = im->ops->next(im, pfn);
	bool zeros = !strcmp(im->ops->name, "qemu");

	for (uint64_t i = pfn; i < n && i < im->max_pfn; i++)
		if (im->ops->present(im, i) && !(zeros && i % 8 == 0))
			return false;
	return n >= pfn && (n >= im->max_pfn || im->ops->present(im, n));
}

static struct tally read_all(const struct image *im, const struct mkimage *m)
{
	struct image_ctx *ctx = im->ops->ctx_new ? im->ops->ctx_new(im) : NULL;
	uint8_t want[4096], got[4096];
	struct tally t = { 0 };

	for (uint64_t pfn = 0; pfn < m->max_pfn + 3; pfn++) {
		enum status st = im->ops->read(im, ctx, pfn, got);

		t.ok += st == ST_OK;
		t.nodata += st == ST_NODATA;
		t.corrupt += st == ST_CORRUPT;
		t.wrong += im->ops->present(im, pfn) == (st == ST_NODATA);
		t.wrong += im->ops->next && !next_is_right(im, pfn);
		mk_page(m, pfn, want);
		t.wrong += st == ST_OK && memcmp(want, got, 4096);
	}
	if (im->ops->ctx_free)
		im->ops->ctx_free(ctx);
	return t;
}

/* All of the 45 pages, or 45 less LOST. */
static void check_bytes(const struct bytes *b, const struct mkimage *m, const char *format,
			unsigned lost, unsigned issues)
{
	char path[64];
	struct image *im = open_bytes(b, path);
	struct tally t;

	if (!CHECK(im != NULL))
		return;
	t = read_all(im, m);
	CHECK_STR(im->format, format);
	CHECK_EQ(im->big_endian, m->big);
	CHECK_EQ(t.ok, 45 - lost);
	CHECK_EQ(t.wrong, 0);
	CHECK_EQ(issues_total(&im->issues) != 0, issues != 0);
	if (!lost)
		CHECK_EQ(image_pages_present(im), 45);
	image_close(im);
}

TEST(lime)
{
	struct mkimage m = plain;
	struct bytes b = mk_lime(&m);
	uint64_t second = 32 + 3 * 4096;

	/* 45 5d 69 4c 01 ..: a file's start, by LiME's lime.h and its users */
	CHECK(!memcmp(b.v, "EMiL\1\0\0\0\0\0\0\0\0\0\0\0\xff\x2f\0\0\0\0\0\0", 24));
	check_bytes(&b, &m, "LiME", 0, 0);
	/* the second header: its three pages are lost, the others found again */
	b.v[second] ^= 1;
	check_bytes(&b, &m, "LiME", 3, 1);
	b.v[second] ^= 1;
	/* an end before the start; one far after the end of the file */
	put_uint(&b, second + 16, 1, 8, false);
	check_bytes(&b, &m, "LiME", 3, 1);
	put_uint(&b, second + 16, 0x4fff, 8, false);
	check_bytes(&b, &m, "LiME", 2, 1);
	put_uint(&b, second + 16, 0x6fff, 8, false);
	b.n -= 4096 + 100;		/* half a page does not count */
	check_bytes(&b, &m, "LiME", 2, 1);
	mk_free(&b);
	m.big = true;
	b = mk_lime(&m);
	check_bytes(&b, &m, "LiME", 0, 0);
	mk_free(&b);
}

/* 40 pages in a piece: three frames. */
static bool has_forty(void *arg, uint64_t pfn)
{
	(void)arg;
	return pfn < 40 || pfn >= 55;
}

static void get_any(void *arg, uint64_t pfn, uint8_t *out)
{
	mk_page(arg, pfn, out);
}

TEST(avml)
{
	struct mkimage m = plain, pages = plain;
	struct bytes b;
	uint64_t frame;

	m.has = has_forty;
	m.get = get_any;
	m.arg = &pages;
	b = mk_avml(&m);
	CHECK(!memcmp(b.v, "AVML\2\0\0\0\0\0\0\0\0\0\0\0\xff\x7f\x02\0\0\0\0\0", 24));
	check_bytes(&b, &m, "AVML", 0, 0);
	/* a bit of the first frame's data: its CRC, and the 16 pages of that frame */
	frame = 32 + 10;
	b.v[frame + 1000] ^= 0x10;
	check_bytes(&b, &m, "AVML", 16, 0);
	b.v[frame + 1000] ^= 0x10;
	/* a frame of an unknown kind: the 40 pages are lost, not the others */
	b.v[frame] = 0x55;
	check_bytes(&b, &m, "AVML", 40, 1);
	b.v[frame] = 0;
	b.v[0] = 'a';			/* no AVML file at all */
	{
		char path[64];

		CHECK(!open_bytes(&b, path));
	}
	b.v[0] = 'A';
	b.n -= 1000;
	check_bytes(&b, &m, "AVML", 5, 1);
	mk_free(&b);
	b = mk_avml(&plain);
	check_bytes(&b, &plain, "AVML", 0, 0);
	mk_free(&b);
}

/* CRC-32C of "123456789" is e3069283 (RFC 3720 has the polynomial and others' values). */
TEST(frame_as_it_is)
{
	static const char chunk[] =
		"AVML\2\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"\xff\6\0\0sNaPpY" "\1\x0d\0\0" "CCCC" "123456789" "\x1b\0\0\0\0\0\0\0";
	uint32_t crc = 0xe3069283;
	struct bytes b = { 0 };
	char path[64];
	struct image *im;
	uint8_t out[4096];

	crc = (crc >> 15 | crc << 17) + 0xa282ead8;
	put_at(&b, 0, chunk, sizeof(chunk) - 1);
	put_uint(&b, 46, crc, 4, false);
	for (int good = 1; good >= 0; good--) {
		const char *paths[] = { mk_file(&b, b.n, path) };

		im = open_names(paths, 1);
		if (CHECK(im != NULL)) {
			struct image_ctx *ctx = im->ops->ctx_new(im);

			CHECK_EQ(im->ops->read(im, ctx, 0, out), good ? ST_OK : ST_CORRUPT);
			CHECK(!good || !memcmp(out, "123456789\0\0", 11));
			im->ops->ctx_free(ctx);
			image_close(im);
		}
		unlink(path);
		b.v[50]++;
	}
	mk_free(&b);
}

TEST(raw)
{
	struct mkimage m = plain;
	struct bytes low = mk_raw(&m, 0, 3), high = mk_raw(&m, 4, 3);
	char a[64], c[64], at[2][96];
	const char *names[] = { at[0], at[1] };
	struct image *im;
	struct tally t;

	snprintf(at[0], sizeof(at[0]), "%s@0x4000", mk_file(&high, high.n, a));
	snprintf(at[1], sizeof(at[1]), "%s@0", mk_file(&low, low.n, c));
	im = open_names(names, 2);
	if (CHECK(im != NULL)) {
		t = read_all(im, &m);
		CHECK_EQ(t.ok, 6);
		CHECK_EQ(t.wrong, 0);
		CHECK_EQ(im->max_pfn, 7);
		CHECK_EQ(im->word_size, 0);
		CHECK_STR(im->parts[0].path, a);
		/* one page of 64K, in parts */
		image_set_page_shift(im, 16);
		CHECK_EQ(im->max_pfn, 1);
		CHECK_EQ(image_pages_present(im), 1);
		image_close(im);
	}
	/* a name without an address; an invalid address; a bare file */
	names[1] = c;
	CHECK(!open_names(names, 2));
	snprintf(at[0], sizeof(at[0]), "%s@4g", a);
	CHECK(!open_names(names, 1));
	names[0] = a;
	CHECK(!open_names(names, 1));
	unlink(a);
	unlink(c);
	mk_free(&low);
	mk_free(&high);
}

/* Pages 0 to 2 and 4 to 6 in one file, in the other order, with eight bytes in front of each. */
TEST(pieces)
{
	struct mkimage m = plain;
	struct bytes low = mk_raw(&m, 0, 3), high = mk_raw(&m, 4, 3), b = { 0 };
	char path[64], at[3][128];
	const char *names[] = { at[0], at[1], at[2] };
	struct image *im;
	struct tally t;

	put_at(&b, 8, high.v, high.n);
	put_at(&b, b.n + 8, low.v, low.n);
	mk_file(&b, b.n, path);
	snprintf(at[0], sizeof(at[0]), "%s@0x0+%u:0x3000", path, 8 + 0x3000 + 8);
	snprintf(at[1], sizeof(at[1]), "%s@0x4000+8:0x3000", path);
	im = open_names(names, 2);
	if (CHECK(im != NULL)) {
		t = read_all(im, &m);
		CHECK_EQ(t.ok, 6);
		CHECK_EQ(t.wrong, 0);
		CHECK_EQ(im->pages_present, 6);
		CHECK_EQ(issues_total(&im->issues), 0);
		image_close(im);
	}
	/* a piece that the file has not: what lacks is told; the others are as they were */
	snprintf(at[2], sizeof(at[2]), "%s@0x8000+0x5000:0x4000", path);
	im = open_names(names, 3);
	if (CHECK(im != NULL)) {
		CHECK_EQ(read_all(im, &m).ok, 7);
		CHECK_EQ(issues_total(&im->issues), 3);
		image_close(im);
	}
	/* nothing of it */
	snprintf(at[2], sizeof(at[2]), "%s@0x8000+0x50000", path);
	im = open_names(names, 3);
	if (CHECK(im != NULL)) {
		CHECK_EQ(im->pages_present, 6);
		image_close(im);
	}
	unlink(path);
	mk_free(&b);
	mk_free(&low);
	mk_free(&high);
}

TEST(names)
{
	static const char *const none[] = {
		"@16",	   "mem@-1",	"mem@0x",      "mem@0x10000000000000000",
		"mem@0+",  "mem@0+:4096", "mem@0+0:",  "mem@0+0:0",
		"mem@0:4096", "mem@+0", "mem@0+0:4096x", "mem@0xfffffffffffff000+0:0x2000",
	};
	struct image_piece v;
	size_t n;

	CHECK(image_name_split("mem@0x80000000", &n, &v) && n == 3 && v.address == 0x80000000);
	CHECK(!v.offset && v.length == UINT64_MAX);
	CHECK(image_name_split("a@b@16384", &n, &v) && n == 3 && v.address == 16384);
	CHECK(image_name_split("mem@0x1000+0x3000", &n, &v) && n == 3 && v.offset == 0x3000);
	CHECK(image_name_split("mem@0+8192:0x1000", &n, &v) && n == 3 && v.address == 0);
	CHECK_EQ(v.offset, 8192);
	CHECK_EQ(v.length, 4096);
	CHECK(!image_name_split("mem@", &n, &v) && n == 4);
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		CHECK(!image_name_split(none[i], &n, &v));
}

TEST(mcore)
{
	static const struct { uint8_t word; bool big; } kinds[] = {
		{ 4, false }, { 4, true }, { 8, false }, { 8, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (unsigned version = 1; version <= 2; version++) {
			struct mkimage m = plain;
			struct bytes b;
			char name[40];

			m.word = kinds[i].word;
			m.big = kinds[i].big;
			m.identity = m.word == 4 ? 0xc0000000 : 0xffff888000000000;
			b = version == 1 ? mk_mcore1(&m) : mk_mcore2(&m);
			snprintf(name, sizeof(name), "mcore, version %u", version);
			check_bytes(&b, &m, name, 0, 0);
			mk_free(&b);
		}
}
