/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: pools of pages, what swap keeps. */
#include "model/kernel/page/pagefmt.h"
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"

static void test_page_pool(void)
{
	struct held_machine *m = hm_page_pool();
	const struct owner *lost = NULL;

	hm_put(m, PAGES + ((MORE >> 12) + 2) * STRUCT_PAGE + 40, 12345, 8); /* damaged */
	hm_build(m);
	CHECK_EQ(hm_owner(m, OBJECT_AT, CLASS_PAGE_POOL)->pages, 2);
	CHECK_STR(hm_owner(m, OBJECT_AT, CLASS_PAGE_POOL)->what, "of eth7");
	CHECK(hm_owner(m, OBJECT_AT, CLASS_PAGE_POOL)->kernel);
	CHECK_EQ(hm_owner(m, OBJECT_AT, CLASS_SLAB)->size, OBJECT);
	/* the pool of the third is not known */
	for (uint32_t i = 0; i < m->owners.n; i++)
		if (!m->owners.v[i].object)
			lost = &m->owners.v[i];
	CHECK(lost && lost->pages == 1 && lost->incomplete && lost->class == CLASS_PAGE_POOL);
	CHECK(!hm_owner(m, OBJECT_AT, CLASS_PAGE_POOL)->incomplete);
	CHECK_EQ(issues_total(m->f->kernel.issues), 1);
	hm_free(m);
}

static bool marked(unsigned word, uint64_t mark)
{
	struct pagefmt f = { .word = (uint8_t)word, .native64 = word == 8, .pool_mark = 8 };
	uint8_t page[64] = { 0 };

	for (unsigned i = 0; i < word; i++)
		page[8 + i] = (uint8_t)(mark >> 8 * i);
	return page_is_of_pool(&f, page);
}

/* include/linux/poison.h: LIST_POISON1 is 0x100 above the same delta. */
static void test_pool_mark(void)
{
	CHECK(marked(8, 0xdead000000000040));
	CHECK(marked(8, 0xdead000000000042));	/* pfmemalloc */
	CHECK(marked(8, 0xdead000000000040 | 5 << 7));
	CHECK(!marked(8, 0xdead000000000100) && !marked(8, 0xdead000000000122));
	CHECK(!marked(8, 0xdead008000000040) && !marked(8, 0x40));
	CHECK(marked(8, 0x5deadbeef0000040) && marked(8, 0x5deadbeef0000040 | 0xfffff80));
	CHECK(marked(4, 0x40) && !marked(4, 0x140));
}

static void test_zbud(struct held_machine *(*make)(void))
{
	struct held_machine *m = make();

	hm_build(m);
	CHECK_EQ(hm_owner(m, OBJECT_AT, CLASS_ZBUD)->pages, 2);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
	m = make();
	hm_put(m, OTHER, 3, 8); /* it counts one more */
	hm_build(m);
	CHECK(hm_owner(m, OBJECT_AT, CLASS_ZBUD)->incomplete);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void test_swap_charges(void)
{
	struct held_machine *m = hm_swap_charges();

	hm_build(m);
	CHECK_EQ(hm_owner(m, OBJECT_AT + 24, CLASS_SWAP_MAP)->pages, 2);
	CHECK_EQ(m->c.count[CLASS_SWAP_MAP].pages, 2);
	hm_free(m);
}

int main(void)
{
	test_page_pool();
	test_pool_mark();
	test_zbud(hm_zbud);
	test_zbud(hm_zbud_lru);
	test_swap_charges();
	return check_done();
}
