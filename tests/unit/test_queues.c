/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory in slabs: POSIX queues, semaphores, epoll, watches, tries of BPF. */
#include "tests/unit/check.h"
#include "tests/unit/held_machine.h"

enum { FILE_AT = 0x2300, INODE_AT = 0x3500, SB_AT = 0x3600, DENTRY = 0x3700, NAME_AT = 0x3740,
       OBJECT_AT = 0x7000, NODE1 = 0x7100, NODE2 = 0x7180, NODE3 = 0x7200, WAIT = 0x7280,
       MSG1 = 0x7300, MSG2 = 0x7380, SEGMENT = 0x7400, NS = 0x8000, IDR_SEM = NS + 0x20 };

/* The process has one more file, of the file system MAGIC, whose name is NAME. */
static struct held_machine *machine(uint64_t magic, const char *name)
{
	struct held_machine *m = hm_new();

	fake_member(m->f, M_FILE_DENTRY, 24, 8);
	fake_member(m->f, M_DENTRY_NAME, 0, 8);
	fake_member(m->f, M_RB_LEFT, 0, 8);
	fake_member(m->f, M_RB_RIGHT, 8, 8);
	hm_point(m, FDS + 40, FILE_AT);
	hm_put(m, SB_AT, magic, 8);
	hm_file(m, FILE_AT, INODE_AT, SB_AT, 0100600, 77);
	hm_point(m, FILE_AT + 8, OBJECT_AT);
	hm_point(m, FILE_AT + 24, DENTRY);
	hm_point(m, DENTRY, NAME_AT);
	fake_put(m->f, NAME_AT, name, 16);
	return m;
}

/* A node, and one to its left and its right. */
static void put_tree(struct held_machine *m)
{
	hm_point(m, NODE1, NODE2);
	hm_point(m, NODE1 + 8, NODE3);
	for (unsigned i = 0; i < 16; i += 8) {
		hm_put(m, NODE2 + i, 0, 8);
		hm_put(m, NODE3 + i, 0, 8);
	}
}

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

static void test_epoll(void)
{
	struct held_machine *m = machine(0x09041934, "[eventpoll]\0\0\0\0");

	fake_member(m->f, M_EPOLL_TREE, 16, 8);
	fake_member(m->f, M_EPITEM_NODE, 0, 24);
	fake_member(m->f, M_EPITEM_WAITS, 64, 8);
	fake_member(m->f, M_EPWAIT_NEXT, 0, 8);
	hm_point(m, OBJECT_AT + 16, NODE1);
	put_tree(m);
	hm_put(m, NODE1 + 64, 0, 8);
	hm_put(m, NODE2 + 64, 0, 8);
	hm_point(m, NODE3 + 64, WAIT);
	hm_put(m, WAIT, 0, 8);
	/* the epoll, three items, one wait */
	check_slab(m, OBJECT_AT, 5);
}

/* Until 5.10 the waits of an item are a list. */
static void test_epoll_list(void)
{
	struct held_machine *m = machine(0x09041934, "[eventpoll]\0\0\0\0");

	fake_member(m->f, M_EPOLL_TREE, 16, 8);
	fake_member(m->f, M_EPITEM_NODE, 0, 24);
	fake_member(m->f, M_EPITEM_WAITS, 64, 16);
	fake_member(m->f, M_EPWAIT_LINK, 8, 16);
	hm_point(m, OBJECT_AT + 16, NODE1);
	put_tree(m);
	hm_queue(m, NODE1 + 64, 0, 0);
	hm_queue(m, NODE2 + 64, WAIT + 8, MSG1 + 8);
	hm_queue(m, NODE3 + 64, 0, 0);
	/* the epoll, three items, two waits */
	check_slab(m, OBJECT_AT, 6);
}

static void test_watches(void)
{
	struct held_machine *m = machine(0x09041934, "inotify\0\0\0\0\0\0\0\0");

	fake_member(m->f, M_FSN_MARKS, 16, 16);
	fake_member(m->f, M_FSN_MARK_LIST, 8, 16);
	fake_member(m->f, M_FSN_MARK_NEXT, 24, 8);
	fake_member(m->f, M_FSN_CONNECTOR, 32, 8);
	fake_member(m->f, M_FSN_CONNECTOR_FIRST, 16, 8);
	hm_queue(m, OBJECT_AT + 16, NODE1 + 8, NODE2 + 8);
	/* the file of the second has a mark of somebody else too */
	hm_put(m, NODE1 + 24, 0, 8);
	hm_point(m, NODE1 + 32, MSG1);
	hm_point(m, MSG1 + 16, NODE1 + 24);
	hm_put(m, NODE2 + 24, 0, 8);
	hm_point(m, NODE2 + 32, MSG2);
	hm_point(m, MSG2 + 16, NODE3 + 24);
	/* the group, two marks, a connector */
	check_slab(m, OBJECT_AT, 4);
}

static void state_queue(struct held_machine *m)
{
	fake_member(m->f, M_MQUEUE_INODE, 0x10, 64);
	fake_member(m->f, M_MQUEUE_TREE, 0x80, 8);
	fake_member(m->f, M_MQUEUE_CACHE, 0x88, 8);
	fake_member(m->f, M_MQNODE_LIST, 24, 16);
	fake_member(m->f, M_MSG_LIST, 0, 16);
	fake_member(m->f, M_MSG_NEXT, 16, 8);
	fake_member(m->f, M_MSGSEG_NEXT, 0, 8);
}

/* Messages of one priority, of which one has more than a page. */
static void test_mqueue(void)
{
	struct held_machine *m = machine(0x19800202, "q\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
	uint64_t queue = INODE_AT - 0x10;

	state_queue(m);
	hm_point(m, queue + 0x80, NODE1);
	hm_put(m, queue + 0x88, 0, 8);
	hm_put(m, NODE1, 0, 8);
	hm_put(m, NODE1 + 8, 0, 8);
	hm_queue(m, NODE1 + 24, MSG1, MSG2);
	hm_put(m, MSG1 + 16, 0, 8);
	hm_point(m, MSG2 + 16, SEGMENT);
	hm_put(m, SEGMENT, 0, 8);
	/* the queue, the node, two messages, a segment */
	check_slab(m, queue, 5);
}

/* No process holds it. */
static void test_semaphores(void)
{
	struct held_machine *m = hm_new();
	const struct owner *o;

	fake_symbol(m->f, Y_INIT_IPC_NS, fake_kva(m->f, NS));
	fake_array(m->f, M_IPC_IDS, 0x20, 0x40, 3);
	fake_member(m->f, M_IPC_IDR, 0, 16);
	fake_member(m->f, M_IDR_ROOT, 0, 16);
	fake_member(m->f, M_XA_HEAD, 0, 8);
	fake_member(m->f, M_XA_NODE_SHIFT, 0, 1);
	fake_array(m->f, M_XA_NODE_SLOTS, 16, 8, 64);
	fake_size(m->f, S_XA_NODE, 16 + 8 * 64);
	fake_member(m->f, M_MSGQ_MESSAGES, 0, 16);
	fake_member(m->f, M_IPC_ID, 0, 4);
	fake_member(m->f, M_IPC_KEY, 4, 4);
	fake_member(m->f, M_SEM_COUNT, 8, 4);
	hm_point(m, IDR_SEM, OBJECT_AT);
	hm_put(m, IDR_SEM + 0x40, 0, 8);
	hm_put(m, OBJECT_AT, 5, 4);
	hm_put(m, OBJECT_AT + 4, 0xabc, 4);
	hm_put(m, OBJECT_AT + 8, 250, 4);
	hm_build(m);
	o = hm_owner(m, OBJECT_AT, CLASS_SLAB);
	CHECK_EQ(o->size, OBJECT);
	CHECK_STR(o->what ? o->what : "", "id 5 key 0xabc: 250");
	CHECK(o->kernel && !o->nholders);
	hm_free(m);
}

/* A root and two nodes below it; then one that is its own child, which ends. */
static void test_trie(void)
{
	for (int loop = 0; loop < 2; loop++) {
		struct held_machine *m = machine(0x09041934, "bpf-map\0\0\0\0\0\0\0\0");

		fake_member(m->f, M_BPF_TYPE, 0, 4);
		fake_member(m->f, M_LPM_ROOT, 16, 8);
		fake_array(m->f, M_LPM_CHILD, 0, 8, 2);
		hm_put(m, OBJECT_AT, 11, 4);
		hm_point(m, OBJECT_AT + 16, NODE1);
		put_tree(m);
		if (loop)
			hm_point(m, NODE2, NODE1);
		hm_build(m);
		CHECK_EQ(hm_owner(m, OBJECT_AT, CLASS_SLAB)->size, 4 * OBJECT);
		CHECK_EQ(hm_owner(m, OBJECT_AT, CLASS_SLAB)->incomplete, loop);
		hm_free(m);
	}
}

int main(void)
{
	test_epoll();
	test_epoll_list();
	test_watches();
	test_mqueue();
	test_semaphores();
	test_trie();
	return check_done();
}
