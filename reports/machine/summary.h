/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary.h - the overview: rows of facts by section (summary.c), and
 * their text (summary_text.c).
 */
#ifndef VMCENSUS_SUMMARY_H
#define VMCENSUS_SUMMARY_H

#include "reports/core/report.h"

struct summary_row {
	const char *section, *key, *unit, *text;
	uint64_t value;			/* COL_UNKNOWN: there is only a text */
	int64_t pid;			/* of section "process" */
};

/* Sections, in their order. */
#define SECTION_DAMAGE "damage"		/* what is wrong with the dump as a whole */
#define SECTION_NOTE "note"		/* what is not wrong, but to be known */
#define SECTION_VERDICT "verdict"
#define SECTION_MACHINE "machine"
#define SECTION_MEMORY "memory"
#define SECTION_SWAP "swap"
#define SECTION_OTHER "other"		/* of memory: classes that no counter of the kernel shows */
#define SECTION_PROCESS "process"
#define SECTION_PROCESSES "processes"	/* all of them together */
#define SECTION_LOG "log"
#define SECTION_LEFT_OUT "left_out"
#define SECTION_ISSUES "issues"

/* The rows of a dump whose types are not known. */
void summary_bare(const struct snapshot *s, struct table *t);
/* The sections that need no process, on a terminal; summary_text() prints those that follow. */
void summary_first_text(const struct table *t, unsigned screen, FILE *out);
void summary_text(const struct snapshot *s, const struct report_opts *o,
		  const struct table *t, FILE *out);

#endif
