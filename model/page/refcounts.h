/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcounts.h - sparse arrays of counters, for page frames and swap slots: chunks
 * are made where something is counted, by any thread, and stay until the end.
 */
#ifndef VMCENSUS_REFCOUNTS_H
#define VMCENSUS_REFCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFCOUNTS_CHUNK_SHIFT 15	/* log2 counters of a chunk */
#define REFCOUNTS_CHUNK (UINT64_C(1) << REFCOUNTS_CHUNK_SHIFT)

struct refcounts {
	uint32_t **chunk;	/* NULL: nothing counted here */
	uint64_t nchunks;
	bool *ram;		/* [nchunks]: of frames that have struct pages; NULL: swap */
	unsigned shift;		/* log2 frames that one of them counts */
};

/* Chunks that may yet be made; to run out of them is an answer too. */
struct refcount_pool {
	int64_t left;
	bool over;
};

/* The counter at AT; NULL: nothing was counted near it. */
static inline uint32_t *refcount_find(const struct refcounts *c, uint64_t at)
{
	uint32_t **d = __atomic_load_n(&c->chunk, __ATOMIC_ACQUIRE), *chunk;
	uint64_t i = at >> REFCOUNTS_CHUNK_SHIFT;

	if (i >= c->nchunks || !d)
		return NULL;
	chunk = __atomic_load_n(&d[i], __ATOMIC_ACQUIRE);
	return chunk ? &chunk[at & (REFCOUNTS_CHUNK - 1)] : NULL;
}

/* The same, made if POOL allows; NULL: no room, or AT is out of range. POOL NULL: always. */
uint32_t *refcount_make(struct refcounts *c, uint64_t at, struct refcount_pool *pool);

/*
 * Free chunks that are not of RAM: which of too many were made hangs on the order
 * of the work, and so none of them counts.
 */
void refcounts_drop_devices(struct refcounts *c);

void refcounts_free(struct refcounts *c);

#endif
