/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pools of the stack depot, without page_owner: stack_slabs[] with depot_index (to 6.2), stack_pools[] with
 * pool_index (to 6.7) or pools_num and new_pool (6.8 and later), stack_pools allocated (7.1).
 */
#include "model/kernel/origin/depot.h"

#include <stdlib.h>

#include "facts/layout/origin.h"
#include "model/memory/census/claims.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { ARRAY = 0x300000, VARS = 0x310000, POOL = 0x400000, POOL_BYTES = 0x4000, POOLS = 3 };
enum { POINTER_VAR = VARS, MOST_VAR = VARS + 8, USED_VAR = VARS + 16, SPARE_VAR = VARS + 24 };
enum { NUMBER, INDEX_OF_SLAB, INDEX_OF_POOL };	/* spellings of Y_DEPOT_USED */

static uint64_t pool(const struct fake *f, uint64_t no)
{
	return fake_kva(f, POOL + no * POOL_BYTES);
}

static void put_used(struct fake *f, int spelling, uint64_t n)
{
	fake_symbol(f, Y_DEPOT_USED, fake_kva(f, USED_VAR));
	f->kernel.layout.v[Y_DEPOT_USED].alt = (int8_t)spelling;
	fake_put_uint(f, USED_VAR, n, 4);
}

static struct fake *machine(int spelling, uint64_t used)
{
	struct fake *f = fake_new(8, false);

	f->kernel.memmap.max_pfn = 1u << 16;
	fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, ARRAY));
	fake_put_uint(f, ARRAY + 8 * (POOLS + 1), 0, 8);
	for (uint64_t i = 0; i < POOLS; i++)
		fake_put_uint(f, ARRAY + 8 * i, pool(f, i), 8);
	put_used(f, spelling, used);
	return f;
}

static struct page_classes *classes(void)
{
	struct page_classes *c = calloc(1, sizeof(*c));

	c->nchunks = 1;
	c->chunk = calloc(1, sizeof(*c->chunk));
	c->chunk[0] = malloc(FRAME_CHUNK);
	memset(c->chunk[0], CLASS_UNKNOWN, FRAME_CHUNK);
	c->count[CLASS_UNKNOWN].pages = FRAME_CHUNK;
	return c;
}

/* POOLS found; WHOLE: all of them. */
static void expect(struct fake *f, uint64_t pools, bool whole, uint64_t issues)
{
	struct page_classes *c = classes();

	CHECK_EQ(claim_depot(&f->kernel, f->r, c), whole);
	CHECK_EQ(c->count[CLASS_DEPOT].pages, pools * DEPOT_POOL_PAGES);
	CHECK_EQ(fake_issues(f, "stack depot"), issues);
	page_classes_free(c);
}

/* The index is of the current pool: one behind it is made in advance, or not yet. */
static void test_index(int spelling)
{
	struct fake *f = machine(spelling, POOLS - 2);

	expect(f, POOLS, true, 0);
	put_used(f, spelling, POOLS - 1);
	expect(f, POOLS, true, 0);
	put_used(f, spelling, 0);
	fake_put_uint(f, ARRAY, 0, 8);		/* no stack was kept */
	expect(f, 0, true, 0);
	fake_free(f);
}

static void test_number(void)
{
	struct fake *f = machine(NUMBER, POOLS);

	expect(f, POOLS, true, 0);
	fake_symbol(f, Y_DEPOT_SPARE, fake_kva(f, SPARE_VAR));
	fake_put_uint(f, SPARE_VAR, pool(f, 7), 8);
	expect(f, POOLS + 1, true, 0);
	fake_put_uint(f, SPARE_VAR, 0xdead00000000d390, 8);	/* STACK_DEPOT_POISON of x86-64 */
	expect(f, POOLS, true, 0);
	fake_put_uint(f, SPARE_VAR, pool(f, 7) + 8, 8);
	expect(f, 0, false, 1);
	fake_free(f);
}

static void test_allocated(void)
{
	struct fake *f = machine(NUMBER, POOLS);

	fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, POINTER_VAR));
	fake_put_uint(f, POINTER_VAR, fake_kva(f, ARRAY), 8);
	fake_symbol(f, Y_DEPOT_MAX_POOLS, fake_kva(f, MOST_VAR));
	fake_put_uint(f, MOST_VAR, 1024, 4);
	expect(f, POOLS, true, 0);
	fake_put_uint(f, MOST_VAR, POOLS - 1, 4);	/* less than there are */
	expect(f, 0, false, 1);
	fake_put_uint(f, MOST_VAR, 0x80000000, 4);
	expect(f, 0, false, 2);
	fake_put_uint(f, MOST_VAR, 1024, 4);
	put_used(f, NUMBER, 0);
	fake_put_uint(f, POINTER_VAR, 0, 8);		/* stack_depot_disable=1 */
	expect(f, 0, true, 2);
	fake_free(f);
}

/* A pool that is lost is told, and the others are found. */
static void test_damaged(void)
{
	struct fake *f = machine(NUMBER, POOLS);

	fake_put_uint(f, ARRAY + 8, pool(f, 1) + 16, 8);
	expect(f, POOLS - 1, false, 1);
	fake_put_uint(f, ARRAY + 8, 0, 8);
	expect(f, POOLS - 1, false, 2);
	fake_drop(f, USED_VAR);
	expect(f, 0, false, 3);
	put_used(f, NUMBER, 0xffffffff);
	expect(f, 0, false, 4);
	f->kernel.layout.v[Y_DEPOT_POOLS].alt = -1;
	expect(f, 0, true, 4);			/* no depot */
	fake_member(f, M_STACK_SIZE, 20, 4);
	expect(f, 0, false, 4);			/* there is one, and nothing says where */
	fake_free(f);
}

int main(void)
{
	test_index(INDEX_OF_SLAB);
	test_index(INDEX_OF_POOL);
	test_number();
	test_allocated();
	test_damaged();
	return check_done();
}
