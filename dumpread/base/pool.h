/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pool.h - many objects of one size, in memory that is mapped by huge pages where the kernel has
 * them: looking at objects in any order misses the processor's TLB less often.
 */
#ifndef VMCENSUS_POOL_H
#define VMCENSUS_POOL_H

#include <pthread.h>
#include <stddef.h>

struct pool_slab;

struct pool {
	pthread_mutex_t lock;
	size_t size;			/* bytes of an object, a multiple of 16 */
	size_t a_slab;			/* objects of a slab */
	struct pool_slab *slabs;	/* the newest first */
	size_t fresh;			/* objects of the newest slab that nobody had yet */
	struct pool_object { struct pool_object *next; } *given_back;
	size_t taken;			/* objects that are with their users */
};

/* A pool of objects of SIZE bytes. EXPECTED: how many there may be at once; more are possible. */
void pool_init(struct pool *p, size_t size, size_t expected);
/* An object of garbage, aligned to 16 bytes; any thread may take it and give it back. */
void *pool_take(struct pool *p);
/* The last object that is given back frees all memory of the pool. */
void pool_give(struct pool *p, void *object);
/* No object may be with a user. */
void pool_end(struct pool *p);

#endif
