/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counts.h - how often a page is used, as the USENIX 2005 paper counts it.
 *
 * The paper's kernel, 2.4, counts references, page->count, and no mappings: a page of a
 * file has one more than it is mapped, the page cache's, so that it is never single. In
 * dumps of such kernels that is the count here; of others it is the mapcount.
 */
#ifndef VMCENSUS_PAPER_COUNTS_H
#define VMCENSUS_PAPER_COUNTS_H

#include "model/views/areas.h"
#include "model/page/pageraw.h"
#include "model/usage/residency.h"

struct paper_counts {
	const struct snapshot *s;
	struct reader *r;		/* lent; NULL for a capture */
	struct pageraw raw;
	bool references;		/* page->count is asked */
	struct page_budget budget;
};

void paper_counts_init(struct paper_counts *c, const struct snapshot *s, struct reader *r);
void paper_counts_release(struct paper_counts *c);

/* Of a page that is mapped: never 0. */
uint32_t paper_count(const struct paper_counts *c, const struct resident_page *p);

/* Pages that V has resident: of count 1, and the others. Huge pages count as their parts. */
void paper_single(struct paper_counts *c, const struct vma *v, uint64_t *single,
		  uint64_t *shared);

/* The same of all library text of an address space: the paper's columns Single and Multi. */
void paper_library_text(struct paper_counts *c, const struct area *areas, const struct mm *mm,
			uint64_t *single, uint64_t *multi);

#endif
