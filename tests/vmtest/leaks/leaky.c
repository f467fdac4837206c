// SPDX-License-Identifier: GPL-2.0
/*
 * A module that leaks in several ways, beside objects that it keeps.
 *
 * Each object points to a variable of its kind, of_KIND, so that a report tells which it is. The console has
 * "LAB-LEAKED KIND OBJECTS HEADS" for what nothing points to any more, "LAB-KEPT KIND OBJECTS", and
 * "LAB-REFS KIND OBJECTS REFERENCES" for what has more references than pointers.
 */
#include <linux/anon_inodes.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>

enum { PLAIN = 300, OWN = 150, PARENTS = 100, CHAIN = 200, SKBS = 100, FILES = 30, LARGE = 5, AREAS = 10, PAGES = 40,
       ORDER = 3 };
enum { LISTED = 300, ARRAY = 100, INDEXED = 100, IN_AREA = 50, BY_PAGE = 20, INSIDE = 60 };
enum { DENTRIES = 20, INODES = 10, OPEN = 10 };

struct thing {
	void *kind;
	struct list_head list;
	void *other;
	char more[160];
};

int of_plain, of_own, of_parent, of_child, of_chain, of_large, of_area, of_pages;
int of_listed, of_array, of_indexed, of_in_area, of_by_page, of_inside;

/* What is kept; not static, or the compiler drops what is only written. */
LIST_HEAD(leaky_listed);
struct thing *leaky_array[ARRAY];
char *leaky_inside[INSIDE];
struct thing **leaky_area;
struct page *leaky_page[BY_PAGE];
struct file *leaky_open[OPEN];
DEFINE_XARRAY(leaky_indexed);

static struct kmem_cache *cache;

static struct thing *make(void *kind)
{
	struct thing *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->kind = kind;
	INIT_LIST_HEAD(&t->list);
	return t;
}

static void leaked(const char *kind, int n, int heads)
{
	pr_info("LAB-LEAKED %s %d %d\n", kind, n, heads);
}

static void kept(const char *kind, int n)
{
	pr_info("LAB-KEPT %s %d\n", kind, n);
}

static noinline void leak_objects(void)
{
	struct thing *t, *before = NULL;
	int i;

	for (i = 0; i < PLAIN; i++)
		make(&of_plain);
	leaked("plain", PLAIN, PLAIN);
	for (i = 0; i < PARENTS; i++) {
		t = make(&of_parent);
		if (t)
			t->other = kmemdup(&(void *){ &of_child }, sizeof(void *), GFP_KERNEL);
	}
	leaked("parent", PARENTS, PARENTS);
	leaked("child", PARENTS, 0);
	for (i = 0; i < CHAIN; i++) {
		t = make(&of_chain);
		if (!t)
			continue;
		t->other = before;
		before = t;
	}
	leaked("chain", CHAIN, 1);
	for (i = 0; i < OWN; i++) {
		t = kmem_cache_zalloc(cache, GFP_KERNEL);
		if (t)
			t->kind = &of_own;
	}
	leaked("own", OWN, OWN);
}

static void free_skb(struct sk_buff *skb)
{
}

static const struct file_operations leaky_fops = { .owner = THIS_MODULE };

static noinline void leak_others(void)
{
	struct sk_buff *skb;
	void **p;
	int i;

	for (i = 0; i < SKBS; i++) {
		skb = alloc_skb(256, GFP_KERNEL);
		if (skb)
			skb->destructor = free_skb;
	}
	leaked("skb", SKBS, SKBS);
	for (i = 0; i < FILES; i++)
		anon_inode_getfile("leaky", &leaky_fops, NULL, O_RDWR);
	leaked("file", FILES, FILES);
	for (i = 0; i < LARGE; i++) {
		p = kzalloc(64 << 10, GFP_KERNEL);
		if (p)
			p[1] = &of_large;
	}
	leaked("large", LARGE, LARGE);
	for (i = 0; i < AREAS; i++) {
		p = vzalloc(256 << 10);
		if (p)
			p[1] = &of_area;
	}
	leaked("area", AREAS, AREAS);
	for (i = 0; i < PAGES; i++) {
		p = (void **)__get_free_pages(GFP_KERNEL | __GFP_ZERO, ORDER);
		if (p)
			p[1] = &of_pages;
	}
	leaked("pages", PAGES, PAGES);
}

/* Of files in memory: each is opened and closed, and one of its references stays. */
static noinline void leak_references(void)
{
	char name[32];
	struct file *f;
	int i;

	for (i = 0; i < DENTRIES + INODES + OPEN; i++) {
		snprintf(name, sizeof(name), "/leaky-%d", i);
		f = filp_open(name, O_CREAT | O_RDWR, 0600);
		if (IS_ERR(f))
			return;
		if (i < DENTRIES)
			dget(f->f_path.dentry);
		else if (i < DENTRIES + INODES)
			ihold(file_inode(f));
		else
			leaky_open[i - DENTRIES - INODES] = get_file(f);
		if (i < DENTRIES + INODES)
			filp_close(f, NULL);
	}
	pr_info("LAB-REFS dentry %d %d\n", DENTRIES, DENTRIES);
	pr_info("LAB-REFS inode %d %d\n", INODES, INODES);
	pr_info("LAB-REFS file %d %d\n", OPEN, OPEN);
}

/* Of files that are not in memory: their dentries have no more references than pointers. */
static noinline void leak_in_proc(void)
{
	static const char *const names[] = {
		"cpuinfo", "meminfo", "version", "uptime", "stat", "loadavg", "interrupts", "softirqs", "filesystems",
		"devices", "modules", "kallsyms", "iomem", "ioports", "cmdline", "consoles", "crypto", "partitions",
		"swaps", "vmstat", "zoneinfo", "buddyinfo", "pagetypeinfo", "misc", "locks", "execdomains",
	};
	char name[32];
	struct path path;
	int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "/proc/%s", names[i]);
		if (kern_path(name, LOOKUP_FOLLOW, &path))
			continue;
		dget(path.dentry);
		dget(path.dentry);
		path_put(&path);
		n++;
	}
	pr_info("LAB-REFS proc %d %d\n", n, 2 * n);
}

static noinline void keep(void)
{
	struct thing *t;
	int i;

	for (i = 0; i < LISTED; i++) {
		t = make(&of_listed);
		if (t)
			list_add(&t->list, &leaky_listed);
	}
	kept("listed", LISTED);
	for (i = 0; i < ARRAY; i++)
		leaky_array[i] = make(&of_array);
	kept("array", ARRAY);
	for (i = 0; i < INSIDE; i++) {
		t = make(&of_inside);
		leaky_inside[i] = t ? t->more + 40 : NULL;
	}
	kept("inside", INSIDE);
	for (i = 0; i < INDEXED; i++)
		xa_store(&leaky_indexed, i * 77, make(&of_indexed), GFP_KERNEL);
	kept("indexed", INDEXED);
	leaky_area = vzalloc(IN_AREA * sizeof(*leaky_area));
	for (i = 0; leaky_area && i < IN_AREA; i++)
		leaky_area[i] = make(&of_in_area);
	kept("in_area", IN_AREA);
	for (i = 0; i < BY_PAGE; i++) {
		leaky_page[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (leaky_page[i])
			set_page_private(leaky_page[i], (unsigned long)make(&of_by_page));
	}
	kept("by_page", BY_PAGE);
}

/* A constructor: the cache is not merged with another one. */
static void construct(void *object)
{
	memset(object, 0, sizeof(struct thing));
}

/* Stacks have old pointers: other calls write over them. */
static noinline int wipe(int depth)
{
	volatile char room[256];
	unsigned int i;

	for (i = 0; i < sizeof(room); i++)
		room[i] = (char)depth;
	return depth ? wipe(depth - 1) + room[7] : room[3];
}

static int __init leaky_init(void)
{
	cache = kmem_cache_create("leaky_own", sizeof(struct thing), 0, 0, construct);
	if (!cache)
		return -ENOMEM;
	keep();
	leak_objects();
	leak_others();
	leak_references();
	leak_in_proc();
	wipe(16);
	return 0;
}

module_init(leaky_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("leaks: for tests");
