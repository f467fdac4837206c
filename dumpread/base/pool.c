/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pool.c - slabs that are cut into objects; those that were given back are in a list.
 */
#include "dumpread/base/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define SLAB_BYTES ((size_t)64 << 20)	/* reserved; memory is taken when an object is written */

struct pool_slab {
	struct pool_slab *next;
	void *bytes;
};

void pool_init(struct pool *p, size_t size, size_t expected)
{
	*p = (struct pool){ .size = (size + 15) & ~(size_t)15 };
	p->a_slab = min_u64(expected ? expected : 1, SLAB_BYTES / p->size + 1);
	pthread_mutex_init(&p->lock, NULL);
}

static void add_slab(struct pool *p)
{
	struct pool_slab *slab = heap_array(struct pool_slab, 1);

	slab->bytes = heap_large(p->a_slab * p->size);
	slab->next = p->slabs;
	p->slabs = slab;
	p->fresh = p->a_slab;
}

void *pool_take(struct pool *p)
{
	struct pool_object *o;

	pthread_mutex_lock(&p->lock);
	o = p->given_back;
	if (o) {
		p->given_back = o->next;
	} else {
		if (!p->fresh)
			add_slab(p);
		o = (void *)((char *)p->slabs->bytes + (p->a_slab - p->fresh--) * p->size);
	}
	p->taken++;
	pthread_mutex_unlock(&p->lock);
	return o;
}

static void free_slabs(struct pool *p)
{
	for (struct pool_slab *next; p->slabs; p->slabs = next) {
		next = p->slabs->next;
		free(p->slabs->bytes);
		free(p->slabs);
	}
	p->given_back = NULL;
	p->fresh = 0;
}

void pool_give(struct pool *p, void *object)
{
	struct pool_object *o = object;

	pthread_mutex_lock(&p->lock);
	o->next = p->given_back;
	p->given_back = o;
	if (!--p->taken)
		free_slabs(p);
	pthread_mutex_unlock(&p->lock);
}

void pool_end(struct pool *p)
{
	assert(!p->taken);
	free_slabs(p);
	pthread_mutex_destroy(&p->lock);
}
