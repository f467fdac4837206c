/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: data that were sent to sockets of AF_ALG. */
#include "facts/layout/module.h"
#include "tests/unit/check.h"
#include "tests/unit/held_hidden.h"

/* What the socket has without them: it, two sk_buffs with heads, a folio of 4 pages. */
enum { SOCKET_OBJECTS = 6, SOCKET_PAGES = 4 };

TEST(tables)
{
	struct held_machine *m = hm_crypto();

	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	CHECK_EQ(hm_owner(m, SK, CLASS_SOCKET)->pages, SOCKET_PAGES + 3);
	CHECK_EQ(hm_owner(m, SK, CLASS_SOCKET)->nholders, 1);
	/* the context, two tables; no message carries files in this family */
	CHECK_EQ(hm_owner(m, SK, CLASS_SLAB)->size, (SOCKET_OBJECTS - 1 + 3) * OBJECT);
	hm_free(m);
}

/* A socket that others are accepted from, and that of a hash, have other structures there. */
TEST(others)
{
	for (unsigned i = 0; i < 2; i++) {
		struct held_machine *m = hm_crypto();

		if (i)
			fake_put(m->f, CIPHER_TYPE + T_NAME, "hash", 5);
		else
			hm_put(m, SK + ALG_PARENT, 0, 8);
		hm_put(m, CIPHER + C_BYTES, 1, 8);
		hm_build(m);
		CHECK_EQ(hm_owner(m, SK, CLASS_SOCKET)->pages, SOCKET_PAGES);
		CHECK_EQ(fake_issues(m->f, "owner"), 0);
		hm_free(m);
	}
}

/* Without the types of its module what it has is not known. */
TEST(no_types)
{
	struct held_machine *m = hm_crypto();

	m->f->kernel.layout.v[M_ALGCTX_TABLES].alt = -1;
	hm_build(m);
	CHECK(hm_owner(m, SK, CLASS_SOCKET)->incomplete);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void check_damaged(void (*alter)(struct held_machine *m), uint64_t pages)
{
	struct held_machine *m = hm_crypto();

	alter(m);
	hm_build(m);
	CHECK(hm_owner(m, SK, CLASS_SOCKET)->incomplete);
	CHECK_EQ(hm_owner(m, SK, CLASS_SOCKET)->pages, SOCKET_PAGES + pages);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void more_bytes(struct held_machine *m) { hm_put(m, CIPHER + C_BYTES, 4096 + 100 + 51, 8); }
static void many(struct held_machine *m) { hm_put(m, TABLE1 + SG_USED, 129, 4); }
static void torn(struct held_machine *m) { hm_put(m, TABLE1 + SG_LIST, 0x123456789abcdef0, 8); }
static void cycle(struct held_machine *m) { hm_point(m, TABLE2 + SG_LIST, TABLE1 + SG_LIST); }
static void astray(struct held_machine *m) { hm_put(m, TABLE2 + SG_FIRST, 0x123456789abcde00, 8); }
static void no_type(struct held_machine *m) { hm_put(m, SK + ALG_TYPE, 0, 8); }
static void bad_type(struct held_machine *m) { hm_put(m, SK + ALG_TYPE, 0x123456789abcde00, 8); }
static void no_context(struct held_machine *m) { hm_put(m, SK + ALG_PRIVATE, 0, 8); }

TEST(damaged)
{
	check_damaged(more_bytes, 3);
	check_damaged(many, 1);
	check_damaged(torn, 2);
	check_damaged(cycle, 3);
	check_damaged(astray, 2);
	check_damaged(no_type, 0);
	check_damaged(bad_type, 0);
	check_damaged(no_context, 0);
}
