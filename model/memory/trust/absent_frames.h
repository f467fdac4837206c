/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * absent_frames.h - which page frames a dump does not hold, by kind.
 */
#ifndef VMCENSUS_ABSENT_FRAMES_H
#define VMCENSUS_ABSENT_FRAMES_H

#include "model/model.h"

enum absent_kind {			/* the first kind that fits a frame */
	ABSENT_FREE, ABSENT_OFFLINE, ABSENT_HUGETLB, ABSENT_ANON, ABSENT_SHMEM, ABSENT_CACHE,
	ABSENT_SLAB, ABSENT_TABLES, ABSENT_RESERVED, ABSENT_OTHER, ABSENT_KINDS
};

#define ABSENT_NAMES 32			/* the last one has all others */

/* Frames in a resource of the kernel (/proc/iomem: "Crash kernel"). */
struct absent_name { const char *name; uint64_t frames; };

struct absent_frames {
	uint64_t n[ABSENT_KINDS];
	uint64_t zeros;			/* others that the file lacks, whose content is known: zeros */
	/* The opposite: those of a kind that the level of the dump should have left out, and are in it. */
	uint64_t kept[ABSENT_KINDS];
	/* Frames that no kind of page explains, by the resource that has their address, most
	   first; frames 0 ends them. Plain memory ("System RAM") is not among them. */
	struct absent_name reserved[ABSENT_NAMES], other[ABSENT_NAMES];
	bool zeros_absent;		/* the container does not distinguish pages of zeros
					   that a filter left out from other absent pages */
};

/* Names are in MEM. All 0 if the source is no dump. */
void absent_frames_count(const struct snapshot *s, struct arena *mem, struct absent_frames *ret);

#endif
