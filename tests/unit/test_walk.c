/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists and maple trees: intact ones, and each kind of damage. */
#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/walk/maple.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* ---- lists -------------------------------------------------------------------- */

/* N nodes and their head at PA, 0x100 bytes apart, linked both ways. */
static void put_list(struct fake *f, uint64_t pa, unsigned n)
{
	unsigned w = f->dump.word_size;

	for (unsigned i = 0; i <= n; i++) {
		fake_put_uint(f, pa + i * 0x100, fake_kva(f, pa + (i + 1) % (n + 1) * 0x100), w);
		fake_put_uint(f, pa + i * 0x100 + w, fake_kva(f, pa + (i + n) % (n + 1) * 0x100),
			      w);
	}
}

static unsigned count(struct listwalk w, enum status *st)
{
	unsigned n = 0;

	while (listwalk_next(&w))
		n++;
	*st = w.st;
	return n;
}

static void test_list(unsigned word, bool big)
{
	struct fake *f = fake_new(word, big);
	uint64_t head = fake_kva(f, 0x1000);
	struct kernel *k = &f->kernel;
	enum status st;

	put_list(f, 0x1000, 5);
	CHECK_EQ(count(listwalk_start(k, f->r, head, 100), &st), 5);
	CHECK_EQ(st, ST_OK);
	CHECK_EQ(count(listwalk_backwards(k, f->r, head, 100), &st), 5);
	CHECK_EQ(count(listwalk_start(k, f->r, head, 3), &st), 3);
	CHECK_EQ(st, ST_LIMIT);

	/* node 3 points back into the list: its target does not point back to it */
	fake_put_uint(f, 0x1300, fake_kva(f, 0x1100), word);
	CHECK_EQ(count(listwalk_start(k, f->r, head, 100), &st), 3);
	CHECK_EQ(st, ST_CORRUPT);
	CHECK_EQ(count(listwalk_backwards(k, f->r, head, 100), &st), 2);
	CHECK_EQ(st, ST_CORRUPT);

	/* a user address, an unaligned one */
	fake_put_uint(f, 0x1300, 0x1234, word);
	CHECK_EQ(count(listwalk_start(k, f->r, head, 100), &st), 3);
	CHECK_EQ(st, ST_CORRUPT);
	fake_put_uint(f, 0x1300, fake_kva(f, 0x1401), word);
	CHECK_EQ(count(listwalk_start(k, f->r, head, 100), &st), 3);
	CHECK_EQ(st, ST_CORRUPT);

	/* the next node is in a page that the dump does not hold */
	fake_put_uint(f, 0x1300, fake_kva(f, 0x9000), word);
	CHECK_EQ(count(listwalk_start(k, f->r, head, 100), &st), 3);
	CHECK_EQ(st, ST_NODATA);
	fake_drop(f, 0x1000);
	CHECK_EQ(count(listwalk_start(k, f->r, head, 100), &st), 0);
	CHECK_EQ(st, ST_NODATA);
	fake_free(f);
}

/* ---- maple trees ------------------------------------------------------------------ */

/* Shapes of include/linux/maple_tree.h, 64-bit: 16 range slots, 10 arange slots. */
static void maple_layout(struct fake *f)
{
	fake_member(f, M_MT_ROOT, 8, 8);
	fake_size(f, S_MAPLE_NODE, 256);
	fake_member(f, M_MN_PARENT, 0, 8);
	fake_array(f, M_MN_R64_PIVOT, 8, 8, 15);
	fake_array(f, M_MN_R64_SLOT, 128, 8, 16);
	fake_array(f, M_MN_A64_PIVOT, 8, 8, 9);
	fake_array(f, M_MN_A64_SLOT, 80, 8, 10);
}

#define TREE 0x2000u
#define ROOT 0x3000u		/* arange_64 with three leaves below */
#define LEAF(i) (0x4000u + (i) * 0x100u)

static uint64_t enode(const struct fake *f, uint64_t pa, unsigned type)
{
	return fake_kva(f, pa) | type << 3 | 4;
}

/* Leaf I covers [I * 0x10000, +0x10000): a gap, then two entries of 0x1000. */
static void put_leaf(struct fake *f, unsigned i, uint64_t max)
{
	uint64_t pa = LEAF(i), at = i * 0x10000ull;

	fake_put_uint(f, pa, fake_kva(f, ROOT) | i << 3 | 6, 8);
	for (unsigned p = 0; p < 15; p++)
		fake_put_uint(f, pa + 8 + 8 * p, 0, 8);
	fake_put_uint(f, pa + 8, at + 0xfff, 8);		/* gap */
	fake_put_uint(f, pa + 16, at + 0x1fff, 8);
	fake_put_uint(f, pa + 24, at + 0x2fff, 8);
	fake_put_uint(f, pa + 32, max, 8);			/* gap to the end */
	fake_put_uint(f, pa + 128 + 8, fake_kva(f, 0x8000 + i * 0x200), 8);
	fake_put_uint(f, pa + 128 + 16, fake_kva(f, 0x8100 + i * 0x200), 8);
}

static void put_tree(struct fake *f)
{
	fake_put_uint(f, TREE + 8, enode(f, ROOT, 3) | 2, 8);
	fake_put_uint(f, ROOT, fake_kva(f, TREE) | 1, 8);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t max = i < 2 ? i * 0x10000ull + 0xffff : UINT64_MAX;

		fake_put_uint(f, ROOT + 8 + 8 * i, max, 8);
		fake_put_uint(f, ROOT + 80 + 8 * i, enode(f, LEAF(i), 1), 8);
		put_leaf(f, i, max);
	}
}

struct seen {
	unsigned n, stop_after;
	uint64_t entry[64], first[64], last[64];
};

static bool see(void *arg, uint64_t entry, uint64_t first, uint64_t last)
{
	struct seen *s = arg;

	s->entry[s->n] = entry;
	s->first[s->n] = first;
	s->last[s->n] = last;
	return ++s->n != s->stop_after;
}

static struct seen walk(struct fake *f, enum status *st)
{
	struct seen s = { 0 };

	*st = maple_walk(&f->kernel, f->r, fake_kva(f, TREE), see, &s);
	return s;
}

static void test_maple_whole(struct fake *f)
{
	enum status st;
	struct seen s = walk(f, &st);

	CHECK_EQ(st, ST_OK);
	CHECK_EQ(s.n, 6);
	for (unsigned i = 0; i < s.n; i++) {
		CHECK_EQ(s.entry[i], fake_kva(f, 0x8000 + i * 0x100));
		CHECK_EQ(s.first[i], i / 2 * 0x10000 + 0x1000 + i % 2 * 0x1000);
		CHECK_EQ(s.last[i], s.first[i] + 0xfff);
	}
	s = (struct seen){ .stop_after = 2 };
	maple_walk(&f->kernel, f->r, fake_kva(f, TREE), see, &s);
	CHECK_EQ(s.n, 2);
}

/* Each damage loses only the entries under it. */
static void test_maple_damage(struct fake *f)
{
	enum status st;

	/* a leaf that names another parent: stale, or never of this tree */
	fake_put_uint(f, LEAF(1), fake_kva(f, LEAF(1)), 8);
	CHECK_EQ(walk(f, &st).n, 4);
	CHECK_EQ(st, ST_CORRUPT);
	put_tree(f);

	/* pivots that run backwards cut the rest of that leaf off */
	fake_put_uint(f, LEAF(1) + 24, 0x10001, 8);
	CHECK_EQ(walk(f, &st).n, 5);
	CHECK_EQ(st, ST_CORRUPT);
	put_tree(f);

	/* the root as its own child */
	fake_put_uint(f, ROOT + 80, enode(f, ROOT, 3), 8);
	CHECK_EQ(walk(f, &st).n, 4);
	CHECK_EQ(st, ST_CORRUPT);
	put_tree(f);

	/* a node type that is never linked, a wild pointer, an absent page */
	fake_put_uint(f, ROOT + 88, enode(f, LEAF(1), 4), 8);
	CHECK_EQ(walk(f, &st).n, 4);
	fake_put_uint(f, ROOT + 88, 0x41414141, 8);
	CHECK_EQ(walk(f, &st).n, 4);
	CHECK_EQ(st, ST_CORRUPT);
	fake_put_uint(f, ROOT + 88, enode(f, 0x100000, 1), 8);
	CHECK_EQ(walk(f, &st).n, 4);
	CHECK_EQ(st, ST_NODATA);
	CHECK(fake_issues(f, "maple node") >= 6);
	put_tree(f);
}

static void test_maple_roots(struct fake *f)
{
	enum status st;

	/* XA_ZERO_ENTRY is left by a failed fork: no vma */
	fake_put_uint(f, LEAF(0) + 128 + 8, 0x406, 8);
	CHECK_EQ(walk(f, &st).n, 5);
	CHECK_EQ(st, ST_OK);
	fake_put_uint(f, TREE + 8, 0, 8);
	CHECK_EQ(walk(f, &st).n, 0);
	CHECK_EQ(st, ST_OK);
	/* one entry, for index 0, lies in the root itself */
	fake_put_uint(f, TREE + 8, fake_kva(f, 0x8000), 8);
	CHECK_EQ(walk(f, &st).n, 1);
	/* all sixteen slots of a leaf in use: the last is no metadata then */
	fake_put_uint(f, TREE + 8, enode(f, LEAF(0), 1) | 2, 8);
	fake_put_uint(f, LEAF(0), fake_kva(f, TREE) | 1, 8);
	for (unsigned i = 0; i < 16; i++) {
		if (i < 15)
			fake_put_uint(f, LEAF(0) + 8 + 8 * i, i * 0x1000 + 0xfff, 8);
		fake_put_uint(f, LEAF(0) + 128 + 8 * i, fake_kva(f, 0x8000 + 0x10 * i), 8);
	}
	CHECK_EQ(walk(f, &st).n, 16);
	CHECK_EQ(st, ST_OK);
}

int main(void)
{
	test_list(8, false);
	test_list(8, true);
	test_list(4, false);
	test_list(4, true);
	for (int big = 0; big < 2; big++) {
		struct fake *f = fake_new(8, big);

		maple_layout(f);
		put_tree(f);
		test_maple_whole(f);
		test_maple_damage(f);
		test_maple_roots(f);
		fake_free(f);
	}
	return check_done();
}
