/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paper_counts.h - how often a page is used, as the USENIX 2005 paper counts it.
 *
 * The paper's kernel, 2.4, counts references, page->count, and no mappings. A page of a
 * file has one more than its mappings, for the page cache, so it is never single. For
 * dumps of such kernels this is the count here, for others the mapcount.
 */
#ifndef VMCENSUS_PAPER_COUNTS_H
#define VMCENSUS_PAPER_COUNTS_H

#include "model/memory/areas/areas.h"
#include "model/memory/usage/residency.h"

struct paper_counts;

/* Never NULL. For use by one thread; S must live as long. */
struct paper_counts *paper_counts_new(const struct snapshot *s);
void paper_counts_free(struct paper_counts *c);

/* Pages, by their count; a huge page counts as its parts. */
struct paper_pages { uint64_t single, shared; };

/* Resident pages of V: with count 1, and the others. */
void paper_counts_vma(struct paper_counts *c, const struct vma *v, struct paper_pages *ret);

/* The same for all library text of M: the paper's columns Single and Multi. AREAS: those of
   the snapshot. */
void paper_counts_library_text(struct paper_counts *c, const struct area *areas,
			       const struct mm *m, struct paper_pages *ret);

/* Adds the count of each resident page of V to MAP, by page number in V. */
void paper_counts_map(struct paper_counts *c, const struct vma *v, struct residency *map);

/*
 * Figure 7: resident pages of V that only its mm has, and the others. With mapcounts only
 * anonymous pages can be single, because the paper's count of a file's page is never 1.
 */
void paper_counts_mixed(struct paper_counts *c, const struct vma *v, struct paper_pages *ret);

#endif
