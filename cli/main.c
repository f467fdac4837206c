/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vmcensus [OPTIONS] [REPORT] IMAGE */
#include <errno.h>
#include <stdio.h>

#include "app/commands.h"
#include "app/help.h"
#include "app/run.h"
#include "app/sandbox/sandbox_test.h"
#include "dumpread/base/heap.h"
#include "reports/sql/statement.h"

static int show_help(const struct options *o)
{
	switch (o->action) {
	case DO_HELP:
		if (o->report)
			help_report(o->report, stdout);
		else
			help_program(stdout);
		break;
	case DO_VERSION: puts("vmcensus " VMCENSUS_VERSION); break;
	case DO_LIST: help_reports(stdout); break;
	case DO_COLUMNS: help_columns(o->report, stdout); break;
	case DO_TABLES: statement_list(stdout); break;
	case DO_MAN:
		if (!help_man(o->page, stdout)) {
			fprintf(stderr, "vmcensus: no manual page of '%.60s'\n", o->page);
			return EXIT_USAGE;
		}
		break;
	case DO_SCHEMA: help_schema(stdout); break;
	case DO_WORDS: help_words(stdout); break;
	case DO_SANDBOX_TEST:
	case DO_REPORT: break;
	}
	return fflush(stdout) && errno != EPIPE ? EXIT_NO_ANSWER : 0;
}

int main(int argc, char **argv)
{
	struct run run = { .out = NULL };
	int status;

	heap_return_large();
	if (argc < 2) {
		help_usage(stderr);
		return EXIT_USAGE;
	}
	if (command_run(argc, argv, &status))
		return status;
	status = options_parse(&run.o, argc, argv, &run.diag);
	if (status)
		run_complain(&run);
	else if (run.o.action == DO_SANDBOX_TEST)
		status = sandbox_test(stdout);
	else if (run.o.action != DO_REPORT)
		status = show_help(&run.o);
	else
		status = run_report(&run);
	run_end(&run);
	return status;
}
