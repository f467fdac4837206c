/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: a kernel that kexec loaded. */
#include "tests/unit/check.h"
#include "tests/unit/held_machine.h"

/* Physical addresses that the machine does not use. */
enum { VARIABLE = 0x7000, IMAGE = 0x7100 };
enum { I_CONTROL = 16, I_CMA = 32, SEGMENTS = 2, P_LRU = 24, P_PRIVATE = 40 };
enum { DESTINATION = 1, NEXT = 2, DONE = 4, SOURCE = 8 };
/* Frames from here on have no other owner. */
enum { FREE = DATA + 0x30000, LIST1 = FREE, LIST2 = FREE + 0x1000, CONTROL1 = FREE + 0x10000,
       CONTROL2 = FREE + 0x14000 };

static uint64_t lru(uint64_t pa)
{
	return PAGES + (pa >> 12) * STRUCT_PAGE + P_LRU;
}

static struct held_machine *kexec_machine(void)
{
	struct held_machine *m = hm_new();

	fake_symbol(m->f, Y_KEXEC_IMAGE, fake_kva(m->f, VARIABLE));
	fake_member(m->f, M_KIMAGE_HEAD, 0, 8);
	fake_member(m->f, M_KIMAGE_CONTROL, I_CONTROL, 16);
	fake_array(m->f, M_KIMAGE_CMA, I_CMA, 8, SEGMENTS);
	fake_member(m->f, M_PAGE_LRU, P_LRU, 16);
	fake_member(m->f, M_PAGE_PRIVATE, P_PRIVATE, 8);
	hm_point(m, VARIABLE, IMAGE);
	hm_put(m, IMAGE, LIST1 | NEXT, 8);
	hm_put(m, LIST1, 0x1000000 | DESTINATION, 8);
	hm_put(m, LIST1 + 8, (FREE + 0x2000) | SOURCE, 8);
	hm_put(m, LIST1 + 16, (FREE + 0x3000) | SOURCE, 8);
	hm_put(m, LIST1 + 24, LIST2 | NEXT, 8);
	hm_put(m, LIST2, (FREE + 0x4000) | SOURCE, 8);
	hm_put(m, LIST2 + 8, DONE, 8);
	hm_put(m, IMAGE + I_CMA, 0, 8);
	hm_put(m, IMAGE + I_CMA + 8, 0, 8);
	hm_queue(m, IMAGE + I_CONTROL, lru(CONTROL1), lru(CONTROL2));
	hm_put(m, lru(CONTROL1) - P_LRU + P_PRIVATE, 1, 8);
	hm_put(m, lru(CONTROL2) - P_LRU + P_PRIVATE, 0, 8);
	/* what was reserved is of no other class */
	m->chunk[(FREE + 0x2000) >> 12] = CLASS_BOOT;
	m->c.count[CLASS_BOOT].pages = 1;
	return m;
}

static void test_image(void)
{
	struct held_machine *m = kexec_machine();

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

static void test_none(void)
{
	struct held_machine *m = kexec_machine();

	hm_put(m, VARIABLE, 0, 8);
	hm_build(m);
	CHECK_EQ(m->c.count[CLASS_KEXEC].pages, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

static void damaged(void (*alter)(struct held_machine *m))
{
	struct held_machine *m = kexec_machine();

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


static void torn(struct held_machine *m) { hm_put(m, lru(CONTROL2), 0x123456789abcdef0, 8); }
static void order(struct held_machine *m) { hm_put(m, lru(CONTROL1) - P_LRU + P_PRIVATE, 64, 8); }
static void cma(struct held_machine *m) { hm_put(m, IMAGE + I_CMA + 8, hm_page(m, FREE), 8); }

int main(void)
{
	test_image();
	test_none();
	damaged(cycle);
	damaged(astray);
	damaged(no_list);
	damaged(torn);
	damaged(order);
	damaged(cma);
	return check_done();
}
