/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * help.h - all help, from the tables of options, reports and columns.
 */
#ifndef VMCENSUS_HELP_H
#define VMCENSUS_HELP_H

#include <stdio.h>

#include "reports/core/report.h"

void help_usage(FILE *out);		/* the few lines for wrong usage */
void help_program(FILE *out);
void help_report(const struct report *r, FILE *out);
void help_reports(FILE *out);		/* one line each */
void help_columns(const struct report *r, FILE *out);
/* The sections of the manual page that follow from the tables, in man(7). */
void help_schema(FILE *out);
void help_man(FILE *out);

#endif
