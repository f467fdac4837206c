/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * help.h - all help, from the tables of options, reports and columns.
 */
#ifndef VMCENSUS_HELP_H
#define VMCENSUS_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "reports/core/report.h"

void help_usage(FILE *out);		/* the few lines for wrong usage */
void help_program(FILE *out);
void help_report(const struct report *r, FILE *out);
void help_reports(FILE *out);		/* one line each */
void help_columns(const struct report *r, FILE *out);
void help_questions(void);		/* docs/questions.md, on stdout */
void help_schema(FILE *out);		/* the tables of capsules and fleets, as Markdown */
/*
 * In man(7): of PAGE "vmcensus" the sections that follow from the tables, of "process", "file" ...
 * the whole page about these reports. False: there is no such page, and nothing was printed.
 */
bool help_man(const char *page, FILE *out);

/*
 * The words of a command line, for completion in shells: "KIND OF WORD ARG ABOUT" by tabs. KIND is report, command,
 * option, column, or an option of which WORD is a value. OF is the report or command, or "REPORT--PART"; "-": all.
 */
void help_words(FILE *out);

/* For help.c and man.c. */
/* The report before R that has the same table of columns, or NULL. */
const struct report *help_same_columns(const struct report *r);
/* For an option that R takes only with some layouts: these, as words after it. */
const char *help_layouts(const struct report *r, unsigned opt, char *buf, size_t size);

#endif
