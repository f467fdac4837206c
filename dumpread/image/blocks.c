/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blocks.c - sets of blocks; in each, the one that was not asked for the longest gives way.
 *
 * A block is read in sectors. A jump reads those that are asked for: pages that lie far apart
 * cost less one by one. Going on from sectors that are there reads twice as many. Where a call
 * takes long (NFS, a disk), a block is read whole: the number of calls is what costs there.
 */
#include "dumpread/image/blocks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define SECTOR 4096u
#define SECTORS 16u			/* of a block */
#define BLOCK (SECTOR * SECTORS)
#define WAYS 8u
#define LINE 64u			/* bytes of a cache line */
#define FAR_NS 200000u		/* a call that takes longer went to a disk or a server */

struct block {
	const struct image_part *part;	/* NULL: it is empty */
	uint64_t number;	/* in the part */
	uint64_t used;		/* when */
	uint32_t there;		/* bits: sectors that were read */
	uint32_t len;		/* bytes up to the end of the file */
};

struct set {
	pthread_mutex_t lock;
	uint64_t now;
	struct block way[WAYS];
};

struct blocks {
	uint8_t *bytes;			/* of all blocks */
	struct set *sets;
	unsigned shift;			/* 64 - log2 of their number */
	uint32_t took;			/* ns that a call takes, smoothed; atomic */
};

struct blocks *blocks_new(const struct image *im)
{
	struct blocks *b = heap_array(struct blocks, 1);
	uint64_t size = 0;
	size_t nsets = 1;

	for (unsigned i = 0; i < im->nparts; i++)
		size += im->parts[i].stored;
	size = min_u64(size, BLOCKS_BYTES);
	/* room for all of a small image, although its blocks do not fill the sets evenly */
	for (b->shift = 64; nsets * BLOCK * WAYS < min_u64(2 * size, BLOCKS_BYTES); b->shift--)
		nsets *= 2;
	b->bytes = heap_large(nsets * WAYS * BLOCK);
	b->sets = heap_array(struct set, nsets);
	for (size_t i = 0; i < nsets; i++)
		pthread_mutex_init(&b->sets[i].lock, NULL);
	return b;
}

static size_t nsets_of(const struct blocks *b)
{
	return (size_t)1 << (64 - b->shift);
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < nsets_of(b); i++)
		pthread_mutex_destroy(&b->sets[i].lock);
	free(b->sets);
	free(b->bytes);
	free(b);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The block, or an empty one in place of another. */
static struct block *take(struct set *set, const struct image_part *p, uint64_t number)
{
	struct block *oldest = set->way;

	for (unsigned i = 0; i < WAYS; i++) {
		struct block *b = &set->way[i];

		if (b->part == p && b->number == number)
			return b;
		if (b->used < oldest->used)
			oldest = b;
	}
	*oldest = (struct block){ .part = p, .number = number, .len = BLOCK };
	return oldest;
}

/* Sectors to read from FIRST on, of which WANTED in a row are asked for. */
static unsigned how_many(const struct blocks *b, const struct block *k, unsigned first,
			 unsigned wanted)
{
	unsigned before = 0, n = wanted;

	while (before < first && k->there >> (first - before - 1) & 1)
		before++;
	if (n < 2 * before)
		n = 2 * before;
	if (__atomic_load_n(&b->took, __ATOMIC_RELAXED) > FAR_NS)
		n = SECTORS;
	for (unsigned i = 0; i < n && first + i < SECTORS; i++)
		if (k->there >> (first + i) & 1)
			return i;
	return n < SECTORS - first ? n : SECTORS - first;
}

/* Reads sectors from FIRST on, which is not there. */
static enum status fill(struct blocks *b, struct block *k, uint8_t *bytes, unsigned first,
			unsigned wanted)
{
	unsigned n = how_many(b, k, first, wanted);
	uint32_t took = __atomic_load_n(&b->took, __ATOMIC_RELAXED);
	uint64_t start = now();
	size_t got;
	enum status st = part_read_some(k->part, k->number * BLOCK + first * SECTOR,
					bytes + first * SECTOR, n * SECTOR, &got);

	if (st)
		return st;
	/* a call during which others ran must not count for much */
	took += (uint32_t)(min_u64(now() - start, 2 * FAR_NS) / 8) - took / 8;
	__atomic_store_n(&b->took, took, __ATOMIC_RELAXED);
	/* a file that shrinks: what was cut off before stays so when later sectors have nothing */
	if (got < n * SECTOR)
		k->len = (uint32_t)min_u64(k->len, first * SECTOR + got);
	k->there |= ((1u << n) - 1) << first;
	return ST_OK;
}

/* LEN bytes from AT on, all in the block. */
static enum status copy(struct blocks *b, struct block *k, uint8_t *bytes, unsigned at, void *out,
			size_t len)
{
	unsigned end = (unsigned)((at + len - 1) / SECTOR);

	for (unsigned i = at / SECTOR; i <= end; i++) {
		enum status st = k->there >> i & 1 ? ST_OK : fill(b, k, bytes, i, end - i + 1);

		if (st)
			return st;
	}
	if (at + len > k->len)
		return ST_NODATA;
	memcpy(out, bytes + at, len);
	/* what follows is mostly asked for next: it comes from memory while LEN bytes are expanded */
	for (size_t i = at + len; i < at + 2 * len && i < BLOCK; i += LINE)
		__builtin_prefetch(bytes + i);
	return ST_OK;
}

enum status blocks_read(struct blocks *b, const struct image_part *p, uint64_t off, void *out,
			size_t len)
{
	enum status st = ST_OK;

	while (!st && len) {
		uint64_t number = off / BLOCK, hash;
		unsigned at = off % BLOCK;
		size_t n = min_u64(len, BLOCK - at);
		struct block *k;
		struct set *set;

		hash = (number + (uintptr_t)p / sizeof(*p)) * 0x9e3779b97f4a7c15u;
		set = &b->sets[b->shift < 64 ? hash >> b->shift : 0];
		pthread_mutex_lock(&set->lock);
		k = take(set, p, number);
		k->used = ++set->now;
		st = copy(b, k,
			  b->bytes +
				  ((size_t)(set - b->sets) * WAYS + (size_t)(k - set->way)) * BLOCK,
			  at, out, n);
		pthread_mutex_unlock(&set->lock);
		out = (uint8_t *)out + n;
		off += n;
		len -= n;
	}
	return st;
}
