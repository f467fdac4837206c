/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory in slabs: POSIX queues, semaphores, epoll, watches, tries of BPF. */
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"

static void check_slab(struct held_machine *m, uint64_t at, uint64_t objects)
{
	const struct owner *o;

	hm_build(m);
	o = hm_owner(m, at, CLASS_SLAB);
	CHECK_EQ(o->size, objects * OBJECT);
	CHECK(!o->incomplete);
	CHECK_EQ(o->nholders, 1);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

/* No process holds them. */
static void test_ipc(void)
{
	struct held_machine *m = hm_ipc();
	const struct owner *o;

	hm_build(m);
	o = hm_owner(m, OBJECT_AT, CLASS_SLAB);
	CHECK_EQ(o->size, OBJECT);
	CHECK_STR(o->what ? o->what : "", "id 5 key 0xabc: 250");
	CHECK(o->kernel && !o->nholders);
	/* the queue, two messages, of which one has a segment */
	o = hm_owner(m, OTHER, CLASS_SLAB);
	CHECK_EQ(o->size, 4 * OBJECT);
	CHECK_STR(o->what ? o->what : "", "id 6 key 0: 2 messages");
	CHECK(o->kernel && !o->nholders);
	/* a queue of POSIX and its spare node */
	o = hm_owner(m, INODE_AT - 0x10, CLASS_SLAB);
	CHECK_EQ(o->size, 2 * OBJECT);
	CHECK(o->kernel && !o->nholders);
	hm_free(m);
}

/* A node that is its own child, which ends. */
static void test_trie_loop(void)
{
	struct held_machine *m = hm_trie();

	hm_point(m, NODE2, NODE1);
	hm_build(m);
	CHECK_EQ(hm_owner(m, OBJECT_AT, CLASS_SLAB)->size, 4 * OBJECT);
	CHECK(hm_owner(m, OBJECT_AT, CLASS_SLAB)->incomplete);
	hm_free(m);
}

int main(void)
{
	/* the epoll, three items, one wait */
	check_slab(hm_epoll(), OBJECT_AT, 5);
	/* two waits */
	check_slab(hm_epoll_list(), OBJECT_AT, 6);
	/* the group, two marks, a connector */
	check_slab(hm_inotify(), OBJECT_AT, 4);
	/* the queue, the node, two messages, a segment */
	check_slab(hm_mqueue(), INODE_AT - 0x10, 5);
	/* the map and three nodes */
	check_slab(hm_trie(), OBJECT_AT, 4);
	test_ipc();
	test_trie_loop();
	return check_done();
}
