/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who allocated a page: page_ext of a section, page_owner's stacks in the depot, allocation tags
 * in page_ext and in page->flags. The layouts are those of the kernel's sources: a handle of 4.9
 * to 6.6 (pool 21 bits, offset 10, valid 1), one of 6.12 (pool + 1 17 bits, offset 10).
 */
#include "model/kmem/origin.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define SECTION_AT 0x1000	/* struct mem_section { map, usage, page_ext } of section 0 */
#define VARS 0x2000		/* variables, 0x40 bytes each */
#define EXT 0x100000		/* page_ext of frame 0 */
#define EXT_BYTES 48		/* flags, tag, page_owner { order, reason, gfp, handle } */
#define TAG_AT 8
#define OWNER_AT 16
#define HANDLE_IN_OWNER 8
#define POOLS 0x200000
#define POOL 0x300000
#define TAGS 0x400000
#define MODULE_TAGS 0x408000
#define TAG_BYTES 40
#define STRINGS 0x500000
#define OWNER_BIT 0
#define ALLOCATED_BIT 1

static struct ksyms ks;
static struct arena mem;

static uint64_t var(struct fake *f, enum layout_id id, unsigned no, uint64_t value, unsigned size)
{
	fake_symbol(f, id, fake_kva(f, VARS + no * 0x40));
	fake_put_uint(f, VARS + no * 0x40, value, size);
	return VARS + no * 0x40;
}

static struct fake *machine(void)
{
	struct fake *f = fake_new(8, false);

	f->kernel.memmap.sections = (struct memmap_sections){
		.kva = fake_kva(f, SECTION_AT), .per_root = 1, .bytes = 32, .pages = 32768, .n = 2
	};
	fake_member(f, M_SECTION_PAGE_EXT, 16, 8);
	fake_put_uint(f, SECTION_AT + 16, fake_kva(f, EXT), 8);
	fake_put_uint(f, SECTION_AT + 32 + 16, fake_kva(f, EXT) | 1, 8);	/* invalid */
	var(f, Y_PAGE_EXT_SIZE, 0, EXT_BYTES, 8);
	fake_member(f, M_PAGE_EXT_FLAGS, 0, 8);
	fake_member(f, M_EXT_OPS_OFFSET, 0, 8);
	fake_enum(f, E_PAGE_EXT_OWNER, OWNER_BIT);
	fake_enum(f, E_PAGE_EXT_ALLOCATED, ALLOCATED_BIT);
	return f;
}

static void bits(struct fake *f, enum layout_id id, unsigned first, unsigned n)
{
	fake_member(f, id, 0, 4);
	f->kernel.layout.v[id].m.bit_offset = (uint8_t)first;
	f->kernel.layout.v[id].m.bit_size = (uint8_t)n;
}

static void add_owner(struct fake *f)
{
	var(f, Y_PAGE_OWNER_OPS, 1, OWNER_AT, 8);
	fake_member(f, M_OWNER_HANDLE, HANDLE_IN_OWNER, 4);
	fake_member(f, M_STACK_SIZE, 20, 4);
	fake_member(f, M_STACK_ENTRIES, 32, 8);
	bits(f, M_HANDLE_OFFSET, 17, 10);
}

/* A record of two frames, 0x40 bytes into pool NO. */
static void put_stack(struct fake *f, unsigned no)
{
	fake_put_uint(f, POOLS + 8 * no, fake_kva(f, POOL), 8);
	fake_put_uint(f, POOL + 0x40 + 20, 2, 4);
	fake_put_uint(f, POOL + 0x40 + 32, 0x1111, 8);
	fake_put_uint(f, POOL + 0x40 + 40, 0x2222, 8);
}

static void put_ext(struct fake *f, uint64_t pfn, uint64_t flags, uint32_t handle, uint64_t tag)
{
	fake_put_uint(f, EXT + pfn * EXT_BYTES, flags, 8);
	fake_put_uint(f, EXT + pfn * EXT_BYTES + TAG_AT, tag, 8);
	fake_put_uint(f, EXT + pfn * EXT_BYTES + OWNER_AT + HANDLE_IN_OWNER, handle, 4);
}

static bool init(struct origins *o, struct fake *f)
{
	ks = (struct ksyms){ .k = &f->kernel, .r = f->r, .mem = &mem, .seen.mem = &mem };
	return origins_init(o, &f->kernel, f->r, &ks);
}

static void check_stack(struct fake *f, uint32_t handle)
{
	struct origins o;
	const char *text;

	put_ext(f, 5, 3, handle, 0);
	put_ext(f, 6, 1 << OWNER_BIT, handle, 0);	/* freed since */
	put_ext(f, 7, 3, 0, 0);				/* before the depot was there */
	if (!CHECK(init(&o, f)))
		return;
	CHECK(o.stacks && !o.tags);
	CHECK_EQ(origin_of(&o, 5, 0).stack, handle);
	CHECK_EQ(origin_of(&o, 6, 0).stack, 0);
	CHECK_EQ(origin_of(&o, 7, 0).stack, 0);
	CHECK_EQ(origin_of(&o, 32768 + 5, 0).stack, 0);	/* page_ext is being removed */
	text = origin_stack(&o, handle, &mem);
	CHECK_STR(text ? text : "", "0x1111 < 0x2222");
	CHECK(!origin_stack(&o, handle + (1u << 24), &mem));	/* no such record */
}

static void test_owner_2016(void)
{
	struct fake *f = machine();

	add_owner(f);
	bits(f, M_HANDLE_POOL, 0, 21);
	bits(f, M_HANDLE_OFFSET, 21, 10);
	fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, POOLS));
	put_stack(f, 3);
	check_stack(f, 3 | 4 << 21 | 1u << 31);
	fake_free(f);
}

static void test_owner_2025(bool pointer)
{
	struct fake *f = machine();

	add_owner(f);
	bits(f, M_HANDLE_POOL_1, 0, 17);
	if (pointer) {
		var(f, Y_DEPOT_POOLS, 3, fake_kva(f, POOLS), 8);
		var(f, Y_DEPOT_MAX_POOLS, 4, 8192, 4);
	} else {
		fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, POOLS));
	}
	put_stack(f, 3);
	check_stack(f, 4 | 4 << 17);
	fake_free(f);
}

/* page_owner is built in and not switched on: nobody gave it an offset. */
static void test_off(void)
{
	struct fake *f = machine();
	struct origins o;

	add_owner(f);
	bits(f, M_HANDLE_POOL, 0, 21);
	fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, POOLS));
	var(f, Y_PAGE_OWNER_OPS, 1, 0, 8);
	CHECK(!init(&o, f));
	fake_free(f);
}

static void put_tag(struct fake *f, uint64_t at, unsigned line, const char *module)
{
	fake_put_uint(f, at + 4, line, 4);
	fake_put_uint(f, at + 8, module ? fake_kva(f, STRINGS + 0x80) : 0, 8);
	fake_put_uint(f, at + 16, fake_kva(f, STRINGS), 8);
	fake_put_uint(f, at + 24, fake_kva(f, STRINGS + 0x40), 8);
	fake_put(f, STRINGS, "take", 5);
	fake_put(f, STRINGS + 0x40, "drivers/hog.c", 14);
	if (module)
		fake_put(f, STRINGS + 0x80, module, strlen(module) + 1);
}

static struct fake *tagged(void)
{
	struct fake *f = machine();

	fake_size(f, S_ALLOC_TAG, TAG_BYTES);
	fake_member(f, M_CODETAG_LINE, 4, 4);
	fake_member(f, M_CODETAG_MODULE, 8, 8);
	fake_member(f, M_CODETAG_FUNCTION, 16, 8);
	fake_member(f, M_CODETAG_FILE, 24, 8);
	put_tag(f, TAGS, 11, NULL);
	put_tag(f, MODULE_TAGS + TAG_BYTES, 42, "hog");
	return f;
}

static void check_site(const struct origins *o, uint64_t tag, const char *want)
{
	const char *text = tag ? origin_site(o, tag, &mem) : "none";

	CHECK_STR(text ? text : "", want);
}

static void test_tags_in_page_ext(void)
{
	struct fake *f = tagged();
	struct origins o;

	var(f, Y_ALLOC_TAG_OPS, 1, TAG_AT, 8);
	put_ext(f, 5, 0, 0, fake_kva(f, TAGS));
	put_ext(f, 6, 0, 0, 1);		/* CODETAG_EMPTY */
	put_ext(f, 7, 0, 0, fake_kva(f, MODULE_TAGS + TAG_BYTES));
	if (CHECK(init(&o, f))) {
		CHECK(o.tags && !o.stacks);
		check_site(&o, origin_of(&o, 5, 0).tag, "drivers/hog.c:11 take");
		check_site(&o, origin_of(&o, 6, 0).tag, "none");
		check_site(&o, origin_of(&o, 7, 0).tag, "drivers/hog.c:42 take [hog]");
	}
	var(f, Y_TAGS_WANTED, 2, 0, 1);
	CHECK(!init(&o, f));
	fake_free(f);
}

static void test_tags_in_flags(void)
{
	struct fake *f = tagged();
	struct origins o;

	var(f, Y_ALLOC_TAG_OPS, 1, 0, 8);
	var(f, Y_TAGS_COMPRESSED, 2, 1, 4);
	var(f, Y_TAG_REF_MASK, 3, 0xff, 8);
	var(f, Y_TAG_REF_SHIFT, 4, 40, 4);
	fake_put_uint(f, var(f, Y_KERNEL_TAGS, 5, fake_kva(f, TAGS), 8) + 8, 7, 8);
	var(f, Y_MODULE_TAGS, 6, fake_kva(f, MODULE_TAGS), 8);
	fake_member(f, M_KERNEL_TAGS_FIRST, 0, 8);
	fake_member(f, M_KERNEL_TAGS_COUNT, 8, 8);
	fake_member(f, M_MODULE_TAGS_FIRST, 0, 8);
	if (CHECK(init(&o, f))) {
		check_site(&o, origin_of(&o, 5, 2ull << 40 | 0xff).tag, "drivers/hog.c:11 take");
		check_site(&o, origin_of(&o, 5, 1ull << 40).tag, "none");
		check_site(&o, origin_of(&o, 5, 0).tag, "none");
		check_site(&o, origin_of(&o, 5, (2ull + 7 + 1) << 40).tag,
			   "drivers/hog.c:42 take [hog]");
	}
	fake_free(f);
}

int main(void)
{
	test_owner_2016();
	test_owner_2025(false);
	test_owner_2025(true);
	test_off();
	test_tags_in_page_ext();
	test_tags_in_flags();
	arena_release(&mem);
	return check_done();
}
