/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resource tree, its damage, load and command line, in memory made by hand. */
#include <string.h>

#include "facts/layout/system.h"
#include "model/kernel/machine/machine.h"
#include "model/kernel/machine/resources.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { START = 0, END = 8, NAME = 16, SIBLING = 24, CHILD = 32, SIZE = 40 };
enum { ROOT = 0x1000, RAM = 0x2000, CODE = 0x3000, CRASH = 0x4000, TEXTS = 0x5000, VARS = 0x6000 };

static void put(struct fake *f, uint64_t at, uint64_t start, uint64_t end, const char *name,
		uint64_t child, uint64_t sibling)
{
	uint64_t text = TEXTS + (at >> 4);

	fake_put(f, text, name, strlen(name) + 1);
	fake_put_uint(f, at + START, start, 8);
	fake_put_uint(f, at + END, end, 8);
	fake_put_uint(f, at + NAME, fake_kva(f, text), 8);
	fake_put_uint(f, at + CHILD, child ? fake_kva(f, child) : 0, 8);
	fake_put_uint(f, at + SIBLING, sibling ? fake_kva(f, sibling) : 0, 8);
}

static struct fake *tree(void)
{
	struct fake *f = fake_new(8, false);

	fake_size(f, S_RESOURCE, SIZE);
	fake_members(f, { M_RES_START, START, 8 }, { M_RES_END, END, 8 }, { M_RES_NAME, NAME, 8 },
		     { M_RES_SIBLING, SIBLING, 8 }, { M_RES_CHILD, CHILD, 8 });
	fake_symbol(f, Y_IOMEM_RESOURCE, fake_kva(f, ROOT));
	put(f, ROOT, 0, UINT64_MAX, "PCI mem", RAM, 0);
	put(f, RAM, 0x10000, 0x8ffff, "System RAM", CODE, CRASH);
	put(f, CODE, 0x20000, 0x2ffff, "Kernel code", 0, 0);
	put(f, CRASH, 0x90000, 0x9ffff, "Crash kernel", 0, 0);
	return f;
}

/* Names at ADDR, with those before and after the damage. */
static void check_names(struct fake *f, const char *ram, const char *code, const char *crash,
			uint64_t issues)
{
	struct resources rs;
	struct arena mem = { 0 };
	size_t at = 0;

	resources_read(&f->kernel, f->r, &mem, &rs);
	CHECK(!resource_name(&rs, 0xffff, &at));
	CHECK_STR(resource_name(&rs, 0x10000, &at), ram);
	CHECK_STR(resource_name(&rs, 0x2ffff, &at), code);
	CHECK(!code || resource_at(&rs, 0x2ffff, &at)->ram);
	CHECK_STR(resource_name(&rs, 0x30000, &at), ram);
	CHECK_STR(resource_name(&rs, 0x90000, &at), crash);
	CHECK(!crash || !resource_at(&rs, 0x90000, &at)->ram);
	CHECK(!resource_name(&rs, 0xa0000, &at));
	CHECK_EQ(fake_issues(f, "resource tree"), issues);
	arena_release(&mem);
	fake_free(f);
}

TEST(tree)
{
	struct fake *f = tree();

	check_names(f, "System RAM", "Kernel code", "Crash kernel", 0);
	f = tree();			/* a list that leads back */
	fake_put_uint(f, CRASH + SIBLING, fake_kva(f, RAM), 8);
	check_names(f, "System RAM", "Kernel code", "Crash kernel", 1);
	f = tree();			/* a child that is its own parent */
	fake_put_uint(f, CODE + CHILD, fake_kva(f, CODE), 8);
	fake_put_uint(f, CODE + START, 0x20000, 8);
	f->kernel.layout.v[Y_IOMEM_RESOURCE].addr = fake_kva(f, CODE);
	{
		struct resources rs;
		struct arena mem = { 0 };

		resources_read(&f->kernel, f->r, &mem, &rs);
		CHECK_EQ(rs.v.n, 0);
		CHECK_EQ(fake_issues(f, "resource tree"), 1);
		arena_release(&mem);
	}
	fake_free(f);
}

/* Larger than its parent; not in the dump. */
TEST(damage)
{
	struct fake *f = tree();
	struct resources rs;
	struct arena mem = { 0 };

	fake_put_uint(f, CODE + END, 0x90000, 8);
	resources_read(&f->kernel, f->r, &mem, &rs);
	CHECK_EQ(fake_issues(f, "resource tree"), 1);
	fake_drop(f, RAM);
	resources_read(&f->kernel, f->r, &mem, &rs);
	CHECK_EQ(rs.v.n, 0);
	CHECK(rs.torn && !rs.whole);
	CHECK_EQ(fake_issues(f, "resource tree"), 2);
	arena_release(&mem);
	fake_free(f);
}

TEST(machine)
{
	struct fake *f = fake_new(8, false);
	struct snapshot s = { .k = &f->kernel };

	fake_symbol(f, Y_AVENRUN, fake_kva(f, VARS));
	for (unsigned i = 0; i < 3; i++)
		fake_put_uint(f, VARS + 8 * i, 2048 * i + 7, 8);
	fake_symbol(f, Y_COMMAND_LINE, fake_kva(f, VARS + 64));
	fake_put_uint(f, VARS + 64, fake_kva(f, TEXTS), 8);
	fake_put(f, TEXTS, "ro quiet\n", 10);
	machine_build(&s, f->r);
	CHECK_EQ(s.machine.load[0], 7);
	CHECK_EQ(s.machine.load[2], 4103);
	CHECK_STR(s.machine.boot_args, "ro quiet");
	fake_put(f, VARS + 64, "root=/dev/sda1", 15);	/* an array, long ago */
	machine_build(&s, f->r);
	CHECK_STR(s.machine.boot_args, "root=/dev/sda1");
	fake_drop(f, VARS);
	machine_build(&s, f->r);
	CHECK_EQ(s.machine.load[1], UINT64_MAX);
	CHECK(!s.machine.boot_args);
	arena_release(&s.mem);
	fake_free(f);
}

/* A range whose name is not in the dump is not one without a name: what it is is unknown. */
TEST(lost_name)
{
	struct fake *f = tree();
	struct resources rs;
	struct arena mem = { 0 };
	size_t at = 0;

	fake_put_uint(f, CODE + NAME, fake_kva(f, 0x9000), 8);
	fake_drop(f, 0x9000);
	resources_read(&f->kernel, f->r, &mem, &rs);
	CHECK(rs.torn && !rs.whole);
	CHECK_EQ(fake_issues(f, "resource tree"), 1);
	CHECK(!resource_name(&rs, 0x20000, &at));
	CHECK_STR(resource_name(&rs, 0x90000, &at), "Crash kernel");
	arena_release(&mem);
	fake_free(f);
}
