/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * told.h - page-table entries that tell what their frames are; private to model/memory/usage.
 *
 * A writable entry of private memory maps an anonymous page that no other entry maps. For sizes its
 * struct page says nothing new, and is not read. told.c says where this holds, and why.
 */
#ifndef VMCENSUS_TOLD_H
#define VMCENSUS_TOLD_H

#include "model/model.h"

struct told {
	const bool *whole;	/* [nchunks], of the frames: chunks that are read whole and compared */
	uint64_t nchunks;
	uint64_t pages;		/* that were told; each once, whatever the number of rounds */
};

/*
 * Makes the frames of S be read in parts, but for a sample of the chunks, which is compared with the
 * walk as ever. NULL: the rule is not wanted or not proven here, and nothing changes.
 */
struct told *told_new(const struct snapshot *s);
/* Says under -v how much was told, and how much is compared. T may be NULL. */
void told_end(struct snapshot *s, struct told *t);

/* May entries of V tell? */
bool told_vma(const struct snapshot *s, const struct vma *v);

/* Is E, of such a vma and of the lowest level, one that tells? */
static inline bool told_entry(const struct pte *e)
{
	return e->kind == PTE_PAGE && (e->flags & (PTE_WRITE | PTE_SPECIAL | PTE_PROTNONE |
						   PTE_UFFD_WP | PTE_DEVMAP)) == PTE_WRITE;
}

/* Is the struct page of PFN, which such an entry maps, not to be read? */
static inline bool told_unread(const struct told *t, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;

	return c < t->nchunks && !t->whole[c];
}

#endif
