/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * first_maps.h - for each page frame, the first vma that maps it.
 */
#ifndef VMCENSUS_FIRST_MAPS_H
#define VMCENSUS_FIRST_MAPS_H

#include "dumpread/base/hash.h"
#include "model/model.h"

struct first_map {
	uint32_t vma;			/* index in vmas, + 1; 0: none */
	uint16_t pte;			/* low 12 bits of the entry, as on the machine */
};

/* A collector's data about a page; no other source has it. */
struct given_page {
	uint64_t flags;			/* struct page.flags */
	uint32_t count;			/* as the collector counts */
};

struct first_maps {
	struct first_map **chunk;	/* beside those of snapshot.frames; NULL: none mapped */
	uint64_t nchunks;
	struct hash given_of;		/* private */
	VEC(struct given_page) given;	/* private */
};

/* By the vmas of all mms in their order, or by those of the mm ONLY if that is not NONE. The
   result is in MEM; first_maps_release() frees it. */
void first_maps_build(const struct snapshot *s, uint32_t only, struct arena *mem,
		      struct first_maps *ret);
void first_maps_release(struct first_maps *x);

/* For frame PFN; vma is 0 if nothing maps it. */
struct first_map first_maps_at(const struct first_maps *x, uint64_t pfn);
/* NULL: the source gives none. */
const struct given_page *first_maps_given(const struct first_maps *x, uint64_t pfn);

#endif
