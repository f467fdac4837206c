/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_devices.c - the held machine with devices: a disk of zram, a balloon. */
#include "facts/layout/holder.h"
#include "facts/layout/module.h"
#include "tests/unit/held_objects.h"

/* Lists of the driver core: a kset of classes or buses, a subsys_private of one, a device_private. */
enum { KSET_VAR = 0x7000, KSET = 0x7040, SUBSYS = 0x7100, CLASS = 0x7180, PRIVATE = 0x71c0,
       DEVICES_OF = 0x40, SUBSYS_NODE = 0x18 };

static void put_core(struct held_machine *m, enum layout_id kset, uint64_t node)
{
	fake_symbol(m->f, kset, fake_kva(m->f, KSET_VAR));
	fake_members(m->f, { M_KSET_LIST, 0, 16 }, { M_KOBJECT_ENTRY, 8, 16 },
		     { M_SUBSYS_KOBJ, SUBSYS_NODE - 8, 64 }, { M_SUBSYS_DEVICES, DEVICES_OF, 16 },
		     { M_KNODE_DEVICE, 0x20, 8 });
	hm_point(m, KSET_VAR, KSET);
	hm_queue(m, KSET, SUBSYS + SUBSYS_NODE, 0);
	hm_queue(m, SUBSYS + DEVICES_OF, node, 0);
}

/* ---- block devices ---------------------------------------------------------------------------- */

enum { BDEV = 0x7200, BDEV_DEVICE = 0x40, DISK = 0x7300, RQ = 0x7380, SET = 0x7400, HCTX = 0x7440,
       TAGS = 0x7480, SCHED_TAGS = 0x74a0, TAG_ARRAY = 0x74c0, ZRAM = 0x7540, ZPOOL = 0x7800,
       HCTX_ARRAY = 0x74e0, REQUESTS = 0x7640, INTEGRITY = 0x7580, ELEMENTS = 0x75c0, TYPE_OF_DISK = 0x7600 };
enum { DISK_NAME = 8, DISK_QUEUE = 0x30, DISK_DATA = 0x38 };
enum { RQ_DISK = 0, RQ_SET = 8, RQ_HCTXS = 0x10, RQ_NR = 0x20, RQ_SHARED = 0x28 };

static void state_queues(struct fake *f)
{
	fake_symbol(f, Y_BLOCK_CLASS, fake_kva(f, CLASS));
	fake_symbol(f, Y_DISK_TYPE, fake_kva(f, TYPE_OF_DISK));
	fake_symbol(f, Y_PART_TYPE, fake_kva(f, TYPE_OF_DISK + 8));
	fake_members(f, { M_DEVICE_TYPE, 8, 8 }, { M_DISK_NAME, DISK_NAME, 32 },
		     { M_DISK_QUEUE, DISK_QUEUE, 8 }, { M_DISK_PRIVATE, DISK_DATA, 8 },
		     { M_QUEUE_DISK, RQ_DISK, 8 }, { M_QUEUE_SET, RQ_SET, 8 },
		     { M_QUEUE_NR_HCTXS, RQ_NR, 4 }, { M_QUEUE_SHARED, RQ_SHARED, 8 },
		     { M_HCTX_TAGS, 0, 8 }, { M_HCTX_SCHED, 8, 8 }, { M_TAGSET_TAGS, 0, 8 },
		     { M_TAGSET_NR, 8, 4 }, { M_TAGSET_SHARED, 16, 8 }, { M_TAGS_PAGES, 0, 16 },
		     { M_TAGS_NR, 16, 4 }, { M_TAGS_REQUESTS, 24, 8 }, { M_ZRAM_DISK, 0, 8 },
		     { M_ZRAM_POOL, 8, 8 }, { M_ZRAM_TABLE, 16, 8 });
}

/* Two blocks of requests, of one page and of two; the second request is in the last page. Their list is at LIST. */
static void put_tags(struct held_machine *m, uint64_t tags, uint64_t first, uint64_t list)
{
	uint64_t a = PAGES + (first >> 12) * STRUCT_PAGE, b = a + 2 * STRUCT_PAGE;

	hm_queue(m, tags, a + 8, b + 8);
	hm_put(m, tags + 16, 2, 4);
	hm_point(m, tags + 24, list);
	hm_point(m, list, first + 0x100);
	hm_point(m, list + 8, first + 0x3100);
	hm_put(m, a + 40, 0, 8);
	hm_put(m, b + 40, 1, 8);
}

static void put_integrity(struct held_machine *m)
{
	fake_symbol(m->f, Y_INTEGRITY_POOL, fake_kva(m->f, INTEGRITY));
	fake_members(m->f, { M_MEMPOOL_NR, 0, 4 }, { M_MEMPOOL_DATA, 8, 8 },
		     { M_MEMPOOL_ELEMENTS, 16, 8 });
	hm_put(m, INTEGRITY, 1, 4);
	hm_put(m, INTEGRITY + 8, 1, 8);
	hm_point(m, INTEGRITY + 16, ELEMENTS);
	hm_put(m, ELEMENTS, hm_page(m, MORE + 0x20000), 8);
}

static void put_zram(struct held_machine *m)
{
	fake_put(m->f, DISK + DISK_NAME, "zram0", 6);
	hm_point(m, DISK + DISK_DATA, ZRAM);
	hm_point(m, ZRAM, DISK);
	hm_point(m, ZRAM + 8, ZPOOL);
	hm_point(m, ZRAM + 16, MORE + 0x30000);
	hm_zspool(m, ZPOOL);
}

static void put_queue(struct held_machine *m)
{
	hm_point(m, DISK + DISK_QUEUE, RQ);
	hm_point(m, RQ + RQ_DISK, DISK);
	hm_point(m, RQ + RQ_SET, SET);
	hm_put(m, RQ + RQ_NR, 1, 4);
	hm_put(m, RQ + RQ_SHARED, 0, 8);
	hm_point(m, SET, TAG_ARRAY);
	hm_put(m, SET + 8, 1, 4);
	hm_put(m, SET + 16, 0, 8);
	hm_point(m, TAG_ARRAY, TAGS);
	hm_point(m, HCTX, TAGS);
	hm_point(m, HCTX + 8, SCHED_TAGS);
	put_tags(m, TAGS, MORE + 0x10000, REQUESTS);
	put_tags(m, SCHED_TAGS, MORE + 0x18000, REQUESTS + 16);
}

struct held_machine *hm_block(void)
{
	struct held_machine *m = hm_new();

	hm_xarrays(m);
	state_queues(m->f);
	put_core(m, Y_CLASS_KSET, PRIVATE + 8);
	fake_members(m->f, { M_SUBSYS_CLASS, 0, 8 }, { M_KNODE, 8, 16 }, { M_DEVICE_PRIVATE, 0, 8 },
		     { M_BDEV_DEVICE, BDEV_DEVICE, 64 }, { M_BDEV_DISK, 0, 8 },
		     { M_DISK_PART0, 0, 8 }, { M_QUEUE_HCTX_TABLE, RQ_HCTXS, 16 });
	hm_point(m, SUBSYS, CLASS);
	hm_point(m, PRIVATE + 0x20, BDEV + BDEV_DEVICE);
	hm_point(m, BDEV + BDEV_DEVICE, PRIVATE);
	hm_point(m, BDEV + BDEV_DEVICE + 8, TYPE_OF_DISK);
	hm_point(m, BDEV, DISK);
	hm_point(m, DISK, BDEV);
	hm_point(m, RQ + RQ_HCTXS, HCTX);
	put_queue(m);
	put_zram(m);
	put_integrity(m);
	return m;
}

/* The class leads to its devices, which are in disks; queues are in an array. */
struct held_machine *hm_block_class(void)
{
	enum { DISK_DEVICE = 0x48, KNODE_OF = 0x18 };
	struct held_machine *m = hm_new();

	state_queues(m->f);
	put_core(m, Y_CLASS_KSET, DISK + DISK_DEVICE + KNODE_OF);
	fake_members(m->f, { M_CLASS_PRIVATE, 0, 8 }, { M_DEVICE_KNODE, KNODE_OF, 16 },
		     { M_DISK_DEVICE, DISK_DEVICE, 64 }, { M_QUEUE_HCTXS, RQ_HCTXS, 8 });
	hm_point(m, CLASS, SUBSYS);
	hm_point(m, DISK + DISK_DEVICE + 8, TYPE_OF_DISK);
	hm_point(m, RQ + RQ_HCTXS, HCTX_ARRAY);
	hm_point(m, HCTX_ARRAY, HCTX);
	put_queue(m);
	fake_put(m->f, DISK + DISK_NAME, "sda", 4);
	return m;
}

/* ---- the balloon of virtio -------------------------------------------------------------------- */

struct held_machine *hm_balloon(void)
{
	enum { BUS = 0x7180, VIRTIO = 0x7200, DEVICE = 0x40, DRIVER = 0x7300, BALLOON = 0x7400,
	       BUS_NAME = 0x7500, DRIVER_NAME = 0x7520 };
	struct held_machine *m = hm_new();

	put_core(m, Y_BUS_KSET, PRIVATE + 8);
	fake_members(m->f, { M_SUBSYS_BUS, 0, 8 }, { M_BUS_NAME, 0, 8 }, { M_KNODE_BUS, 8, 16 },
		     { M_DEVICE_DRIVER, 8, 8 }, { M_DRIVER_NAME, 0, 8 },
		     { M_VIRTIO_DEVICE, DEVICE, 64 }, { M_VIRTIO_PRIVATE, 0, 8 },
		     { M_VBALLOON_DEVICE, 0, 8 }, { M_VBALLOON_SIZE, 8, 4 },
		     { M_VBALLOON_PAGES, 16, 16 });
	hm_point(m, SUBSYS, BUS);
	hm_point(m, BUS, BUS_NAME);
	fake_put(m->f, BUS_NAME, "virtio", 7);
	hm_point(m, PRIVATE + 0x20, VIRTIO + DEVICE);
	hm_point(m, VIRTIO + DEVICE + 8, DRIVER);
	hm_point(m, DRIVER, DRIVER_NAME);
	fake_put(m->f, DRIVER_NAME, "virtio_balloon", 15);
	hm_point(m, VIRTIO, BALLOON);
	hm_point(m, BALLOON, VIRTIO);
	hm_put(m, BALLOON + 8, 2, 4);
	hm_queue(m, BALLOON + 16, PAGES + (MORE >> 12) * STRUCT_PAGE + 8,
		 PAGES + ((MORE >> 12) + 5) * STRUCT_PAGE + 8);
	return m;
}
