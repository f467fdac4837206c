/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage.h - help in crash's words, from the tables of reports and options.
 */
#ifndef VMCENSUS_USAGE_H
#define VMCENSUS_USAGE_H

#include <stdio.h>

struct options;		/* crash.c includes this beside crash's own names */

/* For "help census": name, summary, synopsis, lines; ends with NULL. Never NULL. */
char **usage_load(void);
void usage_free(void);

/* Prints the text of census --help [REPORT], --list-reports, -c help and --version. */
void usage_print(const struct options *o, FILE *out);

#endif
