/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * class_pass.h - the pass over the page array that finds the class of each frame, for classes.c and
 * class_pass.c.
 */
#ifndef VMCENSUS_PAGE_CLASS_PASS_H
#define VMCENSUS_PAGE_CLASS_PASS_H

#include "dumpread/base/jobs.h"
#include "model/kernel/machine/resources.h"
#include "model/kernel/page/alike.h"
#include "model/kernel/page/scan.h"
#include "model/memory/frames/classes.h"
#include "model/memory/frames/owners.h"

/*
 * While the pass runs, MAYBE marks a page of a large folio that may be mapped, because the folio's
 * counts say that some of its pages are: if no page of the machine has a count of its own
 * (CONFIG_NO_PAGE_MAPCOUNT, 6.15), these count as mapped, as in the kernel's own counters. After
 * it no byte has that mark.
 */
#define MAYBE BYTE_MARK

/* What of struct page is on types that could not be read. */
enum lost_of_page { LOST_MAPPING = 1, LOST_MAPCOUNT = 2, LOST_OTHER = 4 };

#define LOST_ANY (LOST_MAPPING | LOST_MAPCOUNT | LOST_OTHER)

enum word_bit { BIT_WRITEBACK, BIT_UNEVICTABLE, BIT_MLOCKED, BIT_ACTIVE, WORD_BITS };

/* One that those after it may be like. */
struct last_page {
	struct alike_words words;
	bool single, tail; /* neither: none of them is like it */
	uint64_t end;	   /* of single: pages from here on are not like it */
	uint8_t byte;
	enum page_class class;
	struct class_counts count;
	struct cache_owner *owner; /* NULL: none */
	bool maybe, own_mapped;	   /* of struct one_page */
};

/* One thread's. */
struct class_worker {
	struct reader *r;	   /* for other memory than struct pages */
	struct cache_owners owners;
	struct cache_owner *owner; /* of the page that is decoded; NULL: none */
	struct folio_view folio;
	uint64_t buddy_end; /* pages below it follow a free block's head */
	uint64_t pool_head; /* the latest page, or head, of a page_pool */
	size_t resource;    /* place in the resource tree */
	uint64_t chunk_no;  /* of the latest run */
	uint8_t *chunk;
	struct class_counts count[PAGE_CLASSES];
	uint64_t maybe, own_mapped, unread, lost_heads, lost_mappings;
	uint64_t hugetlb_cached;
	struct last_page last;
};

struct class_pass {
	const struct kernel *k;
	struct pagefmt fmt;
	uint64_t word[WORD_BITS];
	unsigned lost;		    /* enum lost_of_page */
	uint32_t kmalloc, zsmalloc; /* types in the top byte; 0: not told apart */
	uint64_t zero, huge_zero;   /* pfns; UINT64_MAX: none */
	struct arena mem;
	struct resources resources;
	struct page_classes *ret;
	bool keep_owners;
	struct page_scan scan;
	uint8_t *done;		    /* [chunks]: a worker has it, or had it */
	struct class_worker *workers[JOBS_MAX];
};

/* The run of a page_scan; ARG: a struct class_pass. */
void class_run(void *arg, unsigned worker, struct reader *r, const struct page_run *run);

#endif
