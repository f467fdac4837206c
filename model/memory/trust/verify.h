/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify.h - two counts that must agree: the kernel's, and that of the walk over all page
 * tables.
 *
 * For each frame: the mapcount and the mappings. For each mm: rss counters, swap entries,
 * number and size of VMAs, and the sums over its VMAs. Each difference has a reason. A
 * reason explains only as much as it can cause; the rest becomes an issue of the dump. So
 * every report whose numbers depend on the walk says that a counter of the kernel
 * contradicts them.
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
	/* of mms */
	VERIFY_LOST_VMAS, VERIFY_LOST_PTES, VERIFY_EXECVE, VERIFY_FORKED, VERIFY_TAKEN_DOWN, VERIFY_REAPED, VERIFY_RAN,
	VERIFY_HUGE_AS_FILE, VERIFY_UNEXPLAINED,
	VERIFY_REASONS
};

enum { VERIFY_KINDS = 11 };	/* of pages; verify_kind() names them */

/* Frames of one kind and reason. */
struct verify_frames {
	uint64_t frames;		/* 0: there are none */
	uint64_t pfn;			/* the first of them */
	uint64_t kernel, found;		/* mappings, summed over these frames */
};

struct verify_counter {
	const char *what;		/* "rss anon", "swap", "VMAs" ... */
	uint32_t mm;			/* index in mms */
	uint64_t kernel, found;		/* pages; VMAs */
	enum verify_reason reason;
};

/* Counts of the folio whose pages are being compared; zeroed before the first one. */
struct verify_folio {
	uint64_t head, end;		/* pfns */
	uint32_t average;
};

struct verify {
	uint64_t agree, differ, mapped;	/* frames that were compared: with NEED_FOUND all */
	bool elsewhere; /* of chunks of which only NEED_FOUND has more than the walk did, one
					   differs */
	uint64_t counters, off;		/* counters compared, and those that differ */
	struct verify_frames frames[VERIFY_REASONS][VERIFY_KINDS];	/* those that differ */
	bool beyond[VERIFY_REASONS];	/* more frames than that reason can explain */
	struct verify_counter *v;	/* counters that differ */
	uint32_t n;
	/* how much the reasons can explain; computed at the first difference */
	uint32_t *running;		/* [nmms]: its tasks that ran; NULL: nothing differs */
	uint32_t busy;			/* tasks that ran beside the one that crashed */
	uint32_t exiting;		/* tasks in exit without their mm */
	uint32_t *execs;		/* [nmms]: its tasks inside execve */
	uint64_t arguments;		/* pages that are charged to these mms beyond found */
	bool damaged;			/* tables or VMAs of an mm were not readable */
	uint64_t lost;			/* pages that they had room for */
	uint64_t missing;		/* pages in the counters of these mms beyond found */
};

/*
 * Fills s->verify, after the walk and the sums over VMAs. If the pages of some mms only are asked
 * for, their counters are compared, and no frame. Adds issues, but not for a live machine or a
 * capture, whose counts are from different moments.
 */
void verify_build(struct snapshot *s);
/* The same for reports without the walk: only the sums over VMAs. */
void verify_build_sizes(struct snapshot *s);

/* For verify_build(): all frames; how much each reason can explain, once. */
void verify_all_frames(struct snapshot *s);
void verify_find_causes(struct snapshot *s);

/* Why frame PFN differs, and the kernel's count for it. Needs s->verify, and NEED_FOUND. */
enum verify_reason verify_frame(const struct snapshot *s, uint64_t pfn,
				struct verify_folio *folio, uint32_t *kernel);
/* Adds the sums of both to TO. */
void verify_add(struct verify_frames *to, const struct verify_frames *f);
/* Every counter of mm MM, those that agree too. */
void verify_mm(const struct snapshot *s, uint32_t mm,
	       void (*fn)(void *arg, const struct verify_counter *c), void *arg);

/* The number of F's kind of page, below VERIFY_KINDS, and its name. */
unsigned verify_kind(const struct frame *f);
const char *verify_kind_name(unsigned kind);

const char *verify_text(const struct verify *v, enum verify_reason why);
bool verify_explained(const struct verify *v, enum verify_reason why);

#endif
