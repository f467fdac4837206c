/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frames.h - one pass over the page array: the kind of each page frame.
 *
 * mapcount is the result of page_mapcount() in this kernel, as in /proc/kpagecount;
 * frames.c has the rules by era. Frames whose struct page is not in the dump are counted
 * separately from frames that do not exist.
 */
#ifndef VMCENSUS_FRAMES_H
#define VMCENSUS_FRAMES_H

#include "model/model.h"

/* Fill s->frames, in parallel over k->jobs threads. */
void frames_build(struct snapshot *s);
void frames_free(struct frames *f);

#endif
