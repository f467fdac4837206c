/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_objects.c - names of mapped objects.
 */
#include "model/memory/areas/objects.h"
#include "tests/unit/check.h"

static struct vma vma(uint32_t mm, uint32_t file, const char *name)
{
	return (struct vma){ .mm = mm, .file = file, .name = name };
}

int main(void)
{
	/* two files of one path (one of them deleted since), and one name in three mms */
	struct file files[2] = { { .path = "/lib/a.so" }, { .path = "/lib/a.so (deleted)" } };
	struct mm mms[3] = { { .nprocs = 1 }, { .nprocs = 2 }, { .nprocs = 0 } };
	struct vma vmas[] = {
		vma(0, 0, "/lib/a.so"), vma(0, NONE, ""), vma(0, NONE, "[heap]"),
		vma(0, 0, "/lib/a.so"), vma(1, 1, "/lib/a.so (deleted)"), vma(1, NONE, "[heap]"),
		vma(2, 0, "/lib/a.so"), vma(2, 7, NULL),
	};
	struct snapshot s = { .files = files, .nfiles = 2, .mms = mms, .nmms = 3,
			      .vmas = vmas, .nvmas = 8 };
	static const uint32_t of[] = { 0, 1, 2, 0, 3, 2, 0, 1 };
	struct arena mem = { 0 };
	struct objects o;

	objects_build(&s, &mem, &o);
	CHECK_EQ(o.n, 4);
	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(o.of_vma[i], of[i]);
	CHECK_STR(o.v[1].name, "[anon]");
	CHECK_EQ(o.v[0].nvmas, 3);
	CHECK_EQ(o.v[0].nmms, 2);
	CHECK_EQ(o.v[0].nprocs, 1);
	CHECK_EQ(o.v[2].nmms, 2);
	CHECK_EQ(o.v[2].nprocs, 3);
	CHECK_EQ(o.v[2].file, NONE);
	CHECK_EQ(o.v[3].file, 1);
	arena_release(&mem);
	return check_done();
}
