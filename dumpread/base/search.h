/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.h - sorting, and binary search in sorted data.
 */
#ifndef VMCENSUS_SEARCH_H
#define VMCENSUS_SEARCH_H

#include <stddef.h>
#include <stdlib.h>

/*
 * The number of elements, out of N, before the first for which BEFORE is false. BEFORE
 * is an expression of the index I, true up to some element and false from there on. It has
 * the unsigned type of N.
 */
#define search_first(n, i, before)                                             \
	({                                                                     \
		__typeof__((n) + 0u) lo_ = 0, hi_ = (n);                       \
									       \
		while (lo_ < hi_) {                                            \
			const __typeof__(lo_) i = lo_ + (hi_ - lo_) / 2;       \
									       \
			if (before)                                            \
				lo_ = i + 1;                                   \
			else                                                   \
				hi_ = i;                                       \
		}                                                              \
		lo_;                                                           \
	})

/* qsort() that allows 0 elements with V NULL, which is undefined there. */
static inline void sort_array(void *v, size_t n, size_t size,
			      int (*cmp)(const void *, const void *))
{
	if (n > 1)
		qsort(v, n, size, cmp);
}

#endif
