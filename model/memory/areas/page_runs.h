/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_runs.h - the pages of a vma as runs of equal pages: their kind, and the number of
 * references to each.
 */
#ifndef VMCENSUS_PAGE_RUNS_H
#define VMCENSUS_PAGE_RUNS_H

#include "model/memory/usage/kept.h"

struct page_runs;

/* NULL if the source has no memory. For use by one thread; S must live as long. */
struct page_runs *page_runs_new(const struct snapshot *s);
void page_runs_free(struct page_runs *x);

/* FN for each run of V, by address, from its first page on; pages after the last run are
   absent. False from FN stops. */
void page_runs_each(struct page_runs *x, const struct vma *v,
		    bool (*fn)(void *arg, const struct page_run *run), void *arg);

#endif
