/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: pools of pages, what swap keeps. */
#include "model/page/pagefmt.h"
#include "tests/unit/check.h"
#include "tests/unit/held_machine.h"

enum { POOL = 0x7000, NETDEV = 0x7100, ZSWAP_LIST = 0x7200, ZSWAP = 0x7300, ZPOOL = 0x7400,
       DRIVER = 0x7500, TYPE = 0x7600, ZBUD = 0x7700, CHARGES = 0x7800, MAP = 0x7900 };

static void test_page_pool(void)
{
	struct held_machine *m = hm_new();
	uint64_t pfn = (DATA >> 12) + 0x20;
	const struct owner *lost = NULL;

	fake_member(m->f, M_PP_POOL, 40, 8);
	fake_member(m->f, M_POOL_NETDEV, 8, 8);
	fake_member(m->f, M_NETDEV_NAME, 16, 16);
	hm_point(m, POOL + 8, NETDEV);
	fake_put(m->f, NETDEV + 16, "eth7", 5);
	for (unsigned i = 0; i < 3; i++) {
		m->chunk[pfn + i] = CLASS_PAGE_POOL;
		hm_point(m, PAGES + (pfn + i) * STRUCT_PAGE + 40, POOL);
	}
	m->c.count[CLASS_PAGE_POOL].pages = 3;
	hm_put(m, PAGES + (pfn + 2) * STRUCT_PAGE + 40, 12345, 8); /* damaged */
	hm_build(m);
	CHECK_EQ(hm_owner(m, POOL, CLASS_PAGE_POOL)->pages, 2);
	CHECK_STR(hm_owner(m, POOL, CLASS_PAGE_POOL)->what, "of eth7");
	CHECK(hm_owner(m, POOL, CLASS_PAGE_POOL)->kernel);
	CHECK_EQ(hm_owner(m, POOL, CLASS_SLAB)->size, OBJECT);
	/* the pool of the third is not known */
	for (uint32_t i = 0; i < m->owners.n; i++)
		if (!m->owners.v[i].object)
			lost = &m->owners.v[i];
	CHECK(lost && lost->pages == 1 && lost->incomplete && lost->class == CLASS_PAGE_POOL);
	CHECK(!hm_owner(m, POOL, CLASS_PAGE_POOL)->incomplete);
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

/* As in 6.1, or as when the list of all pages was gone: those full and those with room. */
static struct held_machine *zbud_machine(bool lru)
{
	struct held_machine *m = hm_new();
	uint64_t first = DATA + 0x30000, second = DATA + 0x31000;

	fake_symbol(m->f, Y_ZSWAP_POOLS, fake_kva(m->f, ZSWAP_LIST));
	fake_member(m->f, M_ZSWAP_LIST, 24, 16);
	fake_member(m->f, M_ZSWAP_ZPOOL, 0, 8);
	fake_member(m->f, M_ZPOOL_DRIVER, 0, 8);
	fake_member(m->f, M_ZPOOL_POOL, 8, 8);
	fake_member(m->f, M_ZPOOL_DRIVER_TYPE, 0, 8);
	fake_member(m->f, M_ZBUD_PAGES, 0, 8);
	fake_array(m->f, M_ZBUD_LISTS, 32, 16, 3);
	fake_member(m->f, M_ZBUD_BUDDY, 0, 16);
	fake_member(m->f, M_ZBUD_HEADER_LRU, 16, 16);
	if (lru)
		fake_member(m->f, M_ZBUD_LRU, 16, 16);
	hm_point(m, ZSWAP_LIST, ZSWAP + 24);
	hm_point(m, ZSWAP_LIST + 8, ZSWAP + 24);
	hm_point(m, ZSWAP + 24, ZSWAP_LIST);
	hm_point(m, ZSWAP + 32, ZSWAP_LIST);
	hm_point(m, ZSWAP, ZPOOL);
	hm_point(m, ZPOOL, DRIVER);
	hm_point(m, ZPOOL + 8, ZBUD);
	hm_point(m, DRIVER, TYPE);
	fake_put(m->f, TYPE, "zbud", 5);
	hm_put(m, ZBUD, 2, 8);
	hm_queue(m, ZBUD + 16, first + 16, second + 16);
	hm_queue(m, ZBUD + 32, 0, 0);
	hm_queue(m, ZBUD + 48, first, second);
	hm_queue(m, ZBUD + 64, 0, 0);
	return m;
}

static void test_zbud(void)
{
	for (int lru = 0; lru < 2; lru++) {
		struct held_machine *m = zbud_machine(lru);

		hm_build(m);
		CHECK_EQ(hm_owner(m, ZSWAP, CLASS_ZBUD)->pages, 2);
		CHECK_EQ(fake_issues(m->f, "owner"), 0);
		hm_free(m);
		m = zbud_machine(lru);
		hm_put(m, ZBUD, 3, 8); /* it counts one more */
		hm_build(m);
		CHECK(hm_owner(m, ZSWAP, CLASS_ZBUD)->incomplete);
		CHECK_EQ(fake_issues(m->f, "owner"), 1);
		hm_free(m);
	}
}

static void test_swap_charges(void)
{
	struct held_machine *m = hm_new();

	fake_symbol(m->f, Y_SWAP_CHARGES, fake_kva(m->f, CHARGES));
	fake_symbol(m->f, Y_NR_SWAPFILES, fake_kva(m->f, CHARGES + 0x80));
	hm_put(m, CHARGES + 0x80, 2, 4);
	fake_size(m->f, S_SWAP_CHARGES, 24);
	fake_member(m->f, M_SWAP_CHARGES_MAP, 0, 8);
	fake_member(m->f, M_SWAP_CHARGES_LENGTH, 8, 8);
	hm_put(m, CHARGES, 0, 8); /* of an area that is gone */
	hm_point(m, CHARGES + 24, MAP);
	hm_put(m, CHARGES + 32, 2, 8);
	hm_put(m, MAP, hm_page(m, DATA + 0x40000), 8);
	hm_put(m, MAP + 8, hm_page(m, DATA + 0x41000), 8);
	hm_build(m);
	CHECK_EQ(hm_owner(m, CHARGES + 24, CLASS_SWAP_MAP)->pages, 2);
	CHECK_EQ(m->c.count[CLASS_SWAP_MAP].pages, 2);
	hm_free(m);
}

int main(void)
{
	test_page_pool();
	test_pool_mark();
	test_zbud();
	test_swap_charges();
	return check_done();
}
