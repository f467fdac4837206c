/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frames.h - one pass over the page array: what each page frame is.
 *
 * mapcount is what page_mapcount() of this very kernel would answer, i.e. what
 * /proc/kpagecount prints: rules by era in frames.c. Frames whose struct page
 * is not in the dump are counted, and stay apart from frames that do not exist.
 */
#ifndef VMCENSUS_FRAMES_H
#define VMCENSUS_FRAMES_H

#include "model/model.h"

/* Fill s->frames, in parallel over k->jobs threads. */
void frames_build(struct snapshot *s);
void frames_free(struct frames *f);

#endif
