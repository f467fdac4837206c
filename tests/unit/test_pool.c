/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_pool.c - objects of one size: each is its taker's alone, and what is given back is used again.
 */
#include "dumpread/base/pool.h"

#include <stdint.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "tests/unit/check.h"

#define N 1200u			/* objects: of the larger size, a slab and a part of one */

static bool holds(const uint8_t *object, size_t size, uint8_t value)
{
	for (size_t i = 0; i < size; i++)
		if (object[i] != value)
			return false;
	return true;
}

static void test_apart(size_t size, size_t expected)
{
	uint8_t **o = heap_array(uint8_t *, N);
	struct pool p;

	pool_init(&p, size, expected);
	for (unsigned i = 0; i < N; i++) {
		o[i] = pool_take(&p);
		CHECK_EQ((uintptr_t)o[i] % 16, 0);
		memset(o[i], (int)(i % 251), size);
	}
	for (unsigned i = 0; i < N; i++)
		CHECK(holds(o[i], size, (uint8_t)(i % 251)));
	for (unsigned i = 0; i < N; i++)
		pool_give(&p, o[i]);
	CHECK(!p.slabs);
	pool_end(&p);
	free(o);
}

static void test_again(void)
{
	struct pool p;
	void *o[3];

	pool_init(&p, 100, 2);
	for (unsigned i = 0; i < 3; i++) /* one more than was expected */
		o[i] = pool_take(&p);
	CHECK(o[0] != o[1] && o[1] != o[2] && o[0] != o[2]);
	pool_give(&p, o[1]);
	CHECK(pool_take(&p) == o[1]);
	CHECK_EQ(p.taken, 3);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(p.slabs != NULL);
		pool_give(&p, o[i]);
	}
	CHECK(!p.slabs && !p.given_back);
	o[0] = pool_take(&p);
	memset(o[0], 1, 100);
	pool_give(&p, o[0]);
	pool_end(&p);
}

struct taking {
	struct pool p;
	unsigned wrong;
};

static void take_and_give(void *ctx, unsigned worker, size_t item)
{
	struct taking *t = ctx;
	unsigned char *o[8];

	(void)worker;
	for (unsigned i = 0; i < 8; i++) {
		o[i] = pool_take(&t->p);
		memset(o[i], (int)item, t->p.size);
	}
	for (unsigned i = 0; i < 8; i++) {
		if (!holds(o[i], t->p.size, (uint8_t)item))
			__atomic_fetch_add(&t->wrong, 1, __ATOMIC_RELAXED);
		pool_give(&t->p, o[i]);
	}
}

static void test_threads(void)
{
	struct taking t = { .wrong = 0 };

	pool_init(&t.p, 4096, 20);
	jobs_run(4, 200, take_and_give, &t);
	CHECK_EQ(t.wrong, 0);
	CHECK_EQ(t.p.taken, 0);
	pool_end(&t.p);
}

int main(void)
{
	test_apart(24, N);
	test_apart(65584, N);
	test_apart(65584, 1);
	test_again();
	test_threads();
	return check_done();
}
