/* SPDX-License-Identifier: GPL-3.0-or-later */
/* class_view.c - the classes of a snapshot, which several reports share. */
#include <stdlib.h>

#include "model/memory/frames/classes.h"
#include "model/memory/frames/frames.h"
#include "model/shared.h"

void page_classes_free(struct page_classes *c)
{
	if (!c)
		return;
	for (uint64_t i = 0; i < c->nchunks; i++)
		free(c->chunk[i]);
	free(c->chunk);
	free(c->owners);
	free(c);
}

static void *make_classes(const struct snapshot *s, struct arena *mem)
{
	struct class_pass *begun = s->classes;

	(void)mem;
	if (!begun)
		return page_classes_build(s->k, false);
	frames_classify(&s->frames, NULL);
	/* what is kept beside S's arrays is no part of what reports may not change */
	((struct snapshot *)s)->classes = NULL;
	return page_classes_end(begun);
}

static void release_classes(void *view)
{
	page_classes_free(view);
}

struct page_classes *page_classes_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { make_classes, release_classes };

	return shared_view(s, SHARED_CLASSES, &maker);
}
