/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_arena.c - what an arena gives is zeroed, also where something else was before.
 */
#include "dumpread/base/arena.h"

#include <stdint.h>

#include "tests/unit/check.h"

#define N 30000u		/* of 100 bytes: small ones, those with a block of their own, huge pages */

struct item { uint8_t byte[100]; };

static bool holds(const struct item *it, uint8_t value)
{
	for (size_t i = 0; i < sizeof(it->byte); i++)
		if (it->byte[i] != value)
			return false;
	return true;
}

/* Elements stay as they are when the array grows; one that comes in the place of another is zeros. */
TEST(vec)
{
	struct arena mem = { 0 };
	VEC(struct item) vec = { 0 };

	for (unsigned i = 0; i < N; i++) {
		struct item *it = vec_push(&mem, &vec);

		CHECK(holds(it, 0));
		memset(it, (int)(i % 250 + 1), sizeof(*it));
		if (i % 7 == 3)
			vec.n -= 2;
	}
	for (size_t i = 0; i < 2; i++)
		CHECK(holds(&vec.v[i], (uint8_t)(i + 1)));
	CHECK(vec.n <= vec.cap);
	arena_release(&mem);
}

TEST(grow)
{
	struct arena mem = { 0 };
	uint8_t *p = NULL;
	size_t n = 0;

	for (size_t more = 10; more < (size_t)16 << 20; n = more, more = more * 3 / 2) {
		p = arena_grow(&mem, p, n, more, 1);
		for (size_t i = 0; i < more; i++)
			if (p[i] != (i < n ? 0xa5 : 0)) {
				CHECK_EQ(i, more);
				break;
			}
		memset(p, 0xa5, more);
		/* memory that others had */
		memset(arena_alloc(&mem, 100), 0xff, 100);
	}
	arena_release(&mem);
}
