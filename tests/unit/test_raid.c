/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: stripes of md arrays. */
#include "model/memory/owners/holding.h"
#include "tests/unit/check.h"
#include "tests/unit/held_servers.h"

/* Without the list of disks, which test_holders has. */
static struct owners read_it(struct held_machine *m)
{
	struct arena scratch = { 0 };
	struct owners ret = { 0 };
	struct holding h;

	holding_init(&h, &m->s, m->f->r, &scratch, &m->c, &m->areas);
	raid_read(&h, fake_kva(m->f, MD_DISK), "md7");
	holding_finish(&h, &m->mem, &ret);
	arena_release(&scratch);
	m->owners = ret;
	return ret;
}

static void test_stripes(void)
{
	struct held_machine *m = hm_raid();
	uint64_t cpu0 = 0x10;

	m->f->kernel.percpu = &cpu0;
	m->f->kernel.ncpus = 1;
	hm_point(m, CONF + C_CPUS, CPU_VAR);
	hm_put(m, CPU_VAR + cpu0, hm_page(m, FREE + 0x20000), 8);
	hm_point(m, CPU_VAR + cpu0 + 8, SCRIBBLE);
	/* one writes from the page of a bio; of another the kernel has a copy */
	hm_put(m, hm_stripe_device(STRIPE1, 0), hm_page(m, FREE + 0x10000), 8);
	hm_put(m, hm_stripe_device(STRIPE1, 0) + D_FLAGS, 1 << SKIP_COPY, 8);
	hm_put(m, hm_stripe_device(STRIPE1, 1) + D_OWN, hm_page(m, FREE + 0x11000), 8);
	read_it(m);
	CHECK_EQ(hm_owner(m, CONF, CLASS_STRIPES)->pages, 3 * DEVICES + 2);
	CHECK_EQ(m->chunk[(FREE + 0x10000) >> 12], CLASS_UNKNOWN);
	/* the array, its table, three stripes, and what a CPU has */
	CHECK_EQ(hm_owner(m, CONF, CLASS_SLAB)->size, 6 * OBJECT);
	CHECK_STR(hm_owner(m, CONF, CLASS_STRIPES)->what, "md7");
	CHECK(hm_owner(m, CONF, CLASS_STRIPES)->kernel);
	CHECK(!hm_owner(m, CONF, CLASS_STRIPES)->incomplete);
	hm_free(m);
}

/* Not of these levels, or another array than the disk's. */
static void test_others(void)
{
	for (int i = 0; i < 3; i++) {
		struct held_machine *m = hm_raid();

		if (i == 2)
			hm_point(m, MDDEV, CONF);
		else
			hm_put(m, MDDEV + MD_LEVEL, i ? (uint32_t)-1 : 1, 4);
		CHECK_EQ(read_it(m).n, 0);
		CHECK_EQ(fake_issues(m->f, "owner"), i == 2);
		hm_free(m);
	}
}

static void damaged(void (*alter)(struct held_machine *m))
{
	struct held_machine *m = hm_raid();
	struct owners owners;

	alter(m);
	owners = read_it(m);
	CHECK(!owners.n || owners.v[0].incomplete);
	hm_free(m);
}

static void count_more(struct held_machine *m) { hm_put(m, CONF + C_STRIPES, 4, 4); }
static void many(struct held_machine *m) { hm_put(m, CONF + C_DEVICES, UINT32_MAX, 4); }
static void cycle(struct held_machine *m) { hm_point(m, STRIPE2, STRIPE1); }
static void stranger(struct held_machine *m) { hm_point(m, STRIPE2 + S_CONF, MDDEV); }
static void astray(struct held_machine *m) { hm_put(m, STRIPE1, 0x123456789abcdef0, 8); }
static void torn(struct held_machine *m) { hm_put(m, STRIPE3 + S_LRU, 0x123456789abcdef0, 8); }
static void no_page(struct held_machine *m) { hm_put(m, hm_stripe_device(STRIPE3, 2) + D_OWN, 0x123456789abcdef0, 8); }
static void gone(struct held_machine *m) { fake_drop(m->f, TABLE); }
static void other(struct held_machine *m) { hm_point(m, CONF + C_MDDEV, CONF); }

int main(void)
{
	test_stripes();
	test_others();
	damaged(count_more);
	damaged(many);
	damaged(cycle);
	damaged(stranger);
	damaged(astray);
	damaged(torn);
	damaged(no_page);
	damaged(gone);
	damaged(other);
	return check_done();
}
