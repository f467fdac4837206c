/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_xfs.c - the held machine with a file system of xfs, which has three buffers. */
#include "facts/layout/file.h"
#include "facts/layout/module.h"
#include "tests/unit/held_objects.h"

enum { SUPER_LIST = 16, SUPER_NAME = 40, BUCKETS = 16, LOCK = 1 };
enum { B_LENGTH = 8, B_FLAGS = 12, B_ADDR = 24, B_PAGES = 32, B_NR_PAGES = 40, B_ARRAY = 48 };
enum { FROM_KMALLOC = 1 << 21 };

static void state(struct fake *f)
{
	fake_symbol(f, Y_SUPER_BLOCKS, fake_kva(f, XFS_SUPERS));
	fake_members(f, { M_SB_LIST, SUPER_LIST, 16 }, { M_SB_FS_INFO, 32, 8 },
		     { M_SB_NAME, SUPER_NAME, 32 }, { M_XFS_SUPER, 0, 8 }, { M_XFS_DATA, 8, 8 },
		     { M_XFS_LOG, 16, 8 }, { M_XFS_REALTIME, 24, 8 }, { M_XFS_GROUPS, 40, 16 },
		     { M_XFSBUF_HASH, 0, 8 }, { M_XFSBUF_LENGTH, B_LENGTH, 4 },
		     { M_XFSBUF_FLAGS, B_FLAGS, 4 }, { M_XFSBUF_MOUNT, XFS_BUF_MOUNT, 8 },
		     { M_XFSBUF_ADDR, B_ADDR, 8 }, { M_RHASH_TABLE, 0, 8 },
		     { M_RHASH_COUNT, XFS_HASH_COUNT, 4 }, { M_RHASH_SIZE, 0, 4 },
		     { M_RHASH_NEST, XFS_NEST, 4 }, { M_RHASH_FUTURE, XFS_FUTURE, 8 },
		     { M_RHASH_BUCKETS, BUCKETS, 0 });
}

static void put_buffer(struct held_machine *m, uint64_t at, uint64_t next, uint64_t addr, uint32_t bytes)
{
	hm_put(m, at, next ? fake_kva(m->f, next) : 1, 8);
	hm_put(m, at + B_LENGTH, bytes >> 9, 4);
	hm_put(m, at + B_FLAGS, 0, 4);
	hm_point(m, at + XFS_BUF_MOUNT, XFS_MOUNT);
	hm_point(m, at + B_ADDR, addr);
}

/* Four buckets: none, a locked one with two buffers, an empty one that is locked, one with one. */
static void put_hash(struct held_machine *m, uint64_t hash)
{
	hm_point(m, hash, XFS_TABLE);
	hm_put(m, hash + XFS_HASH_COUNT, 3, 4);
	hm_put(m, XFS_TABLE, 4, 4);
	hm_put(m, XFS_TABLE + XFS_NEST, 0, 4);
	hm_put(m, XFS_TABLE + XFS_FUTURE, 0, 8);
	hm_put(m, XFS_TABLE + BUCKETS, 0, 8);
	hm_put(m, XFS_TABLE + BUCKETS + 8, fake_kva(m->f, XFS_BUF1) | LOCK, 8);
	hm_put(m, XFS_TABLE + BUCKETS + 16, LOCK, 8);
	hm_point(m, XFS_TABLE + BUCKETS + 24, XFS_BUF3);
	/* a page, 8 KiB of a folio of 16, and 512 bytes of a slab */
	put_buffer(m, XFS_BUF1, XFS_BUF2, DATA + 0x30000, 4096);
	put_buffer(m, XFS_BUF2, 0, DATA + 0x8000, 8192);
	put_buffer(m, XFS_BUF3, 0, 0x7f00, 512);
}

static struct held_machine *machine(void)
{
	struct held_machine *m = hm_new();

	state(m->f);
	hm_queue(m, XFS_SUPERS, XFS_SUPER + SUPER_LIST, SB_PIPE + SUPER_LIST);
	hm_put(m, XFS_SUPER, 0x58465342, 8);
	hm_point(m, XFS_SUPER + 32, XFS_MOUNT);
	fake_put(m->f, XFS_SUPER + SUPER_NAME, "sdb1", 5);
	hm_point(m, XFS_MOUNT, XFS_SUPER);
	hm_point(m, XFS_MOUNT + 8, XFS_DEVICE);
	hm_point(m, XFS_MOUNT + 16, XFS_DEVICE);	/* the log is on it, too */
	hm_put(m, XFS_MOUNT + 24, 0, 8);
	return m;
}

struct held_machine *hm_xfs(void)
{
	struct held_machine *m = machine();

	fake_member(m->f, M_XFS_DEVICE_HASH, XFS_HASH, 16);
	put_hash(m, XFS_DEVICE + XFS_HASH);
	return m;
}

struct held_machine *hm_xfs_groups(void)
{
	struct held_machine *m = machine();

	fake_members(m->f, { M_XFS_GROUP_HASH, XFS_HASH, 16 }, { M_XFSBUF_PAGES, B_PAGES, 8 },
		     { M_XFSBUF_NR_PAGES, B_NR_PAGES, 4 });
	hm_xarrays(m);
	hm_point(m, XFS_MOUNT + 40, XFS_GROUP);	/* an xarray with one entry at 0 */
	put_hash(m, XFS_GROUP + XFS_HASH);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = i ? XFS_BUF2 : XFS_BUF1;

		hm_point(m, at + B_PAGES, at + B_ARRAY);
		hm_put(m, at + B_NR_PAGES, i + 1, 4);
		hm_put(m, at + B_ARRAY, hm_page(m, DATA + 0x30000 + i * 0x1000), 8);
		hm_put(m, at + B_ARRAY + 8, hm_page(m, DATA + 0x40000), 8);
	}
	hm_put(m, XFS_BUF2 + B_ADDR, 0, 8);	/* not mapped */
	hm_put(m, XFS_BUF3 + B_FLAGS, FROM_KMALLOC, 4);
	return m;
}
