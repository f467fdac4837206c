/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The possible CPUs, by masks that are sound, empty or lost. */
#include "facts/layout/census.h"
#include "model/kernel/cpus.h"

#include <string.h>

#include "facts/layout/base.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { MASK = 0x1000, IDS = 0x1100, OFFSETS = 0x2000 };
/* mm/percpu.c's own */
enum { FIRST = 0x3000, MAP = 0x3008, UNITS = 0x3010, MAP_AT = 0x3100, UNITS_AT = 0x3200, AREAS = 0x8000 };
#define PER_CPU_START 0x40u

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

/* CPUs 0, 1 and 3, of which the units are in another order; 2 has none. */
static struct fake *with_units(bool mask, bool offsets)
{
	static const uint32_t unit[] = { 1, 0, UINT32_MAX, 2 };
	struct fake *f = fake_new(8, false);

	fake_symbol(f, Y_NR_CPU_IDS, fake_kva(f, IDS));
	fake_put_uint(f, IDS, 4, 4);
	fake_symbol(f, Y_PCPU_START, PER_CPU_START);
	fake_symbol(f, Y_PCPU_BASE, fake_kva(f, FIRST));
	fake_symbol(f, Y_PCPU_UNIT_MAP, fake_kva(f, MAP));
	fake_symbol(f, Y_PCPU_UNIT_OFFSETS, fake_kva(f, UNITS));
	fake_put_uint(f, FIRST, fake_kva(f, AREAS), 8);
	fake_put_uint(f, MAP, fake_kva(f, MAP_AT), 8);
	fake_put_uint(f, UNITS, fake_kva(f, UNITS_AT), 8);
	for (unsigned i = 0; i < 4; i++) {
		fake_put_uint(f, MAP_AT + 4 * i, unit[i], 4);
		fake_put_uint(f, UNITS_AT + 8 * i, unit[i] == UINT32_MAX ? 0 : unit[i] * 0x1000, 8);
	}
	/* where nothing is */
	fake_symbol(f, Y_CPU_POSSIBLE, mask ? fake_kva(f, MASK) : 0x1000);
	fake_put_uint(f, MASK, 0xb, 8);
	fake_symbol(f, Y_PER_CPU_OFFSET, offsets ? fake_kva(f, OFFSETS) : 0x1000);
	for (unsigned i = 0; i < 4; i++)
		fake_put_uint(f, OFFSETS + 8 * i, 0x10000 * (i + 1), 8);
	cpus_read(&f->kernel, f->r);
	return f;
}

/* The units tell what the mask or the offsets do not, and nothing else. */
TEST(units)
{
	for (int lost = 0; lost < 4; lost++) {
		struct fake *f = with_units(!(lost & 1), !(lost & 2));
		uint64_t base = fake_kva(f, AREAS) - PER_CPU_START;

		CHECK_EQ(f->kernel.cpus_possible, 3);
		if (CHECK_EQ(f->kernel.ncpus, 3)) {
			CHECK_EQ(f->kernel.possible[2], 3);
			CHECK_EQ(f->kernel.percpu[0], lost & 2 ? base + 0x1000 : 0x10000);
			CHECK_EQ(f->kernel.percpu[1], lost & 2 ? base : 0x20000);
			CHECK_EQ(f->kernel.percpu[2], lost & 2 ? base + 0x2000 : 0x40000);
		}
		CHECK_EQ(fake_issues(f, "cpu mask"), lost & 1);
		CHECK_EQ(fake_issues(f, "per-cpu offset"), lost & 2 ? 3 : 0);
		fake_free(f);
	}
}
