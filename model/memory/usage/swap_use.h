/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swap_use.h - the users of the slots of swap areas. */
#ifndef VMCENSUS_SWAP_USE_H
#define VMCENSUS_SWAP_USE_H

#include "model/model.h"

struct swap_use {		/* slots, that is pages */
	uint64_t slots;		/* slots read */
	uint64_t used;
	uint64_t cached;	/* of used: the page is in memory too */
	uint64_t cache_only;	/* of cached: nothing else refers to the slot */
	uint64_t shmem;		/* of used: marked as shmem's */
	uint64_t unread;	/* slots whose entries the dump does not hold */
};

/* One for each of s->machine.swaps, in MEM. */
struct swap_use *swap_uses(const struct snapshot *s, struct arena *mem);

#endif
