/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: a kernel that kexec loaded. */
#include "tests/unit/check.h"
#include "tests/unit/held_servers.h"

static void test_image(void)
{
	struct held_machine *m = hm_kexec();

	hm_build(m);
	/* two of the list, three of the kernel, three that start it */
	CHECK_EQ(hm_owner(m, IMAGE, CLASS_KEXEC)->pages, 8);
	CHECK_EQ(m->c.count[CLASS_BOOT].pages, 0);
	CHECK_EQ(hm_owner(m, IMAGE, CLASS_SLAB)->size, OBJECT);
	CHECK(hm_owner(m, IMAGE, CLASS_KEXEC)->kernel);
	CHECK(!hm_owner(m, IMAGE, CLASS_KEXEC)->incomplete);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

static void test_lost(void)
{
	struct held_machine *m = hm_kexec();

	fake_drop(m->f, KEXEC_VAR);
	hm_build(m);
	CHECK_EQ(m->c.count[CLASS_KEXEC].pages, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void test_none(void)
{
	struct held_machine *m = hm_kexec();

	hm_put(m, KEXEC_VAR, 0, 8);
	hm_build(m);
	CHECK_EQ(m->c.count[CLASS_KEXEC].pages, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

static void damaged(void (*alter)(struct held_machine *m))
{
	struct held_machine *m = hm_kexec();

	alter(m);
	hm_build(m);
	CHECK(hm_owner(m, IMAGE, CLASS_SLAB)->incomplete);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void cycle(struct held_machine *m) { hm_put(m, LIST2 + 8, LIST1 | NEXT, 8); }
static void astray(struct held_machine *m) { hm_put(m, LIST2 + 8, 0x123456789a000 | NEXT, 8); }

/* What lies at address 0 is no list. */
static void no_list(struct held_machine *m)
{
	hm_put(m, IMAGE, (FREE + 0x2000) | SOURCE, 8);
	hm_put(m, 8, DONE, 8);
}

static void torn(struct held_machine *m) { hm_put(m, hm_lru(CONTROL2), 0x123456789abcdef0, 8); }
static void order(struct held_machine *m) { hm_put(m, hm_lru(CONTROL1) - P_LRU + P_PRIVATE, 64, 8); }
static void cma(struct held_machine *m) { hm_put(m, IMAGE + I_CMA + 8, hm_page(m, FREE), 8); }

int main(void)
{
	test_image();
	test_none();
	test_lost();
	damaged(cycle);
	damaged(astray);
	damaged(no_list);
	damaged(torn);
	damaged(order);
	damaged(cma);
	return check_done();
}
