/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols of a module: the one before an address, and how far it goes. Labels of the assembler are none:
 * is_mapping_symbol() of include/linux/module_symbol.h. jbd2.ko of 6.12.117 for riscv64 has ".LBE6908" behind
 * kjournald2(), and /proc/PID/stack names the function.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "model/kernel/module/ksyms.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum {
	HEAD = 0x1000, MODULE = 0x8000, TEXT = 0x8000, TEXT_SIZE = 0x1000, TABLE = 0x9000, STRINGS = 0xa000,
	LIST = 0, NAME = 16, BASE = 64, SIZE = 72, CORE = 80, SYMS = 88, COUNT = 96, STRS = 104, SYMBOL = 24,
};

static const struct { const char *name; unsigned offset; } symbols[] = {
	{ "", 0 }, { "kjournald2", 0x100 }, { ".LBE6908", 0x110 }, { "$x", 0x120 }, { "L0^A", 0x130 },
	{ "jbd2_next", 0x200 }, { "Last", 0x280 },
};

static struct fake *machine(void)
{
	struct fake *f = fake_new(8, false);
	uint64_t text = fake_kva(f, TEXT);
	unsigned at = 0;

	fake_symbol(f, Y_MODULES, fake_kva(f, HEAD));
	fake_members(f, { M_MODULE_LIST, LIST, 16 }, { M_MODULE_NAME, NAME, 32 }, { M_MODULE_BASE, BASE, 8 },
		     { M_MODULE_TEXT, SIZE, 4 }, { M_MODULE_CORE, CORE, 4 }, { M_MODSYM_TABLE, SYMS, 8 },
		     { M_MODSYM_COUNT, COUNT, 4 }, { M_MODSYM_STRINGS, STRS, 8 });
	fake_put_uint(f, HEAD, fake_kva(f, MODULE + LIST), 8);
	fake_put_uint(f, MODULE + LIST, fake_kva(f, HEAD), 8);
	fake_put_uint(f, MODULE + LIST + 8, fake_kva(f, HEAD), 8);
	fake_put_uint(f, HEAD + 8, fake_kva(f, MODULE + LIST), 8);
	fake_put(f, MODULE + NAME, "jbd2", 5);
	fake_put_uint(f, MODULE + BASE, text, 8);
	fake_put_uint(f, MODULE + SIZE, TEXT_SIZE, 4);
	fake_put_uint(f, MODULE + CORE, TEXT_SIZE, 4);
	fake_put_uint(f, MODULE + SYMS, fake_kva(f, TABLE), 8);
	fake_put_uint(f, MODULE + COUNT, ARRAY_LEN(symbols), 4);
	fake_put_uint(f, MODULE + STRS, fake_kva(f, STRINGS), 8);
	for (unsigned i = 0; i < ARRAY_LEN(symbols); i++) {
		uint64_t sym = TABLE + (uint64_t)i * SYMBOL;
		size_t len = strlen(symbols[i].name) + 1;

		fake_put_uint(f, sym, at, 4);
		fake_put_uint(f, sym + 6, i != 0, 2);
		fake_put_uint(f, sym + 8, i ? text + symbols[i].offset : 0, 8);
		fake_put(f, STRINGS + at, symbols[i].name, len);
		at += (unsigned)len;
	}
	return f;
}

TEST(labels)
{
	static const struct { unsigned at; const char *name; unsigned offset, size; } of[] = {
		{ 0x100, "kjournald2", 0, 0x100 }, { 0x115, "kjournald2", 0x15, 0x100 },
		{ 0x1ff, "kjournald2", 0xff, 0x100 }, { 0x204, "jbd2_next", 4, 0x80 }, { 0x281, "Last", 1, 0xd80 },
	};
	struct fake *f = machine();
	struct arena mem = { 0 };
	struct ksyms ks;

	ksyms_init(&ks, &f->kernel, f->r, &mem);
	CHECK_EQ(ks.modules.n, 1);
	for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
		struct ksym s = ksyms_at(&ks, fake_kva(f, TEXT + of[i].at));

		if (!CHECK(s.name && s.module))
			continue;
		CHECK_STR(s.name, of[i].name);
		CHECK_STR(s.module, "jbd2");
		CHECK_EQ(s.offset, of[i].offset);
		CHECK_EQ(s.size, of[i].size);
	}
	CHECK(!ksyms_at(&ks, fake_kva(f, TEXT + 0x80)).name);	/* before the first */
	arena_release(&mem);
	fake_free(f);
}
