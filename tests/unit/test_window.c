/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Read-ahead: how many calls it makes over a file whose every call takes DELAY. The file is this
 * test's own pread(): byte N of it is N mod 251.
 */
#include <sys/types.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/window.h"
#include "tests/unit/check.h"

#define FILE_SIZE (64u << 20)
#define MIN 4096u
#define CAP (128u << 10)

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

static struct image_part file;

/* LEN bytes at OFF are right. */
static bool right(struct window *w, uint64_t off, size_t len)
{
	const uint8_t *p;

	if (window_get(w, &file, off, len, &p))
		return false;
	for (size_t i = 0; i < len; i++)
		if (p[i] != (off + i) % 251)
			return false;
	return true;
}

/* N pages of 300 bytes; place(i) is that of page I. */
static unsigned read_pages(unsigned n, uint64_t (*place)(unsigned i))
{
	struct window w;
	unsigned wrong = 0;

	calls = 0;
	bytes = 0;
	window_init(&w, MIN, CAP);
	for (unsigned i = 0; i < n; i++)
		wrong += !right(&w, place(i), 300);
	window_free(&w);
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

static void test_near(void)
{
	unsigned n;

	n = read_pages(4000, forward);
	CHECK(n <= 20);
	n = read_pages(6000, streams);
	CHECK(n <= 6 * 12);
	n = read_pages(1000, anywhere);
	CHECK(n <= 1000 && bytes <= (uint64_t)1000 * MIN);
}

/* No call for each page, where a call is what costs. */
static void test_far(void)
{
	unsigned n;

	far = 1;
	n = read_pages(4000, forward);
	CHECK(n <= 20);
	n = read_pages(6000, streams);
	CHECK(n <= 6 * 12);
	n = read_pages(4000, strides);
	CHECK(n <= 4000 / 20);
	far = 0;
}

static void test_end(void)
{
	const uint8_t *p;
	struct window w;

	window_init(&w, MIN, CAP);
	CHECK(right(&w, FILE_SIZE - 300, 300));
	CHECK(window_get(&w, &file, FILE_SIZE - 100, 300, &p) == ST_NODATA);
	CHECK(window_get(&w, &file, FILE_SIZE + 5, 1, &p) == ST_NODATA);
	CHECK(right(&w, FILE_SIZE - 300, 300));
	window_free(&w);
}

int main(void)
{
	test_near();
	test_far();
	test_end();
	return check_done();
}
