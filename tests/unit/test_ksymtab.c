/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of exported symbols: entries of both sizes, names that are the tails of others, and what is
 * no table. Entries are written out from include/linux/export.h of 5.10 and 4.19.
 */
#include <stdio.h>

#include "dumpread/symbols/sources.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define TEXT 0x200000u
#define STRINGS 0x280000u
#define TABLE 0x290000u
#define DATA 0x2a0000u
#define N 200u			/* entries */
#define TASK 120u		/* that of init_task */
#define STEP 32u		/* bytes for a name */

static struct fake *image(unsigned stride, bool big)
{
	struct fake *f = fake_new(8, big);
	static char info[64];

	snprintf(info, sizeof(info), "SYMBOL(_stext)=%llx\n", (unsigned long long)fake_kva(f, TEXT));
	f->dump.vmcoreinfo = info;
	for (uint64_t pa = TEXT; pa < DATA + 0x10000; pa += 0x1000)
		fake_put_uint(f, pa, 0, 8);
	for (unsigned i = 0; i < N; i++) {
		uint64_t at = TABLE + (uint64_t)i * stride, name = STRINGS + i * STEP;
		char text[STEP];

		/* the linker keeps one string for "xinit_task" and "init_task" */
		snprintf(text, sizeof(text), i == TASK ? "xinit_task" : "symbol_%u", i);
		fake_put(f, name, text, strlen(text) + 1);
		fake_put_uint(f, at, (uint32_t)(DATA + i * 16 - at), 4);
		fake_put_uint(f, at + 4, (uint32_t)(name + (i == TASK) - (at + 4)), 4);
		if (stride == 12)
			fake_put_uint(f, at + 8, 0, 4);
	}
	return f;
}

static bool finds(struct fake *f, const char *name, unsigned i)
{
	uint64_t at;

	return symbols_find(&f->dump.symbols, name, &at, NULL) && at == fake_kva(f, DATA + i * 16);
}

static void check_all(unsigned stride, bool big)
{
	struct fake *f = image(stride, big);
	uint64_t at;

	CHECK_EQ(symbols_add_ksymtab(&f->dump), ST_OK);
	CHECK(finds(f, "init_task", TASK) && finds(f, "symbol_0", 0) && finds(f, "symbol_199", 199));
	CHECK(!symbols_find(&f->dump.symbols, "symbol_200", &at, NULL));
	CHECK(!symbols_find(&f->dump.symbols, "xinit_task", &at, NULL));
	fake_free(f);
}

TEST(forms)
{
	check_all(12, false);
	check_all(8, false);
	check_all(12, true);
}

/* A name that is damaged ends the table there; too few entries are none. */
TEST(damage)
{
	struct fake *f = image(12, false);
	uint64_t at;

	fake_put_uint(f, STRINGS + 150 * STEP, 0x01020304, 4);
	CHECK_EQ(symbols_add_ksymtab(&f->dump), ST_OK);
	CHECK(finds(f, "symbol_149", 149));
	CHECK(!symbols_find(&f->dump.symbols, "symbol_151", &at, NULL));
	fake_free(f);

	f = image(12, false);
	fake_put_uint(f, STRINGS + 100 * STEP, 0x01020304, 4);
	fake_put_uint(f, STRINGS + 150 * STEP, 0x01020304, 4);
	CHECK_EQ(symbols_add_ksymtab(&f->dump), ST_ABSENT);
	fake_free(f);

	f = image(12, false);	/* nothing points to the name */
	fake_put_uint(f, TABLE + TASK * 12 + 4, 0, 4);
	CHECK_EQ(symbols_add_ksymtab(&f->dump), ST_ABSENT);
	fake_free(f);

	f = image(12, false);	/* where the image is nobody knows */
	f->dump.vmcoreinfo = "";
	CHECK_EQ(symbols_add_ksymtab(&f->dump), ST_ABSENT);
	fake_free(f);
}
