/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tools.h - each report that has rows as a tool, from the tables of reports, columns and options. */
#ifndef VMCENSUS_TOOLS_H
#define VMCENSUS_TOOLS_H

#include "app/serve/message.h"
#include "reports/core/report.h"

#define TOOL_ROWS 50		/* unless "top" says more */
#define TOOL_ROWS_MAX 1000

/* The dumps that are served, by the names that the command line gave. */
struct served {
	const char *const *images;
	unsigned nimages;
	const char *const *words;	/* options of each call: -t FILE ... */
	unsigned nwords;
};

/* The value of "tools", as JSON. */
void tools_put(const struct served *served, FILE *out);
/* The report of a tool; NULL: there is none. */
const struct report *tool_find(const char *name);

/*
 * The words of the command line for a call: in MEM, NULL at the end. NULL with a sentence in DIAG: arguments that the
 * tool does not take.
 */
char **tool_words(struct parser *p, const struct message *m, const struct served *served, struct arena *mem,
		  struct diag *diag);

#endif
