/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heap.c - memory by huge pages.
 */
#include "dumpread/base/heap.h"

#include <malloc.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

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

/* All pages of P, so that a mapping of the C library remains one, which it can grow. */
void heap_advise(void *p, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)p & ~(page - 1);

	if (n >= 2 * HUGE_PAGE && !small_pages)
		madvise((void *)start, (uintptr_t)p + n - start, MADV_HUGEPAGE);
}

void heap_return_large(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, (int)HUGE_PAGE);
#endif
}

void heap_small_pages(void)
{
	small_pages = true;
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}
