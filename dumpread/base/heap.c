/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heap.c - memory by huge pages.
 */
#include "dumpread/base/heap.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* Of x86 and of PowerPC's radix tree. Where it is another, the pages are as small as others. */
#define HUGE_PAGE ((size_t)2 << 20)

static bool small_pages;

void *heap_try_large(size_t n)
{
	void *p;

	if (n < HUGE_PAGE || small_pages)
		return malloc(n ? n : 1);
	if (posix_memalign(&p, HUGE_PAGE, n))
		return NULL;
	/* refused by kernels without them: the memory is the same */
	madvise(p, n & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
	return p;
}

void *heap_large(size_t n)
{
	return heap_got(heap_try_large(n), n);
}

void heap_small_pages(void)
{
	small_pages = true;
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}
