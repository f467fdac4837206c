/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The possible CPUs, by masks that are sound, empty or lost. */
#include "model/kernel/cpus.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { MASK = 0x1000, IDS = 0x1100, OFFSETS = 0x2000 };

static struct fake *machine(uint64_t mask)
{
	struct fake *f = fake_new(8, false);

	fake_symbol(f, Y_CPU_POSSIBLE, fake_kva(f, MASK));
	fake_symbol(f, Y_NR_CPU_IDS, fake_kva(f, IDS));
	fake_symbol(f, Y_PER_CPU_OFFSET, fake_kva(f, OFFSETS));
	fake_put_uint(f, MASK, mask, 8);
	fake_put_uint(f, IDS, 4, 4);
	for (unsigned i = 0; i < 4; i++)
		fake_put_uint(f, OFFSETS + 8 * i, 0x10000 * (i + 1), 8);
	cpus_read(&f->kernel, f->r);
	return f;
}

TEST(mask)
{
	struct fake *f = machine(0xb);

	CHECK_EQ(f->kernel.cpus_possible, 3);
	if (CHECK_EQ(f->kernel.ncpus, 3)) {
		CHECK_EQ(f->kernel.possible[2], 3);
		CHECK_EQ(f->kernel.percpu[2], 0x40000);
	}
	CHECK_EQ(fake_issues(f, "cpu mask"), 0);
	fake_free(f);
}

/* A kernel runs on one CPU at least. */
TEST(empty)
{
	struct fake *f = machine(0);

	CHECK_EQ(f->kernel.cpus_possible, 0);	/* it is not known how many */
	if (CHECK_EQ(f->kernel.ncpus, 1)) {
		CHECK_EQ(f->kernel.possible[0], 0);
		CHECK_EQ(f->kernel.percpu[0], 0x10000);
	}
	CHECK_EQ(fake_issues(f, "cpu mask"), 1);
	fake_free(f);
}

/* Of a kernel that says SMP the symbols were lost; of one that does not, there are none. */
TEST(without_symbols)
{
	struct fake *f = fake_new(8, false);

	cpus_read(&f->kernel, f->r);
	CHECK_EQ(f->kernel.cpus_possible, 1);
	strcpy(f->kernel.uts_version, "#1 SMP PREEMPT_DYNAMIC");
	f->dump.kallsyms_lost = ST_CORRUPT;
	cpus_read(&f->kernel, f->r);
	CHECK_EQ(f->kernel.cpus_possible, 0);
	CHECK_EQ(f->kernel.ncpus, 1);
	CHECK_EQ(fake_issues(f, "cpu mask"), 1);
	fake_free(f);
}

/* Bits beyond nr_cpu_ids are another variable's. */
TEST(beyond)
{
	struct fake *f = machine(0xf0);

	CHECK_EQ(f->kernel.ncpus, 1);
	CHECK_EQ(fake_issues(f, "cpu mask"), 1);
	fake_free(f);
}
