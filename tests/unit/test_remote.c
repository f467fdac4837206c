/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of a file behind a network (remote.c), against a pattern that each offset has. The server is
 * made up: the functions of nbd.h are replaced (-Wl,--wrap), so no libnbd is needed. Also names of
 * images that are no files (elsewhere.c).
 */
#include "dumpread/image/remote.h"

#include <stdlib.h>

#include "dumpread/base/elsewhere.h"
#include "tests/unit/check.h"

#define SIZE ((UINT64_C(200) << 20) + 12345)	/* three times what is kept */

static unsigned long requests;
static uint64_t asked;			/* bytes */
static bool broken;

uint64_t __wrap_nbd_size(const struct nbd *n);
enum status __wrap_nbd_read(struct nbd *n, uint64_t off, void *buf, size_t len);
void __wrap_nbd_close(struct nbd *n);

uint64_t __wrap_nbd_size(const struct nbd *n)
{
	(void)n;
	return SIZE;
}

static uint8_t byte_at(uint64_t off)
{
	return (uint8_t)(off * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

enum status __wrap_nbd_read(struct nbd *n, uint64_t off, void *buf, size_t len)
{
	uint8_t *out = buf;

	(void)n;
	if (broken)
		return ST_IO;
	CHECK(len && off < SIZE && len <= SIZE - off && !(off % REMOTE_BLOCK) &&
	      len <= (size_t)REMOTE_AHEAD * REMOTE_BLOCK);
	requests++;
	asked += len;
	for (size_t i = 0; i < len; i++)
		out[i] = byte_at(off + i);
	return ST_OK;
}

void __wrap_nbd_close(struct nbd *n)
{
	(void)n;
}

/* Reads, and compares; false: other bytes, or another number of them. */
static bool is_right(struct remote *r, uint64_t off, size_t len)
{
	static uint8_t buf[3 << 20];
	uint64_t left = off < SIZE ? SIZE - off : 0;
	size_t got;

	if (remote_read(r, off, buf, len, &got) || got != (len < left ? len : left))
		return false;
	for (size_t i = 0; i < got; i++)
		if (buf[i] != byte_at(off + i))
			return false;
	return true;
}

static void count(struct remote **r)
{
	remote_free(*r);
	*r = remote_new(NULL);
	requests = 0;
	asked = 0;
}

static void test_any(struct remote *r)
{
	bool right = true;

	srand(3);
	for (unsigned i = 0; i < 4000; i++)
		right &= is_right(r, (uint64_t)rand() * 7919 % SIZE, (size_t)rand() % 70000);
	CHECK(right);
	CHECK(is_right(r, 0, 3 << 20));
	CHECK(is_right(r, SIZE - 5, 100));
	CHECK(is_right(r, SIZE, 1));
	CHECK(is_right(r, UINT64_MAX, 1));
	CHECK(is_right(r, 77, 0));
	CHECK_EQ(remote_bytes(r), asked);
}

/* Two walks that go on, of which each takes turns with the other: about 1 MiB at once. */
static void test_ahead(struct remote *r)
{
	bool right = true;

	for (uint64_t at = 0; at < 30 << 20; at += 3000) {
		right &= is_right(r, at, 3000);
		right &= is_right(r, (UINT64_C(100) << 20) + at / 2, 1500);
	}
	CHECK(right);
	CHECK(requests < 80);
	CHECK(asked < UINT64_C(49) << 20);
}

/* Pages here and there: a block for each. */
static void test_jumps(struct remote *r)
{
	for (uint64_t i = 0; i < 500; i++)
		is_right(r, i * 400000, 100);
	CHECK_EQ(requests, 500);
	CHECK_EQ(asked, 500 * (uint64_t)REMOTE_BLOCK);
	/* they are kept */
	for (uint64_t i = 0; i < 500; i++)
		is_right(r, i * 400000 + 50, 50);
	CHECK_EQ(requests, 500);
}

static void test_broken(struct remote *r)
{
	uint8_t buf[10];
	size_t got;

	CHECK(is_right(r, 1000, 10));
	broken = true;
	CHECK(is_right(r, 1010, 10));
	CHECK_EQ(remote_read(r, 90 << 20, buf, 10, &got), ST_IO);
	broken = false;
	CHECK(is_right(r, 90 << 20, 10));
}

static bool is(const char *name, const char *export, const char *socket)
{
	char e[30], s[20];

	return elsewhere_is_nbd(name, e, sizeof(e), s, sizeof(s)) && !strcmp(e, export) &&
	       !strcmp(s, socket);
}

static void test_names(void)
{
	CHECK(is("nbd+unix:///?socket=/a/b", "", "/a/b"));
	CHECK(is("nbd+unix:///the%20dump?socket=/a%2fb", "the dump", "/a/b"));
	CHECK(is("nbd+unix:///x/y?socket=s&tls=no", "x/y", "s"));
	CHECK(!is("nbd+unix:///x", "x", ""));
	CHECK(!is("nbd+unix:///?socket=%00", "", ""));
	CHECK(!is("nbd+unix:///?socket=a%4", "", "a%4"));
	CHECK(!is("nbd+unix:///?socket=1234567890123456789x", "", "1234567890123456789x"));
	CHECK(!is("nbd://host/x?socket=s", "x", "s"));
	CHECK(elsewhere_named("-"));
	CHECK(!elsewhere_named("./-"));
}

int main(void)
{
	struct remote *r = remote_new(NULL);

	count(&r);
	test_any(r);
	count(&r);
	test_ahead(r);
	count(&r);
	test_jumps(r);
	count(&r);
	test_broken(r);
	remote_free(r);
	test_names();
	return check_done();
}
