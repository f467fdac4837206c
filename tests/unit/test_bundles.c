/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_bundles.c - what was expanded is kept, and each thread gets what it asked for.
 */
#include "dumpread/image/bundles.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/jobs.h"
#include "tests/unit/check.h"

#define SIZE ((size_t)64 << 10)
#define KEPT 512u		/* of this size */
#define LARGE ((size_t)16 << 20)
#define BAD 7u			/* its expansion fails */

struct image_ctx {
	/* of all threads */
	struct bundles *b;
	size_t size;
	unsigned expanded;	/* so often */
	unsigned wrong;
	bool slowly;		/* others come meanwhile */
};

static void expand(const struct image *im, struct image_ctx *g, size_t number, struct bundle *to)
{
	(void)im;
	__atomic_fetch_add(&g->expanded, 1, __ATOMIC_RELAXED);
	memset(to->bytes, 0xff, g->size);
	if (g->slowly)
		usleep(100);
	memset(to->bytes, (int)(number % 251), g->size);
	to->st = number == BAD ? ST_CORRUPT : ST_OK;
	to->got = number == BAD ? 0 : g->size - number % 10;
}

static void ask(struct image_ctx *g, size_t number)
{
	const struct bundle *x = bundles_get(g->b, NULL, g, number);
	bool right = number == BAD ? x->st == ST_CORRUPT && !x->got
				   : !x->st && x->got == g->size - number % 10 &&
					     x->bytes[0] == number % 251 &&
					     x->bytes[g->size - 1] == number % 251;

	bundles_release(g->b);
	if (!right)
		__atomic_fetch_add(&g->wrong, 1, __ATOMIC_RELAXED);
}

/* N bundles, twice. Returns how often one was expanded. */
static unsigned rounds(size_t size, unsigned n)
{
	struct image_ctx g = { .b = bundles_new(size, expand), .size = size };

	for (unsigned i = 0; i < 2 * n; i++)
		ask(&g, i % n);
	CHECK_EQ(g.wrong, 0);
	bundles_free(g.b);
	return g.expanded;
}

/* The oldest gives way: here the one that is asked for next. */
TEST(kept)
{
	CHECK_EQ(rounds(SIZE, KEPT), KEPT);
	CHECK_EQ(rounds(SIZE, KEPT + 1), 2 * (KEPT + 1));
	CHECK_EQ(rounds(LARGE, 4), 4);
	CHECK_EQ(rounds(LARGE, 5), 10);
}

static void ask_many(void *arg, unsigned worker, size_t item)
{
	(void)worker;
	for (size_t i = 0; i < 200; i++)
		ask(arg, (item * 37 + i * i) % 11);
}

/* More threads than bundles that are kept. */
TEST(threads)
{
	struct image_ctx g = { .b = bundles_new(LARGE, expand), .size = 4096, .slowly = true };

	jobs_run(8, 40, ask_many, &g);
	CHECK_EQ(g.wrong, 0);
	CHECK(g.expanded >= 11);
	bundles_free(g.b);
}
