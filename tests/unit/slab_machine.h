/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slab_machine.h - machines made by hand that have a slab cache of SLAB. */
#ifndef VMCENSUS_TESTS_SLAB_MACHINE_H
#define VMCENSUS_TESTS_SLAB_MACHINE_H

#include "tests/unit/fake.h"

enum {
	SL_HEAD = 0x1000, SL_CACHE = 0x2000, SL_NAME = 0x2800, SL_ARRAY = 0x2900, SL_NODE = 0x3000, SL_SLABS = 0x4000,
	/* of a cache */
	SL_LIST = 0, SL_SIZE = 16, SL_NUM = 20, SL_ORDER = 24, SL_NAMED = 32, SL_NODES = 40,
	/* of a node: lists of 16 bytes, then the free objects */
	SL_PARTIAL = 0, SL_FULL = 16, SL_FREE = 32, SL_FREE_OBJECTS = 48,
};

void sl_put(struct fake *f, uint64_t at, uint64_t v);
/* A list of N slabs from SL_SLABS + FROM on, linked into AT. */
void sl_list(struct fake *f, uint64_t at, uint64_t from, unsigned n);

/* RHEL 6's: one cache of 10 objects in slabs of two pages; 1 slab is partial, 3 are full, 2 free. POINTER: the cache
   points to the array of its nodes. */
struct fake *sl_lists(bool pointer);

#endif
