/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shared.c - the views, each with what gives it back; those made last may use earlier ones. */
#include "model/shared.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"

struct view {
	void *made;
	void (*release)(void *view);
	struct issues *own;		/* that it met, without those of views that it asked for; NULL: none */
	unsigned asked[SHARED_VIEWS];	/* by it: after how many of OWN, + 1; 0: not */
	bool told;			/* its issues are with those of the report that is served */
};

struct making;

struct shared {
	struct arena mem;
	struct view view[SHARED_VIEWS];
	struct making *making;		/* NULL: no view is being made */
	struct issues *again;
};

static struct shared *shared_of(const struct snapshot *s)
{
	/* what is kept beside S's arrays is no part of what reports may not change */
	if (!s->shared)
		((struct snapshot *)s)->shared = heap_array(struct shared, 1);
	return s->shared;
}

/* A view while it is made. */
struct making {
	struct issues_part part;
	struct issues met;		/* by it, and by the views that it asked for */
	struct issues inner;		/* by these */
	unsigned *asked;
	struct making *outer;
};

static void keep_own(struct shared *h, struct view *w, struct making *m)
{
	if (h->making)
		issues_copy(&h->making->inner, &m->met);
	issues_take_away(&m->met, &m->inner);
	if (!m->met.n)
		return;
	w->own = arena_array(&h->mem, struct issues, 1);
	issues_init(w->own);
	issues_copy(w->own, &m->met);
}

static unsigned asker(enum shared_view v)
{
	return (unsigned)FRAMES_VIEW << v;
}

static void make(struct shared *h, const struct snapshot *s, struct view *w,
		 const struct shared_maker *maker)
{
	struct making *m = heap_array(struct making, 1);
	unsigned before = frames_ask_as(&s->frames, asker((enum shared_view)(w - h->view)));

	issues_init(&m->met);
	issues_init(&m->inner);
	m->outer = h->making;
	h->making = m;
	m->asked = w->asked;
	w->told = true;
	w->release = maker->release;
	issues_begin_part(s->k->issues, &m->part);
	w->made = maker->make(s, &h->mem);
	issues_end_part(s->k->issues, &m->part, &m->met);
	frames_ask_as(&s->frames, before);
	frames_ask_also(&s->frames, asker((enum shared_view)(w - h->view)));
	h->making = m->outer;
	keep_own(h, w, m);
	issues_release(&m->met);
	issues_release(&m->inner);
	free(m);
}

/* In the order in which they were met. */
static void tell(struct shared *h, const struct snapshot *s, enum shared_view v)
{
	struct issues *is = s->k->issues;
	struct view *w = &h->view[v];
	unsigned n = w->own ? w->own->n : 0;

	if (w->told)
		return;
	w->told = true;
	frames_ask_also(&s->frames, asker(v));
	for (unsigned at = 0; at <= n; at++) {
		for (unsigned i = 0; i < SHARED_VIEWS; i++)
			if (w->asked[i] == at + 1 || (at == n && w->asked[i] > n))
				tell(h, s, i);
		if (at == n)
			break;
		issues_copy_one(is, &w->own->v[at]);
		if (h->making)
			issues_copy_one(&h->making->inner, &w->own->v[at]);
		if (h->again)
			issues_copy_one(h->again, &w->own->v[at]);
	}
}

void *shared_view(const struct snapshot *s, enum shared_view v, const struct shared_maker *m)
{
	struct shared *h = shared_of(s);

	if (h->making && !h->making->asked[v])
		h->making->asked[v] = s->k->issues->n - h->making->inner.n + 1;
	if (!h->view[v].made)
		make(h, s, &h->view[v], m);
	else
		tell(h, s, v);
	return h->view[v].made;
}

void shared_serve(const struct snapshot *s, struct issues *again)
{
	struct shared *h = shared_of(s);

	for (unsigned i = 0; i < SHARED_VIEWS; i++)
		h->view[i].told = false;
	h->again = again;
}

void shared_free(struct snapshot *s)
{
	struct shared *h = s->shared;

	for (unsigned i = 0; h && i < SHARED_VIEWS; i++) {
		if (h->view[i].release)
			h->view[i].release(h->view[i].made);
		if (h->view[i].own)
			issues_release(h->view[i].own);
	}
	if (h)
		arena_release(&h->mem);
	free(h);
	s->shared = NULL;
}
