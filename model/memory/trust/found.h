/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * found.h - are all processes in the snapshot? The kernel counts its threads and its processes; a list that
 * is not whole in the dump gives fewer.
 */
#ifndef VMCENSUS_FOUND_H
#define VMCENSUS_FOUND_H

#include "model/model.h"

struct found {
	uint64_t n, of;		/* found; by the kernel's count, 0: not known. Both without idle tasks */
	const char *what;	/* "processes", or "tasks" if only those are counted, or all processes are there */
};

/* Is any of them missing? RET may be NULL. Where no count is known they are if a list broke. */
bool found_lacks(const struct snapshot *s, struct found *ret);
/* The same in words: "129 of 169 processes", "31 of an unknown number of tasks"; NULL: none is missing. In MEM. */
const char *found_text(const struct snapshot *s, struct arena *mem);
/* Is nothing known of the processes, because their list is not in the dump? */
bool found_no_list(const struct snapshot *s);

#endif
