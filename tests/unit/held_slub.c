/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_slub.c - the held machine, of which all frames below its data are slabs of one cache of SLUB. */
#include "facts/layout/kmem.h"
#include "tests/unit/held_objects.h"

enum { C_LIST = 16, C_NAME = 32, C_OO = 40, C_OBJECT_SIZE = 44, C_NODES = 48, C_CPU = 56, C_SHEAVES = 64,
       C_CAPACITY = 72 };
enum { CACHES = 0x7000, NAME = 0x7040, NODE = 0x7080, CPU_SLAB = 0x7100, CPU_SHEAVES = 0x7140, BARN = 0x7180,
       MAIN = 0x7200, SPARE = 0x7240,
       FULL = 0x7280 };
enum { N_NR_PARTIAL = 0, N_PARTIAL = 8, N_SLABS = 24, N_OBJECTS = 32, N_BARN = 40 };
enum { ONE_PARTIAL = 1, OF_CPU = 2, NEXT = 40, COUNTED = 16 };

static void state_slub(struct fake *f)
{
	fake_symbol(f, Y_SLAB_CACHES, fake_kva(f, CACHES));
	fake_members(f, { M_CACHE_LIST, C_LIST, 16 }, { M_CACHE_NAME, C_NAME, 8 },
		     { M_CACHE_OO, C_OO, 4 }, { M_CACHE_OBJECT_SIZE, C_OBJECT_SIZE, 4 });
	fake_array(f, M_CACHE_NODES, C_NODES, 8, 1);
	fake_members(f, { M_CACHE_CPU, C_CPU, 8 }, { M_CACHE_SHEAVES, C_SHEAVES, 8 },
		     { M_CACHE_SHEAF_CAPACITY, C_CAPACITY, 4 },
		     { M_KCN_NR_PARTIAL, N_NR_PARTIAL, 8 }, { M_KCN_PARTIAL, N_PARTIAL, 16 },
		     { M_KCN_NR_SLABS, N_SLABS, 8 }, { M_KCN_OBJECTS, N_OBJECTS, 8 },
		     { M_KCN_BARN, N_BARN, 8 }, { M_KCC_PARTIAL, 0, 8 }, { M_SHEAVES_MAIN, 0, 8 },
		     { M_SHEAVES_SPARE, 8, 8 }, { M_SHEAF_SIZE, 0, 4 }, { M_SHEAF_LIST, 8, 16 },
		     { M_BARN_FULL, 0, 16 }, { M_SLAB_LIST, 8, 16 },
		     { M_SLAB_INUSE, PAGE_INUSE, 2 }, { M_SLAB_OBJECTS, PAGE_OBJECTS, 2 },
		     { M_SLAB_NEXT, NEXT, 8 }, { M_SLAB_SLABS, COUNTED, 4 });
}

struct held_machine *hm_slub(void)
{
	struct held_machine *m = hm_new();

	hm_cpus(m);
	state_slub(m->f);
	hm_queue(m, CACHES, CACHE + C_LIST, 0);
	hm_point(m, CACHE + C_NAME, NAME);
	fake_put(m->f, NAME, "task_struct", 12);
	hm_put(m, CACHE + C_OO, PER_SLAB, 4);
	hm_put(m, CACHE + C_OBJECT_SIZE, OBJECT - 8, 4);
	hm_point(m, CACHE + C_NODES, NODE);
	hm_put(m, NODE + N_NR_PARTIAL, 1, 8);
	hm_queue(m, NODE + N_PARTIAL, PAGES + ONE_PARTIAL * STRUCT_PAGE + 8, 0);
	hm_put(m, NODE + N_SLABS, DATA >> 12, 8);
	hm_put(m, NODE + N_OBJECTS, (DATA >> 12) * PER_SLAB, 8);
	hm_put(m, PAGES + ONE_PARTIAL * STRUCT_PAGE + PAGE_INUSE, PER_SLAB - 2, 2);
	/* the list of the first CPU has a slab; the sheaves of both, and one full one of the node */
	hm_point(m, CACHE + C_CPU, CPU_SLAB);
	hm_put(m, CPU_SLAB, hm_page(m, OF_CPU << 12), 8);
	hm_put(m, CPU_SLAB + CPU_BYTES, 0, 8);
	hm_put(m, PAGES + OF_CPU * STRUCT_PAGE + COUNTED, 1, 4);
	hm_put(m, PAGES + OF_CPU * STRUCT_PAGE + NEXT, 0, 8);
	hm_put(m, PAGES + OF_CPU * STRUCT_PAGE + PAGE_INUSE, PER_SLAB - 1, 2);
	hm_point(m, CACHE + C_SHEAVES, CPU_SHEAVES);
	hm_put(m, CACHE + C_CAPACITY, 30, 4);
	hm_point(m, CPU_SHEAVES, MAIN);
	hm_put(m, CPU_SHEAVES + 8, 0, 8);
	hm_point(m, CPU_SHEAVES + CPU_BYTES, MAIN);
	hm_point(m, CPU_SHEAVES + CPU_BYTES + 8, SPARE);
	hm_put(m, MAIN, 7, 4);
	hm_put(m, SPARE, 3, 4);
	hm_point(m, NODE + N_BARN, BARN);
	hm_queue(m, BARN, FULL + 8, 0);
	hm_put(m, FULL, 30, 4);
	return m;
}
