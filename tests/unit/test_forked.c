/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mms that no task has yet, found by the anon_vmas of a parent whose mmap_lock is held. */
#include "facts/layout/holder.h"
#include "facts/layout/mm.h"
#include "facts/layout/stack.h"
#include "model/build.h"
#include "model/kernel/task/mmlocks.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum {
	PARENT = 0x6000, CHILD = 0x6100, ENDED = 0x6200, IDLE = 0x6300,	/* mms */
	USERS = 0, LOCK = 16,
	TREE = 0x7000, TREE_OF_IDLE = 0x7040, ROOT = 8,			/* anon_vmas */
	CHAINS = 0x8000, VMA = 0, RB = 32, LEFT = 8, RIGHT = 16,	/* 0x80 bytes each */
	VMAS = 0x9000, MM = 8,
};

struct rig {
	struct fake *f;
	struct snapshot s;
	struct mm mms[2];
	bool written[2];
	struct vma vmas[2];
	struct build b;
};

static void put(struct rig *r, uint64_t at, uint64_t to)
{
	fake_put_uint(r->f, at, to ? fake_kva(r->f, to) : 0, 8);
}

/* Chain N belongs to vma N, of MM. */
static void chain(struct rig *r, unsigned n, uint64_t mm, uint64_t left, uint64_t right)
{
	uint64_t at = CHAINS + 0x80 * n;

	put(r, at + VMA, VMAS + 0x40 * n);
	put(r, at + RB + LEFT, left);
	put(r, at + RB + RIGHT, right);
	put(r, VMAS + 0x40 * n + MM, mm);
}

static void mm(struct rig *r, uint64_t at, uint64_t users, uint64_t lock)
{
	fake_put_uint(r->f, at + USERS, users, 4);
	fake_put_uint(r->f, at + LOCK, lock, 8);
}

static uint64_t node(unsigned n)
{
	return CHAINS + 0x80 * n + RB;
}

static void start(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	r->f = fake_new(8, false);
	r->f->kernel.version = (struct release){ .major = 6, .minor = 1 };
	fake_members(r->f, { M_MM_USERS, USERS, 4 }, { M_MM_LOCK, LOCK, 40 },
		     { M_RWSEM_COUNT, 0, 8 }, { M_ANON_VMA_ROOT, ROOT, 8 }, { M_AVC_VMA, VMA, 8 },
		     { M_AVC_RB, RB, 24 }, { M_RB_LEFT, LEFT, 8 }, { M_RB_RIGHT, RIGHT, 8 },
		     { M_VMA_MM, MM, 8 });
	mm(r, PARENT, 2, 1);
	mm(r, CHILD, 1, 1);
	mm(r, ENDED, 0, 0);
	mm(r, IDLE, 1, 0);
	put(r, TREE + ROOT, node(0));
	chain(r, 0, PARENT, node(1), node(2));
	chain(r, 1, ENDED, 0, 0);
	chain(r, 2, CHILD, node(3), 0);
	chain(r, 3, CHILD, 0, 0);
	put(r, TREE_OF_IDLE + ROOT, node(4));
	chain(r, 4, CHILD + 0x1000, 0, 0);
	r->mms[0] = (struct mm){ .addr = fake_kva(r->f, PARENT), .users = 2, .nvmas = 1 };
	r->mms[1] = (struct mm){ .addr = fake_kva(r->f, IDLE), .users = 1, .first_vma = 1, .nvmas = 1 };
	r->vmas[0].anon_vma = fake_kva(r->f, TREE);
	r->vmas[1].anon_vma = fake_kva(r->f, TREE_OF_IDLE);
	r->s = (struct snapshot){ .k = &r->f->kernel, .mms = r->mms, .nmms = 2 };
	r->b = (struct build){ .s = &r->s,
			       .k = &r->f->kernel,
			       .r = r->f->r,
			       .mm_written = r->written };
}

static size_t find(struct rig *r, uint64_t **ret)
{
	r->b.r = r->f->r; /* each change makes a new one */
	for (unsigned i = 0; i < 2; i++)
		r->written[i] = mmlock_writers_known(r->b.k) &&
				mmlock_may_be_written(r->b.k, r->b.r, r->mms[i].addr);
	return build_find_forked(&r->b, r->vmas, ret);
}

static void end(struct rig *r)
{
	arena_release(&r->b.scratch);
	fake_free(r->f);
}

/* The child, once; not the mm that is being taken down, and nothing of an mm that nobody locks. */
TEST(child)
{
	uint64_t *found = NULL;
	struct rig r;

	start(&r);
	CHECK_EQ(find(&r, &found), 1);
	CHECK(found && found[0] == fake_kva(r.f, CHILD));
	CHECK_EQ(fake_issues(r.f, "anon_vma"), 0);
	mm(&r, PARENT, 2, 0x100);	/* a reader */
	CHECK_EQ(find(&r, &found), 0);
	end(&r);
}

/* A tree that runs in a circle, or to where no memory is, is told. */
TEST(damage)
{
	uint64_t *found = NULL;
	struct rig r;

	start(&r);
	chain(&r, 3, CHILD, node(3), node(3));
	CHECK_EQ(find(&r, &found), 1);
	CHECK_EQ(fake_issues(r.f, "anon_vma"), 1);
	chain(&r, 3, CHILD, 0x200000, 0);
	find(&r, &found);
	CHECK_EQ(fake_issues(r.f, "anon_vma"), 2);
	end(&r);
}

static bool known(struct rig *r)
{
	uint64_t *found = NULL;

	r->s.forks_known = false;
	find(r, &found);
	return r->s.forks_known;
}

/* Whether children were looked for everywhere. */
TEST(known)
{
	static struct task task = { .mm = NONE };
	uint64_t task_mm = 0;
	struct rig r;

	start(&r);
	CHECK(known(&r));
	/* the vmas of the parent, or a tree of theirs, could not all be read */
	r.mms[0].broken = true;
	CHECK(!known(&r));
	r.mms[0].broken = false;
	chain(&r, 3, CHILD, 0x200000, 0);
	CHECK(!known(&r));
	chain(&r, 3, CHILD, 0, 0);
	CHECK(known(&r));
	/* a parent that could not be read */
	r.s.tasks = &task;
	r.s.ntasks = 1;
	r.b.task_mm = &task_mm;
	CHECK(known(&r));
	task_mm = fake_kva(r.f, PARENT + 0x1000);
	CHECK(!known(&r));
	r.s.ntasks = 0;
	/* where trees are not known, or the dump changes */
	r.f->dump.live = true;
	CHECK(!known(&r));
	r.f->dump.live = false;
	r.f->kernel.layout.v[M_AVC_RB].alt = -1;
	CHECK(!known(&r));
	end(&r);
}

/* A lock that cannot be read may be held: its mm is looked at. */
TEST(unread_lock)
{
	uint64_t *found = NULL;
	struct rig r;

	start(&r);
	mm(&r, PARENT, 2, 0x100);
	CHECK_EQ(find(&r, &found), 0);
	r.mms[0].addr = fake_kva(r.f, 0x300000);
	CHECK_EQ(find(&r, &found), 2);
	CHECK(r.s.forks_known);
	end(&r);
}

/* Locks before 5.3 have another form: who writes is the owner, and nobody is known without it. */
TEST(old)
{
	uint64_t *found = NULL;
	struct rig r;

	start(&r);
	r.f->kernel.version = (struct release){ .major = 5, .minor = 2 };
	CHECK_EQ(find(&r, &found), 0);
	fake_member(r.f, M_RWSEM_OWNER, 8, 8);
	fake_put_uint(r.f, PARENT + LOCK + 8, 0, 8);	/* count has bit 0: a reader, or somebody waits */
	CHECK_EQ(find(&r, &found), 0);
	put(&r, PARENT + LOCK + 8, 0xa000);
	CHECK_EQ(find(&r, &found), 1);
	CHECK(found && found[0] == fake_kva(r.f, CHILD));
	fake_put_uint(r.f, PARENT + LOCK + 8, fake_kva(r.f, 0xa000) | 3, 8);	/* the last reader */
	CHECK_EQ(find(&r, &found), 0);
	fake_put_uint(r.f, PARENT + LOCK + 8, 1, 8);	/* readers of 4.8 to 5.0 */
	CHECK_EQ(find(&r, &found), 0);
	end(&r);
}
