/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_hidden.c - the held machine with memory that no counter of the kernel has. */
#include "tests/unit/held_hidden.h"
#include "facts/layout/holder.h"
#include "facts/layout/module.h"
#include "facts/layout/page.h"

/* ---- disks in memory ------------------------------------------------------------------------ */

struct held_machine *hm_ramdisk(void)
{
	struct held_machine *m = hm_block_class();
	const struct layout *l = &m->f->kernel.layout;

	hm_xarrays(m);
	fake_members(m->f, { M_BRD_DISK, B_DISK, 8 }, { M_BRD_COUNT, B_COUNT, 8 },
		     { M_BRD_PAGES, B_PAGES, 16 });
	fake_put(m->f, RAM_DISK + layout_offset(l, M_DISK_NAME), "ram7", 5);
	hm_point(m, RAM_DISK + layout_offset(l, M_DISK_PRIVATE), BRD);
	hm_point(m, BRD + B_DISK, RAM_DISK);
	hm_put(m, BRD + B_COUNT, 3, 8);
	hm_put(m, BRD + B_PAGES, fake_kva(m->f, BRD_NODE) | 2, 8);
	hm_put(m, BRD_NODE, 0, 1);
	for (unsigned i = 0; i < 64; i++)
		hm_put(m, BRD_NODE + BRD_SLOTS + 8 * i, 0, 8);
	hm_put(m, BRD_NODE + BRD_SLOTS, hm_page(m, HIDDEN), 8);
	hm_put(m, BRD_NODE + BRD_SLOTS + 8, hm_page(m, HIDDEN + 0x1000), 8);
	hm_put(m, BRD_NODE + BRD_SLOTS + 8 * 63, hm_page(m, HIDDEN + 0x8000), 8);
	return m;
}
