/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: threads of RPC servers. */
#include "tests/unit/check.h"
#include "tests/unit/held_servers.h"

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
	struct held_machine *m = hm_rpc_arrays();

	hm_point(m, RQST1 + R_REPLY, CALL1 + 3 * 8);
	hm_point(m, RQST2 + R_REPLY, CALL2 + 8);
	check_machine(m, 2 * 3 + 1, 7);
}

/* No thread of a server: its data are something else, or it is a process. */
static void test_others(void)
{
	for (int i = 0; i < 3; i++) {
		struct held_machine *m = hm_rpc();

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

static void count_more(struct held_machine *m) { hm_put(m, POOL + POOL_COUNT, 3, 4); }
static void stranger(struct held_machine *m) { hm_point(m, RQST2 + R_SERVER, POOL); }
static void astray(struct held_machine *m) { hm_put(m, RQST1, 0x123456789abcdef0, 8); }
static void no_page(struct held_machine *m) { hm_put(m, RQST2 + R_PAGES, 0x123456789abcdef0, 8); }
static void gone(struct held_machine *m) { fake_drop(m->f, CALL1); }
static void huge(struct held_machine *m) { hm_put(m, RQST2 + R_MAXPAGES, UINT64_MAX, 8); }

/* Whether it is a thread of a server is not known. */
static void unknown(void (*alter)(struct held_machine *m))
{
	struct held_machine *m = hm_rpc();

	alter(m);
	hm_build(m);
	CHECK_EQ(hm_owner(m, SERVER, CLASS_RPC)->pages, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void no_kthread(struct held_machine *m) { hm_put(m, TASK + 0x20, 0x123456789abcdef0, 8); }
static void no_data(struct held_machine *m) { fake_drop(m->f, KTHREAD); }
static void no_server(struct held_machine *m) { hm_put(m, RQST1 + R_SERVER, 0x1000, 8); }

int main(void)
{
	check_machine(hm_rpc(), 2 * (RPC_ARRAY - 1) + 1, 4);
	check_machine(hm_rpc_arrays(), 2 * 6 + 1, 9);
	test_one_array();
	test_others();
	damaged(hm_rpc(), count_more);
	damaged(hm_rpc(), stranger);
	damaged(hm_rpc(), astray);
	damaged(hm_rpc(), no_page);
	damaged(hm_rpc_arrays(), gone);
	damaged(hm_rpc_arrays(), huge);
	unknown(no_kthread);
	unknown(no_data);
	unknown(no_server);
	return check_done();
}
