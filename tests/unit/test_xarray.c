/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees of pages in their three shapes, and walks over damaged ones. */
#include "model/kernel/walk/xarray.h"

#include "facts/layout/page.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define TREE 0x1000		/* physical address of the root structure */
#define NODES 0x4000		/* node I is at NODES + I * 0x1000 */

enum shape { XARRAY, RADIX_SHIFT, RADIX_HEIGHT };

struct seen {
	unsigned n;
	struct xa_entry v[128];
	unsigned stop_after;
};

static bool see(void *arg, const struct xa_entry *e)
{
	struct seen *s = arg;

	if (s->n < 128)
		s->v[s->n] = *e;
	return ++s->n != s->stop_after;
}

/* struct { head; height } at TREE; nodes are { u8 shift; ...; slots at 16 }. */
static struct fake *machine(enum shape shape, unsigned word, bool big, unsigned nslots)
{
	struct fake *f = fake_new(word, big);

	if (shape == XARRAY) {
		fake_member(f, M_XA_HEAD, 0, word);
		fake_member(f, M_XA_NODE_SHIFT, 0, 1);
		fake_array(f, M_XA_NODE_SLOTS, 16, word, nslots);
		fake_size(f, S_XA_NODE, 16 + word * nslots);
	} else {
		fake_member(f, M_RADIX_RNODE, 0, word);
		fake_array(f, M_RADIX_NODE_SLOTS, 16, word, nslots);
		fake_size(f, S_RADIX_NODE, 16 + word * nslots);
		if (shape == RADIX_SHIFT)
			fake_member(f, M_RADIX_NODE_SHIFT, 0, 1);
		else
			fake_member(f, M_RADIX_HEIGHT, word, 4);
	}
	fake_put_uint(f, TREE, 0, word);
	return f;
}

static uint64_t node_kva(const struct fake *f, unsigned i)
{
	return fake_kva(f, NODES + i * 0x1000ull);
}

static void set_root(struct fake *f, uint64_t v)
{
	fake_put_uint(f, TREE, v, f->dump.word_size);
}

static void set_shift(struct fake *f, unsigned node, unsigned shift)
{
	fake_put_uint(f, NODES + node * 0x1000ull, shift, 1);
}

static void set_slot(struct fake *f, unsigned node, unsigned slot, uint64_t v)
{
	unsigned word = f->dump.word_size;

	fake_put_uint(f, NODES + node * 0x1000ull + 16 + (uint64_t)slot * word, v, word);
}

static struct seen walk(struct fake *f, uint64_t first, uint64_t last)
{
	struct seen s = { 0 };

	xarray_walk(&f->kernel, f->r, fake_kva(f, TREE), first, last, see, &s);
	return s;
}

static bool take_value(void *arg, const struct xa_entry *e)
{
	*(uint64_t *)arg = e->value;
	return false;
}

/* The entry at INDEX; 0 if there is none. */
static enum status load_at(struct fake *f, uint64_t index, uint64_t *ret)
{
	*ret = 0;
	return xarray_walk(&f->kernel, f->r, fake_kva(f, TREE), index, index, take_value, ret);
}

/* A value entry and a page at the root, nothing below. */
static void test_single(unsigned word, bool big)
{
	struct fake *f = machine(XARRAY, word, big, 64);
	struct seen s = walk(f, 0, UINT64_MAX);
	uint64_t v;

	CHECK_EQ(s.n, 0);
	set_root(f, 7 << 1 | 1);
	s = walk(f, 0, UINT64_MAX);
	if (CHECK_EQ(s.n, 1)) {
		CHECK_EQ(s.v[0].index, 0);
		CHECK(s.v[0].is_value);
		CHECK_EQ(s.v[0].value >> 1, 7);
	}
	CHECK_EQ(walk(f, 1, 5).n, 0);
	CHECK_EQ(load_at(f, 0, &v), ST_OK);
	CHECK_EQ(v, 15);
	CHECK_EQ(load_at(f, 1, &v), ST_OK);
	CHECK_EQ(v, 0);
	set_root(f, 1030);	/* XA_ZERO_ENTRY */
	CHECK_EQ(walk(f, 0, 9).n, 0);
	fake_free(f);
}

/*
 * Two levels of 16 slots: node 0 (shift 4) has node 1 in slot 2; node 1 has a
 * page at index 35, a value of order 2 at 36..39, a value at 47.
 */
static struct fake *two_levels(unsigned word, bool big)
{
	struct fake *f = machine(XARRAY, word, big, 16);

	set_root(f, node_kva(f, 0) | 2);
	set_shift(f, 0, 4);
	set_slot(f, 0, 2, node_kva(f, 1) | 2);
	set_shift(f, 1, 0);
	set_slot(f, 1, 3, fake_kva(f, 0x8000));
	set_slot(f, 1, 4, 100 << 1 | 1);
	for (unsigned i = 5; i < 8; i++)
		set_slot(f, 1, i, 4 << 2 | 2);
	set_slot(f, 1, 15, 200 << 1 | 1);
	return f;
}

static void test_two_levels(unsigned word, bool big)
{
	struct fake *f = two_levels(word, big);
	struct seen s = walk(f, 0, UINT64_MAX);
	uint64_t v;

	if (CHECK_EQ(s.n, 3)) {
		CHECK_EQ(s.v[0].index, 35);
		CHECK(!s.v[0].is_value);
		CHECK_EQ(s.v[0].value, fake_kva(f, 0x8000));
		CHECK_EQ(s.v[1].index, 36);
		CHECK_EQ(s.v[1].order, 2);
		CHECK_EQ(s.v[2].index, 47);
		CHECK_EQ(s.v[2].order, 0);
	}
	/* in the middle of a large entry: its canonical slot answers */
	s = walk(f, 38, 38);
	if (CHECK_EQ(s.n, 1))
		CHECK_EQ(s.v[0].index, 36);
	CHECK_EQ(walk(f, 40, 46).n, 0);
	CHECK_EQ(walk(f, 48, UINT64_MAX).n, 0);
	CHECK_EQ(walk(f, 0, 34).n, 0);
	CHECK_EQ(load_at(f, 39, &v), ST_OK);
	CHECK_EQ(v >> 1, 100);
	fake_free(f);
}

static void test_stop(void)
{
	struct fake *f = two_levels(8, false);
	struct seen s = { .stop_after = 2 };

	xarray_walk(&f->kernel, f->r, fake_kva(f, TREE), 0, UINT64_MAX, see, &s);
	CHECK_EQ(s.n, 2);
	fake_free(f);
}

/* A large entry in an upper node covers whole lower nodes. */
static void test_large(void)
{
	struct fake *f = machine(XARRAY, 8, false, 64);
	struct seen s;

	set_root(f, node_kva(f, 0) | 2);
	set_shift(f, 0, 6);
	set_slot(f, 0, 8, 5 << 1 | 1);		/* indexes 512..1023, order 9 */
	for (unsigned i = 9; i < 16; i++)
		set_slot(f, 0, i, 8 << 2 | 2);
	s = walk(f, 700, 700);
	if (CHECK_EQ(s.n, 1)) {
		CHECK_EQ(s.v[0].index, 512);
		CHECK_EQ(s.v[0].order, 9);
	}
	CHECK_EQ(walk(f, 1024, 2000).n, 0);
	fake_free(f);
}

/* 4.7 .. 4.19: node tag 1, exceptional entries 2, siblings point into the node. */
static void test_radix_shift(unsigned word, bool big)
{
	struct fake *f = machine(RADIX_SHIFT, word, big, 16);
	struct seen s;

	set_root(f, node_kva(f, 0) | 1);
	set_shift(f, 0, 0);
	set_slot(f, 0, 1, fake_kva(f, 0x8000));
	set_slot(f, 0, 2, 9 << 2 | 2);
	set_slot(f, 0, 3, (node_kva(f, 0) + 16 + 2ull * word) | 1);
	s = walk(f, 0, 15);
	if (CHECK_EQ(s.n, 2)) {
		CHECK_EQ(s.v[0].index, 1);
		CHECK(s.v[1].is_value);
		CHECK_EQ(s.v[1].value, 9 << 1 | 1);
		CHECK_EQ(s.v[1].order, 1);
	}
	fake_free(f);
}

/* to 4.6: the root has the height, node pointers are plain. */
static void test_radix_height(unsigned word, bool big)
{
	struct fake *f = machine(RADIX_HEIGHT, word, big, 16);
	struct seen s;

	set_root(f, node_kva(f, 0) | 1);
	fake_put_uint(f, TREE + word, 2, 4);
	set_slot(f, 0, 3, node_kva(f, 1));
	set_slot(f, 1, 5, fake_kva(f, 0x8000));
	set_slot(f, 1, 6, 11 << 2 | 2);
	s = walk(f, 0, UINT64_MAX);
	if (CHECK_EQ(s.n, 2)) {
		CHECK_EQ(s.v[0].index, 0x35);
		CHECK(!s.v[0].is_value);
		CHECK_EQ(s.v[1].index, 0x36);
		CHECK_EQ(s.v[1].value, 11 << 1 | 1);
	}
	fake_put_uint(f, TREE + word, 0, 4);	/* the root itself is the entry */
	set_root(f, 3 << 2 | 2);
	s = walk(f, 0, 0);
	CHECK_EQ(s.n, 1);
	CHECK(s.v[0].is_value);
	fake_put_uint(f, TREE + word, 1000, 4);
	CHECK_EQ(walk(f, 0, 5).n, 0);
	CHECK_EQ(fake_issues(f, "xarray node"), 1);
	fake_free(f);
}

/* Damage is counted, and the rest still comes. */
static void test_damage(void)
{
	struct fake *f = two_levels(8, false);

	set_slot(f, 0, 5, 0x1234567890abcdeull);	/* not a kernel pointer */
	set_slot(f, 0, 6, (node_kva(f, 1) + 1024 * 0x1000ull * 4) | 2);	/* not in the dump */
	set_slot(f, 0, 7, node_kva(f, 0) | 2);		/* itself */
	CHECK_EQ(walk(f, 0, UINT64_MAX).n, 3);
	CHECK_EQ(fake_issues(f, "xarray node"), 3);
	set_shift(f, 1, 4);				/* as high as its parent */
	CHECK_EQ(walk(f, 0, UINT64_MAX).n, 0);
	set_shift(f, 0, 200);
	CHECK_EQ(walk(f, 0, UINT64_MAX).n, 0);
	fake_free(f);
}

/* Nodes that share all their children would describe 16 ** 11 entries. */
static void test_budget(void)
{
	struct fake *f = machine(XARRAY, 8, false, 16);
	struct seen s;

	set_root(f, node_kva(f, 0) | 2);
	for (unsigned n = 0; n < 12; n++) {
		set_shift(f, n, 4 * (11 - n));
		for (unsigned i = 0; i < 16; i++)
			set_slot(f, n, i, n < 11 ? node_kva(f, n + 1) | 2 : 1);
	}
	s = walk(f, 0, UINT64_MAX);
	CHECK(s.n > 0);
	CHECK(s.n < 16u << 20);
	CHECK(fake_issues(f, "xarray node") > 0);
	fake_free(f);
}

/* Layouts that no kernel has: a node of one slot has no bits of an index. */
static void test_one_slot(void)
{
	for (enum shape shape = XARRAY; shape <= RADIX_HEIGHT; shape++) {
		struct fake *f = machine(shape, 8, false, 1);
		uint64_t v;

		set_root(f, node_kva(f, 0) | 2);
		fake_put_uint(f, TREE + 8, 3, 4);
		CHECK(load_at(f, 0, &v) != ST_OK);
		fake_free(f);
	}
}

static void test_no_types(void)
{
	struct fake *f = fake_new(8, false);
	uint64_t v;

	CHECK_EQ(load_at(f, 0, &v), ST_ABSENT);
	fake_free(f);
}

int main(void)
{
	for (unsigned word = 4; word <= 8; word += 4)
		for (int big = 0; big < 2; big++) {
			test_single(word, big);
			test_two_levels(word, big);
			test_radix_shift(word, big);
			test_radix_height(word, big);
		}
	test_stop();
	test_large();
	test_damage();
	test_budget();
	test_one_slot();
	test_no_types();
	return check_done();
}
