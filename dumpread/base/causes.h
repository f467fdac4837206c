/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * causes.h - what is wrong with a dump as a whole, whatever is asked of it.
 *
 * An issue counts what a walk did not find; a cause says why it is not there: the file ends early, a part
 * of it was not named. Who finds a cause adds it; reports have the words (reports/core/damage.c). A new cause
 * is an id here and a line there.
 */
#ifndef VMCENSUS_CAUSES_H
#define VMCENSUS_CAUSES_H

#include <stdint.h>

enum cause_id {			/* in the order in which they are told */
	CAUSE_MACHINES,		/* N kernels are in the image: NAME says which this is */
	CAUSE_PLACES,		/* N pieces of a file without addresses were placed, or should be: NAME says which */
	CAUSE_UNFINISHED,	/* its writer says so: N of OF pages are missing */
	CAUSE_HEADER,		/* the file ends in its headers: what is missing is not known */
	CAUSE_CUT,		/* N of OF pages are after the end of the file; OF 0: not known */
	CAUSE_PART,		/* N pages are in parts NAME ("3", "1 and 3") of a split dump, not named */
	CAUSE_TABLE,		/* NAME ("the page bitmap and page descriptors") of the file are damaged: N of OF
				   pages cannot be found; OF 0: not known */
	CAUSE_FILTER,		/* N bytes of the kernel's own are left out: its filter is older */
	CAUSE_LIST,		/* the list of tasks is not in the dump; N tasks by the kernel's count, or 0 */
	CAUSE_TASKS,		/* N of OF NAME ("processes", "tasks") were found */
	CAUSE_SIZES,		/* of N of OF processes not all could be read */
	CAUSE_LOG,		/* the log could not be read: NAME says why */
	CAUSE_LOG_PART,		/* a part of the log could not be read */
	CAUSE_ERASED,		/* on purpose, by N rules: NAME has what */
	CAUSE_KEPT,		/* level N should have left out what NAME says */
	CAUSES
};

struct cause {
	enum cause_id id;
	uint64_t n, of;
	char name[240];
};

#define CAUSES_MAX 24u

struct causes {
	struct cause v[CAUSES_MAX];
	unsigned n;
};

/* Adds one; of one that is there the numbers are added up, and a known OF replaces 0. NAME may be NULL. */
void cause_add(struct causes *c, enum cause_id id, uint64_t n, uint64_t of, const char *name);
/* CAUSE_TABLE with one more table in its name. */
void cause_table(struct causes *c, const char *table, uint64_t n, uint64_t of);
/* NULL: there is none. */
const struct cause *cause_find(const struct causes *c, enum cause_id id);

#endif
