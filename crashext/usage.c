/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage.c - prints help in the format of crash.
 */
#include "crashext/usage.h"

#include <stdlib.h>
#include <string.h>

#include "app/help.h"
#include "app/options.h"
#include "reports/sql/statement.h"

#define HEAD 3			/* name, summary, synopsis */

static char name[] = "census", summary[] = "memory of processes and of the machine",
	    synopsis[] = "[REPORT] [OPTIONS]", nothing[] = "out of memory: no help text";
static char *bare[] = { name, summary, synopsis, nothing, NULL };
static char **lines, *text;

static void put_options(FILE *out)
{
	for (const struct option_spec *s = option_specs; s->name; s++) {
		char left[40];

		if (!*s->about || !option_of_hosts(s))
			continue;
		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", s->letter ? '-' : ' ',
			 s->letter ? s->letter : ' ', s->letter ? "," : " ", s->name,
			 s->arg ? " " : "", s->arg ? s->arg : "");
		fprintf(out, "  %-20s %s\n", left, s->about);
	}
}

static void put_body(FILE *out)
{
	fprintf(out,
		"  Without REPORT: %s. Output can be piped and redirected as that of any\n"
		"  command; the reports, columns and formats are those of vmcensus(1).\n"
		"\nReports (census --help REPORT says more):\n",
		reports[0]->name);
	help_reports(out);
	fputs("\nOptions:\n", out);
	put_options(out);
	fputs("\nEXPR compares columns with = != < <= > >= ~ !~ (~: regular expression) and joins\n"
	      "comparisons with and, or, not and parentheses; put it in double quotes, or crash\n"
	      "takes > for a redirection. Sizes take K, M, G; times s, m, h.\n"
	      "\nExamples:\n"
	      "  census procs -n 10\n"
	      "  census vmas --pid 1 -f csv > vmas.csv\n"
	      "  census procs -w \"pss>10M and uid=0\" -s -pss",
	      out);
}

char **usage_load(void)
{
	size_t size, n = HEAD;
	FILE *out = open_memstream(&text, &size);
	char *at;

	if (!out)
		return bare;
	put_body(out);
	if (fclose(out))
		return bare;
	for (const char *c = text; *c; c++)
		n += *c == '\n';
	lines = calloc(n + 2, sizeof(*lines));
	if (!lines)
		return bare;
	memcpy(lines, bare, HEAD * sizeof(*lines));
	n = HEAD;
	for (at = text; at; n++)
		lines[n] = strsep(&at, "\n");
	return lines;
}

void usage_free(void)
{
	free(lines);
	free(text);
	lines = NULL;
	text = NULL;
}

/* help_report() describes the program; its usage line is replaced by ours. */
static void put_report(const struct report *r, FILE *out)
{
	static const char usage[] = "\nusage: ";
	char *whole = NULL, *at, *end;
	size_t size;
	FILE *mem = open_memstream(&whole, &size);

	if (!mem)
		return;
	help_report(r, mem);
	if (fclose(mem))
		return;
	at = strstr(whole, usage);
	end = at ? strchr(at + 1, '\n') : NULL;
	if (end)
		fprintf(out, "%.*s%scensus %s [OPTIONS]%s", (int)(at - whole), whole, usage,
			r->name, end);
	else
		fputs(whole, out);
	free(whole);
}

static void put_program(FILE *out)
{
	fprintf(out, "usage: %s %s\n\n", name, synopsis);
	put_body(out);
	putc('\n', out);
}

void usage_print(const struct options *o, FILE *out)
{
	switch (o->action) {
	case DO_HELP:
		if (o->report)
			put_report(o->report, out);
		else
			put_program(out);
		break;
	case DO_VERSION: fputs("vmcensus " VMCENSUS_VERSION "\n", out); break;
	case DO_LIST: help_reports(out); break;
	case DO_COLUMNS: help_columns(o->report, out); break;
	case DO_MAN: help_man(o->page, out); break;
	case DO_SCHEMA: help_schema(out); break;
	case DO_TABLES: statement_list(out); break;
	case DO_WORDS: help_words(out); break;
	case DO_SANDBOX_TEST:
	case DO_REPORT: break;
	}
}
