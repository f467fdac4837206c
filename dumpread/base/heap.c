/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heap.c - memory by huge pages.
 */
#include "dumpread/base/heap.h"

#include <sys/mman.h>

/* Of x86 and of PowerPC's radix tree. Where it is another, the pages are as small as others. */
#define HUGE_PAGE ((size_t)2 << 20)

void *heap_large(size_t n)
{
	void *p = NULL;

	if (n < HUGE_PAGE)
		return heap_bytes(n);
	heap_got(posix_memalign(&p, HUGE_PAGE, n) ? NULL : p, n);
	/* refused by kernels without them: the memory is the same */
	madvise(p, n & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
	return p;
}
