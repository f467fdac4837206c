/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shared.h - views of a snapshot that several reports ask for: built when the first asks, and
 * kept as long as the snapshot. Reports run one after the other: not for use by several threads.
 */
#ifndef VMCENSUS_SHARED_H
#define VMCENSUS_SHARED_H

#include "model/model.h"

enum shared_view {
	SHARED_CLASSES, SHARED_CENSUS, SHARED_CACHED, SHARED_SHM, SHARED_VERDICT, SHARED_OOM_LOG, SHARED_VIEWS
};

/* How a view is made; its memory is MEM's, except what release() gives back. */
struct shared_maker {
	void *(*make)(const struct snapshot *s, struct arena *mem);
	void (*release)(void *view);	/* NULL: all of it is in MEM */
};

/* View V of S. */
void *shared_view(const struct snapshot *s, enum shared_view v, const struct shared_maker *m);

/*
 * From here on S serves another report: the issues that a view had when it was made are added again, to
 * those of S's kernel, when that report asks for it. AGAIN gets them too, until the next call; it may be NULL.
 */
void shared_serve(const struct snapshot *s, struct issues *again);

/* Gives back all views of S. */
void shared_free(struct snapshot *s);

#endif
