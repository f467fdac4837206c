/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: stripes of md arrays. */
#include "model/holder/holding.h"
#include "tests/unit/check.h"
#include "tests/unit/held_machine.h"

/* Physical addresses that the machine does not use. */
enum { DISK = 0x7000, MDDEV = 0x7100, CONF = 0x7200, TABLE = 0x9000, STRIPE1 = 0x7400, STRIPE2 = 0x7600,
       STRIPE3 = 0x7800, CPU_VAR = 0x7a00, SCRIBBLE = 0x7b00 };
enum { MD_LEVEL = 8, MD_CONF = 16, C_MDDEV = 0, C_HASH = 8, C_LISTS = 16, LISTS = 2, C_STRIPES = 48,
       C_DEVICES = 52, C_CPUS = 56 };
enum { S_LRU = 16, S_CONF = 32, S_DEVICES = 40, DEVICE = 24, D_OWN = 8, D_FLAGS = 16, DEVICES = 3 };
enum { SKIP_COPY = 5 };
/* Frames from here on have no other owner. */
enum { FREE = DATA + 0x30000 };

static void state(struct fake *f)
{
	fake_member(f, M_DISK_PRIVATE, 0, 8);
	fake_member(f, M_MD_DISK, 0, 8);
	fake_member(f, M_MD_LEVEL, MD_LEVEL, 4);
	fake_member(f, M_MD_PRIVATE, MD_CONF, 8);
	fake_member(f, M_R5_ARRAY, C_MDDEV, 8);
	fake_member(f, M_R5_HASH, C_HASH, 8);
	fake_array(f, M_R5_INACTIVE, C_LISTS, 16, LISTS);
	fake_member(f, M_R5_STRIPES, C_STRIPES, 4);
	fake_member(f, M_R5_DEVICES, C_DEVICES, 4);
	fake_member(f, M_R5_CPUS, C_CPUS, 8);
	fake_member(f, M_R5CPU_PAGE, 0, 8);
	fake_member(f, M_R5CPU_SCRIBBLE, 8, 8);
	fake_member(f, M_STRIPE_HASH, 0, 16);
	fake_member(f, M_STRIPE_LIST, S_LRU, 16);
	fake_member(f, M_STRIPE_CONF, S_CONF, 8);
	fake_member(f, M_STRIPE_DEVICES, S_DEVICES, 0);
	fake_size(f, S_R5DEV, DEVICE);
	fake_member(f, M_R5DEV_PAGE, 0, 8);
	fake_member(f, M_R5DEV_OWN, D_OWN, 8);
	fake_member(f, M_R5DEV_FLAGS, D_FLAGS, 8);
	fake_enum(f, E_R5_SKIP_COPY, SKIP_COPY);
}

static uint64_t device(uint64_t stripe, unsigned i)
{
	return stripe + S_DEVICES + i * DEVICE;
}

static void put_stripe(struct held_machine *m, uint64_t at, uint64_t next, uint64_t pa)
{
	hm_put(m, at, next ? fake_kva(m->f, next) : 0, 8);
	hm_point(m, at + S_CONF, CONF);
	for (unsigned i = 0; i < DEVICES; i++) {
		hm_put(m, device(at, i), hm_page(m, pa + i * 0x1000), 8);
		hm_put(m, device(at, i) + D_OWN, hm_page(m, pa + i * 0x1000), 8);
		hm_put(m, device(at, i) + D_FLAGS, 0, 8);
	}
}

/* The first two are in the hash table, the second and third are not in use. */
static struct held_machine *raid_machine(void)
{
	struct held_machine *m = hm_new();

	state(m->f);
	hm_point(m, DISK, MDDEV);
	hm_point(m, MDDEV, DISK);
	hm_put(m, MDDEV + MD_LEVEL, 5, 4);
	hm_point(m, MDDEV + MD_CONF, CONF);
	hm_point(m, CONF + C_MDDEV, MDDEV);
	hm_point(m, CONF + C_HASH, TABLE);
	hm_put(m, CONF + C_STRIPES, 3, 4);
	hm_put(m, CONF + C_DEVICES, DEVICES, 4);
	hm_put(m, CONF + C_CPUS, 0, 8);
	for (unsigned i = 0; i < 0x1000; i += 8)
		hm_put(m, TABLE + i, 0, 8);
	hm_point(m, TABLE + 0xff8, STRIPE1);
	put_stripe(m, STRIPE1, STRIPE2, FREE);
	put_stripe(m, STRIPE2, 0, FREE + 0x4000);
	put_stripe(m, STRIPE3, 0, FREE + 0x8000);
	hm_queue(m, CONF + C_LISTS, 0, 0);
	hm_queue(m, CONF + C_LISTS + 16, STRIPE2 + S_LRU, STRIPE3 + S_LRU);
	return m;
}

/* Without the list of disks, which test_holders has. */
static struct owners read_it(struct held_machine *m)
{
	struct arena scratch = { 0 };
	struct owners ret = { 0 };
	struct holding h;

	holding_init(&h, &m->s, m->f->r, &scratch, &m->c, &m->areas);
	raid_read(&h, fake_kva(m->f, DISK), "md7");
	holding_finish(&h, &m->mem, &ret);
	arena_release(&scratch);
	m->owners = ret;
	return ret;
}

static void test_stripes(void)
{
	struct held_machine *m = raid_machine();
	uint64_t cpu0 = 0x10;

	m->f->kernel.percpu = &cpu0;
	m->f->kernel.ncpus = 1;
	hm_point(m, CONF + C_CPUS, CPU_VAR);
	hm_put(m, CPU_VAR + cpu0, hm_page(m, FREE + 0x20000), 8);
	hm_point(m, CPU_VAR + cpu0 + 8, SCRIBBLE);
	/* one writes from the page of a bio; of another the kernel has a copy */
	hm_put(m, device(STRIPE1, 0), hm_page(m, FREE + 0x10000), 8);
	hm_put(m, device(STRIPE1, 0) + D_FLAGS, 1 << SKIP_COPY, 8);
	hm_put(m, device(STRIPE1, 1) + D_OWN, hm_page(m, FREE + 0x11000), 8);
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

/* Not of these levels, or no array at all. */
static void test_others(void)
{
	for (int i = 0; i < 3; i++) {
		struct held_machine *m = raid_machine();

		if (i == 2)
			hm_point(m, MDDEV, CONF);
		else
			hm_put(m, MDDEV + MD_LEVEL, i ? (uint32_t)-1 : 1, 4);
		CHECK_EQ(read_it(m).n, 0);
		hm_free(m);
	}
}

static void damaged(void (*alter)(struct held_machine *m))
{
	struct held_machine *m = raid_machine();
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
static void no_page(struct held_machine *m) { hm_put(m, device(STRIPE3, 2) + D_OWN, 0x123456789abcdef0, 8); }
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
