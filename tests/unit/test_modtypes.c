/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types of modules: BTF that goes on from the kernel's, in a list in memory; what is damaged in it
 * brings no types, and is remembered.
 */
#include <bpf/btf.h>

#include "facts/layout/base.h"
#include "facts/layout/module.h"
#include "model/kernel/module/modtypes.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define LIST 0x1000u		/* btf_modules */
#define MODULE 0x2000u		/* struct btf_module: list, btf at 16 */
#define BTF 0x3000u		/* struct btf: data, size at 8, name at 16 */
#define BASE 0x10000u
#define SPLIT 0x20000u

struct lengths {
	struct fake *f;
	uint32_t base, split;
};

static bool find_btf(void *self, const char *name, uint64_t *addr)
{
	const struct lengths *im = self;

	if (!strcmp(name, "__start_BTF"))
		*addr = fake_kva(im->f, BASE);
	else if (!strcmp(name, "__stop_BTF"))
		*addr = fake_kva(im->f, BASE) + im->base;
	else
		return false;
	return true;
}

static uint32_t put(struct fake *f, uint32_t at, struct btf *b)
{
	uint32_t len;
	const void *raw;

	if (f->dump.big_endian)
		btf__set_endianness(b, BTF_BIG_ENDIAN);
	raw = btf__raw_data(b, &len);
	fake_put(f, at, raw, len);
	return len;
}

/* The kernel has list_head; the module has zspage, with one, and zram, which points to it. */
static void put_types(struct fake *f, struct lengths *im)
{
	struct btf *base = btf__new_empty(), *split;
	int ptr = btf__add_ptr(base, 0), list, zspage, of_zspage;

	list = btf__add_struct(base, "list_head", 16);
	btf__add_field(base, "next", ptr, 0, 0);
	btf__add_field(base, "prev", ptr, 64, 0);
	split = btf__new_empty_split(base);
	zspage = btf__add_struct(split, "zspage", 40);
	btf__add_field(split, "list", list, 128, 0);
	btf__add_field(split, "prev", ptr, 256, 0); /* a name of the kernel's */
	of_zspage = btf__add_ptr(split, zspage);
	btf__add_struct(split, "zram", 24);
	btf__add_field(split, "mem_pool", of_zspage, 64, 0);
	btf__add_struct(split, "list_head", 99); /* the kernel's own goes first */
	im->split = put(f, SPLIT, split);
	btf__free(split);
	im->base = put(f, BASE, base);
	btf__free(base);
}

static struct fake *machine(bool big, struct lengths *im)
{
	unsigned w = big ? 4 : 8;
	struct fake *f = fake_new(w, big);

	im->f = f;
	put_types(f, im);
	symbols_add(&f->dump.symbols,
		    &(struct symbol_source){ .name = "test", .find = find_btf, .self = im });
	fake_symbol(f, Y_BTF_MODULES, fake_kva(f, LIST));
	fake_members(f, { M_LIST_NEXT, 0, w }, { M_LIST_PREV, w, w }, { M_BTFMOD_LIST, 0, 2 * w },
		     { M_BTFMOD_BTF, 16, w }, { M_BTF_DATA, 0, w }, { M_BTF_SIZE, 8, 4 },
		     { M_BTF_NAME, 16, 64 });
	for (unsigned i = 0; i < 2; i++) {
		fake_put_uint(f, LIST + i * w, fake_kva(f, MODULE), w);
		fake_put_uint(f, MODULE + i * w, fake_kva(f, LIST), w);
	}
	fake_put_uint(f, MODULE + 16, fake_kva(f, BTF), w);
	fake_put_uint(f, BTF, fake_kva(f, SPLIT), w);
	fake_put_uint(f, BTF + 8, im->split, 4);
	fake_put(f, BTF + 16, "zram", 5);
	return f;
}

TEST(read)
{
	for (int big = 0; big < 2; big++) {
		struct lengths im;
		struct fake *f = machine(big, &im);
		uint32_t size = 0;

		kernel_add_module_types(&f->kernel, f->r);
		CHECK_EQ(f->kernel.module_types, ST_OK);
		CHECK(has(&f->kernel, M_ZSPAGE_LIST) && has(&f->kernel, M_ZRAM_POOL));
		CHECK_EQ(layout_offset(&f->kernel.layout, M_ZSPAGE_LIST), 16);
		CHECK_EQ(layout_offset(&f->kernel.layout, M_ZRAM_POOL), 8);
		CHECK_EQ(f->kernel.layout.v[M_ZRAM_POOL].m.size, big ? 4 : 8);
		CHECK(!has(&f->kernel, M_ZRAM_TABLE));
		CHECK_STR(f->kernel.layout.v[M_ZRAM_POOL].from, "zram");
		CHECK_EQ(types_size(&f->dump.types, "list_head", &size, NULL), ST_OK);
		CHECK_EQ(size, 16);
		types_close(&f->dump.types);
		fake_free(f);
	}
}

/* Of a module that nobody asks for, nothing is read. */
TEST(other)
{
	struct lengths im;
	struct fake *f = machine(false, &im);

	fake_put(f, BTF + 16, "other", 6);
	fake_drop(f, SPLIT);
	kernel_add_module_types(&f->kernel, f->r);
	CHECK_EQ(f->kernel.module_types, ST_OK);
	CHECK_EQ(f->dump.types.n, 0);
	fake_free(f);
}

static void refused(struct fake *f, enum status want)
{
	kernel_add_module_types(&f->kernel, f->r);
	CHECK_EQ(f->kernel.module_types, want);
	CHECK(!has(&f->kernel, M_ZRAM_POOL));
	types_close(&f->dump.types);
	fake_free(f);
}

/* Words of the types are each set to what is beyond both, and to all ones. */
TEST(damage)
{
	struct lengths im;
	struct fake *f = machine(false, &im);

	fake_drop(f, SPLIT);
	refused(f, ST_NODATA);
	f = machine(false, &im);
	fake_put_uint(f, BTF + 8, im.split - 1, 4);
	refused(f, ST_CORRUPT);
	f = machine(false, &im);
	fake_put_uint(f, MODULE, fake_kva(f, MODULE), 8);
	kernel_add_module_types(&f->kernel, f->r);
	CHECK_EQ(f->kernel.module_types, ST_CORRUPT);
	types_close(&f->dump.types);
	fake_free(f);
	for (uint32_t at = SPLIT; at < SPLIT + im.split; at += 4)
		for (int n = 0; n < 3; n++) {
			f = machine(false, &im);
			fake_put_uint(f, at, n == 0 ? UINT32_MAX : n == 1 ? 8 : 64, 4);
			kernel_add_module_types(&f->kernel, f->r);
			types_close(&f->dump.types);
			fake_free(f);
		}
	/* the type of zspage.list: the first after the last, of both */
	f = machine(false, &im);
	fake_put_uint(f, SPLIT + 24 + 16, 7, 4);
	refused(f, ST_CORRUPT);
}
