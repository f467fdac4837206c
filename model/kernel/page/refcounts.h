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
#define REFCOUNTS_CHUNK_BYTES (REFCOUNTS_CHUNK * sizeof(uint32_t))

struct refcounts {
	uint32_t **chunk;	/* NULL: nothing counted here */
	uint64_t nchunks;
	bool *ram;		/* [nchunks]: of frames that have struct pages; NULL: swap */
	unsigned shift;		/* log2 of the frames that one of them covers */
};

/* Chunks that may still be made; running out of them is a result, too. */
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

/* The same, made if POOL allows; NULL: no room, or AT is out of range. POOL NULL: no limit. */
uint32_t *refcount_make(struct refcounts *c, uint64_t at, struct refcount_pool *pool);

/*
 * Frees chunks that are not of RAM. If there are too many, the order of the work decides
 * which are made, so none of them counts.
 */
void refcounts_drop_devices(struct refcounts *c);

void refcounts_free(struct refcounts *c);

#endif
