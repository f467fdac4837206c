/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /sys/kernel/debug/page_owner says of each frame, on a machine made by hand. */
#include "model/kernel/origin/allocations.h"
#include "tests/unit/allocated.h"
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"

static unsigned met;

static void one(void *arg, const struct allocations_shown *x, const struct page_allocation *a)
{
	bool first = a->pfn == MORE >> 12, block = a->pfn == (MORE >> 12) + 4;

	(void)arg;
	met++;
	CHECK(x->time && x->pid && x->tgid && x->comm && x->charge);
	CHECK_EQ(a->order, block ? 2 : 0);
	CHECK_EQ(a->gfp, 0xdc0);
	CHECK_EQ(a->pid, 42);
	CHECK_EQ(a->tgid, 40);
	CHECK_EQ(a->time, 5000000000 + a->pfn);
	CHECK_STR(a->comm, "worker");
	CHECK_STR(a->type, "Movable");
	CHECK_STR(a->wanted, "Unmovable");
	CHECK_STR(a->reason ? a->reason : "none", block ? "memory_failure" : "none");
	CHECK_STR(a->charged ? a->charged : "none", first || block ? "user.slice" : "none");
	CHECK_EQ(a->by_objcg, first);
	CHECK(a->online);
	CHECK_EQ(a->depth, 2);
	CHECK(a->depth == 2 && a->address[0] == 0x1111 && a->address[1] == 0x2222);
}

static void test(struct held_machine *m)
{
	met = 0;
	CHECK_EQ(page_allocations_each(&m->s, one, NULL), ST_OK);
	CHECK_EQ(met, 3);
	CHECK_EQ(issues_total(m->f->kernel.issues), 0);
	hm_free(m);
}

static void none(void *arg, const struct allocations_shown *x, const struct page_allocation *a)
{
	(void)arg, (void)x, (void)a;
}

/* What is not readable is an issue, also if nothing is left to show. */
static void test_damaged(void)
{
	static const struct { uint64_t at, value; unsigned size; } lies[] = {
		{ PAGES + (MORE >> 12) * STRUCT_PAGE + 56, 0x1000, 8 },	/* who is charged */
		{ AL_GFP + 8, 0x1000, 8 },				/* the name of a flag */
		{ AL_POOL + 0x40 + 20, 0, 4 },				/* frames of the stack */
	}, lost[] = {
		{ AL_VARS, 0, 0 }, { AL_FLAGS, 0, 0 }, { AL_SECTION_AT, 0, 0 }, { AL_POOL, 0, 0 },
	};

	for (size_t i = 0; i < 7; i++) {
		struct held_machine *m = hm_page_owner_new();

		if (i < 3)
			hm_put(m, lies[i].at, lies[i].value, lies[i].size);
		else
			fake_drop(m->f, lost[i - 3].at);
		page_allocations_each(&m->s, none, NULL);
		if (!CHECK(issues_total(m->f->kernel.issues)))
			printf("damage %u\n", (unsigned)i);
		hm_free(m);
	}
}

int main(void)
{
	test(hm_page_owner());
	test(hm_page_owner_new());
	test_damaged();
	return check_done();
}
