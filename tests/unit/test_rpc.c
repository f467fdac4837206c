/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: threads of RPC servers. */
#include "tests/unit/check.h"
#include "tests/unit/held_machine.h"

/* Physical addresses that the machine does not use. */
enum { KTHREAD = 0x7000, SERVER = 0x7100, POOL = 0x7200, NAME = 0x7300, RQST1 = 0x7400, RQST2 = 0x7800,
       ARGUMENTS = 0x7c00, CALL1 = 0x8000, CALL2 = 0x8100, REPLY1 = 0x8200, REPLY2 = 0x8300,
       BVEC = 0x8400 };
enum { R_SERVER = 16, R_POOL = 24, R_TASK = 32, R_ARGUMENTS = 40, R_SCRATCH = 48, R_MAXPAGES = 56,
       R_REPLY = 64, R_BVEC = 72, R_PAGES = 80, ARRAY = 5 };
enum { T_KTHREAD = 0x20, P_COUNT = 16 };
/* Frames from here on have no other owner. */
enum { FREE = DATA + 0x30000 };

static void state(struct fake *f)
{
	fake_member(f, M_TASK_KTHREAD, T_KTHREAD, 8);
	fake_member(f, M_KTHREAD_DATA, 0, 8);
	fake_member(f, M_RQST_ALL, 0, 16);
	fake_member(f, M_RQST_SERVER, R_SERVER, 8);
	fake_member(f, M_RQST_POOL, R_POOL, 8);
	fake_member(f, M_RQST_TASK, R_TASK, 8);
	fake_member(f, M_RQST_ARGUMENTS, R_ARGUMENTS, 8);
	fake_member(f, M_RQST_SCRATCH, R_SCRATCH, 8);
	fake_member(f, M_RQST_REPLY, R_REPLY, 8);
	fake_member(f, M_RPCPOOL_THREADS, 0, 16);
	fake_member(f, M_RPCPOOL_COUNT, P_COUNT, 4);
	fake_member(f, M_RPCSERV_NAME, 0, 8);
}

/* COUNT pointers to pages from PA on, and one that is empty. */
static void put_array(struct held_machine *m, uint64_t at, uint64_t pa, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		hm_put(m, at + 8 * i, hm_page(m, pa + 0x1000 * i), 8);
	hm_put(m, at + 8 * count, 0, 8);
}

static void put_thread(struct held_machine *m, uint64_t at)
{
	hm_point(m, at + R_SERVER, SERVER);
	hm_point(m, at + R_POOL, POOL);
	hm_put(m, at + R_TASK, 0, 8);
	hm_put(m, at + R_ARGUMENTS, 0, 8);
	hm_put(m, at + R_SCRATCH, 0, 8);
}

/* Two threads, of which the list of tasks has one. */
static struct held_machine *rpc_machine(void)
{
	struct held_machine *m = hm_new();

	state(m->f);
	m->task.flags = 0x200000;
	hm_point(m, TASK + T_KTHREAD, KTHREAD);
	hm_point(m, KTHREAD, RQST1);
	hm_point(m, SERVER, NAME);
	fake_put(m->f, NAME, "nfsd", 5);
	hm_queue(m, POOL, RQST1, RQST2);
	hm_put(m, POOL + P_COUNT, 2, 4);
	put_thread(m, RQST1);
	put_thread(m, RQST2);
	hm_point(m, RQST1 + R_TASK, TASK);
	hm_point(m, RQST1 + R_ARGUMENTS, ARGUMENTS);
	hm_put(m, RQST1 + R_SCRATCH, hm_page(m, FREE + 0x10000), 8);
	return m;
}

/* As in 6.12: an array in each, the end of which has the pages of the reply. */
static struct held_machine *old_machine(void)
{
	struct held_machine *m = rpc_machine();

	fake_array(m->f, M_RQST_PAGE_ARRAY, R_PAGES, 8, ARRAY);
	put_array(m, RQST1 + R_PAGES, FREE, ARRAY - 1);
	put_array(m, RQST2 + R_PAGES, FREE + 0x4000, ARRAY - 1);
	hm_point(m, RQST1 + R_REPLY, RQST1 + R_PAGES + 16);
	hm_point(m, RQST2 + R_REPLY, RQST2 + R_PAGES + 16);
	return m;
}

/* As in 7.3: two arrays for each thread. */
static struct held_machine *new_machine(void)
{
	struct held_machine *m = rpc_machine();

	fake_member(m->f, M_RQST_PAGES, R_PAGES, 8);
	fake_member(m->f, M_RQST_MAXPAGES, R_MAXPAGES, 8);
	fake_member(m->f, M_RQST_BVEC, R_BVEC, 8);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t rqst = i ? RQST2 : RQST1, call = i ? CALL2 : CALL1;

		hm_put(m, rqst + R_MAXPAGES, 3, 8);
		hm_point(m, rqst + R_PAGES, call);
		hm_point(m, rqst + R_REPLY, i ? REPLY2 : REPLY1);
		hm_put(m, rqst + R_BVEC, 0, 8);
		put_array(m, call, FREE + i * 0x8000, 3);
		put_array(m, i ? REPLY2 : REPLY1, FREE + i * 0x8000 + 0x3000, 3);
	}
	hm_point(m, RQST1 + R_BVEC, BVEC);
	return m;
}

static void check_machine(struct held_machine *m, unsigned pages, unsigned objects)
{
	hm_build(m);
	CHECK_EQ(hm_owner(m, SERVER, CLASS_RPC)->pages, pages);
	CHECK_EQ(hm_owner(m, SERVER, CLASS_SLAB)->size, objects * OBJECT);
	CHECK_STR(hm_owner(m, SERVER, CLASS_RPC)->what, "nfsd");
	CHECK(hm_owner(m, SERVER, CLASS_RPC)->kernel);
	CHECK(!hm_owner(m, SERVER, CLASS_RPC)->incomplete);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

/* As between them: arrays that were allocated; the reply is in that of the call. */
static void test_one_array(void)
{
	struct held_machine *m = new_machine();

	hm_point(m, RQST1 + R_REPLY, CALL1 + 3 * 8);
	hm_point(m, RQST2 + R_REPLY, CALL2 + 8);
	check_machine(m, 2 * 3 + 1, 7);
}

/* No thread of a server: its data are something else, or it is a process. */
static void test_others(void)
{
	for (int i = 0; i < 3; i++) {
		struct held_machine *m = old_machine();

		if (i == 0)
			hm_point(m, RQST1 + R_TASK, KTHREAD);
		else if (i == 1)
			m->task.flags = 0;
		else
			hm_put(m, KTHREAD, 0, 8);
		hm_build(m);
		CHECK_EQ(hm_owner(m, SERVER, CLASS_RPC)->pages, 0);
		CHECK_EQ(fake_issues(m->f, "owner"), 0);
		hm_free(m);
	}
}

static void damaged(struct held_machine *m, void (*alter)(struct held_machine *m))
{
	alter(m);
	hm_build(m);
	CHECK(hm_owner(m, SERVER, CLASS_SLAB)->incomplete);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void count_more(struct held_machine *m) { hm_put(m, POOL + P_COUNT, 3, 4); }
static void stranger(struct held_machine *m) { hm_point(m, RQST2 + R_SERVER, POOL); }
static void astray(struct held_machine *m) { hm_put(m, RQST1, 0x123456789abcdef0, 8); }
static void no_page(struct held_machine *m) { hm_put(m, RQST2 + R_PAGES, 0x123456789abcdef0, 8); }
static void gone(struct held_machine *m) { fake_drop(m->f, CALL1); }
static void huge(struct held_machine *m) { hm_put(m, RQST2 + R_MAXPAGES, UINT64_MAX, 8); }

int main(void)
{
	check_machine(old_machine(), 2 * (ARRAY - 1) + 1, 4);
	check_machine(new_machine(), 2 * 6 + 1, 9);
	test_one_array();
	test_others();
	damaged(old_machine(), count_more);
	damaged(old_machine(), stranger);
	damaged(old_machine(), astray);
	damaged(old_machine(), no_page);
	damaged(new_machine(), gone);
	damaged(new_machine(), huge);
	return check_done();
}
