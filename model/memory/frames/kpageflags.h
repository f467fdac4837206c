/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kpageflags.h - the flags of a page frame in /proc/kpageflags, by the rules of the
 * kernel's stable_page_flags() (fs/proc/page.c), and the words that they come from.
 */
#ifndef VMCENSUS_KPAGEFLAGS_H
#define VMCENSUS_KPAGEFLAGS_H

#include "model/model.h"

/* include/uapi/linux/kernel-page-flags.h, linux/kernel-page-flags.h from 32 on */
enum kpf {
	KPF_LOCKED, KPF_ERROR, KPF_REFERENCED, KPF_UPTODATE, KPF_DIRTY, KPF_LRU, KPF_ACTIVE,
	KPF_SLAB, KPF_WRITEBACK, KPF_RECLAIM, KPF_BUDDY, KPF_MMAP, KPF_ANON, KPF_SWAPCACHE,
	KPF_SWAPBACKED, KPF_COMPOUND_HEAD, KPF_COMPOUND_TAIL, KPF_HUGE, KPF_UNEVICTABLE,
	KPF_HWPOISON, KPF_NOPAGE, KPF_KSM, KPF_THP, KPF_OFFLINE, KPF_ZERO_PAGE, KPF_IDLE,
	KPF_PGTABLE,
	KPF_RESERVED = 32, KPF_MLOCKED, KPF_MAPPEDTODISK, KPF_PRIVATE, KPF_PRIVATE_2,
	KPF_OWNER_PRIVATE, KPF_ARCH, KPF_UNCACHED, KPF_SOFTDIRTY, KPF_ARCH_2, KPF_ARCH_3,
	KPF_BITS
};

#define KPF(bit) (UINT64_C(1) << KPF_##bit)

struct page_words {
	uint64_t flags;		/* page.flags */
	uint64_t kpf;		/* KPF() bits */
	int64_t refcount;	/* of the page; for a tail: of its folio. INT64_MIN: below 0,
				   which is no valid count */
	bool none;		/* no struct page, or an unused one */
};

struct kpageflags;

struct kpageflags *kpageflags_new(const struct snapshot *s);
void kpageflags_free(struct kpageflags *q);

/*
 * Flags of frame PFN; fastest in ascending order. A frame without a struct page is
 * KPF(NOPAGE), or 0 in later kernels. ST_NODATA and the like: its struct page cannot be
 * read.
 */
enum status kpageflags_read(struct kpageflags *q, uint64_t pfn, struct page_words *ret);

#endif
