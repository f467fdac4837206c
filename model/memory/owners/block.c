/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block.c - requests of block devices. A driver's queues, and an I/O scheduler, have theirs made in
 * advance (blk_mq_alloc_rqs(), block/blk-mq.c, read in 5.10, 6.1, 6.12, 7.2): pages in a list, each
 * with its order in page->private. Disks are found by the devices of the class "block".
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/holder.h"
#include "facts/layout/page.h"
#include "model/kernel/page/page_list.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/walk/xarray.h"
#include "model/memory/owners/holding.h"

#define DEVICES_MAX (1u << 20)
#define CLASSES_MAX 65536u
#define QUEUES_MAX 65536u	/* of a device */
#define BLOCKS_MAX (1u << 20)	/* of one set of requests */
#define ORDER_MAX 10u
#define TAGS_MAX (1u << 20)	/* of a queue; BLK_MQ_MAX_DEPTH is 10240 */
#define REQUESTS 64u		/* addresses that are read at once */
#define POOL_MAX 1024u		/* blocks in reserve; 2 */
#define NAME_BYTES 33

struct disk {
	struct holding *h;
	uint64_t addr, queue;
	char name[NAME_BYTES];
};

/* ---- requests of one queue --------------------------------------------------------------------- */

/* OBJECT, which has the requests of D of one kind; NULL: it was seen, with another disk. */
static struct held *owner_of(const struct disk *d, uint64_t object, const char *of)
{
	struct held *o;
	bool fresh;

	o = held_get(d->h, OWNER_BLOCK, object, &fresh);
	if (!fresh)
		return NULL;
	o->kernel = true;
	o->what = arena_printf(d->h->mem, "%s: %s", d->name, of);
	return o;
}

/* Each request of TAGS lies in the pages that were taken (blk_mq_alloc_rqs()). */
static void check_requests(struct holding *h, struct held *o, uint64_t tags)
{
	uint64_t v = held_member(h, o, tags, M_TAGS_REQUESTS), n, pa;
	uint32_t word = h->k->dump->word_size;
	uint8_t raw[REQUESTS * sizeof(uint64_t)];

	if (!v || !has(h->k, M_TAGS_NR))
		return;
	n = held_member(h, o, tags, M_TAGS_NR);
	o->incomplete |= n > TAGS_MAX;
	for (uint64_t i = 0; i < n && !o->incomplete; i++) {
		uint64_t request;

		if (i % REQUESTS == 0 &&
		    read_kva(h->r, v + i * word, raw, min_u64(n - i, REQUESTS) * word)) {
			o->incomplete = true;
			break;
		}
		request = load_uint(raw + i % REQUESTS * word, word, h->k->dump->big_endian);
		o->incomplete |= request &&
				 (reader_kvtop(h->r, request, &pa, NULL) ||
				  page_class_at(h->c, pa >> h->k->page_shift) != CLASS_BLOCK);
	}
}

static void take_tags(struct holding *h, struct held *o, uint64_t tags)
{
	const struct kernel *k = h->k;
	struct listwalk w;
	uint64_t pfn;

	if (!tags)
		return;
	w = listwalk_start(k, h->r, tags + layout_offset(&k->layout, M_TAGS_PAGES), BLOCKS_MAX);
	while (page_list_next(&w, &pfn)) {
		uint64_t order = held_member(h, o, page_list_page(&w), M_PAGE_PRIVATE);

		if (order > ORDER_MAX)
			o->incomplete = true;
		else
			held_frames(h, o, pfn, UINT64_C(1) << order, CLASS_BLOCK);
	}
	o->incomplete |= w.st != ST_OK;
	check_requests(h, o, tags);
}

/* The driver's; disks of one host adapter share a set. */
static void take_set(const struct disk *d, uint64_t set)
{
	uint64_t tags = holding_get(d->h, set, M_TAGSET_TAGS),
		 n = holding_get(d->h, set, M_TAGSET_NR), one;
	uint32_t word = d->h->k->dump->word_size;
	struct held *o = tags ? owner_of(d, set, "driver") : NULL;

	for (uint64_t i = 0; o && i < n && i < QUEUES_MAX; i++)
		if (!read_kva_word(d->h->r, tags + i * word, &one))
			take_tags(d->h, o, one);
		else
			o->incomplete = true;
	if (o)
		take_tags(d->h, o, holding_get(d->h, set, M_TAGSET_SHARED));
}

struct scheduler {
	const struct disk *d;
	struct held *o;
	uint64_t tags;			/* array of the driver's set; 0: none */
};

/* Queue I of the hardware has the driver's tags I (blk_mq_init_hctx()). */
static void check_tags(const struct scheduler *s, uint64_t i, uint64_t hctx)
{
	uint64_t of_set = 0, of_queue = held_member(s->d->h, s->o, hctx, M_HCTX_TAGS);

	if (s->tags && of_queue &&
	    (read_kva_word(s->d->h->r, s->tags + i * s->d->h->k->dump->word_size, &of_set) ||
	     of_set != of_queue))
		s->o->incomplete = true;
}

static bool take_hctx(void *arg, const struct xa_entry *e)
{
	struct scheduler *s = arg;

	s->o->incomplete |= e->is_value;
	if (e->is_value)
		return true;
	check_tags(s, e->index, e->value);
	take_tags(s->d->h, s->o, held_member(s->d->h, s->o, e->value, M_HCTX_SCHED));
	return true;
}

static void take_scheduler(const struct disk *d)
{
	struct scheduler s = { .d = d, .o = owner_of(d, d->queue, "scheduler") };
	uint64_t v = holding_get(d->h, d->queue, M_QUEUE_HCTXS),
		 n = holding_get(d->h, d->queue, M_QUEUE_NR_HCTXS), hctx;
	uint32_t word = d->h->k->dump->word_size;

	if (!s.o)
		return;
	s.tags = holding_get(d->h, holding_get(d->h, d->queue, M_QUEUE_SET), M_TAGSET_TAGS);
	if (has(d->h->k, M_QUEUE_HCTX_TABLE))
		xarray_walk(d->h->k, d->h->r,
			    d->queue + layout_offset(&d->h->k->layout, M_QUEUE_HCTX_TABLE), 0,
			    QUEUES_MAX, take_hctx, &s);
	for (uint64_t i = 0; v && i < n && i < QUEUES_MAX; i++)
		if (read_kva_word(d->h->r, v + i * word, &hctx)) {
			s.o->incomplete = true;
		} else if (hctx) {
			check_tags(&s, i, hctx);
			take_tags(d->h, s.o, held_member(d->h, s.o, hctx, M_HCTX_SCHED));
		}
	take_tags(d->h, s.o, holding_get(d->h, d->queue, M_QUEUE_SHARED));
}

/* A pool of blocks of pages, all of one order. */
static void take_integrity(struct holding *h)
{
	uint64_t pool = layout_symbol(&h->k->layout, Y_INTEGRITY_POOL), nr, order, elements, page,
		 pfn;
	uint32_t word = h->k->dump->word_size;
	struct held *o;
	bool fresh;

	if (!pool || !has(h->k, M_MEMPOOL_NR) || !has(h->k, M_MEMPOOL_ELEMENTS) ||
	    !has(h->k, M_MEMPOOL_DATA))
		return;
	o = held_get(h, OWNER_BLOCK, pool, &fresh);
	o->kernel = true;
	o->what = "integrity data of requests";
	nr = held_member(h, o, pool, M_MEMPOOL_NR);
	order = held_member(h, o, pool, M_MEMPOOL_DATA);
	elements = held_member(h, o, pool, M_MEMPOOL_ELEMENTS);
	if (order > ORDER_MAX || nr > POOL_MAX)
		o->incomplete = true;
	for (uint64_t i = 0; i < nr && !o->incomplete; i++)
		if (read_kva_word(h->r, elements + i * word, &page) ||
		    !memmap_page_pfn(&h->k->memmap, page, &pfn))
			o->incomplete = true;
		else
			held_frames(h, o, pfn, UINT64_C(1) << order, CLASS_BLOCK);
}

/* ---- disks ------------------------------------------------------------------------------------- */

/* The struct gendisk of a device, 0 if it is a partition. Its part 0 is the device. */
static uint64_t disk_of(struct holding *h, uint64_t device)
{
	const struct layout *l = &h->k->layout;
	uint64_t type = holding_get(h, device, M_DEVICE_TYPE), bdev, disk;

	if (type != layout_symbol(l, Y_DISK_TYPE)) {
		if (has(h->k, Y_PART_TYPE) && type != layout_symbol(l, Y_PART_TYPE))
			holding_damaged(h, "type of the block device", device);
		return 0;
	}
	if (!has(h->k, M_BDEV_DEVICE))
		return has(h->k, M_DISK_DEVICE) ? device - layout_offset(l, M_DISK_DEVICE) : 0;
	bdev = device - layout_offset(l, M_BDEV_DEVICE);
	disk = holding_get(h, bdev, M_BDEV_DISK);
	if (has(h->k, M_DISK_PART0) && (!disk || holding_get(h, disk, M_DISK_PART0) != bdev)) {
		holding_damaged(h, "disk of the block device", device);
		return 0;
	}
	return disk;
}

/* A queue of the hardware has tags; only those of programs have none (nr_hw_queues is 0). */
static void check_set(struct holding *h, uint64_t queue, uint64_t set)
{
	if (holding_get(h, queue, M_QUEUE_NR_HCTXS) &&
	    (!set || !holding_get(h, set, M_TAGSET_TAGS) || !holding_get(h, set, M_TAGSET_NR)))
		holding_damaged(h, "tag set of the queue", queue);
}

static void take_device(struct holding *h, uint64_t device)
{
	struct disk d = { .h = h, .addr = disk_of(h, device) };

	if (!d.addr)
		return;
	d.queue = holding_get(h, d.addr, M_DISK_QUEUE);
	if (!d.queue ||
	    (has(h->k, M_QUEUE_DISK) && holding_get(h, d.queue, M_QUEUE_DISK) != d.addr))
		holding_damaged(h, "queue of the disk", d.addr);
	if (!d.queue || read_kva_str(h->r, d.addr + layout_offset(&h->k->layout, M_DISK_NAME),
				     d.name, sizeof(d.name)))
		return;
	check_set(h, d.queue, holding_get(h, d.queue, M_QUEUE_SET));
	take_set(&d, holding_get(h, d.queue, M_QUEUE_SET));
	take_scheduler(&d);
	if (!strncmp(d.name, "zram", 4))
		zram_read(h, d.addr, d.name);
	else if (!strncmp(d.name, "md", 2))
		raid_read(h, d.addr, d.name);
	else if (!strncmp(d.name, "ram", 3))
		ramdisk_read(h, d.addr, d.name);
}

/* The subsys_private of the class; since 6.4 only the list of all classes leads to it
   (class_to_subsys(), drivers/base/class.c). */
static uint64_t block_class(struct holding *h)
{
	const struct layout *l = &h->k->layout;
	uint64_t class = layout_symbol(l, Y_BLOCK_CLASS), kset;
	struct listwalk w;

	if (has(h->k, M_CLASS_PRIVATE))
		return holding_get(h, class, M_CLASS_PRIVATE);
	if (kvar_u64(h->k, h->r, Y_CLASS_KSET, 0, &kset) || !has(h->k, M_SUBSYS_CLASS))
		return 0;
	w = listwalk_start(h->k, h->r, kset + layout_offset(l, M_KSET_LIST), CLASSES_MAX);
	while (listwalk_next(&w)) {
		uint64_t subsys = w.node - layout_offset(l, M_KOBJECT_ENTRY) -
				  layout_offset(l, M_SUBSYS_KOBJ);

		if (holding_get(h, subsys, M_SUBSYS_CLASS) == class)
			return subsys;
	}
	return 0;
}

/* The struct device of NODE in the list of its class; 0: damaged. */
static uint64_t device_of_node(struct holding *h, uint64_t node)
{
	const struct layout *l = &h->k->layout;
	uint64_t private, device;

	if (!has(h->k, M_KNODE))
		return node - layout_offset(l, M_DEVICE_KNODE);
	private = node - layout_offset(l, M_KNODE);
	device = holding_get(h, private, M_KNODE_DEVICE);
	if (has(h->k, M_DEVICE_PRIVATE) && holding_get(h, device, M_DEVICE_PRIVATE) != private) {
		holding_damaged(h, "device of the class, by its part", private);
		return 0;
	}
	return device;
}

void block_walk(struct holding *h)
{
	const struct layout *l = &h->k->layout;
	uint64_t subsys;
	struct listwalk w;

	take_integrity(h);
	if (!has(h->k, Y_BLOCK_CLASS) || !has(h->k, Y_DISK_TYPE) || !has(h->k, M_TAGS_PAGES) ||
	    !(has(h->k, M_KNODE) || has(h->k, M_DEVICE_KNODE)))
		return;
	subsys = block_class(h);
	if (!subsys) {
		holding_damaged(h, "devices of the class", layout_symbol(l, Y_BLOCK_CLASS));
		return;
	}
	w = listwalk_start(h->k, h->r, subsys + layout_offset(l, M_SUBSYS_DEVICES), DEVICES_MAX);
	while (listwalk_next(&w)) {
		uint64_t device = device_of_node(h, w.node);

		if (device)
			take_device(h, device);
	}
	if (w.st)
		issue_add(h->k->issues, w.st, "owner", 1, "list of block devices");
}
