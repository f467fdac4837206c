// SPDX-License-Identifier: GPL-2.0
/* A module that takes pages from a page_pool, as the driver of a network device does, and keeps them. */
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#if __has_include(<net/page_pool/helpers.h>)
#include <net/page_pool/helpers.h>
#else
#include <net/page_pool.h>
#endif

static unsigned long kib;
static unsigned long taken;	/* bytes */
static unsigned long n;
static struct page **pages;
static struct page_pool *pool;

module_param(kib, ulong, 0444);
module_param(taken, ulong, 0444);

static void pool_exit(void)
{
	while (n)
		page_pool_put_full_page(pool, pages[--n], false);
	page_pool_destroy(pool);
	kvfree(pages);
}

static int __init pool_init(void)
{
	struct page_pool_params params = { .pool_size = 256, .nid = NUMA_NO_NODE };

	taken = 0;
	pages = kvcalloc(kib * 1024 / PAGE_SIZE + 1, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	pool = page_pool_create(&params);
	if (IS_ERR(pool)) {
		kvfree(pages);
		return PTR_ERR(pool);
	}
	for (; taken < kib * 1024; taken += PAGE_SIZE) {
		pages[n] = page_pool_alloc_pages(pool, GFP_KERNEL);
		if (!pages[n]) {
			pool_exit();
			return -ENOMEM;
		}
		n++;
	}
	return 0;
}

module_init(pool_init);
module_exit(pool_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("keeps pages of a page_pool: for tests");
