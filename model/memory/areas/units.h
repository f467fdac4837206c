/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * units.h - the same area of the same file in all processes, as one unit.
 *
 * An executable unit of the USENIX 2005 paper: a part of a program or library (its text,
 * its data, its .bss) over all processes that map it. The key is the file, the class of
 * the area, and its offset in the file. Memory without a file is one unit per class.
 */
#ifndef VMCENSUS_UNITS_H
#define VMCENSUS_UNITS_H

#include "model/memory/areas/areas.h"
#include "model/memory/usage/residency.h"

struct unit {
	uint32_t file;			/* index in files, NONE */
	uint8_t class, flags;		/* of its areas: model/memory/areas/areas.h */
	bool code;			/* part of a program or library; gaps too */
	uint8_t incomplete;		/* enum incomplete, of all mms that map it */
	uint64_t offset;		/* pages, of its areas in the file; 0 for .bss */
	uint32_t nprocs;		/* processes that map it */
	/* pages */
	uint64_t virt;			/* of its largest area */
	uint64_t virt_all;		/* of all its areas */
	uint64_t resident;		/* pages resident in at least one process */
	uint64_t mapped;		/* present, over all mms */
	uint64_t copies;		/* of mapped: anonymous, copied or never from the file */
	uint64_t frames;		/* distinct frames */
	uint64_t new_frames;		/* of frames: those that no earlier unit maps */
	uint64_t new_copies;		/* of new_frames: copies */
	struct residency map;		/* number of vmas that have each page */
};

struct unit_list {
	struct unit *v;			/* in the order of VMAs */
	uint32_t n;
	uint32_t *of_vma;		/* [snapshot.nvmas]: index in v */
	const struct area *areas;	/* as given */
};

enum units_flag {
	UNITS_CODE = 1,		/* count the pages of programs and libraries */
	UNITS_FILES = 2,	/* of other files */
	UNITS_REST = 4,		/* of memory without a file */
	UNITS_MAPS = 8,		/* keep unit.map of those with a file */
	UNITS_COSTS = 16,	/* of all units: no other counts of pages than mapped and new_frames */
};

/*
 * AREAS from areas_build(). Units that WHAT does not name have only their virtual sizes.
 * Walks page tables, in the caller's thread.
 */
void units_build(const struct snapshot *s, const struct area *areas, unsigned what,
		 struct arena *mem, struct unit_list *ret);

/* The unit of each vma, [nvmas]; free() it. */
uint32_t *units_of_vmas(const struct snapshot *s);

/*
 * The cost of U, in pages: frames, each in the first unit that maps it. The sum over all
 * units is the memory of all processes, and never more than there is. Units left out by
 * UNITS_... own nothing.
 */
static inline uint64_t unit_cost(const struct unit *u)
{
	return u->new_frames;
}

/* The file's path, or "[stack]" and the like. */
const char *unit_name(const struct snapshot *s, const struct unit *u);

#endif
