// SPDX-License-Identifier: GPL-2.0
/*
 * A module that takes memory and tells nobody.
 *
 * how=pages    blocks of 1 << order pages from the page allocator
 * how=vmalloc  areas of 1 MiB
 * how=slab     objects of a cache of its own
 * how=slabs    objects of 40 caches of its own, in turn
 * how=kmalloc  blocks of kmalloc(1024)
 * how=percpu   per-CPU areas of 4 KiB
 * how=pieces   single pages, of which every eighth is kept: what is free has no order 3;
 *              then blocks of 8 pages, or of 1 << order, until the kernel gives none
 * how=atomic   single pages by GFP_ATOMIC until the kernel gives none; a part of them is given back
 * how=plant    what must not be: the process "hide" is taken off the list of tasks; a page in use
 *              and a page inside of a free block are put on a list of free pages. Then it panics.
 *
 * Who writes to its parameter "hang" holds its own mmap_lock, uninterruptible, for ever.
 *
 * Each block begins with a pointer to the block before it and one to the module's own variable, as
 * the buffers of a driver do. Nothing else refers to them. All is given back when it is unloaded.
 */
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

enum { AREA = 1 << 20, OBJECT = 1016, OF_KMALLOC = 1024, OF_CPU = 4096, MOST_CPU = 65536, CACHES = 40 };

struct block {
	struct block *before;
	void *owner;
};

static char *how = "pages";
static unsigned int order;
static unsigned long kib;
static unsigned long taken;	/* bytes */
static int hide;		/* pid */
static struct block *last;
static struct kmem_cache *cache, *caches[CACHES];
static unsigned int turn;
static void __percpu *areas[MOST_CPU];
static unsigned int of_cpu;

module_param(how, charp, 0444);
module_param(order, uint, 0444);
module_param(kib, ulong, 0444);
module_param(taken, ulong, 0444);
module_param(hide, int, 0444);

/* With a constructor it is not merged with another cache, and the list of free objects adds 8 bytes. */
static void construct(void *object)
{
	memset(object, 0, OBJECT);
}

static unsigned int block_order(void)
{
	return strcmp(how, "pieces") ? order : 0;
}

static void *get(size_t *size)
{
	void *object;

	if (!strcmp(how, "vmalloc")) {
		*size = AREA;
		return vzalloc(AREA);
	}
	if (cache) {
		*size = OBJECT;
		return kmem_cache_alloc(cache, GFP_KERNEL);
	}
	if (caches[0]) {
		*size = OBJECT;
		object = kmem_cache_alloc(caches[turn % CACHES], GFP_KERNEL);
		turn += object != NULL;
		return object;
	}
	if (!strcmp(how, "kmalloc")) {
		*size = OF_KMALLOC;
		return kmalloc(OF_KMALLOC, GFP_KERNEL);
	}
	*size = PAGE_SIZE << block_order();
	return (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, block_order());
}

static void give(struct block *b)
{
	if (!strcmp(how, "vmalloc"))
		vfree(b);
	else if (cache)
		kmem_cache_free(cache, b);
	else if (caches[0])
		kmem_cache_free(caches[--turn % CACHES], b);
	else if (!strcmp(how, "kmalloc"))
		kfree(b);
	else
		free_pages((unsigned long)b, block_order());
}

static int hang(const char *value, const struct kernel_param *kp)
{
	mmap_write_lock(current->mm);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule();
	}
	return 0;
}

static const struct kernel_param_ops hang_ops = {.set = hang};
module_param_cb(hang, &hang_ops, NULL, 0200);

/* Of eight pages in a row of the list, the first is kept. */
static void keep_pieces(void)
{
	struct block *b, *next, *kept = NULL;
	unsigned long n = 0;

	for (b = last; b; b = next) {
		next = b->before;
		if (page_to_pfn(virt_to_page(b)) % 8) {
			give(b);
			taken -= PAGE_SIZE;
			continue;
		}
		b->before = kept;
		kept = b;
		n++;
	}
	last = kept;
	pr_info("silent: %lu pages kept\n", n);
}

static void silent_exit(void)
{
	unsigned int i;

	while (last) {
		struct block *b = last;

		last = b->before;
		give(b);
	}
	kmem_cache_destroy(cache);
	for (i = 0; i < CACHES; i++)
		kmem_cache_destroy(caches[i]);
	while (of_cpu)
		free_percpu(areas[--of_cpu]);
}

static int take_of_cpus(void)
{
	while (taken < kib * 1024 && of_cpu < MOST_CPU) {
		areas[of_cpu] = __alloc_percpu(OF_CPU, 8);
		if (!areas[of_cpu])
			return -ENOMEM;
		of_cpu++;
		taken += OF_CPU * num_possible_cpus();
	}
	return 0;
}

#define SPARE (96ul << 20)	/* bytes, for who is to go on */

/* Nobody is killed for such a request: it fails, and the log says so. */
static int take_atomic(void)
{
	struct block *b;

	while ((b = (void *)__get_free_page(GFP_ATOMIC))) {
		b->before = last;
		b->owner = &last;
		last = b;
		taken += PAGE_SIZE;
	}
	for (; last && kib < SPARE / 1024; kib += PAGE_SIZE / 1024) {
		b = last;
		last = b->before;
		free_page((unsigned long)b);
		taken -= PAGE_SIZE;
	}
	return 0;
}

static void put_on_free_list(struct page *page, const char *what)
{
	struct free_area *area = &page_zone(page)->free_area[0];

	list_add_tail(&page->lru, &area->free_list[MIGRATE_MOVABLE]);
	area->nr_free++;
	pr_alert("LAB-PLANTED %s %lx\n", what, page_to_pfn(page));
}

/* The last of the largest free blocks of ZONE. */
static struct page *free_block(struct zone *zone)
{
	int o, t;

	for (o = ARRAY_SIZE(zone->free_area) - 1; o > 0; o--)
		for (t = 0; t < MIGRATE_TYPES; t++)
			if (!list_empty(&zone->free_area[o].free_list[t]))
				return list_last_entry(&zone->free_area[o].free_list[t],
						       struct page, lru);
	return NULL;
}

static int plant(void)
{
	struct page *used = alloc_page(GFP_KERNEL), *block;
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_vpid(hide), PIDTYPE_PID);
	local_irq_disable();	/* nobody allocates from these lists any more */
	block = used ? free_block(page_zone(used)) : NULL;
	if (!task || !block)
		panic("silent: nothing to plant");
	list_del_init(&task->tasks);
	pr_alert("LAB-PLANTED task %x\n", task->pid);
	put_on_free_list(used, "used");
	put_on_free_list(block + 1, "free");
	panic("planted");
}

/* In each cache an object more or less: the last taken is the first given back. */
static int make_caches(void)
{
	char name[32];
	unsigned int i;

	for (i = 0; i < CACHES; i++) {
		snprintf(name, sizeof(name), "silent_%u", i);
		caches[i] = kmem_cache_create(name, OBJECT, 0, 0, construct);
		if (!caches[i])
			return -ENOMEM;
	}
	return 0;
}

static int __init silent_init(void)
{
	size_t size;

	taken = 0;
	if (!strcmp(how, "percpu"))
		return take_of_cpus();
	if (!strcmp(how, "plant"))
		return plant();
	if (!strcmp(how, "atomic"))
		return take_atomic();
	if (!strcmp(how, "slab")) {
		cache = kmem_cache_create("silent_objects", OBJECT, 0, 0, construct);
		if (!cache)
			return -ENOMEM;
	}
	if (!strcmp(how, "slabs") && make_caches()) {
		silent_exit();
		return -ENOMEM;
	}
	while (taken < kib * 1024) {
		struct block *b = get(&size);

		if (!b) {
			silent_exit();
			return -ENOMEM;
		}
		b->before = last;
		b->owner = &last;
		last = b;
		taken += size;
	}
	if (!strcmp(how, "pieces")) {
		keep_pieces();
		while (__get_free_pages(GFP_KERNEL, order ? order : 3))
			taken += PAGE_SIZE << (order ? order : 3);
	}
	return 0;
}

module_init(silent_init);
module_exit(silent_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("takes memory and tells nobody: for tests");
