/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heap.h - memory that threads take and give back by themselves, which an arena
 * cannot serve. Never NULL, as with arenas.
 */
#ifndef VMCENSUS_HEAP_H
#define VMCENSUS_HEAP_H

#include <stdint.h>
#include <stdlib.h>

#include "dumpread/base/arena.h"

/* Returns P, the result of an allocation of about BYTES, unless it failed. */
static inline void *heap_got(void *p, size_t bytes)
{
	if (!p)
		arena_die(bytes);
	return p;
}

/* N bytes of garbage; free() them. */
static inline void *heap_bytes(size_t n)
{
	return heap_got(malloc(n ? n : 1), n);
}

/* The same, by huge pages where the kernel has them: a fault for each 2 MiB, and few misses of the TLB. */
void *heap_large(size_t n);
void *heap_try_large(size_t n);	/* NULL: no memory */
/* The same for the N bytes at P, from malloc(), which keep their contents and their place. */
void heap_advise(void *p, size_t n);

/*
 * Blocks of huge pages are the kernel's again once they are freed, in all of this process. glibc takes blocks that are
 * smaller than the largest ever freed from its heap, which returns only its end.
 */
void heap_return_large(void);

/*
 * No huge pages from now on, in all of this process. For a running kernel, whose memory has ours in it:
 * a huge page that is being cleared looks as if it had no owner.
 */
void heap_small_pages(void);

/* N zeroed objects of SIZE bytes; free() them. */
static inline void *heap_calloc(size_t n, size_t size)
{
	return heap_got(calloc(n ? n : 1, size), n <= SIZE_MAX / size ? n * size : SIZE_MAX);
}
#define heap_array(type, n) ((type *)heap_calloc((n), sizeof(type)))

/* Resize P (from here, or NULL) to N objects of SIZE bytes; the new ones are garbage. */
static inline void *heap_grow(void *p, size_t n, size_t size)
{
	return heap_got(reallocarray(p, n ? n : 1, size),
			n <= SIZE_MAX / size ? n * size : SIZE_MAX);
}

#endif
