/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * extents.h - the places in a file of the bytes of an address range.
 *
 * Two containers are made of (address, length, file position) records in any
 * order, possibly overlapping: the PT_LOADs of an ELF dump and the records of
 * a flattened one. extents_resolve() turns them into a sorted list without
 * overlaps, in O(n log n); extents_find() is then a binary search.
 */
#ifndef VMCENSUS_IMAGE_EXTENTS_H
#define VMCENSUS_IMAGE_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
	uint64_t start, end;	/* bytes; end exclusive */
	uint64_t pos;		/* of start, in the file */
};

struct extents {
	struct extent *v;	/* malloc'ed */
	size_t n, cap;
};

/* Memory exhaustion ends in arena_die(). Empty extents are dropped. */
void extents_add(struct extents *x, uint64_t start, uint64_t end, uint64_t pos);
void extents_free(struct extents *x);

enum extents_order {
	EXTENTS_FIRST_WINS,	/* of overlapping ones, that with the lowest pos */
	EXTENTS_LAST_WINS,
};
void extents_resolve(struct extents *x, enum extents_order order);

/* In a resolved list: the first extent that ends after ADDR, or x->n. */
size_t extents_find(const struct extents *x, uint64_t addr);

#endif
