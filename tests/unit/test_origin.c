/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who allocated a page: page_ext of a section, page_owner's stacks in the depot, allocation tags
 * in page_ext and in page->flags. The layouts are those of the kernel's sources: a handle of 4.9
 * to 6.6 (pool 21 bits, offset 10, valid 1), one of 6.12 (pool + 1 17 bits, offset 10).
 */
#include "model/kernel/origin/origin.h"

#include <string.h>

#include "facts/layout/origin.h"
#include "tests/unit/allocated.h"
#include "tests/unit/check.h"

static struct ksyms ks;
static struct arena mem;

static struct fake *machine(void)
{
	struct fake *f = fake_new(8, false);

	al_page_ext(f);
	return f;
}

static struct fake *tagged(void)
{
	struct fake *f = machine();

	al_sites(f);
	return f;
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

	al_ext(f, 5, 3, handle, 0);
	al_ext(f, 6, 1 << AL_OWNER_BIT, handle, 0);	/* freed since */
	al_ext(f, 7, 3, 0, 0);				/* before the depot was there */
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

	al_owner(f);
	al_bits(f, M_HANDLE_POOL, 0, 21);
	al_bits(f, M_HANDLE_OFFSET, 21, 10);
	fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, AL_POOLS));
	al_stack(f, 3);
	check_stack(f, 3 | 4 << 21 | 1u << 31);
	fake_free(f);
}

static void test_owner_2025(bool pointer)
{
	struct fake *f = machine();

	al_owner(f);
	al_bits(f, M_HANDLE_POOL_1, 0, 17);
	if (pointer) {
		al_var(f, Y_DEPOT_POOLS, 3, fake_kva(f, AL_POOLS), 8);
		al_var(f, Y_DEPOT_MAX_POOLS, 4, 8192, 4);
	} else {
		fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, AL_POOLS));
	}
	al_stack(f, 3);
	check_stack(f, 4 | 4 << 17);
	fake_free(f);
}

/* page_owner is built in and not switched on: nobody gave it an offset. */
static void test_off(void)
{
	struct fake *f = machine();
	struct origins o;

	al_owner(f);
	al_bits(f, M_HANDLE_POOL, 0, 21);
	fake_symbol(f, Y_DEPOT_POOLS, fake_kva(f, AL_POOLS));
	al_var(f, Y_PAGE_OWNER_OPS, 1, 0, 8);
	CHECK(!init(&o, f));
	fake_free(f);
}

/* A page whose tag is no pointer is counted; a text that is nowhere is not left out. */
static void test_damaged(void)
{
	static const unsigned texts[] = { 8, 16, 24 };

	for (unsigned i = 0; i < 3; i++) {
		struct fake *f = tagged();
		struct origins o;

		al_var(f, Y_ALLOC_TAG_OPS, 1, AL_TAG_AT, 8);
		al_ext(f, 5, 0, 0, 0x1000);
		al_ext(f, 7, 0, 0, fake_kva(f, AL_MODULE_SITES + AL_SITE_BYTES));
		fake_put_uint(f, AL_MODULE_SITES + AL_SITE_BYTES + texts[i], 0x1000, 8);
		if (CHECK(init(&o, f))) {
			CHECK_EQ(origin_of(&o, 5, 0).tag, 0);
			CHECK_EQ(o.unread, 1);
			CHECK(!origin_site(&o, origin_of(&o, 7, 0).tag, &mem));
		}
		fake_free(f);
	}
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

	al_var(f, Y_ALLOC_TAG_OPS, 1, AL_TAG_AT, 8);
	al_ext(f, 5, 0, 0, fake_kva(f, AL_SITES));
	al_ext(f, 6, 0, 0, 1);		/* CODETAG_EMPTY */
	al_ext(f, 7, 0, 0, fake_kva(f, AL_MODULE_SITES + AL_SITE_BYTES));
	if (CHECK(init(&o, f))) {
		CHECK(o.tags && !o.stacks);
		check_site(&o, origin_of(&o, 5, 0).tag, "drivers/hog.c:11 take");
		check_site(&o, origin_of(&o, 6, 0).tag, "none");
		check_site(&o, origin_of(&o, 7, 0).tag, "drivers/hog.c:42 take [hog]");
	}
	al_var(f, Y_TAGS_WANTED, 2, 0, 1);
	CHECK(!init(&o, f));
	fake_free(f);
}

static void test_tags_in_flags(void)
{
	struct fake *f = tagged();
	struct origins o;

	al_sites_in_flags(f);
	if (CHECK(init(&o, f))) {
		check_site(&o, origin_of(&o, 5, 2ull << 40 | 0xff).tag, "drivers/hog.c:11 take");
		check_site(&o, origin_of(&o, 5, 1ull << 40).tag, "none");
		check_site(&o, origin_of(&o, 5, 0).tag, "none");
		check_site(&o, origin_of(&o, 5, (2ull + 7 + 1) << 40).tag,
			   "drivers/hog.c:42 take [hog]");
	}
	fake_free(f);
}

/* The table of names is there and cannot be used: an address without a name is told, once. */
static void test_names_lost(void)
{
	struct fake *f = machine();
	uint64_t addr = fake_kva(f, 0x5000);

	ks = (struct ksyms){ .k = &f->kernel, .r = f->r, .mem = &mem, .seen.mem = &mem };
	CHECK(!ksyms_at(&ks, addr).name);
	CHECK_EQ(fake_issues(f, "symbol name"), 0);
	f->dump.kallsyms_lost = ST_CORRUPT;
	CHECK(!ksyms_at(&ks, addr + 16).name);
	CHECK(!ksyms_at(&ks, addr + 16).name);
	CHECK(!ksyms_at(&ks, 0x1111).name);	/* no address of the kernel */
	CHECK_EQ(fake_issues(f, "symbol name"), 1);
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
	test_damaged();
	test_names_lost();
	arena_release(&mem);
	return check_done();
}
