/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is charged with a page: a mem_cgroup, or an obj_cgroup that points to one. */
#include "facts/layout/cgroup.h"
#include "facts/layout/origin.h"
#include "model/memory/census/page_charge.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { GROUP = 0x2000, OBJCG = 0x3000, OTHER = 0x4000, DATA = 56, TO_GROUP = 16, CSS = 8, KMEM = 2, OBJECTS = 1 };

static uint64_t charge(struct fake *f, struct release version, uint64_t data)
{
	uint8_t page[64] = { 0 };
	struct pagefmt p = { .k = &f->kernel, .size = 64, .word = 8, .native64 = true };

	f->kernel.version = version;
	for (unsigned i = 0; i < 8; i++)
		page[DATA + i] = (uint8_t)(data >> 8 * i);
	return page_charge(&p, f->r, page);
}

TEST(kernel_memory)
{
	static const struct release v5_12 = { .major = 5, .minor = 12 }, v5_13 = { .major = 5, .minor = 13 };
	struct fake *f = fake_new(8, false);
	uint64_t group = fake_kva(f, GROUP), objcg = fake_kva(f, OBJCG);

	fake_members(f, { M_PAGE_MEMCG, DATA, 8 }, { M_MEMCG_CSS, CSS, 56 }, { M_OBJCG_MEMCG, TO_GROUP, 8 });
	fake_put_uint(f, OBJCG + TO_GROUP, fake_kva(f, GROUP), 8);
	fake_put_uint(f, GROUP + TO_GROUP, fake_kva(f, OTHER), 8);
	/* pages of processes and files have the group itself */
	CHECK_EQ(charge(f, v5_12, group), group + CSS);
	CHECK_EQ(charge(f, v5_13, group), group + CSS);
	CHECK_EQ(charge(f, v5_12, group | KMEM), group + CSS);
	CHECK_EQ(charge(f, v5_13, objcg | KMEM), group + CSS);
	CHECK_EQ(charge(f, v5_13, objcg | OBJECTS), 0);
	CHECK_EQ(charge(f, v5_13, 0), 0);
	fake_free(f);
}
