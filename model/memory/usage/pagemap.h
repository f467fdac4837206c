/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagemap.h - the words of /proc/PID/pagemap, as this kernel would print them
 * (Documentation/admin-guide/mm/pagemap.rst).
 */
#ifndef VMCENSUS_PAGEMAP_H
#define VMCENSUS_PAGEMAP_H

#include "model/model.h"

#define PM_PFN_MASK ((UINT64_C(1) << 55) - 1)
#define PM_SOFT_DIRTY (UINT64_C(1) << 55)
#define PM_MMAP_EXCLUSIVE (UINT64_C(1) << 56)
#define PM_UFFD_WP (UINT64_C(1) << 57)
#define PM_GUARD_REGION (UINT64_C(1) << 58)
#define PM_FILE (UINT64_C(1) << 61)
#define PM_SWAP (UINT64_C(1) << 62)
#define PM_PRESENT (UINT64_C(1) << 63)

struct pagemap;

struct pagemap *pagemap_new(const struct snapshot *s, struct reader *r);
void pagemap_free(struct pagemap *m);

/*
 * The words of VMA V that are not 0, in the order of addresses. If a VMA is soft-dirty as
 * a whole, even empty pages have a word; these are left out for VMAs larger than
 * PAGEMAP_DIRTY_MAX: a reservation of terabytes would make gigabytes of words.
 */
#define PAGEMAP_DIRTY_MAX (UINT64_C(1) << 30)
void pagemap_walk(struct pagemap *m, const struct vma *v,
		  void (*fn)(void *arg, uint64_t va, uint64_t word), void *arg);

#endif
