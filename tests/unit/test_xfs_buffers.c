/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: buffers of xfs. */
#include "tests/unit/check.h"
#include "tests/unit/held_machine.h"

/* Physical addresses that the machine does not use. */
enum { SUPERS = 0x7000, SUPER = 0x7100, MOUNT = 0x7200, DEVICE = 0x7300, TABLE = 0x7400,
       BUFFER1 = 0x7800, BUFFER2 = 0x7900, BUFFER3 = 0x7a00, GROUP = 0x7b00 };
enum { SUPER_LIST = 16, SUPER_NAME = 40, HASH = 24, COUNT = 8 };
enum { NEST = 4, FUTURE = 8, BUCKETS = 16, LOCK = 1 };
enum { B_LENGTH = 8, B_FLAGS = 12, B_MOUNT = 16, B_ADDR = 24, B_PAGES = 32, B_NR_PAGES = 40, B_ARRAY = 48 };
enum { FROM_KMALLOC = 1 << 21 };

static void state(struct fake *f)
{
	fake_symbol(f, Y_SUPER_BLOCKS, fake_kva(f, SUPERS));
	fake_member(f, M_SB_LIST, SUPER_LIST, 16);
	fake_member(f, M_SB_FS_INFO, 32, 8);
	fake_member(f, M_SB_NAME, SUPER_NAME, 32);
	fake_member(f, M_XFS_SUPER, 0, 8);
	fake_member(f, M_XFS_DATA, 8, 8);
	fake_member(f, M_XFS_LOG, 16, 8);
	fake_member(f, M_XFS_REALTIME, 24, 8);
	fake_member(f, M_XFS_GROUPS, 40, 16);
	fake_member(f, M_XFSBUF_HASH, 0, 8);
	fake_member(f, M_XFSBUF_LENGTH, B_LENGTH, 4);
	fake_member(f, M_XFSBUF_FLAGS, B_FLAGS, 4);
	fake_member(f, M_XFSBUF_MOUNT, B_MOUNT, 8);
	fake_member(f, M_XFSBUF_ADDR, B_ADDR, 8);
	fake_member(f, M_RHASH_TABLE, 0, 8);
	fake_member(f, M_RHASH_COUNT, COUNT, 4);
	fake_member(f, M_RHASH_SIZE, 0, 4);
	fake_member(f, M_RHASH_NEST, NEST, 4);
	fake_member(f, M_RHASH_FUTURE, FUTURE, 8);
	fake_member(f, M_RHASH_BUCKETS, BUCKETS, 0);
}

static void put_buffer(struct held_machine *m, uint64_t at, uint64_t next, uint64_t addr, uint32_t bytes)
{
	hm_put(m, at, next ? fake_kva(m->f, next) : 1, 8);
	hm_put(m, at + B_LENGTH, bytes >> 9, 4);
	hm_put(m, at + B_FLAGS, 0, 4);
	hm_point(m, at + B_MOUNT, MOUNT);
	hm_point(m, at + B_ADDR, addr);
}

/* Four buckets: none, a locked one with two buffers, an empty one that is locked, one with one. */
static void put_hash(struct held_machine *m, uint64_t hash)
{
	hm_point(m, hash, TABLE);
	hm_put(m, hash + COUNT, 3, 4);
	hm_put(m, TABLE, 4, 4);
	hm_put(m, TABLE + NEST, 0, 4);
	hm_put(m, TABLE + FUTURE, 0, 8);
	hm_put(m, TABLE + BUCKETS, 0, 8);
	hm_put(m, TABLE + BUCKETS + 8, fake_kva(m->f, BUFFER1) | LOCK, 8);
	hm_put(m, TABLE + BUCKETS + 16, LOCK, 8);
	hm_point(m, TABLE + BUCKETS + 24, BUFFER3);
	/* a page, 8 KiB of a folio of 16, and 512 bytes of a slab */
	put_buffer(m, BUFFER1, BUFFER2, DATA + 0x30000, 4096);
	put_buffer(m, BUFFER2, 0, DATA + 0x8000, 8192);
	put_buffer(m, BUFFER3, 0, 0x7f00, 512);
}

static struct held_machine *xfs_machine(void)
{
	struct held_machine *m = hm_new();

	state(m->f);
	hm_queue(m, SUPERS, SUPER + SUPER_LIST, SB_PIPE + SUPER_LIST);
	hm_put(m, SUPER, 0x58465342, 8);
	hm_point(m, SUPER + 32, MOUNT);
	fake_put(m->f, SUPER + SUPER_NAME, "sdb1", 5);
	hm_point(m, MOUNT, SUPER);
	hm_point(m, MOUNT + 8, DEVICE);
	hm_point(m, MOUNT + 16, DEVICE);	/* the log is on it, too */
	hm_put(m, MOUNT + 24, 0, 8);
	return m;
}

/* As in 7.3: one hash for each device, folios. */
static struct held_machine *new_machine(void)
{
	struct held_machine *m = xfs_machine();

	fake_member(m->f, M_XFS_DEVICE_HASH, HASH, 16);
	put_hash(m, DEVICE + HASH);
	return m;
}

static void test_folios(void)
{
	struct held_machine *m = new_machine();

	hm_build(m);
	/* the folio is the socket's of this machine, which came first */
	CHECK_EQ(hm_owner(m, MOUNT, CLASS_FS)->pages, 1);
	CHECK_STR(hm_owner(m, MOUNT, CLASS_FS)->what, "of xfs on sdb1");
	CHECK(hm_owner(m, MOUNT, CLASS_FS)->kernel && !hm_owner(m, MOUNT, CLASS_FS)->incomplete);
	/* three buffers, a table, and the contents of one */
	CHECK_EQ(hm_owner(m, MOUNT, CLASS_SLAB)->size, 5 * OBJECT);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

static void damaged(void (*alter)(struct held_machine *m))
{
	struct held_machine *m = new_machine();

	alter(m);
	hm_build(m);
	CHECK(hm_owner(m, MOUNT, CLASS_SLAB)->incomplete || !hm_owner(m, MOUNT, CLASS_SLAB)->size);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void count_more(struct held_machine *m) { hm_put(m, DEVICE + HASH + COUNT, 4, 4); }
static void nest(struct held_machine *m) { hm_put(m, TABLE + NEST, 9, 4); }
static void size(struct held_machine *m) { hm_put(m, TABLE, UINT32_MAX, 4); }
static void cycle(struct held_machine *m) { hm_point(m, BUFFER2, BUFFER1); }
static void stranger(struct held_machine *m) { hm_point(m, BUFFER2 + B_MOUNT, DEVICE); }
static void astray(struct held_machine *m) { hm_put(m, BUFFER1, 0x123456789abcdef0, 8); }
static void future(struct held_machine *m) { hm_point(m, TABLE + FUTURE, TABLE); }

/* As in 6.1: a hash for each group, arrays of pages. */
static void test_groups(void)
{
	struct held_machine *m = xfs_machine();

	fake_member(m->f, M_XFS_GROUP_HASH, HASH, 16);
	fake_member(m->f, M_XFSBUF_PAGES, B_PAGES, 8);
	fake_member(m->f, M_XFSBUF_NR_PAGES, B_NR_PAGES, 4);
	fake_member(m->f, M_XA_HEAD, 8, 8);
	fake_member(m->f, M_XA_NODE_SHIFT, 0, 1);
	fake_array(m->f, M_XA_NODE_SLOTS, 40, 8, 64);
	fake_size(m->f, S_XA_NODE, 576);
	hm_point(m, MOUNT + 40 + 8, GROUP);	/* an xarray with one entry at 0 */
	put_hash(m, GROUP + HASH);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = i ? BUFFER2 : BUFFER1;

		hm_point(m, at + B_PAGES, at + B_ARRAY);
		hm_put(m, at + B_NR_PAGES, i + 1, 4);
		hm_put(m, at + B_ARRAY, hm_page(m, DATA + 0x30000 + i * 0x1000), 8);
		hm_put(m, at + B_ARRAY + 8, hm_page(m, DATA + 0x40000), 8);
	}
	hm_put(m, BUFFER2 + B_ADDR, 0, 8);	/* not mapped */
	hm_put(m, BUFFER3 + B_FLAGS, FROM_KMALLOC, 4);
	hm_build(m);
	CHECK_EQ(hm_owner(m, MOUNT, CLASS_FS)->pages, 3);
	CHECK_EQ(hm_owner(m, MOUNT, CLASS_SLAB)->size, 5 * OBJECT);
	CHECK(!hm_owner(m, MOUNT, CLASS_FS)->incomplete);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

int main(void)
{
	test_folios();
	test_groups();
	damaged(count_more);
	damaged(nest);
	damaged(size);
	damaged(cycle);
	damaged(stranger);
	damaged(astray);
	damaged(future);
	return check_done();
}
