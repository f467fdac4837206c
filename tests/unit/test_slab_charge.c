/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is charged with the objects of a slab: the vector in each of its forms. */
#include "facts/layout/cgroup.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "model/kernel/slab/slab_charge.h"
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"

/* In struct page; then what lies beside the machine. */
enum { AT_VECTOR = 48, AT_STEP = 56, VECTOR = 0x600000, OBJCG = 0x601000, GROUP = 0x602000, NOWHERE = 0x700000 };
enum { HERE = 1, CSS = 8, SIZE_OF_GROUP = 64, SLAB_WITH = 5 };

struct rig {
	struct held_machine *m;
	struct cgroup groups[2];
	struct slab_caches caches;
	struct slab_charges charges;
	struct arena mem;
};

static void point_slab(struct rig *r, uint64_t word)
{
	hm_put(r->m, PAGES + SLAB_WITH * STRUCT_PAGE + AT_VECTOR, word, 8);
}

/* Objects 0 and 5 are charged to the first group, object 7 to the second. */
static void fill(struct rig *r, uint64_t step)
{
	for (uint64_t i = 0; i < PER_SLAB; i++)
		hm_put(r->m, VECTOR + i * step, 0, 8);
	hm_point(r->m, VECTOR, OBJCG);
	hm_point(r->m, VECTOR + 5 * step, OBJCG);
	hm_point(r->m, VECTOR + 7 * step, OBJCG + 32);
}

static void start(struct rig *r, int form)
{
	*r = (struct rig){ .m = hm_slub() };
	fake_members(r->m->f, { M_SLAB_VECTOR, AT_VECTOR, 8 }, { M_OBJCG_MEMCG, 16, 8 }, { M_MEMCG_CSS, CSS, 56 });
	r->m->f->kernel.layout.v[M_SLAB_VECTOR].alt = (int8_t)form;
	for (uint64_t i = 0; i < DATA >> 12; i++)
		hm_put(r->m, PAGES + i * STRUCT_PAGE + AT_VECTOR, 0, 8);
	for (unsigned i = 0; i < 2; i++) {
		hm_point(r->m, OBJCG + 32 * i + 16, GROUP + SIZE_OF_GROUP * i);
		r->groups[i].css = fake_kva(r->m->f, GROUP + SIZE_OF_GROUP * i + CSS);
	}
	point_slab(r, fake_kva(r->m->f, VECTOR) | HERE);
	r->m->s.cgroups = r->groups;
	r->m->s.ncgroups = 2;
}

static uint64_t build(struct rig *r)
{
	CHECK_EQ(slab_caches_build(&r->m->s, &r->mem, true, &r->caches), ST_OK);
	CHECK_EQ(slab_charges_build(&r->m->s, &r->caches, &r->mem, &r->charges), ST_OK);
	return fake_issues(r->m->f, "slab");
}

static void end(struct rig *r)
{
	arena_release(&r->mem);
	hm_free(r->m);
}

static void check_both(struct rig *r)
{
	CHECK_EQ(build(r), 0);
	if (CHECK(r->charges.n == 2 && r->charges.v[0].cache == 0 && r->charges.v[1].cache == 0)) {
		CHECK(r->charges.v[0].cgroup == 0 && r->charges.v[0].objects == 2);
		CHECK(r->charges.v[1].cgroup == 1 && r->charges.v[1].objects == 1);
	}
	end(r);
}

TEST(pointers)
{
	struct rig r;

	start(&r, 1);
	fill(&r, 8);
	check_both(&r);
}

/* CONFIG_MEM_ALLOC_PROFILING: each has the tag beside. */
TEST(structs)
{
	struct rig r;

	start(&r, 0);
	fake_size(r.m->f, S_SLAB_EXT, 16);
	fill(&r, 16);
	check_both(&r);
}

TEST(stride)
{
	struct rig r;

	start(&r, 0);
	fake_size(r.m->f, S_SLAB_EXT, 8);
	fake_member(r.m->f, M_SLAB_STRIDE, AT_STEP, 4);
	hm_put(r.m, PAGES + SLAB_WITH * STRUCT_PAGE + AT_STEP, 24, 4);
	fill(&r, 24);
	check_both(&r);
}

static void bit(struct rig *r, enum layout_id id, uint8_t at)
{
	fake_member(r->m->f, id, AT_STEP, 4);
	r->m->f->kernel.layout.v[id].m.bit_offset = at;
	r->m->f->kernel.layout.v[id].m.bit_size = 1;
}

TEST(in_objects)
{
	struct rig r;

	start(&r, 0);
	fake_size(r.m->f, S_SLAB_EXT, 8);
	bit(&r, M_SLAB_EXT_INSIDE, 1);
	bit(&r, M_SLAB_EXT_OBJCG, 0);
	hm_put(r.m, PAGES + SLAB_WITH * STRUCT_PAGE + AT_STEP, 3, 4);
	fill(&r, OBJECT);
	check_both(&r);
}

/* A vector of code tags alone, and one for which there was no memory. */
TEST(nobody)
{
	struct rig r;

	start(&r, 0);
	fake_size(r.m->f, S_SLAB_EXT, 8);
	bit(&r, M_SLAB_EXT_OBJCG, 0);
	hm_put(r.m, PAGES + SLAB_WITH * STRUCT_PAGE + AT_STEP, 0, 4);
	fill(&r, 8);
	CHECK(!build(&r) && !r.charges.n);
	arena_release(&r.mem);
	hm_put(r.m, PAGES + SLAB_WITH * STRUCT_PAGE + AT_STEP, 1, 4);
	point_slab(&r, HERE);
	CHECK(!build(&r) && !r.charges.n && !r.charges.unread);
	end(&r);
}

TEST(damage)
{
	struct rig r;

	start(&r, 1);
	fill(&r, 8);
	hm_point(r.m, VECTOR + 8, OBJCG + 64);	/* of no group */
	hm_point(r.m, OBJCG + 64 + 16, GROUP + 2 * SIZE_OF_GROUP);
	CHECK_EQ(build(&r), 1);
	CHECK(r.charges.n == 3 && r.charges.v[2].cgroup == NONE && r.charges.v[2].objects == 1);
	arena_release(&r.mem);
	point_slab(&r, fake_kva(r.m->f, NOWHERE) | HERE);
	CHECK_EQ(build(&r), 2);
	CHECK(!r.charges.n && r.charges.unread == 1);
	end(&r);
}
