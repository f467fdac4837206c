/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runs.h - the pages of all vmas (model/memory/areas/page_runs.h) as bytes for the page.
 *
 * A run is two LEB128 numbers: its pages, and their state (an index in states). Pages
 * after the last run are absent. All vmas are one string of at most RUNS_BYTES. The
 * largest mms come first; vmas that do not fit any more are left out as a whole, and
 * counted.
 */
#ifndef VMCENSUS_HTML_RUNS_H
#define VMCENSUS_HTML_RUNS_H

#include "dumpread/base/hash.h"
#include "model/memory/areas/page_runs.h"

#define RUNS_BYTES (8u << 20)

struct runs {
	uint8_t *bytes;
	size_t n, cap;
	struct { uint32_t at, len; } *of_vma;	/* [nvmas]; len 0: nothing there */
	VEC(struct page_run) states;	/* pages: 0 */
	uint64_t left_out;		/* vmas, and their at is UINT32_MAX */
	struct hash known;		/* state -> index */
	struct arena mem;
};

void runs_build(const struct snapshot *s, struct runs *ret);
void runs_release(struct runs *x);

#endif
