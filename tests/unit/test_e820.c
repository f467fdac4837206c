/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map of a PC, found in memory, and where the memory of a file without its holes belongs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/e820.h"
#include "tests/unit/mkimage.h"
#include "tests/unit/check.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* What SeaBIOS says of a QEMU "pc" with 4 GiB. */
static const struct e820_table four = {
	.v = { { 0, 0x9fc00, 1 },
	       { 0x9fc00, 0xa0000, 2 },
	       { 0xf0000, MIB, 2 },
	       { MIB, 3 * GIB - 128 * KIB, 1 },
	       { 3 * GIB - 128 * KIB, 3 * GIB, 2 },
	       { 4 * GIB - 256 * KIB, 4 * GIB, 2 },
	       { 4 * GIB, 5 * GIB, 1 } },
	.n = 7,
};

static bool is_piece(const struct image_piece *v, uint64_t address, uint64_t offset, uint64_t length)
{
	return v->address == address && v->offset == offset && v->length == length;
}

TEST(hole)
{
	struct image_piece v[E820_ENTRIES];
	struct e820_table t = four;

	CHECK_EQ(e820_pieces(&four, 4 * GIB, v), 2);
	CHECK(is_piece(&v[0], 0, 0, 3 * GIB));
	CHECK(is_piece(&v[1], 4 * GIB, 3 * GIB, GIB));
	/* the hole is in the file; or the file is cut off, or of another machine */
	CHECK_EQ(e820_pieces(&four, 5 * GIB, v), 1);
	CHECK(is_piece(&v[0], 0, 0, 5 * GIB));
	CHECK_EQ(e820_pieces(&four, 4 * GIB - 4096, v), 2);
	CHECK_EQ(e820_pieces(&four, 4 * GIB - MIB, v), 0);
	CHECK_EQ(e820_pieces(&four, GIB, v), 0);
	CHECK_EQ(e820_pieces(&four, 4 * GIB + 300 * MIB, v), 0);
	/* nothing above 4 GiB */
	t.n = 5;
	CHECK_EQ(e820_pieces(&t, 3 * GIB, v), 1);
	CHECK_EQ(e820_pieces(&t, 2 * GIB, v), 0);
	/* memory above begins higher (AMD: 1 TiB) */
	t = four;
	t.v[6] = (struct e820_entry){ 1024 * GIB, 1025 * GIB, 1 };
	CHECK_EQ(e820_pieces(&t, 4 * GIB, v), 2);
	CHECK(is_piece(&v[1], 1024 * GIB, 3 * GIB, GIB));
}

/* LiME's raw format: what the kernel calls "System RAM", without page 0. */
TEST(ranges)
{
	struct image_piece v[E820_ENTRIES];
	struct e820_table t = four;
	uint64_t low = 0x9ec00, middle = 3 * GIB - 128 * KIB - MIB;

	t.v[0].start = 4096;
	CHECK_EQ(e820_pieces(&t, low + middle + GIB, v), 3);
	CHECK(is_piece(&v[0], 4096, 0, low));
	CHECK(is_piece(&v[1], MIB, low, middle));
	CHECK(is_piece(&v[2], 4 * GIB, low + middle, GIB));
}

/* ---- in memory ------------------------------------------------------------------------------ */

struct memory {
	uint8_t bytes[16 * 4096];
};

static bool has(void *arg, uint64_t pfn)
{
	(void)arg;
	return pfn < 16;
}

static void get(void *arg, uint64_t pfn, uint8_t *out)
{
	memcpy(out, ((struct memory *)arg)->bytes + pfn * 4096, 4096);
}

static void put_table(struct memory *m, size_t at, const struct e820_table *t)
{
	for (unsigned i = 0; i < t->n; i++, at += 20) {
		store_uint(m->bytes + at, t->v[i].start, 8, false);
		store_uint(m->bytes + at + 8, t->v[i].end - t->v[i].start, 8, false);
		store_uint(m->bytes + at + 16, t->v[i].type, 4, false);
	}
}

struct seen {
	unsigned n, stop;
	struct e820_table last;
};

static bool see(void *arg, const struct e820_table *t)
{
	struct seen *s = arg;

	s->last = *t;
	return ++s->n == s->stop;
}

/* Maps found in M, of which the STOPth ends the search. */
static struct seen find(struct memory *m, unsigned stop, uint64_t limit)
{
	struct mkimage mk = { .word = 8, .page_shift = 12, .max_pfn = 16, .has = has, .get = get, .arg = m };
	struct bytes b = mk_raw(&mk, 0, 16);
	char path[64], name[80];
	const char *names[] = { name };
	struct seen s = { .stop = stop };
	struct diag g = { "" };
	struct image *im;

	snprintf(name, sizeof(name), "%s@0", mk_file(&b, b.n, path));
	if (CHECK(!image_open(names, 1, NULL, &g, &im))) {
		bool stopped = e820_find(im, limit, see, &s);

		CHECK_EQ(stopped, s.n == stop);
		image_close(im);
	}
	unlink(path);
	mk_free(&b);
	return s;
}

static bool same(const struct e820_table *a, const struct e820_table *b)
{
	bool ok = a->n == b->n;

	for (unsigned i = 0; ok && i < a->n; i++)
		ok = a->v[i].start == b->v[i].start && a->v[i].end == b->v[i].end &&
		     a->v[i].type == b->v[i].type;
	return ok;
}

TEST(found)
{
	struct memory *m = calloc(1, sizeof(*m));
	struct seen s;

	put_table(m, 2 * 4096 + 0x2d0, &four);
	s = find(m, 9, UINT64_MAX);
	CHECK_EQ(s.n, 1);
	CHECK(same(&s.last, &four));
	/* a second one, across pages; each is seen, or the first is enough, or it is beyond the limit */
	put_table(m, 8 * 4096 - 70, &four);
	s = find(m, 9, UINT64_MAX);
	CHECK_EQ(s.n, 2);
	CHECK(same(&s.last, &four));
	CHECK_EQ(find(m, 1, UINT64_MAX).n, 1);
	CHECK_EQ(find(m, 9, 2 * 4096).n, 0);
	/* at the first and the last byte of memory */
	put_table(m, 0, &four);
	put_table(m, sizeof(m->bytes) - 140, &four);
	CHECK_EQ(find(m, 9, UINT64_MAX).n, 4);
	free(m);
}

/* What is no map of a PC. */
TEST(not_found)
{
	struct memory *m = calloc(1, sizeof(*m));
	struct e820_table t = four;

	t.v[3].type = 2; /* no RAM at 1 MiB */
	put_table(m, 4096, &t);
	t = four;
	t.v[0].type = 2; /* none below */
	put_table(m, 2 * 4096, &t);
	t = four;
	t.v[2].end += 4096; /* they overlap */
	put_table(m, 3 * 4096, &t);
	/* alone, and cut off by the end */
	put_table(m, 5 * 4096, &(struct e820_table){ .v = { four.v[3] }, .n = 1 });
	store_uint(m->bytes + sizeof(m->bytes) - 8, MIB, 8, false);
	CHECK_EQ(find(m, 9, UINT64_MAX).n, 0);
	/* 200 entries: the first 128 */
	memset(m, 0, sizeof(*m));
	put_table(m, 4096, &four);
	for (uint64_t i = 0; i < 200; i++)
		put_table(m, 4096 + 140 + 20 * i,
			  &(struct e820_table){
				  .v = { { (5 + i) * GIB, (6 + i) * GIB, 2 } }, .n = 1 });
	CHECK_EQ(find(m, 9, UINT64_MAX).last.n, E820_ENTRIES);
	free(m);
}
