/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: what was written to disks in memory. */
#include "model/memory/owners/owners.h"
#include "tests/unit/check.h"
#include "tests/unit/held_hidden.h"

TEST(pages)
{
	struct held_machine *m = hm_ramdisk();
	const struct owner *o;

	hm_build(m);
	o = hm_owner(m, BRD, CLASS_RAMDISK);
	CHECK_EQ(o->kind, OWNER_RAMDISK);
	CHECK_EQ(o->pages, 3);
	CHECK_EQ(o->size, 3 * 4096);
	CHECK_STR(o->what, "ram7");
	CHECK(o->kernel && !o->incomplete && !o->nholders);
	CHECK_EQ(m->c.count[CLASS_RAMDISK].pages, 3);
	/* the disk's own object */
	CHECK_EQ(hm_owner(m, BRD, CLASS_SLAB)->size, OBJECT);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

/* Nothing was written; of 5.10 it is not known how many pages there are. */
TEST(others)
{
	struct held_machine *m = hm_ramdisk();

	hm_put(m, BRD + B_PAGES, 0, 8);
	hm_put(m, BRD + B_COUNT, 0, 8);
	hm_build(m);
	CHECK_EQ(m->c.count[CLASS_RAMDISK].pages, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

/* Another's structure is none of this disk. */
TEST(stranger)
{
	struct held_machine *m = hm_ramdisk();

	hm_point(m, BRD + B_DISK, BRD);
	hm_build(m);
	CHECK_EQ(m->c.count[CLASS_RAMDISK].pages, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void check_damaged(void (*alter)(struct held_machine *m), uint64_t pages)
{
	struct held_machine *m = hm_ramdisk();

	alter(m);
	hm_build(m);
	CHECK(hm_owner(m, BRD, CLASS_SLAB)->incomplete);
	CHECK_EQ(m->c.count[CLASS_RAMDISK].pages, pages);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void count_more(struct held_machine *m) { hm_put(m, BRD + B_COUNT, 4, 8); }
static void count_less(struct held_machine *m) { hm_put(m, BRD + B_COUNT, 2, 8); }
static void twice(struct held_machine *m) { hm_put(m, BRD_NODE + BRD_SLOTS + 16, hm_page(m, HIDDEN), 8); }
static void value(struct held_machine *m) { hm_put(m, BRD_NODE + BRD_SLOTS, hm_page(m, HIDDEN) | 1, 8); }
static void astray(struct held_machine *m) { hm_put(m, BRD_NODE + BRD_SLOTS, 0x123456789abcde00, 8); }
static void lost(struct held_machine *m) { hm_put(m, BRD + B_PAGES, 0xffff888012345002, 8); }

TEST(damaged)
{
	check_damaged(count_more, 3);
	check_damaged(count_less, 3);
	check_damaged(twice, 3);
	check_damaged(value, 2);
	check_damaged(astray, 2);
	check_damaged(lost, 0);
}
