/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of files: how many calls they take, and how many bytes. The file is this
 * test's own pread(): byte N of it is N mod 251.
 */
#include <sys/types.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/blocks.h"
#include "tests/unit/check.h"

#define FILE_SIZE (64u << 20)
#define SECTOR 4096u

static unsigned calls, far;	/* far: each call takes a millisecond, as over NFS */
static uint64_t bytes;

/* In place of the C library's: <unistd.h> calls it pread(). */
ssize_t pread_counted(int fd, void *buf, size_t len, off_t off) __asm__("pread64");

ssize_t pread_counted(int fd, void *buf, size_t len, off_t off)
{
	const struct timespec delay = { .tv_nsec = 1000000 };
	uint64_t at = (uint64_t)off;
	size_t got = at >= FILE_SIZE ? 0 : min_u64(len, FILE_SIZE - at);
	uint8_t *out = buf;

	(void)fd;
	if (far)
		nanosleep(&delay, NULL);
	for (size_t i = 0; i < got; i++)
		out[i] = (uint8_t)((at + i) % 251);
	calls++;
	bytes += got;
	return (ssize_t)got;
}

static struct image_part file = { .stored = FILE_SIZE };
static struct image image = { .parts = &file, .nparts = 1 };

/* LEN bytes at OFF are right. */
static bool right(struct blocks *b, uint64_t off, size_t len)
{
	uint8_t got[400];

	if (blocks_read(b, &file, off, got, len))
		return false;
	for (size_t i = 0; i < len; i++)
		if (got[i] != (off + i) % 251)
			return false;
	return true;
}

/* N pages of 300 bytes; place(i) is that of page I. */
static unsigned read_pages(unsigned n, uint64_t (*place)(unsigned i))
{
	struct blocks *b = blocks_new(&image);
	unsigned wrong = 0;

	calls = 0;
	bytes = 0;
	for (unsigned i = 0; i < n; i++)
		wrong += !right(b, place(i), 300);
	blocks_free(b);
	CHECK(!wrong);
	return calls;
}

static uint64_t forward(unsigned i)
{
	return (uint64_t)i * 300;
}

/* Six readers that go forward by turns. */
static uint64_t streams(unsigned i)
{
	return (uint64_t)(i % 6) * (9u << 20) + i / 6 * 300u;
}

/* Page tables: forward, with other pages between them, and back to the next process. */
static uint64_t strides(unsigned i)
{
	return i % 20 * 20000u + i / 20 * 300u;
}

static uint64_t anywhere(unsigned i)
{
	return (uint64_t)i * 7919 * 4093 % (FILE_SIZE - 300);
}

/* What was read once is not read again, and little beside it. */
TEST(near)
{
	unsigned n;

	n = read_pages(4000, forward);
	CHECK(n <= 100 && bytes <= 4000 * 300 * 11 / 10);
	n = read_pages(6000, streams);
	CHECK(n <= 6 * 30 && bytes <= 6000 * 300 * 13 / 10);
	n = read_pages(4000, strides);
	CHECK(bytes <= (19 * 20000 + 200 * 300) * 11 / 10);
	n = read_pages(1000, anywhere);
	CHECK(n <= 1100 && bytes <= (uint64_t)1000 * SECTOR * 5 / 4);
}

/* No call for each page, where a call is what costs. */
TEST(far)
{
	unsigned n;

	far = 1;
	n = read_pages(4000, forward);
	CHECK(n <= 24);
	n = read_pages(6000, streams);
	CHECK(n <= 6 * 12);
	n = read_pages(4000, strides);
	CHECK(n <= 4000 / 20);
	far = 0;
}

TEST(end)
{
	struct blocks *b = blocks_new(&image);
	uint8_t got[300];

	CHECK(right(b, FILE_SIZE - 300, 300));
	CHECK(blocks_read(b, &file, FILE_SIZE - 100, got, 300) == ST_NODATA);
	CHECK(blocks_read(b, &file, FILE_SIZE + 5, got, 1) == ST_NODATA);
	CHECK(right(b, FILE_SIZE - 300, 300));
	blocks_free(b);
}
