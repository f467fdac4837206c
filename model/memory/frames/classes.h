/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * classes.h - every page frame in one class: one pass over the page array.
 *
 * A class is first what the struct page shows. Frames about which it says nothing are
 * CLASS_UNKNOWN until a list or an area of the kernel claims them (classes_claim()). One byte
 * is kept for each frame. Sums over classes are the frames with a struct page, by construction.
 */
#ifndef VMCENSUS_PAGE_CLASSES_H
#define VMCENSUS_PAGE_CLASSES_H

#include "model/model.h"

enum page_class {
#define C(class, id, words, what, counted, use, flags) class,
#include "model/memory/frames/classes.def"
#undef C
	PAGE_CLASSES
};

enum class_flag {
	/* Its struct page says what a frame is. */
	CF_SHOWN = 1 << 0,
	/* Of processes and files: flags of the struct page have a meaning for them. Pipes, sockets and io_uring may
	   refer to them. */
	CF_USER = 1 << 1,
	/* A walker of the kernel's lists and areas finds them (claims.h, model/memory/owners), also if their struct
	   pages are lost. */
	CF_CLAIMED = 1 << 2,
	/* The kernel alone uses them, from the page allocator: no process ever maps one. */
	CF_PRIVATE = 1 << 3,
	/*
	 * No line of /proc/meminfo counts them, and MemTotal includes them. What is reserved at boot (the image,
	 * memmap) and pages that left the page allocator (offline) are no part of MemTotal. zsmalloc has nr_zspages in
	 * /proc/vmstat.
	 */
	CF_UNCOUNTED = 1 << 4,
	CF_NO_RAM = 1 << 5,
	/* Of a machine, not of what happened to it. */
	CF_FIXED = 1 << 6,
	/* Free: it grows when others end. */
	CF_SPARE = 1 << 7,
};

/* What is known of a class: classes.def. */
extern const struct class_facts {
	const char *id, *words, *what;
	unsigned flags; /* enum class_flag */
} class_facts[PAGE_CLASSES];

/* PAGE_CLASSES: there is none. */
enum page_class page_class_of_id(const char *id);

static inline const char *page_class_name(enum page_class c)
{
	return class_facts[c].words;
}

/* Has C any of FLAGS? PAGE_CLASSES, a class that is not known, has none. */
static inline bool page_class_is(enum page_class c, unsigned flags)
{
	return c < PAGE_CLASSES && class_facts[c].flags & flags;
}

/* Counts of the frames of one class, pages. All but PAGES are parts of it. */
struct class_counts {
	uint64_t pages;
	uint64_t mapped; /* by a process */
	uint64_t dirty, writeback, unevictable, mlocked, active;
};

void class_counts_add(struct class_counts *to, const struct class_counts *n);

enum cache_kind {
	CACHE_FILE,
	CACHE_BDEV,
	CACHE_SHMEM,
	CACHE_SECRETMEM,
	CACHE_PERF, /* no cache: rings of perf that a process has mapped */
	CACHE_LOST  /* the address_space is not readable */
};

/* An address_space with pages in the page cache. */
struct cache_owner {
	uint64_t mapping; /* kernel address of the struct address_space */
	uint64_t inode;	  /* its host; 0: not readable */
	enum cache_kind kind;
	struct class_counts count; /* its pages, as found */
	uint64_t nrpages;	   /* its pages, as it counts them itself */
	uint64_t maybe;		   /* of them: mapped only if no page has a count of its own */
};

/* Frames of one class that were claimed for another; of one that has no claim, such as CLASS_UNKNOWN: frames
   that a process maps and that were claimed for a class that nobody maps. */
struct class_conflict {
	uint64_t frames, pfn; /* pfn: of the first */
};

struct page_classes {
	uint8_t **chunk; /* [pfn >> FRAME_CHUNK_SHIFT]: a byte for each frame, its class
					   in the low 6 bits, then a mark, then whether it is
					   mapped (enum class_byte); NULL: no struct pages */
	uint64_t nchunks;
	struct class_counts count[PAGE_CLASSES];
	struct class_conflict conflict[PAGE_CLASSES][PAGE_CLASSES]; /* [is][claimed]; of the
					   same class: claimed twice */
	uint64_t hugetlb_cached;    /* huge pages of hugetlb that are of a file */
	struct cache_owner *owners; /* in the order of their addresses */
	size_t nowners;
	bool all_owners; /* false: there are too many, and OWNERS is empty */
};

/* Reads the page array of K, with K->jobs threads. Struct pages that cannot be read are
   CLASS_UNREAD and an issue. OWNERS: list all address_spaces, with about 100 bytes each, not only
   a bounded number. */
struct page_classes *page_classes_build(const struct kernel *k, bool owners);
void page_classes_free(struct page_classes *c);

/*
 * The same in pieces, while others read struct pages:
 *     page_classes_begin()
 *     page_classes_take()      whoever reads chunk C as a whole hands its struct pages to the
 *                              result, as WORKER; NULL: somebody did. One thread has a number
 *     page_classes_end()       reads the other chunks; ends C
 */
struct class_pass;
struct page_scan;
struct class_pass *page_classes_begin(const struct kernel *k, bool owners);
const struct page_scan *page_classes_take(struct class_pass *c, unsigned worker, uint64_t chunk);
struct page_classes *page_classes_end(struct class_pass *c);
/* Ends C (or NULL) without them. */
void page_classes_drop(struct class_pass *c);

/* Of the machine of S, without OWNERS, shared by all who ask. */
struct page_classes *page_classes_of(const struct snapshot *s);

/* The byte of a frame, see struct page_classes. */
enum class_byte { BYTE_CLASS = 0x3f, BYTE_MARK = 0x40, BYTE_MAPPED = 0x80 };

/* 0, CLASS_NONE, if frame PFN has no struct page. */
static inline uint8_t page_class_byte(const struct page_classes *c, uint64_t pfn)
{
	uint64_t i = pfn >> FRAME_CHUNK_SHIFT;

	if (i >= c->nchunks || !c->chunk[i])
		return CLASS_NONE;
	return c->chunk[i][pfn & ((1u << FRAME_CHUNK_SHIFT) - 1)];
}

static inline enum page_class page_class_at(const struct page_classes *c, uint64_t pfn)
{
	return (enum page_class)(page_class_byte(c, pfn) & BYTE_CLASS);
}

enum claim_result {
	CLAIM_TAKEN, /* the frame is in the claimed class now */
	CLAIM_OWN,   /* it was already */
	CLAIM_OTHER, /* another claim, or its struct page, says otherwise */
	CLAIM_NONE,  /* there is no such frame, or no RAM */
};

/* For classes.c and class_claim.c: the byte of PFN, which has one; moves the frame of byte B to class TO. */
static inline uint8_t *page_class_place(const struct page_classes *c, uint64_t pfn)
{
	return &c->chunk[pfn >> FRAME_CHUNK_SHIFT][pfn & (FRAME_CHUNK - 1)];
}
void page_class_move(struct page_classes *c, uint8_t *b, enum page_class to);

/* Moves all frames of class FROM to class TO. */
void page_classes_move(struct page_classes *c, enum page_class from, enum page_class to);

/*
 * Moves frame PFN, if it is CLASS_UNKNOWN, _COMPOUND or _BOOT, to class TO. Not for use by several
 * threads.
 */
enum claim_result page_classes_claim(struct page_classes *c, uint64_t pfn, enum page_class to);

/* Moves frame PFN to class TO if it is in FROM, by who knows more of it than its struct page; false: it is not. */
bool page_classes_refine(struct page_classes *c, uint64_t pfn, enum page_class from, enum page_class to);

/*
 * A mark for each frame: the walk over holders marks those that are counted for one of them, the walk over
 * free lists, which takes all marks back first, those that it met. Not for use by several threads.
 * page_classes_mark() is false if frame PFN was marked before, page_classes_own() also if there is no such
 * frame.
 */
bool page_classes_mark(struct page_classes *c, uint64_t pfn);
bool page_classes_own(struct page_classes *c, uint64_t pfn);
void page_classes_unmark(struct page_classes *c);
static inline bool page_class_marked(const struct page_classes *c, uint64_t pfn)
{
	return page_class_byte(c, pfn) & BYTE_MARK;
}

/* Does a process map frame PFN? */
static inline bool page_class_mapped(const struct page_classes *c, uint64_t pfn)
{
	return page_class_byte(c, pfn) & BYTE_MAPPED;
}

#endif
