/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundles.c - slots of expanded bundles. A slot is filled without the lock: others are expanded
 * meanwhile, and who wants the same one waits for it.
 */
#include "dumpread/image/bundles.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define SLOTS_MIN   4u			/* threads do not wait for each other */
#define SLOTS_MAX   512u
#define SLOTS_BYTES (32u << 20)		/* more than SLOTS_MIN only below this */

struct slot {
	struct bundle data;	/* bytes NULL: never used */
	size_t number;		/* of the bundle in data */
	bool busy;		/* a thread expands it, without the lock */
	uint64_t used;		/* turn of the last use */
};

struct bundles {
	pthread_mutex_t lock;	/* of all that follows */
	pthread_cond_t ready;	/* a slot is no longer busy */
	size_t size;
	bundles_expand *expand;
	struct slot slots[SLOTS_MAX];
	unsigned nslots;
	struct slot *last;	/* reads come in bursts; NULL: none yet */
	uint64_t turn;
};

struct bundles *bundles_new(size_t size, bundles_expand *expand)
{
	struct bundles *b = heap_array(struct bundles, 1);

	b->size = size;
	b->expand = expand;
	b->nslots = (unsigned)min_u64(max_u64(SLOTS_BYTES / size, SLOTS_MIN), SLOTS_MAX);
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->ready, NULL);
	return b;
}

void bundles_free(struct bundles *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->nslots; i++)
		free(b->slots[i].data.bytes);
	pthread_cond_destroy(&b->ready);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static bool has(const struct slot *s, size_t number)
{
	return s && s->data.bytes && s->number == number;
}

/* The slot of a bundle: the one that has it, or the one to take for it; NULL: all are busy. */
static struct slot *slot_for(struct bundles *b, size_t number)
{
	struct slot *to = NULL;

	if (has(b->last, number))
		return b->last;
	for (unsigned i = 0; i < b->nslots; i++) {
		struct slot *s = &b->slots[i];

		if (has(s, number))
			return s;
		if (!s->busy && (!to || s->used < to->used))
			to = s;
	}
	return to;
}

const struct bundle *bundles_get(struct bundles *b, const struct image *im, struct image_ctx *ctx,
				 size_t number)
{
	struct slot *to;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		to = slot_for(b, number);
		if (to && !to->busy)
			break;
		pthread_cond_wait(&b->ready, &b->lock);
	}
	if (!has(to, number)) {
		if (!to->data.bytes)
			to->data.bytes = heap_bytes(b->size);
		to->number = number;
		to->busy = true;
		pthread_mutex_unlock(&b->lock);
		b->expand(im, ctx, number, &to->data);
		pthread_mutex_lock(&b->lock);
		to->busy = false;
		pthread_cond_broadcast(&b->ready);
	}
	to->used = ++b->turn;
	b->last = to;
	return &to->data;
}

void bundles_release(struct bundles *b)
{
	pthread_mutex_unlock(&b->lock);
}
