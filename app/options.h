/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - the command line, as text and as a struct.
 *
 * One table (option_specs[]) is parsed and printed. The report's own options are checked
 * against its row in the table of reports. Options may stand before and after the report
 * and the image.
 */
#ifndef VMCENSUS_OPTIONS_H
#define VMCENSUS_OPTIONS_H

#include "reports/core/cell.h"
#include "reports/core/report.h"

#define EXIT_NO_ANSWER 1
#define EXIT_DAMAGED 2
#define EXIT_USAGE 64

enum action { DO_REPORT, DO_HELP, DO_VERSION, DO_LIST, DO_COLUMNS, DO_TABLES, DO_MAN, DO_SCHEMA, DO_WORDS, DO_SANDBOX_TEST };

struct options {
	enum action action;
	const struct report *report;	/* NULL only with DO_HELP: about the program */
	const char **images, **types;
	unsigned nimages, ntypes;
	unsigned nearlier;		/* for a report that compares: the first of images,
					   which are files of the earlier dump */
	const char *format, *columns, *sort, *where, *output, *index;
	const char *layouts;		/* a directory of them, by build-id */
	const char *library;		/* its version, if a library asks */
	const char *page;		/* DO_MAN: which page */
	const char *statement;		/* the word of a report with statement */
	uint64_t top;
	enum text_unit unit;
	unsigned jobs, verbose;
	unsigned machine;		/* of several kernels in an image, from 1; 0: not given */
	uint64_t memory;		/* bytes that may be used; 0: the default */
	bool quiet, no_sandbox, no_pager;
	bool keep;			/* the layout, for other dumps of the kernel */
	unsigned given;			/* enum report_opt_flag of the options given */
	struct report_opts report_opts;
	struct arena mem;		/* owns the arrays */
};

struct option_spec {
	int id;
	char letter;			/* 0: long form only */
	const char *name, *arg, *about;
	unsigned report_opt;		/* enum report_opt_flag that the report must take; 0:
					   any report */
};

extern const struct option_spec option_specs[];	/* name NULL ends it */

/* 0, or EXIT_USAGE with a sentence in DIAG. */
int options_parse(struct options *o, int argc, char **argv, struct diag *diag);
/*
 * The same inside a host that has the dump IMAGE open: the words name no other dump, and
 * no file with types. NULL: as above.
 */
int options_parse_hosted(struct options *o, int argc, char **argv, const char *image,
			 struct diag *diag);
/* A hexadecimal number, with or without 0x. False: TEXT is none. */
bool option_address(const char *text, uint64_t *ret);
/* The product that O asks for (by default the first), NULL if the report has none of that name. */
const struct product *options_product(const struct options *o);
/* The first option given that is in FLAGS (enum report_opt_flag), NULL if none is. */
const struct option_spec *option_given(const struct options *o, unsigned flags);
/* Does the option make sense where the host brings dump, symbols and types? */
bool option_of_hosts(const struct option_spec *s);
/* Those that decide which rows a report has: "--pid 3 -w 'rss>0'". NULL: none was given. In MEM. */
const char *options_rows(const struct options *o, struct arena *mem);
void options_release(struct options *o);

#endif
