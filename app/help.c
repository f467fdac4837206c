/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * help.c - prints --help.
 */
#include "app/help.h"

#include <string.h>

#include "app/commands.h"
#include "app/options.h"
#include "reports/charts/chart.h"
#include "reports/render/render.h"

void help_usage(FILE *out)
{
	fputs("usage: vmcensus [OPTIONS] [REPORT] IMAGE...\n"
	      "       vmcensus --help [REPORT]\n"
	      "IMAGE is a Linux crash dump (kdump, ELF vmcore ...). Reports:",
	      out);
	for (const struct report *const *r = reports; *r; r++)
		fprintf(out, " %s", (*r)->name);
	putc('\n', out);
}

void help_reports(FILE *out)
{
	for (const struct report *const *r = reports; *r; r++)
		fprintf(out, "  %-10s %s\n", (*r)->name, (*r)->about);
}

const struct report *help_same_columns(const struct report *r)
{
	for (const struct report *const *p = reports; *p != r; p++)
		if ((*p)->cols == r->cols && (*p)->ncols == r->ncols)
			return *p;
	return NULL;
}

const char *help_layouts(const struct report *r, unsigned opt, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (const struct like *l = r && !(r->opts & opt) ? r->likes : NULL; l && l->name; l++)
		if (l->opts & opt && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s",
					      n ? ", " : " (with --like ", l->name);
	if (n && n < size)
		snprintf(buf + n, size - n, ")");
	return buf;
}

/* The options of report R; NULL: all. */
static void help_options(const struct report *r, FILE *out)
{
	for (const struct option_spec *s = option_specs; s->name; s++) {
		char left[40], likes[80];

		if (!*s->about || (r && !(s->report_opt & report_takes(r))))
			continue;
		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", s->letter ? '-' : ' ',
			 s->letter ? s->letter : ' ', s->letter ? "," : " ", s->name,
			 s->arg ? " " : "", s->arg ? s->arg : "");
		fprintf(out, "  %-20s %s%s\n", left, s->about,
			help_layouts(r, s->report_opt, likes, sizeof(likes)));
	}
}

void help_program(FILE *out)
{
	fputs("vmcensus: memory analysis of Linux crash dumps.\n\n"
	      "usage: vmcensus [OPTIONS] [REPORT] IMAGE... [REPORT OPTIONS]\n\n"
	      "IMAGE is a dump from kdump, makedumpfile, QEMU, /proc/vmcore, LiME or AVML, or a\n"
	      "machine that QEMU saved (migrate, virsh save); name all parts of a split dump.\n"
	      "FILE@ADDRESS is raw memory that begins at that physical address\n"
	      "(FILE@ADDRESS+OFFSET:LENGTH: a piece of the file), - is standard input,\n"
	      "nbd+unix:///EXPORT?socket=PATH is on an NBD server.\n"
	      "A text of the kernel's log (dmesg, journal, console) does for oom and dmesg.\n"
	      "Without REPORT: ",
	      out);
	fputs(reports[0]->name, out);
	fputs(".\n\nReports (help REPORT for details; help questions: which command answers what):\n",
	      out);
	help_reports(out);
	fputs("\nCommands (--help COMMAND for details):\n", out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->about);
	fputs("\nOptions:\n", out);
	help_options(NULL, out);
	fputs("\nEXPR compares columns with = != < <= > >= ~ !~ (~: regular expression) and joins\n"
	      "comparisons with and, or, not (also &&, ||, !) and parentheses.\n"
	      "Sizes take K, M, G; times s, m, h. A column stands for its value: swap > rss.\n"
	      "\nExit status: 0 complete, 1 failed, 2 incomplete: data is damaged or missing (counted\n"
	      "on stderr and in json), 64 wrong usage.\n",
	      out);
}

void help_columns(const struct report *r, FILE *out)
{
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		fprintf(out, "%c %-16s %-8s %s\n", c->flags & COL_SHOWN ? '*' : ' ', c->name,
			column_words[c->type], c->about);
	}
}

static void help_forms(const struct report *r, FILE *out)
{
	if (r->products)
		fputs("\nOutput formats (-f):\n", out);
	for (const struct product *p = r->products; p && p->name; p++)
		fprintf(out, "  %-10s %s\n", p->name, p->about);
	if (r->chart)
		fprintf(out, "\nChart (-f), \"%s\"; -n N: number of bars:\n", r->chart->title);
	for (const struct renderer *to = renderers; r->chart && to->name; to++)
		if (to->of_chart)
			fprintf(out, "  %-10s %s\n", to->name, to->about);
	if (r->likes)
		fputs("\nLayouts of older tools (--like):\n", out);
	for (const struct like *l = r->likes; l && l->name; l++)
		fprintf(out, "  %-10s %s\n", l->name, l->about);
}

void help_report(const struct report *r, FILE *out)
{
	fprintf(out, "%s: %s\n\nusage: vmcensus %s%s%s IMAGE... [OPTIONS]\n\n%s\n", r->name,
		r->about, r->name, r->word ? " " : "", r->word ? r->word : "", r->help);
	if (report_takes(r))
		fputs("\nOptions of this report:\n", out);
	help_options(r, out);
	help_forms(r, out);
	if (r->products || r->statement)
		return;
	if (help_same_columns(r)) {
		fprintf(out, "\nColumns: those of %s.\n", help_same_columns(r)->name);
	} else {
		fprintf(out, "\nColumns (*: shown in text without -c%s%s):\n",
			r->sort ? "; order: " : "", r->sort ? r->sort : "");
		help_columns(r, out);
	}
	for (const struct report_part *p = r->parts; p && p->opt; p++) {
		fprintf(out, "\nColumns with --%s:\n", p->name);
		help_columns(p->report, out);
	}
}
