/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: pipes, sockets and what they carry, on a machine made by hand. */
#include "facts/layout/holder.h"
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"

static void check_held(const struct held_machine *m, const struct owner *o)
{
	CHECK_EQ(o->nholders, 1);
	CHECK(o->nholders && m->owners.holder[o->first_holder] == 0);
	CHECK(!o->kernel);
}

TEST(whole)
{
	struct held_machine *m = hm_new();
	const struct owner *o;

	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	/* three slots are used, of which two lie before the wrap */
	o = hm_owner(m, PIPE, CLASS_PIPE);
	CHECK_EQ(o->pages, 3);
	CHECK_EQ(o->size, 3 * 4096);
	CHECK_STR(o->what, "pipe:[7]");
	check_held(m, o);
	/* the pipe, and its array */
	CHECK_EQ(hm_owner(m, PIPE, CLASS_SLAB)->size, 2 * OBJECT);
	/* a folio counts once, however many fragments it has */
	o = hm_owner(m, SK, CLASS_SOCKET);
	CHECK_EQ(o->pages, 4);
	check_held(m, o);
	/* the socket, two sk_buffs with heads, the list of files */
	CHECK_EQ(hm_owner(m, SK, CLASS_SLAB)->size, 6 * OBJECT);
	/* the pipe in flight: who has the socket holds it */
	o = hm_owner(m, SENT, CLASS_PIPE);
	CHECK_EQ(o->pages, 2);
	check_held(m, o);
	CHECK_EQ(m->c.count[CLASS_PIPE].pages, 5);
	CHECK_EQ(m->c.count[CLASS_SOCKET].pages, 4);
	hm_free(m);
}

/* To 2.6.34: the slots are in the pipe, which says which is the first and how many are used. */
TEST(slots_inside)
{
	struct held_machine *m = hm_new();

	m->f->kernel.layout.v[M_PIPE_HEAD].alt = m->f->kernel.layout.v[M_PIPE_SLOTS].alt = -1;
	fake_member(m->f, M_PIPE_FIRST, PIPE_TAIL, 4);
	fake_member(m->f, M_PIPE_USED, PIPE_HEAD, 4);
	fake_array(m->f, M_PIPE_BUFS, PIPE_BUFS, BUFFER, SLOTS);
	hm_pipe(m, PIPE, PIPE + PIPE_BUFS, SLOTS - 1, 2, DATA);
	hm_put(m, PIPE + PIPE_HEAD, 2, 4);
	hm_put(m, SENT + PIPE_HEAD, SLOTS + 1, 4);	/* more than there are */
	hm_put(m, PIPE + PIPE_BUFS, hm_page(m, DATA + 0x1000), 8);
	hm_build(m);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_PIPE)->pages, 2);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_SLAB)->size, OBJECT);
	CHECK(hm_owner(m, SENT, CLASS_PIPE)->pages == 0);
	hm_free(m);
}

/* A page in two pipes is the first one's; pages of others stay theirs. */
TEST(shared)
{
	struct held_machine *m = hm_new();

	hm_put(m, SENT_BUFS, hm_page(m, DATA), 8);
	m->chunk[(DATA >> 12) + 1] = CLASS_FILE;
	hm_build(m);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_PIPE)->pages, 2);
	CHECK_EQ(hm_owner(m, SENT, CLASS_PIPE)->pages, 1);
	CHECK_EQ(page_class_at(&m->c, (DATA >> 12) + 1), CLASS_FILE);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_FILE)->size, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

/* Damage ends, is told, and the rest is still found. */
TEST(damaged)
{
	struct held_machine *m = hm_new();

	hm_put(m, PIPE + PIPE_HEAD, 1000, 4);	/* more slots than there are */
	hm_point(m, HEAD + HEAD_BYTES + INFO_LIST, SKB);	/* a fragment list that comes back */
	hm_put(m, HEAD2 + HEAD_BYTES + INFO_NR, 200, 1);
	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 2);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_PIPE)->pages, 0);
	CHECK(hm_owner(m, SK, CLASS_SOCKET)->incomplete);
	CHECK_EQ(hm_owner(m, SENT, CLASS_PIPE)->pages, 2);
	hm_free(m);
}

/* A queue whose links do not agree, and one that is not in the dump. */
TEST(broken_queue)
{
	struct held_machine *m = hm_new();

	hm_point(m, SKB2 + 8, SKB2);
	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	CHECK(hm_owner(m, SK, CLASS_SOCKET)->incomplete);
	hm_free(m);
	m = hm_new();
	fake_drop(m->f, SK);	/* and all that is in its page */
	hm_build(m);
	CHECK_EQ(fake_issues(m->f, "open file"), 1);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_PIPE)->pages, 3);
	hm_free(m);
}

/* A page that a process gave to a pipe is the pipe's when nobody maps it; it stays anonymous. */
TEST(borrowed)
{
	struct held_machine *m = hm_new();

	m->chunk[DATA >> 12] = CLASS_ANON;
	m->chunk[(DATA >> 12) + 1] = CLASS_ANON | 0x80; /* mapped */
	m->chunk[(DATA >> 12) + 2] = CLASS_FILE;
	hm_build(m);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_ANON)->pages, 1);
	CHECK_EQ(hm_owner(m, PIPE, CLASS_PIPE)->pages, 0);
	CHECK_EQ(page_class_at(&m->c, DATA >> 12), CLASS_ANON);
	CHECK_EQ(m->c.conflict[CLASS_ANON][CLASS_PIPE].frames, 0);
	CHECK_EQ(m->c.conflict[CLASS_FILE][CLASS_PIPE].frames, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
	m = hm_new();
	m->chunk[DATA >> 12] = CLASS_FREE; /* no pipe can have a free page */
	hm_build(m);
	CHECK_EQ(m->c.conflict[CLASS_FREE][CLASS_PIPE].frames, 1);
	hm_free(m);
}

TEST(packet_ring)
{
	struct held_machine *m = hm_packet();

	hm_build(m);
	CHECK_EQ(hm_owner(m, SK, CLASS_PACKET)->pages, 4);
	CHECK(!hm_owner(m, SK, CLASS_PACKET)->incomplete);
	hm_free(m);
}
