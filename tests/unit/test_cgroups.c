/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control groups: the tree, the paths, the groups of processes; and damaged trees. */
#include "facts/layout/cgroup.h"
#include "model/kernel/cgroup/cgroups.h"
#include "model/kernel/file/path.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* Where the members of the made-up kernel lie (64-bit, big-endian). */
#define PF_EXITING 4u

enum {
	CSS_CGROUP = 0, CSS_FLAGS = 8, CSS_PARENT = 16, CSS_CHILDREN = 24, CSS_SIBLING = 40,
	CG_ROOT = 56, CG_KN = 64, CG_SUBSYS = 72,
	MEM_USAGE = 56, MEM_MAX = 64, MEM_SWAP = 72,
	SET_DFL = 40,
	MEMORY_ID = 2, ONLINE = 2,
};

/*
 * Group N has its struct cgroup at CG(N), its mem_cgroup at MEM(N), its
 * kernfs_node at KN(N), then the name; each in a page of its own.
 */
#define CG(n) (0x10000 + (n) * 0x3000)
#define MEM(n) (CG(n) + 0x1000)
#define KN(n) (CG(n) + 0x2000)
#define SET(n) (0x100000 + (n) * 0x1000)

enum { PA_ROOTPTR = 0x1000, PA_DFL = 0x2000, PA_LEGACY = 0x3000 };

static struct fake *machine(void)
{
	static const struct { enum layout_id id; uint32_t offset, size; } m[] = {
		{ M_CSET_DFL, SET_DFL, 8 }, { M_CSS_CGROUP, CSS_CGROUP, 8 },
		{ M_CSS_FLAGS, CSS_FLAGS, 4 }, { M_CSS_PARENT, CSS_PARENT, 8 },
		{ M_CSS_CHILDREN, CSS_CHILDREN, 16 }, { M_CSS_SIBLING, CSS_SIBLING, 16 },
		{ M_CGROUP_SELF, 0, 56 }, { M_CGROUP_ROOT, CG_ROOT, 8 },
		{ M_CGROUP_KN, CG_KN, 8 }, { M_KN_PARENT, 0, 8 }, { M_KN_NAME, 8, 8 },
		{ M_MEMCG_CSS, 0, 56 }, { M_MEMCG_USAGE, MEM_USAGE, 8 },
		{ M_MEMCG_MAX, MEM_MAX, 8 }, { M_MEMCG_SWAP, MEM_SWAP, 8 },
		{ M_MEMCG_MEMSW, MEM_SWAP, 8 },
	};
	struct fake *f = fake_new(8, true);

	f->kernel.ncpus = 8;	/* each may have charged ahead */
	for (unsigned i = 0; i < sizeof(m) / sizeof(m[0]); i++)
		fake_member(f, m[i].id, m[i].offset, m[i].size);
	fake_array(f, M_CSET_SUBSYS, 0, 8, 5);
	fake_array(f, M_CGROUP_SUBSYS, CG_SUBSYS, 8, 5);
	fake_enum(f, E_MEMORY_CGRP, MEMORY_ID);
	fake_enum(f, E_CSS_ONLINE, ONLINE);
	fake_symbol(f, Y_ROOT_MEM_CGROUP, fake_kva(f, PA_ROOTPTR));
	fake_put_uint(f, PA_ROOTPTR, fake_kva(f, MEM(0)), 8);
	return f;
}

static void put_ptr(struct fake *f, uint64_t pa, uint64_t target_pa)
{
	fake_put_uint(f, pa, target_pa ? fake_kva(f, target_pa) : 0, 8);
}

/* NEXT and prev of the list_head at PA. */
static void link_after(struct fake *f, uint64_t pa, uint64_t next)
{
	put_ptr(f, pa, next);
	put_ptr(f, next + 8, pa);
}

/* PARENT -1: the root. HAS_MEMORY: the memory controller is on in it. */
static void put_group(struct fake *f, int n, int parent, const char *name, uint64_t root,
		      bool has_memory)
{
	fake_put_uint(f, CG(n) + CSS_FLAGS, ONLINE, 4);
	put_ptr(f, CG(n) + CSS_CGROUP, CG(n));
	put_ptr(f, CG(n) + CSS_PARENT, parent < 0 ? 0 : CG(parent));
	put_ptr(f, CG(n) + CG_ROOT, root);
	put_ptr(f, CG(n) + CG_KN, KN(n));
	put_ptr(f, CG(n) + CG_SUBSYS + MEMORY_ID * 8, has_memory ? MEM(n) : 0);
	put_ptr(f, KN(n), parent < 0 ? 0 : KN(parent));
	put_ptr(f, KN(n) + 8, KN(n) + 0x100);
	fake_put(f, KN(n) + 0x100, name, strlen(name) + 1);
	put_ptr(f, MEM(n) + CSS_CGROUP, CG(n));
	put_ptr(f, MEM(n) + CSS_PARENT, parent < 0 ? 0 : MEM(parent));
	link_after(f, MEM(n) + CSS_CHILDREN, MEM(n) + CSS_CHILDREN);
	fake_put_uint(f, MEM(n) + MEM_USAGE, 100u * (unsigned)n, 8);
	fake_put_uint(f, MEM(n) + MEM_MAX, INT64_MAX >> 12, 8);
	fake_put_uint(f, MEM(n) + MEM_SWAP, 150u * (unsigned)n, 8);
}

static void put_set(struct fake *f, int n, int dfl, int memory)
{
	put_ptr(f, SET(n) + SET_DFL, CG(dfl));
	put_ptr(f, SET(n) + MEMORY_ID * 8, MEM(memory));
}

/*
 * 0 "/"
 *   1 "/a"      memory.max 77
 *     2 "/a/b c"   dead, memory below zero
 *     3 "/a/x"     no memory controller
 *   4 "/z"
 */
static void put_tree(struct fake *f)
{
	put_group(f, 0, -1, "", PA_DFL, true);
	put_group(f, 1, 0, "a", PA_DFL, true);
	put_group(f, 2, 1, "b c", PA_DFL, true);
	put_group(f, 3, 1, "x", PA_DFL, false);
	put_group(f, 4, 0, "z", PA_DFL, true);
	link_after(f, MEM(0) + CSS_CHILDREN, MEM(1) + CSS_SIBLING);
	link_after(f, MEM(1) + CSS_SIBLING, MEM(4) + CSS_SIBLING);
	link_after(f, MEM(4) + CSS_SIBLING, MEM(0) + CSS_CHILDREN);
	link_after(f, MEM(1) + CSS_CHILDREN, MEM(2) + CSS_SIBLING);
	link_after(f, MEM(2) + CSS_SIBLING, MEM(1) + CSS_CHILDREN);
	fake_put_uint(f, MEM(1) + MEM_MAX, 77, 8);
	fake_put_uint(f, CG(2) + CSS_FLAGS, 0, 4);
	put_ptr(f, CG(2) + CG_SUBSYS + MEMORY_ID * 8, 0);
	fake_put_uint(f, MEM(2) + MEM_USAGE, (uint64_t)-3, 8);
	put_set(f, 0, 0, 0);
	put_set(f, 1, 2, 2);
	put_set(f, 2, 3, 1);
}

struct result {
	struct snapshot s;
	struct proc procs[4];
	struct task tasks[4];
};

/* FLAGS: of the task of process 1 */
static void build(struct fake *f, struct result *r, uint32_t flags)
{
	uint64_t sets[4] = { fake_kva(f, SET(0)), fake_kva(f, SET(1)), fake_kva(f, SET(2)), 0 };

	*r = (struct result){ .s = { .k = &f->kernel } };
	r->s.procs = r->procs;
	r->s.tasks = r->tasks;
	r->s.nprocs = r->s.ntasks = 4;
	for (uint32_t i = 0; i < 4; i++)
		r->procs[i].leader = i;
	r->tasks[1].flags = flags;
	cgroups_build(&r->s, f->r, sets);
}

static const char *path_of_proc(const struct result *r, unsigned i)
{
	uint32_t g = r->procs[i].cgroup;

	return g < r->s.ncgroups ? r->s.cgroups[g].path : "(none)";
}

TEST(unified)
{
	struct fake *f = machine();
	struct result r;

	put_tree(f);
	build(f, &r, PF_EXITING);	/* a process remains in a removed group until it is gone */
	if (!CHECK_EQ(r.s.ncgroups, 5))
		return;
	CHECK_STR(r.s.cgroups[0].path, "/");
	CHECK_EQ(r.s.cgroups[0].parent, NONE);
	CHECK_STR(r.s.cgroups[1].path, "/a");
	CHECK_EQ(r.s.cgroups[1].parent, 0);
	CHECK_EQ(r.s.cgroups[1].usage, 100);
	CHECK_EQ(r.s.cgroups[1].swap, 150);
	CHECK_EQ(r.s.cgroups[1].max, 77);
	CHECK_EQ(r.s.cgroups[1].css, fake_kva(f, MEM(1)));
	CHECK_STR(r.s.cgroups[2].path, "/a/b c (deleted)");
	CHECK_EQ(r.s.cgroups[2].usage, 0);
	CHECK_EQ(r.s.cgroups[2].swap, 300);
	CHECK_EQ(r.s.cgroups[2].css, fake_kva(f, MEM(2)));
	CHECK_EQ(r.s.cgroups[2].max, UINT64_MAX);
	CHECK_STR(r.s.cgroups[3].path, "/z");
	CHECK_STR(r.s.cgroups[4].path, "/a/x");
	CHECK_EQ(r.s.cgroups[4].parent, 1);
	CHECK_EQ(r.s.cgroups[4].css, fake_kva(f, CG(3)));
	CHECK_STR(path_of_proc(&r, 0), "/");
	CHECK_STR(path_of_proc(&r, 1), "/a/b c (deleted)");
	CHECK_STR(path_of_proc(&r, 2), "/a/x");
	CHECK_EQ(r.procs[3].cgroup, NONE);
	CHECK_EQ(fake_issues(f, "cgroup"), 0);
	arena_release(&r.s.mem);
	fake_free(f);
}

/* The memory controller on a hierarchy of its own, cgroup2 beside it. */
TEST(legacy)
{
	struct fake *f = machine();
	struct result r;

	put_tree(f);
	for (int i = 0; i < 5; i++)
		put_ptr(f, CG(i) + CG_ROOT, PA_LEGACY);
	put_group(f, 5, -1, "", PA_DFL, false);
	put_group(f, 6, 5, "user", PA_DFL, false);
	put_set(f, 0, 5, 0);
	put_set(f, 1, 6, 1);
	put_set(f, 2, 6, 4);
	build(f, &r, 0);
	CHECK_EQ(r.s.ncgroups, 4);
	CHECK_STR(path_of_proc(&r, 1), "/a");
	CHECK_STR(path_of_proc(&r, 2), "/z");
	/* memory and swap are counted together */
	CHECK_EQ(r.s.cgroups[r.procs[1].cgroup].swap, 50);
	arena_release(&r.s.mem);
	fake_free(f);
}

/* Without the memory controller: groups of processes and those above them. */
TEST(no_memory)
{
	struct fake *f = machine();
	struct result r;

	put_tree(f);
	f->kernel.layout.v[E_MEMORY_CGRP].alt = -1;
	f->kernel.layout.v[Y_ROOT_MEM_CGROUP].alt = -1;
	build(f, &r, PF_EXITING);
	CHECK_EQ(r.s.ncgroups, 4);
	CHECK_STR(path_of_proc(&r, 1), "/a/b c (deleted)");
	CHECK_STR(path_of_proc(&r, 2), "/a/x");
	CHECK_EQ(fake_issues(f, "cgroup"), 0);
	arena_release(&r.s.mem);
	fake_free(f);
}

TEST(broken)
{
	struct fake *f = machine();
	struct result r;

	/* parents in a circle: the groups are still listed */
	put_tree(f);
	put_ptr(f, CG(1) + CSS_PARENT, CG(2));
	put_ptr(f, KN(1), KN(2));
	build(f, &r, 0);
	CHECK_STR(path_of_proc(&r, 1), PATH_UNKNOWN);
	CHECK(fake_issues(f, "cgroup") > 0);
	arena_release(&r.s.mem);
	fake_free(f);

	/* children that are their own children */
	f = machine();
	put_tree(f);
	link_after(f, MEM(1) + CSS_CHILDREN, MEM(1) + CSS_SIBLING);
	build(f, &r, 0);
	CHECK(r.s.ncgroups >= 3 && r.s.ncgroups <= 5);
	arena_release(&r.s.mem);

	/* a name that is not in the dump, a counter that is not */
	put_tree(f);
	put_ptr(f, KN(1) + 8, 0x900000);
	fake_drop(f, MEM(4));
	build(f, &r, 0);
	CHECK_STR(path_of_proc(&r, 2), "/" PATH_UNKNOWN "/x");
	arena_release(&r.s.mem);

	/* nothing at all */
	for (int i = 0; i < 5; i++) {
		fake_drop(f, CG(i));
		fake_drop(f, MEM(i));
		fake_drop(f, KN(i));
	}
	build(f, &r, 0);
	CHECK_STR(path_of_proc(&r, 0), PATH_UNKNOWN);
	arena_release(&r.s.mem);
	for (int i = 0; i < 3; i++)
		fake_drop(f, SET(i));
	build(f, &r, 0);
	CHECK_EQ(r.procs[0].cgroup, NONE);
	arena_release(&r.s.mem);
	fake_free(f);
}
