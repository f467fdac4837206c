/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcounts.c - sparse arrays of counters for frames and swap slots.
 */
#include "model/kernel/page/refcounts.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"

static uint32_t **directory(struct refcounts *c)
{
	uint32_t **d = __atomic_load_n(&c->chunk, __ATOMIC_ACQUIRE), **none = NULL;

	if (d)
		return d;
	/* large and hardly touched: for such sizes calloc() takes zero pages from the kernel */
	d = heap_array(uint32_t *, c->nchunks);
	if (__atomic_compare_exchange_n(&c->chunk, &none, d, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return d;
	free(d);
	return none;
}

/* Chunk I of C, made if POOL allows; NULL: no room. POOL NULL: no limit. */
static uint32_t *make_chunk(struct refcounts *c, uint64_t i, struct refcount_pool *pool)
{
	uint32_t **d = directory(c), *none = NULL, *fresh;

	if (pool && __atomic_load_n(&pool->left, __ATOMIC_RELAXED) <= 0) {
		__atomic_store_n(&pool->over, true, __ATOMIC_RELAXED);
		return __atomic_load_n(&d[i], __ATOMIC_ACQUIRE);
	}
	fresh = heap_array(uint32_t, REFCOUNTS_CHUNK);
	if (!__atomic_compare_exchange_n(&d[i], &none, fresh, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		free(fresh);
		return none;
	}
	if (pool)
		__atomic_fetch_sub(&pool->left, 1, __ATOMIC_RELAXED);
	return fresh;
}

uint32_t *refcount_make(struct refcounts *c, uint64_t at, struct refcount_pool *pool)
{
	uint32_t *found = refcount_find(c, at), *chunk;

	if (found || at >> REFCOUNTS_CHUNK_SHIFT >= c->nchunks)
		return found;
	chunk = make_chunk(c, at >> REFCOUNTS_CHUNK_SHIFT, pool);
	return chunk ? &chunk[at & (REFCOUNTS_CHUNK - 1)] : NULL;
}

void refcounts_drop_devices(struct refcounts *c)
{
	for (uint64_t i = 0; c->chunk && i < c->nchunks; i++)
		if (c->chunk[i] && !c->ram[i]) {
			free(c->chunk[i]);
			c->chunk[i] = NULL;
		}
}

void refcounts_free(struct refcounts *c)
{
	for (uint64_t i = 0; c->chunk && i < c->nchunks; i++)
		free(c->chunk[i]);
	free(c->chunk);
	free(c->ram);
	c->chunk = NULL;
	c->ram = NULL;
}
