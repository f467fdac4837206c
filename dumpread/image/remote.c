/* SPDX-License-Identifier: GPL-3.0-or-later */
/* remote.c - sets of blocks; in each, the one that was not asked for the longest gives way. */
#include "dumpread/image/remote.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define WAYS 16u
#define SETS (REMOTE_KEPT / WAYS)

struct block {
	uint64_t number;	/* in the file */
	uint64_t used;		/* when; 0: it is empty */
	unsigned run;		/* blocks that came with it */
	uint8_t *bytes;
};

struct remote {
	struct nbd *nbd;
	pthread_mutex_t lock;
	struct block sets[SETS][WAYS];
	uint64_t now, sent;
	uint8_t *ahead;		/* REMOTE_AHEAD blocks */
};

struct remote *remote_new(struct nbd *n)
{
	struct remote *r = heap_array(struct remote, 1);

	r->nbd = n;
	pthread_mutex_init(&r->lock, NULL);
	r->ahead = heap_bytes((size_t)REMOTE_AHEAD * REMOTE_BLOCK);
	return r;
}

void remote_free(struct remote *r)
{
	if (!r)
		return;
	nbd_close(r->nbd);
	pthread_mutex_destroy(&r->lock);
	for (unsigned i = 0; i < SETS; i++)
		for (unsigned j = 0; j < WAYS; j++)
			free(r->sets[i][j].bytes);
	free(r->ahead);
	free(r);
}

uint64_t remote_size(const struct remote *r)
{
	return nbd_size(r->nbd);
}

uint64_t remote_bytes(const struct remote *r)
{
	return r->sent;
}

static struct block *find(struct remote *r, uint64_t number)
{
	struct block *set = r->sets[number % SETS];

	for (unsigned i = 0; i < WAYS; i++)
		if (set[i].used && set[i].number == number)
			return &set[i];
	return NULL;
}

static void keep(struct remote *r, uint64_t number, unsigned run, const uint8_t *bytes)
{
	struct block *set = r->sets[number % SETS], *b = set;

	for (unsigned i = 1; i < WAYS; i++)
		if (set[i].used < b->used)
			b = &set[i];
	if (!b->bytes)
		b->bytes = heap_bytes(REMOTE_BLOCK);
	memcpy(b->bytes, bytes, REMOTE_BLOCK);
	b->number = number;
	b->run = run;
	b->used = ++r->now;
}

/* Block NUMBER, of which WANTED in a row are asked for, and what is read ahead. */
static enum status fetch(struct remote *r, uint64_t number, uint64_t wanted)
{
	const struct block *before = number ? find(r, number - 1) : NULL;
	uint64_t n = max_u64(wanted, before ? 2 * (uint64_t)before->run : 1);
	uint64_t start = number * REMOTE_BLOCK, most = min_u64(n, REMOTE_AHEAD);
	size_t len;
	enum status st;

	for (n = 1; n < most && !find(r, number + n); n++)
		;
	len = (size_t)min_u64(n * REMOTE_BLOCK, remote_size(r) - start);
	n = (len + REMOTE_BLOCK - 1) / REMOTE_BLOCK;
	st = nbd_read(r->nbd, start, r->ahead, len);
	if (st)
		return st;
	__atomic_store_n(&r->sent, r->sent + len, __ATOMIC_RELAXED);
	for (uint64_t i = 0; i < n; i++)
		keep(r, number + i, (unsigned)n, r->ahead + i * REMOTE_BLOCK);
	return ST_OK;
}

enum status remote_read(struct remote *r, uint64_t off, void *buf, size_t len, size_t *got)
{
	uint64_t size = remote_size(r), end;
	enum status st = ST_OK;

	*got = 0;
	if (off >= size)
		return ST_OK;
	end = off + min_u64(len, size - off);
	pthread_mutex_lock(&r->lock);
	while (!st && off < end) {
		uint64_t number = off / REMOTE_BLOCK, in = off % REMOTE_BLOCK;
		size_t n = (size_t)min_u64(end - off, REMOTE_BLOCK - in);
		struct block *b = find(r, number);

		if (!b) {
			st = fetch(r, number, (end - 1) / REMOTE_BLOCK - number + 1);
			continue;
		}
		b->used = ++r->now;
		memcpy((char *)buf + *got, b->bytes + in, n);
		*got += n;
		off += n;
	}
	pthread_mutex_unlock(&r->lock);
	return st;
}
