/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dentries, inodes and files with more references than pointers, on a machine made by hand. */
#include "facts/layout/census.h"
#include "facts/layout/file.h"
#include "model/memory/reach/refcounts.h"
#include "tests/unit/check.h"
#include "tests/unit/reach_machine.h"

enum { SB = 0x2a00, FSTYPE = RM_IMAGE + 0x800, FSNAME = RM_IMAGE + 0x840, NAMES = 0x40 };
enum { D_SB = 0, D_PARENT = 8, D_INODE = 16, D_FLAGS = 24, D_COUNT = 28, D_PPREV = 40 };
enum { INODE = 8, I_SB = 0, I_COUNT = 8, I_MARKS = 16 };	/* an inode begins at byte 8 of its object */
enum { F_DENTRY = 0, F_INODE = 8, F_COUNT = 16 };
enum { PERSISTENT = 0x100 };

static uint64_t dentry(unsigned i)
{
	return rm_object(RM_SLAB, i);
}

static uint64_t second(unsigned i)
{
	return rm_object(RM_SECOND, i);
}

/* A variable of its own points to PA. */
static void hold(struct reach_machine *m, unsigned variable, uint64_t pa)
{
	rm_point(m, RM_IMAGE + 0x100 + 8 * variable, pa);
}

/* A dentry of the root, which is the first one; COUNT references. */
static void put_dentry(struct reach_machine *m, unsigned i, uint64_t inode, int count)
{
	rm_point(m, dentry(i) + D_SB, SB);
	rm_point(m, dentry(i) + D_PARENT, dentry(0));
	rm_point(m, dentry(i) + D_INODE, inode);
	rm_put(m, dentry(i) + D_COUNT, (uint32_t)count, 4);
}

static void put_inode(struct reach_machine *m, unsigned i, unsigned count)
{
	rm_point(m, second(i) + INODE + I_SB, SB);
	rm_put(m, second(i) + INODE + I_COUNT, count, 4);
}

/* Of file system FS, with DENTRIES dentries that nothing but the count is wrong of; the second cache has NAME. */
static struct reach_machine *machine(int i, const char *fs, const char *name, unsigned dentries)
{
	struct reach_machine *m = rm_new(i / 3 == 1 ? 4 : 8, i / 3 == 2, i % 3);
	unsigned word = m->f->dump.word_size;

	fake_put(m->f, RM_NAME, "dentry", 7);
	fake_put(m->f, RM_NAME + NAMES, name, strlen(name) + 1);
	fake_put(m->f, FSNAME, fs, strlen(fs) + 1);
	rm_point(m, FSTYPE, FSNAME);
	rm_point(m, SB, FSTYPE);
	fake_size(m->f, S_DENTRY, RM_OBJECT);
	fake_size(m->f, S_HLIST_BL_NODE, 16);
	fake_members(m->f, { M_SB_TYPE, 0, word }, { M_FSTYPE_NAME, 0, word }, { M_DENTRY_SB, D_SB, word },
		     { M_DENTRY_PARENT, D_PARENT, word }, { M_DENTRY_INODE, D_INODE, word }, { M_DENTRY_FLAGS, D_FLAGS, 4 },
		     { M_DENTRY_COUNT, D_COUNT, 4 }, { M_DENTRY_HASH_PPREV, D_PPREV, word });
	fake_members(m->f, { M_INODE_SB, I_SB, word }, { M_INODE_COUNT, I_COUNT, 4 }, { M_INODE_MARKS, I_MARKS, word });
	for (unsigned j = 0; j < dentries; j++)
		put_dentry(m, j, 0, 0);
	rm_put(m, dentry(0) + D_COUNT, dentries - 1, 4);
	rm_free_from(m, RM_SLAB, dentries);
	return m;
}

static void build(struct reach_machine *m, struct refcounts *ret)
{
	enum reach_doubt why;
	struct reach *x = rm_build(m, &why);

	if (CHECK(x != NULL))
		refcounts_build(x, &m->mem, ret);
	reach_free(x);
}

static const struct refcounts_group *of_type(const struct refcounts *v, enum refcounts_type type)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->v[i].type == type)
			return &v->v[i];
	return NULL;
}

/*
 * 0	the root: one more than it has children, and its own pointer to itself is no reference: too many
 * 1	a variable points to it
 * 2	two pointers, three references: too many
 * 3	only a list points to it, by a member: too many
 * 4	only a free object points to it: too many
 * 5	killed
 * 6	more pointers than references
 * 7	its parent is no dentry
 * 8	a pointer with marks in its low bits
 */
TEST(dentries)
{
	for (int i = 0; i < 9; i++) {
		struct reach_machine *m = machine(i, "ext4", "second", 9);
		const struct refcounts_group *g;
		struct refcounts v;

		rm_free_from(m, RM_SECOND, 3);
		hold(m, 0, second(0));
		hold(m, 1, dentry(1));
		rm_put(m, dentry(1) + D_COUNT, 1, 4);
		hold(m, 2, dentry(2));
		rm_point(m, second(0), dentry(2));
		rm_put(m, dentry(2) + D_COUNT, 3, 4);
		rm_point(m, second(0) + 8, dentry(3) + D_PPREV);
		rm_put(m, dentry(3) + D_COUNT, 2, 4);
		rm_point(m, second(5), dentry(4));
		rm_put(m, dentry(4) + D_COUNT, 1, 4);
		rm_put(m, dentry(5) + D_COUNT, (uint32_t)-128, 4);
		hold(m, 3, dentry(6));
		hold(m, 4, dentry(6));
		rm_put(m, dentry(6) + D_COUNT, 1, 4);
		rm_point(m, dentry(7) + D_PARENT, RM_FILE);
		rm_put(m, dentry(0) + D_COUNT, 8, 4);
		rm_put(m, dentry(7) + D_COUNT, 5, 4);
		hold(m, 5, dentry(8) + 3);
		rm_put(m, dentry(8) + D_COUNT, 1, 4);
		build(m, &v);
		g = of_type(&v, REFCOUNTS_DENTRY);
		if (CHECK(g && v.n == 1)) {
			CHECK_EQ(g->objects, 4);
			CHECK_EQ(g->excess, 1 + 1 + 2 + 1);
			CHECK_EQ(g->bytes, 4 * RM_SIZE);
			CHECK_EQ(g->example, fake_kva(m->f, dentry(0)));
			CHECK_EQ(g->sb, fake_kva(m->f, SB));
			CHECK_STR(g->fs, "ext4");
		}
		CHECK(v.seen[REFCOUNTS_DENTRY] == 9 && v.known[REFCOUNTS_DENTRY] && !v.known[REFCOUNTS_FILE]);
		rm_free(m);
	}
}

/* In memory a dentry has a reference of its own: to v6.x while it is hashed, then by a flag. */
TEST(pinned)
{
	for (int flag = 0; flag < 2; flag++) {
		struct reach_machine *m = machine(0, "tmpfs", "second", 5);
		const struct refcounts_group *g;
		struct refcounts v;

		if (flag)
			fake_enum(m->f, E_DENTRY_PERSISTENT, PERSISTENT);
		/* 1, 2: pinned; 2 has one more; 3: not pinned; 4: pinned, and held as well */
		for (unsigned i = 1; i < 5; i++) {
			rm_put(m, dentry(i) + D_COUNT, i == 2 ? 3 : i == 4 ? 2 : 1, 4);
			rm_put(m, dentry(i) + D_FLAGS, flag && i != 3 ? PERSISTENT : 0, 4);
			rm_point(m, dentry(i) + D_PPREV, !flag && i != 3 ? RM_FILE : 0);
		}
		hold(m, 0, dentry(4));
		build(m, &v);
		g = of_type(&v, REFCOUNTS_DENTRY);
		if (CHECK(g != NULL)) {
			CHECK_EQ(g->objects, 2);
			CHECK_EQ(g->excess, 3);
		}
		rm_free(m);
	}
}

/*
 * Inodes, inside larger objects:
 * 0	its dentry
 * 1	its dentry, and one reference more
 * 2	a pointer to the object that it is in, and one to its marks
 * 3	the same, and one reference more
 * 4	no reference
 */
TEST(inodes)
{
	struct reach_machine *m = machine(0, "ext4", "some_inode", 3);
	const struct refcounts_group *g;
	struct refcounts v;

	for (unsigned i = 0; i < 5; i++) {
		static const unsigned counts[] = { 1, 2, 2, 3, 0 };

		put_inode(m, i, counts[i]);
	}
	rm_free_from(m, RM_SECOND, 5);
	rm_point(m, dentry(1) + D_INODE, second(0) + INODE);
	rm_point(m, dentry(2) + D_INODE, second(1) + INODE);
	for (unsigned i = 2; i < 4; i++) {
		hold(m, 2 * i, second(i));
		hold(m, 2 * i + 1, second(i) + INODE + I_MARKS);
	}
	hold(m, 9, second(3) + INODE + I_COUNT);
	build(m, &v);
	g = of_type(&v, REFCOUNTS_INODE);
	if (CHECK(g && v.n == 1)) {
		CHECK_EQ(g->objects, 2);
		CHECK_EQ(g->excess, 2);
		CHECK_EQ(g->example, fake_kva(m->f, second(1) + INODE));
		CHECK_EQ(g->bytes, 2 * RM_SIZE);
	}
	CHECK_EQ(v.seen[REFCOUNTS_INODE], 5);
	rm_free(m);
}

/* A table of a process, and a reference that nobody has; since v6.13 the count is one less. The dentry of both is held
   by them, and is the memory that the file keeps. */
TEST(files)
{
	for (int less = 0; less < 2; less++) {
		struct reach_machine *m = machine(0, "ext4", "filp", 2);
		const struct refcounts_group *g;
		struct refcounts v;

		fake_members(m->f, { M_FILE_DENTRY, F_DENTRY, 8 }, { less ? M_FILE_REF : M_FILE_COUNT, F_COUNT, 8 });
		rm_free_from(m, RM_SECOND, 3);
		for (unsigned i = 0; i < 3; i++) {
			rm_point(m, second(i) + F_DENTRY, i < 2 ? dentry(1) : RM_FILE);
			rm_put(m, second(i) + F_COUNT, (i ? 2 : 1) - less, 8);
			hold(m, i, second(i));
		}
		rm_put(m, dentry(1) + D_COUNT, 2, 4);
		build(m, &v);
		g = of_type(&v, REFCOUNTS_FILE);
		if (CHECK(g && v.n == 1)) {
			CHECK(g->objects == 1 && g->excess == 1);
			CHECK_EQ(g->example, fake_kva(m->f, second(1)));
			CHECK_EQ(g->bytes, 2 * RM_SIZE);
		}
		rm_free(m);
	}
}

/*
 * The pointers of an inode's own helpers are no references: file.f_inode, and the journal's, unless other kinds of
 * objects are in slabs of the same cache. Those of any other object are.
 */
TEST(weak)
{
	static const struct { const char *name; unsigned aliases, at; uint64_t objects; } ways[] = {
		{ "filp", 1, F_INODE, 1 },	 { "filp", 1, F_COUNT, 0 },	  { "jbd2_inode", 1, 0, 1 },
		{ "jbd2_inode", 2, 0, 0 },	 { "radix_tree_node", 1, 0, 0 }, { "other", 1, 0, 0 },
	};

	for (unsigned i = 0; i < ARRAY_LEN(ways); i++) {
		struct reach_machine *m = machine(0, "ext4", "some_inode", 2);
		const struct refcounts_group *g;
		struct refcounts v;

		fake_members(m->f, { M_FILE_DENTRY, F_DENTRY, 8 }, { M_FILE_INODE, F_INODE, 8 }, { M_FILE_COUNT, F_COUNT + 16, 8 });
		rm_add_cache(m, ways[i].name, ways[i].aliases);
		rm_free_from(m, RM_SECOND, 1);
		rm_free_from(m, RM_THIRD, 1);
		put_inode(m, 0, 2);
		rm_point(m, dentry(1) + D_INODE, second(0) + INODE);
		rm_point(m, rm_object(RM_THIRD, 0) + ways[i].at, second(0) + INODE);
		build(m, &v);
		g = of_type(&v, REFCOUNTS_INODE);
		CHECK_EQ(g ? g->objects : 0, ways[i].objects);
		rm_free(m);
	}
}
