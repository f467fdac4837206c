/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shared.c - the views, each with what gives it back; those made last may use earlier ones. */
#include "model/shared.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"

struct shared {
	struct arena mem;
	void *view[SHARED_VIEWS];
	void (*release[SHARED_VIEWS])(void *view);
};

void *shared_view(const struct snapshot *s, enum shared_view v, const struct shared_maker *m)
{
	struct shared *h = s->shared;

	/* what is kept beside S's arrays is no part of what reports may not change */
	if (!h)
		h = ((struct snapshot *)s)->shared = heap_array(struct shared, 1);
	if (!h->view[v]) {
		h->view[v] = m->make(s, &h->mem);
		h->release[v] = m->release;
	}
	return h->view[v];
}

void shared_free(struct snapshot *s)
{
	struct shared *h = s->shared;

	for (unsigned i = 0; h && i < SHARED_VIEWS; i++)
		if (h->release[i])
			h->release[i](h->view[i]);
	if (h)
		arena_release(&h->mem);
	free(h);
	s->shared = NULL;
}
