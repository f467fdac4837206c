/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slab_machine.c - machines made by hand that have a slab cache. */
#include "tests/unit/slab_machine.h"
#include "facts/layout/base.h"
#include "facts/layout/kmem.h"

void sl_put(struct fake *f, uint64_t at, uint64_t v)
{
	fake_put_uint(f, at, v, 8);
}

void sl_list(struct fake *f, uint64_t at, uint64_t from, unsigned n)
{
	uint64_t last = at;

	for (unsigned i = 0; i < n; i++) {
		uint64_t slab = SL_SLABS + from + 32 * i;

		sl_put(f, last, fake_kva(f, slab));
		sl_put(f, slab + 8, fake_kva(f, last));
		last = slab;
	}
	sl_put(f, last, fake_kva(f, at));
	sl_put(f, at + 8, fake_kva(f, last));
}

struct fake *sl_lists(bool pointer)
{
	struct fake *f = fake_new(8, false);

	fake_symbol(f, Y_SLAB_CACHES, fake_kva(f, SL_HEAD));
	fake_members(f, { M_LIST_NEXT, 0, 8 }, { M_LIST_PREV, 8, 8 }, { M_CACHE_LIST, SL_LIST, 16 },
		     { M_CACHE_NAME, SL_NAMED, 8 }, { M_CACHE_SIZE, SL_SIZE, 4 },
		     { M_CACHE_NUM, SL_NUM, 4 }, { M_CACHE_GFPORDER, SL_ORDER, 4 });
	fake_array(f, M_CACHE_NODES, SL_NODES, 8, 4);
	f->kernel.layout.v[M_CACHE_NODES].alt = pointer ? 4 : 2;
	fake_members(f, { M_KCN_SLABS_PARTIAL, SL_PARTIAL, 16 }, { M_KCN_SLABS_FULL, SL_FULL, 16 },
		     { M_KCN_SLABS_FREE, SL_FREE, 16 }, { M_KCN_FREE_OBJECTS, SL_FREE_OBJECTS, 8 });
	sl_put(f, SL_HEAD, fake_kva(f, SL_CACHE));
	sl_put(f, SL_HEAD + 8, fake_kva(f, SL_CACHE));
	sl_put(f, SL_CACHE, fake_kva(f, SL_HEAD));
	sl_put(f, SL_CACHE + 8, fake_kva(f, SL_HEAD));
	fake_put_uint(f, SL_CACHE + SL_SIZE, 800, 4);
	fake_put_uint(f, SL_CACHE + SL_NUM, 10, 4);
	fake_put_uint(f, SL_CACHE + SL_ORDER, 1, 4);
	sl_put(f, SL_CACHE + SL_NAMED, fake_kva(f, SL_NAME));
	fake_put(f, SL_NAME, "dentry", 7);
	sl_put(f, pointer ? SL_CACHE + SL_NODES : SL_ARRAY, pointer ? fake_kva(f, SL_ARRAY) : 0);
	sl_put(f, pointer ? SL_ARRAY : SL_CACHE + SL_NODES, fake_kva(f, SL_NODE));
	sl_list(f, SL_NODE + SL_PARTIAL, 0, 1);
	sl_list(f, SL_NODE + SL_FULL, 0x100, 3);
	sl_list(f, SL_NODE + SL_FREE, 0x200, 2);
	sl_put(f, SL_NODE + SL_FREE_OBJECTS, 24);
	f->kernel.memmap.max_pfn = FAKE_PAGES;
	return f;
}
