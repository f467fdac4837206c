/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kpage.h - the words of /proc/kpageflags, as this kernel would print them.
 */
#ifndef VMCENSUS_KPAGE_H
#define VMCENSUS_KPAGE_H

#include "model/model.h"

/* include/uapi/linux/kernel-page-flags.h, include/linux/kernel-page-flags.h: bits. */
enum kpf {
	KPF_LOCKED = 0, KPF_ERROR = 1, KPF_REFERENCED = 2, KPF_UPTODATE = 3, KPF_DIRTY = 4,
	KPF_LRU = 5, KPF_ACTIVE = 6, KPF_SLAB = 7, KPF_WRITEBACK = 8, KPF_RECLAIM = 9,
	KPF_BUDDY = 10, KPF_MMAP = 11, KPF_ANON = 12, KPF_SWAPCACHE = 13, KPF_SWAPBACKED = 14,
	KPF_COMPOUND_HEAD = 15, KPF_COMPOUND_TAIL = 16, KPF_HUGE = 17, KPF_UNEVICTABLE = 18,
	KPF_HWPOISON = 19, KPF_NOPAGE = 20, KPF_KSM = 21, KPF_THP = 22, KPF_OFFLINE = 23,
	KPF_ZERO_PAGE = 24, KPF_IDLE = 25, KPF_PGTABLE = 26, KPF_RESERVED = 32,
	KPF_MLOCKED = 33, KPF_MAPPEDTODISK = 34, KPF_PRIVATE = 35, KPF_PRIVATE_2 = 36,
	KPF_OWNER_PRIVATE = 37, KPF_ARCH = 38, KPF_UNCACHED = 39, KPF_ARCH_2 = 41,
	KPF_ARCH_3 = 42,
};

/*
 * Each frame from 0 to one past the last that has a struct page, ascending.
 * Frames whose struct page is not in the dump come with 0.
 */
void kpageflags_walk(const struct snapshot *s, struct reader *r,
		     void (*fn)(void *arg, uint64_t pfn, uint64_t flags), void *arg);

#endif
