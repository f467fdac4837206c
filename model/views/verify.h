/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify.h - two counts that must agree: what the kernel recorded, and what the walk
 * over all page tables found.
 *
 * By frame: mapcount against mappings. By address space: rss counters, swap entries,
 * number and size of VMAs against the sums over its VMAs. Each difference has a
 * reason. A reason explains up to what it can have caused and no more; what it does
 * not explain becomes an issue of the dump. So every report whose numbers rest on the
 * walk says that a counter of the kernel contradicts them.
 */
#ifndef VMCENSUS_VERIFY_H
#define VMCENSUS_VERIFY_H

#include "model/model.h"

enum verify_reason {
	VERIFY_AGREE,
	/* of frames */
	VERIFY_NOT_READ, VERIFY_REFERENCES, VERIFY_AVERAGE, VERIFY_NO_RMAP,
	VERIFY_HUGETLB_UNCOUNTED, VERIFY_LOST_TABLES, VERIFY_EXITING, VERIFY_IN_FLUX,
	VERIFY_NO_MAPPING, VERIFY_ARGUMENTS, VERIFY_UNKNOWN_MM, VERIFY_TOO_MANY,
	/* of address spaces */
	VERIFY_LOST_VMAS, VERIFY_LOST_PTES, VERIFY_EXECVE, VERIFY_TAKEN_DOWN, VERIFY_REAPED, VERIFY_RAN,
	VERIFY_UNEXPLAINED,
	VERIFY_REASONS
};

enum { VERIFY_KINDS = 11 };	/* of pages; verify_kind() names them */

/* Frames of one kind and reason. */
struct verify_frames {
	uint64_t frames;		/* 0: there are none */
	uint64_t pfn;			/* the first of them */
	uint64_t kernel, found;		/* mappings, summed over them */
};

struct verify_counter {
	const char *what;		/* "rss anon", "swap", "VMAs" ... */
	uint32_t mm;			/* index in mms */
	uint64_t kernel, found;		/* pages; VMAs */
	enum verify_reason reason;
};

/* Counts of a folio whose pages are being compared; zeroed before the first. */
struct verify_folio {
	uint64_t head, end;		/* pfns */
	uint32_t average;
};

struct verify {
	uint64_t agree, differ, mapped;	/* frames */
	uint64_t counters, off;		/* counters compared, and those that differ */
	struct verify_frames frames[VERIFY_REASONS][VERIFY_KINDS];	/* those that differ */
	bool beyond[VERIFY_REASONS];	/* more frames than that reason can explain */
	struct verify_counter *v;	/* counters that differ */
	uint32_t n;
	bool by_head;			/* counts of a huge page are its head's */
	/* how much reasons can explain; found out where something differs */
	uint32_t *running;		/* [nmms]: tasks of it that ran; NULL: nothing differs */
	uint32_t busy;			/* tasks that ran beside the one that crashed */
	uint32_t exiting;		/* tasks in exit without their mm */
	uint32_t *execs;		/* [nmms]: tasks of it inside execve */
	uint64_t arguments;		/* pages that those mms are charged with beyond found */
	bool damaged;			/* tables or VMAs of some mm were not readable */
	uint64_t lost;			/* pages that they had room for */
	uint64_t missing;		/* pages that the counters of these mms have beyond found */
};

/*
 * Fill s->verify, after the walk and the sums over VMAs. ONLY: index of the one mm that
 * was walked; its counters alone are compared then. NONE: all were. Adds issues, but not
 * of a live machine or a capture: there, counts of different moments differ.
 */
void verify_build(struct snapshot *s, uint32_t only);

/* Why frame PFN differs, and what the kernel counts. Needs s->verify. */
enum verify_reason verify_frame(const struct snapshot *s, uint64_t pfn,
				struct verify_folio *folio, uint32_t *kernel);
/* Sums of both into TO. */
void verify_add(struct verify_frames *to, const struct verify_frames *f);
/* Every counter of address space MM, those that agree too. */
void verify_mm(const struct snapshot *s, uint32_t mm,
	       void (*fn)(void *arg, const struct verify_counter *c), void *arg);

/* Number of the kind of page that F is, below VERIFY_KINDS, and its name. */
unsigned verify_kind(const struct frame *f);
const char *verify_kind_name(unsigned kind);

const char *verify_text(const struct verify *v, enum verify_reason why);
bool verify_explained(const struct verify *v, enum verify_reason why);

#endif
