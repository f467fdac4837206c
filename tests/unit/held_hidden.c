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

/* ---- sockets of AF_ALG ---------------------------------------------------------------------- */

static void put_entry(struct held_machine *m, uint64_t table, unsigned i, uint64_t pa,
		      uint32_t bytes)
{
	uint64_t at = table + SG_FIRST + i * (uint64_t)SG_SIZE;

	hm_put(m, at, pa ? hm_page(m, pa) : 0, 8);
	hm_put(m, at + SG_BYTES, bytes, 4);
}

struct held_machine *hm_crypto(void)
{
	struct held_machine *m = hm_new();

	fake_members(m->f, { M_ALG_PARENT, ALG_PARENT, 8 }, { M_ALG_TYPE, ALG_TYPE, 8 },
		     { M_ALG_PRIVATE, ALG_PRIVATE, 8 }, { M_ALGTYPE_NAME, T_NAME, 14 },
		     { M_ALGCTX_TABLES, C_TABLES, 16 }, { M_ALGCTX_BYTES, C_BYTES, 8 },
		     { M_ALGSGL_LIST, SG_LIST, 16 }, { M_ALGSGL_USED, SG_USED, 4 },
		     { M_ALGSGL_SG, SG_FIRST, 0 }, { M_SG_LINK, 0, 8 },
		     { M_SG_LENGTH, SG_BYTES, 4 });
	fake_size(m->f, S_SCATTERLIST, SG_SIZE);
	hm_put(m, SK + SK_FAMILY, 38, 2);
	hm_point(m, SK + ALG_PARENT, OTHER);
	hm_point(m, SK + ALG_TYPE, CIPHER_TYPE);
	hm_point(m, SK + ALG_PRIVATE, CIPHER);
	fake_put(m->f, CIPHER_TYPE + T_NAME, "skcipher", 9);
	hm_queue(m, CIPHER + C_TABLES, TABLE1 + SG_LIST, TABLE2 + SG_LIST);
	hm_put(m, CIPHER + C_BYTES, 4096 + 100 + 50, 8);
	hm_put(m, TABLE1 + SG_USED, 3, 4);
	hm_put(m, TABLE2 + SG_USED, 1, 4);
	put_entry(m, TABLE1, 0, 0, 0);
	put_entry(m, TABLE1, 1, HIDDEN, 4096);
	put_entry(m, TABLE1, 2, HIDDEN + 0x1000, 100);
	put_entry(m, TABLE2, 0, HIDDEN + 0x4000, 50);
	return m;
}
