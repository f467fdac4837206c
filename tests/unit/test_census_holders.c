/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census --holders: which owners are one row, and what of them the row has. Owners written by hand. */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "model/memory/census/census.h"
#include "model/shared.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

#define KIB 1024

/* Of the shell (process 1), its child (2), both, and nobody. */
static uint32_t held_by[] = { 1, 2, 1, 2 };

static struct owner owners[] = {
	{ OWNER_PIPE, CLASS_PIPE, 0x10, "pipe:[1]", 4 * KIB, 1, 0, 1, false, false },
	{ OWNER_PIPE, CLASS_PIPE, 0x20, "pipe:[2]", 12 * KIB, 3, 0, 1, false, false },
	{ OWNER_PIPE, CLASS_SLAB, 0x20, "pipe:[2]", 1 * KIB, 0, 0, 1, false, false },
	{ OWNER_PIPE, CLASS_PIPE, 0x30, "pipe:[3]", 8 * KIB, 2, 1, 1, false, false },
	{ OWNER_PIPE, CLASS_PIPE, 0x40, "pipe:[4]", 8 * KIB, 2, 2, 2, true, false },
	{ OWNER_PIPE, CLASS_PIPE, 0x50, "pipe:[5]", 4 * KIB, 1, 2, 2, true, false },
	{ OWNER_SOCKET, CLASS_SOCKET, 0x60, "socket:[6]", 64 * KIB, 16, 0, 1, false, true },
	{ OWNER_TRACE, CLASS_TRACE, 0x70, "names", 2 * KIB, 0, 0, 0, true, false },
	{ OWNER_TRACE, CLASS_TRACE, 0x80, "functions", 3 * KIB, 0, 0, 0, true, false },
};

static void *make_census(const struct snapshot *s, struct arena *mem)
{
	struct census *c = arena_array(mem, struct census, 1);

	(void)s;
	c->owners = (struct owners){ owners, ARRAY_LEN(owners), held_by };
	return c;
}

static void check_rows(const char *by, const char *want)
{
	static const struct shared_maker maker = { .make = make_census };
	const struct report_opts o = { .by = by };
	struct hand h;
	char *got;

	hand_snapshot(&h, 6, 1);
	shared_view(&h.s, SHARED_CENSUS, &maker);
	got = hand_print(&h, "census --holders", "csv",
			 "class_id,kind,what,size,pages,owners,holders,pid,comm,cgroup,kernel,incomplete,object", NULL,
			 NULL, 0, &o);
	CHECK_STR(got, want);
	free(got);
}

#define HEAD "class_id,kind,what,size,pages,owners,holders,pid,comm,cgroup,kernel,incomplete,object\n"
#define SHELL "10,sh\\x1b[2J,/user.slice,"

TEST(same_processes)
{
	check_rows(NULL, HEAD
		   "socket_buffers,socket,socket:[6],65536,16,1,1," SHELL "0,memory,0x60\n"
		   "pipe_buffers,pipe,pipe:[2] and 1 more,16384,4,2,1," SHELL "0,,\n"
		   "pipe_buffers,pipe,pipe:[4] and 1 more,12288,3,2,2," SHELL "2,,\n"
		   "pipe_buffers,pipe,pipe:[3],8192,2,1,1,11,child,,0,,0x30\n"
		   "ftrace,ftrace,functions,3072,0,1,0,,,,1,,0x80\n"
		   "ftrace,ftrace,names,2048,0,1,0,,,,1,,0x70\n"
		   "slab,pipe,pipe:[2],1024,0,1,1," SHELL "0,,0x20\n");
}

TEST(kind)
{
	check_rows("kind", HEAD
		   "socket_buffers,socket,socket:[6],65536,16,1,1," SHELL "0,memory,0x60\n"
		   "pipe_buffers,pipe,pipe:[2] and 4 more,36864,9,5,2,,,,2,,\n"
		   "ftrace,ftrace,functions and 1 more,5120,0,2,0,,,,2,,\n"
		   "slab,pipe,pipe:[2],1024,0,1,1," SHELL "0,,0x20\n");
}

/* The pipe with memory in two classes is one owner. */
TEST(process)
{
	check_rows("process", HEAD
		   ",,socket:[6] and 4 more,95232,23,5,2," SHELL "2,memory,\n"
		   "pipe_buffers,pipe,pipe:[3],8192,2,1,1,11,child,,0,,0x30\n"
		   "ftrace,ftrace,functions and 1 more,5120,0,2,0,,,,2,,\n");
}

TEST(cgroup)
{
	check_rows("cgroup", HEAD
		   ",,socket:[6] and 4 more,95232,23,5,2," SHELL "2,memory,\n"
		   ",,pipe:[3] and 2 more,13312,2,3,1,,,,2,,\n");
}

TEST(none)
{
	check_rows("none", HEAD
		   "socket_buffers,socket,socket:[6],65536,16,1,1," SHELL "0,memory,0x60\n"
		   "pipe_buffers,pipe,pipe:[2],12288,3,1,1," SHELL "0,,0x20\n"
		   "pipe_buffers,pipe,pipe:[3],8192,2,1,1,11,child,,0,,0x30\n"
		   "pipe_buffers,pipe,pipe:[4],8192,2,1,2," SHELL "1,,0x40\n"
		   "pipe_buffers,pipe,pipe:[1],4096,1,1,1," SHELL "0,,0x10\n"
		   "pipe_buffers,pipe,pipe:[5],4096,1,1,2," SHELL "1,,0x50\n"
		   "ftrace,ftrace,functions,3072,0,1,0,,,,1,,0x80\n"
		   "ftrace,ftrace,names,2048,0,1,0,,,,1,,0x70\n"
		   "slab,pipe,pipe:[2],1024,0,1,1," SHELL "0,,0x20\n");
}
