/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_cols.h - the columns of struct usage, for every report whose rows
 * carry one: a row has "struct usage_cells u", its table of columns lists
 * U_RSS(struct foo_row, COL_SHOWN | COL_TOTAL) and so on.
 */
#ifndef VMCENSUS_USAGE_COLS_H
#define VMCENSUS_USAGE_COLS_H

#include "reports/core/report.h"

/* All of struct usage, in bytes (the pss family shifted back). */
struct usage_cells {
	uint64_t size, rss, pss, uss, swap, swap_pss;
	uint64_t anon, file, shmem;
	uint64_t pss_anon, pss_file, pss_shmem, pss_dirty, pss_locked;
	uint64_t shared_clean, shared_dirty, private_clean, private_dirty;
	uint64_t referenced, anonymous, lazyfree, ksm;
	uint64_t huge, anon_huge, shmem_huge, file_huge;
	uint64_t shared_hugetlb, private_hugetlb;
	uint64_t swap_ptes, swap_uss, swap_cached, special, tables, lost, unknown;
	uint64_t order;		/* sort key of pss */
};

void usage_cells_set(struct usage_cells *c, const struct usage *u);

/* A sum of usage over mms, some of which may be incomplete. */
struct usage_sum {
	struct usage u;
	uint64_t order;		/* pss; where that is incomplete, at least the kernel's counters */
	unsigned incomplete;	/* enum incomplete */
};

void usage_sum_mm(struct usage_sum *sum, const struct snapshot *s, const struct mm *m);
/* The sum for P if it has no mm: zero, or unknown. */
void usage_sum_none(struct usage_sum *sum, const struct snapshot *s, const struct proc *p);
void usage_sum_add(struct usage_sum *sum, const struct usage_sum *more);
/* A lower bound of 0 becomes unknown. INCOMPLETE: the parts that could not be read (enum
   incomplete). */
void usage_cells_forget(struct usage_cells *c, unsigned incomplete);
/* Cells for SUM; a lower bound of 0 becomes unknown. */
void usage_cells_of(struct usage_cells *c, const struct usage_sum *sum);

#define U_COL(row, f, name, flags, about) \
	COL_AS(row, u.f, name, COL_BYTES, flags, "bytes", about)

#define U_SIZE(row, fl) U_COL(row, size, "size", fl, "virtual size, resident or not")
#define U_RSS(row, fl) U_COL(row, rss, "rss", fl, \
	"resident: mapped and in memory (no hugetlb, no zero page)")
#define U_PSS(row, fl) { "pss", COL_BYTES, fl, offsetof(row, u.pss), "bytes", \
	"proportional: each page divided by the number of its mappings", 0, \
	offsetof(row, u.order) }
#define U_USS(row, fl) U_COL(row, uss, "uss", fl, \
	"unique: mapped only here; it would be free without this")
#define U_SWAP(row, fl) U_COL(row, swap, "swap", fl, "swapped out, including swap of shmem")
#define U_SWAP_PSS(row, fl) U_COL(row, swap_pss, "swap_pss", fl, \
	"swap divided by the number of its users; no shmem")
#define U_ANON(row, fl) U_COL(row, anon, "anon", fl, "of rss: anonymous pages")
#define U_FILE(row, fl) U_COL(row, file, "file", fl, "of rss: pages of files")
#define U_SHMEM(row, fl) U_COL(row, shmem, "shmem", fl, "of rss: shared memory and tmpfs")
#define U_PSS_ANON(row, fl) U_COL(row, pss_anon, "pss_anon", fl, "of pss: anonymous pages")
#define U_PSS_FILE(row, fl) U_COL(row, pss_file, "pss_file", fl, "of pss: pages of files")
#define U_PSS_SHMEM(row, fl) U_COL(row, pss_shmem, "pss_shmem", fl, \
	"of pss: shared memory and tmpfs")
#define U_PSS_DIRTY(row, fl) U_COL(row, pss_dirty, "pss_dirty", (fl) | COL_PAGE, "of pss: dirty pages")
#define U_PSS_LOCKED(row, fl) U_COL(row, pss_locked, "pss_locked", fl, \
	"of pss: in locked vmas (Locked of smaps)")
#define U_SHARED_CLEAN(row, fl) U_COL(row, shared_clean, "shared_clean", (fl) | COL_PAGE, \
	"of rss: mapped more than once, clean")
#define U_SHARED_DIRTY(row, fl) U_COL(row, shared_dirty, "shared_dirty", (fl) | COL_PAGE, \
	"of rss: mapped more than once, dirty")
#define U_PRIVATE_CLEAN(row, fl) U_COL(row, private_clean, "private_clean", (fl) | COL_PAGE, \
	"of rss: mapped once, clean")
#define U_PRIVATE_DIRTY(row, fl) U_COL(row, private_dirty, "private_dirty", (fl) | COL_PAGE, \
	"of rss: mapped once, dirty")
#define U_REFERENCED(row, fl) U_COL(row, referenced, "referenced", (fl) | COL_PAGE, \
	"of rss: accessed since the kernel last checked")
#define U_ANONYMOUS(row, fl) U_COL(row, anonymous, "anonymous", fl, \
	"of rss: pages of no file (Anonymous of smaps)")
#define U_LAZYFREE(row, fl) U_COL(row, lazyfree, "lazyfree", (fl) | COL_PAGE, \
	"of rss: freed with MADV_FREE, not yet reclaimed")
#define U_KSM(row, fl) U_COL(row, ksm, "ksm", fl, "of rss: merged by KSM")
#define U_HUGE(row, fl) U_COL(row, huge, "huge", fl, \
	"of rss: mapped by huge page-table entries (THP)")
#define U_ANON_HUGE(row, fl) U_COL(row, anon_huge, "anon_huge", fl, "of huge: anonymous")
#define U_SHMEM_HUGE(row, fl) U_COL(row, shmem_huge, "shmem_huge", fl, "of huge: shared memory")
#define U_FILE_HUGE(row, fl) U_COL(row, file_huge, "file_huge", fl, "of huge: files")
#define U_SHARED_HUGETLB(row, fl) U_COL(row, shared_hugetlb, "shared_hugetlb", fl, \
	"hugetlbfs pages mapped more than once; not in rss")
#define U_PRIVATE_HUGETLB(row, fl) U_COL(row, private_hugetlb, "private_hugetlb", fl, \
	"hugetlbfs pages mapped once; not in rss")
#define U_SWAP_PTES(row, fl) U_COL(row, swap_ptes, "swap_ptes", fl, \
	"of swap: counted by page-table entries only")
#define U_SWAP_USS(row, fl) U_COL(row, swap_uss, "swap_uss", fl, \
	"of swap: slots that no other page-table entry refers to")
#define U_SWAP_CACHED(row, fl) U_COL(row, swap_cached, "swap_cached", fl, \
	"of swap: slots whose page is also in memory (swap cache)")
#define U_SPECIAL(row, fl) U_COL(row, special, "special", fl, \
	"mapped without a page: zero page, device memory")
#define U_TABLES(row, fl) U_COL(row, tables, "tables", fl, \
	"page tables that the walk found")
#define U_LOST(row, fl) U_COL(row, lost, "lost", fl, \
	"parts of vmas whose page tables are not in the dump")
#define U_INCOMPLETE(row) COL(row, incomplete, COL_STR, 0, "", \
	"missing parts; with any, sizes are lower bounds (-: nothing is missing)")
#define U_UNKNOWN(row, fl) U_COL(row, unknown, "unknown", (fl) | COL_PAGE, \
	"mapped pages whose struct page is not in the dump")

#endif
