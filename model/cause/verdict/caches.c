/* SPDX-License-Identifier: GPL-3.0-or-later */
/* caches.c - which caches of slabs have most: one, or many alike. By the log, else by the dump. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/slab/slab.h"

struct one {
	const char *name;
	uint64_t bytes, objects;
	bool large;			/* no cache: allocations of kmalloc() larger than its caches */
};

struct sums {
	struct gather *g;
	VEC(struct one) v;
	uint64_t all;
	bool partial;			/* a cache could not be read */
};

/* Objects that come with kernel stacks are counted there. */
static void add(struct sums *x, const char *name, uint64_t bytes, uint64_t objects)
{
	if (!bytes || !name ||
	    (known(x->g->e->size[USE_TASK_SLAB]) && !strcmp(name, "task_struct")))
		return;
	*vec_push(x->g->mem, &x->v) = (struct one){ name, bytes, objects, false };
	x->all += bytes;
}

static void of_dump(struct sums *x, enum use use)
{
	struct gather *g = x->g;
	struct slab_caches sc;

	if (slab_caches_build(g->s, g->mem, false, &sc))
		return;
	for (uint32_t i = 0; i < sc.n; i++) {
		const struct slab_cache *c = &sc.v[i];
		bool sound = !(c->slabs >> 40) && c->order <= 20;

		x->partial = x->partial || !sound;
		if (sound && slab_is_reclaimable(g->s->k, c) == (use == USE_RECLAIMABLE))
			add(x, c->name, known(gather_pages(g, c->slabs << c->order)), c->objects);
	}
}

static int largest_first(const void *pa, const void *pb)
{
	const struct one *a = pa, *b = pb;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Has no cache much of it? Then TO is told how many have half. */
static bool many(const struct sums *x, struct ev_detail *to)
{
	const struct one *v = x->v.v;
	uint64_t sum = 0;
	size_t n = 0;

	if (v[0].bytes >= x->all / 4 || x->v.n < 3)
		return false;
	while (sum < x->all / 2 && n < x->v.n)
		sum += v[n++].bytes;
	*to = (struct ev_detail){ .told = TOLD_CACHES,
				  .n = n,
				  .name = { v[0].name, v[1].name, v[2].name } };
	return true;
}

/*
 * The counter of slab has more than the caches of the same moment: allocations of kmalloc() larger than its caches,
 * which it counts since 6a486c0ad4dc (v5.4). They are like one more cache.
 */
static void add_large(struct sums *x, bool of_event)
{
	const struct oom_evidence *e = x->g->e;
	uint64_t size = e->size[USE_SLAB];

	if (x->partial || ev_is_memcg(e) || gather_is_of_nodes(x->g) || size == EV_UNKNOWN ||
	    size <= x->all || (e->event && !e->at_once && !of_event))
		return;
	if (size - x->all < x->all / 4)
		return;
	add(x, page_class_name(CLASS_KMALLOC), size - x->all, SLAB_UNKNOWN);
	x->v.v[x->v.n - 1].large = true;
}

void gather_slab_owner(struct gather *g, enum use use)
{
	struct ev_owner *to = &g->e->owner[use];
	const struct oom_event *v = g->e->event;
	struct sums x = { .g = g };
	bool of_event;

	for (size_t i = 0; v && use == USE_SLAB && i < v->slabs.n; i++)
		add(&x, v->slabs.v[i].name, known(gather_told(v->slabs.v[i].total, 10)),
		    SLAB_UNKNOWN);
	of_event = x.v.n != 0;
	if (!of_event)
		of_dump(&x, use);
	if (use == USE_SLAB)
		add_large(&x, of_event);
	if (!x.v.n)
		return;
	sort_array(x.v.v, x.v.n, sizeof(*x.v.v), largest_first);
	*to = (struct ev_owner){ .name = x.v.v[0].name,
				 .bytes = x.v.v[0].bytes,
				 .subject = { .kind = SUBJECT_CACHE,
					      /* known by that, whatever the class is called */
					      .name = x.v.v[0].large ? "large kmalloc"
								     : x.v.v[0].name } };
	to->many = many(&x, &to->detail);
	if (!to->many && x.v.v[0].large)
		to->detail.told = TOLD_LARGE_BLOCKS;
	else if (!to->many && x.v.v[0].objects != SLAB_UNKNOWN)
		to->detail = (struct ev_detail){ .told = TOLD_OBJECTS, .n = x.v.v[0].objects };
	gather_slab_user(g, to);
}
