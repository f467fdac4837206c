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

/* N zeroed objects of SIZE bytes; free() them. */
static inline void *heap_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		arena_die(n <= SIZE_MAX / size ? n * size : SIZE_MAX);
	return p;
}
#define heap_array(type, n) ((type *)heap_calloc((n), sizeof(type)))

/* P, from here or NULL, made N objects of SIZE bytes long; the new ones are garbage. */
static inline void *heap_grow(void *p, size_t n, size_t size)
{
	void *q = n <= SIZE_MAX / size ? realloc(p, n * size) : NULL;

	if (!q)
		arena_die(n <= SIZE_MAX / size ? n * size : SIZE_MAX);
	return q;
}

#endif
