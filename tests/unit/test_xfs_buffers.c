/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: buffers of xfs. */
#include "tests/unit/check.h"
#include "tests/unit/held_objects.h"

static void test_folios(void)
{
	struct held_machine *m = hm_xfs();

	hm_build(m);
	/* the folio is the socket's of this machine, which came first */
	CHECK_EQ(hm_owner(m, XFS_MOUNT, CLASS_FS)->pages, 1);
	CHECK_STR(hm_owner(m, XFS_MOUNT, CLASS_FS)->what, "of xfs on sdb1");
	CHECK(hm_owner(m, XFS_MOUNT, CLASS_FS)->kernel &&
	      !hm_owner(m, XFS_MOUNT, CLASS_FS)->incomplete);
	/* three buffers, a table, and the contents of one */
	CHECK_EQ(hm_owner(m, XFS_MOUNT, CLASS_SLAB)->size, 5 * OBJECT);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	hm_free(m);
}

static void damaged(void (*alter)(struct held_machine *m))
{
	struct held_machine *m = hm_xfs();

	alter(m);
	hm_build(m);
	CHECK(hm_owner(m, XFS_MOUNT, CLASS_SLAB)->incomplete ||
	      !hm_owner(m, XFS_MOUNT, CLASS_SLAB)->size);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	hm_free(m);
}

static void count_more(struct held_machine *m) { hm_put(m, XFS_DEVICE + XFS_HASH + XFS_HASH_COUNT, 4, 4); }
static void nest(struct held_machine *m) { hm_put(m, XFS_TABLE + XFS_NEST, 9, 4); }
static void size(struct held_machine *m) { hm_put(m, XFS_TABLE, UINT32_MAX, 4); }
static void cycle(struct held_machine *m) { hm_point(m, XFS_BUF2, XFS_BUF1); }
static void stranger(struct held_machine *m) { hm_point(m, XFS_BUF2 + XFS_BUF_MOUNT, XFS_DEVICE); }
static void astray(struct held_machine *m) { hm_put(m, XFS_BUF1, 0x123456789abcdef0, 8); }
static void future(struct held_machine *m) { hm_point(m, XFS_TABLE + XFS_FUTURE, XFS_TABLE); }

static void test_groups(void)
{
	struct held_machine *m = hm_xfs_groups();

	hm_build(m);
	CHECK_EQ(hm_owner(m, XFS_MOUNT, CLASS_FS)->pages, 3);
	CHECK_EQ(hm_owner(m, XFS_MOUNT, CLASS_SLAB)->size, 5 * OBJECT);
	CHECK(!hm_owner(m, XFS_MOUNT, CLASS_FS)->incomplete);
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
