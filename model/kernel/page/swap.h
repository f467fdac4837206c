/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swap.h - entries that are not present.
 */
#ifndef VMCENSUS_SWAP_H
#define VMCENSUS_SWAP_H

#include "model/model.h"

#define SWAP_TYPES 64		/* 2.4 has six bits of type, later kernels five */

/* The meaning of an entry's type number in this kernel (include/linux/swap.h). */
enum swap_kind {
	SWAP_SLOT,		/* offset is a slot of a swap area */
	SWAP_MIGRATION,		/* offset is a pfn */
	SWAP_DEVICE_PRIVATE,	/* pfn */
	SWAP_DEVICE_EXCLUSIVE,	/* pfn */
	SWAP_HWPOISON,		/* pfn */
	SWAP_OTHER,		/* markers, failed swap-ins: no page */
};

struct swap_file {
	uint64_t counts;	/* swap_map, or cluster_info; 0: no such area */
	uint64_t max;		/* slots */
	bool unread;		/* what the kernel has here could not be read */
};

struct swaps {
	const struct kernel *k;
	uint8_t kind[SWAP_TYPES];	/* enum swap_kind */
	uint64_t pfn_mask;		/* of an offset that is a pfn */
	struct swap_file file[SWAP_TYPES];
	bool in_table;			/* counts are in the swap table (7.1+) */
	uint8_t map_size;		/* bytes of a swap_map element */
	unsigned count_bits;		/* of a swap table entry, its top */
	uint32_t cluster_slots;
};

void swaps_init(struct swaps *w, const struct kernel *k, struct reader *r);

/* One thread's place in the tables of counts. */
struct swap_cursor {
	const struct swaps *w;
	struct reader *r;
	struct page_ref page;		/* the page of counts used last */
	uint64_t page_kva;
	unsigned type;			/* the cluster used last */
	uint64_t cluster, table, extend;
};

void swap_cursor_init(struct swap_cursor *c, const struct swaps *w, struct reader *r);
/* Keeps nothing of what was read: before reader_renew(), which leaves pages that are borrowed as they are. */
void swap_cursor_release(struct swap_cursor *c);

struct swap_slot {
	uint32_t count;		/* references: swp_swapcount() */
	bool used, bad;
	bool cached;		/* its page is in the swap cache too */
	bool shmem;		/* marked as shmem's, where the kernel does so */
	/* it, or a part of its count, could not be read, of an area that the kernel has; a slot
	   of none counts as used once (swp_swapcount()) */
	bool lost;
};

/* False: its entry cannot be read, or there is no such slot. */
bool swap_slot_read(struct swap_cursor *c, unsigned type, uint64_t offset,
		    struct swap_slot *ret);

/* ---- shmem -------------------------------------------------------------------- */

/*
 * How the swapped pages of the shmem object that a VMA maps are added to its Swap
 * (smap_gather_stats(), shmem_swap_usage()).
 */
struct shmem_swap {
	uint64_t bytes;		/* for the full VMA */
	bool by_hole;		/* instead, each empty entry is looked up */
	/* for that: the object's entries in swap, index << 6 | order, ascending */
	uint64_t *slots;
	size_t nslots, cap;
};

/* BUDGET: nodes of trees that may still be read. */
void shmem_swap_of(const struct snapshot *s, struct reader *r, const struct vma *v,
		   uint64_t *budget, struct shmem_swap *ret);
void shmem_swap_release(struct shmem_swap *h);

/* Swapped pages with indexes [first, end), as in shmem_partial_swap_usage(): a large entry
   counts whole if any part is in the range. */
uint64_t shmem_swap_range(const struct shmem_swap *h, uint64_t first, uint64_t end);

#endif
