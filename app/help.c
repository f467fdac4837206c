/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * help.c - prints --help and the generated part of the man page.
 */
#include "app/help.h"

#include <string.h>

#include "app/commands.h"
#include "app/options.h"
#include "reports/charts/chart.h"
#include "reports/render/render.h"

static const char *const type_names[] = {
	[COL_STR] = "text", [COL_CHAR] = "letter", [COL_INT] = "number", [COL_UINT] = "number",
	[COL_BYTES] = "size", [COL_DELTA] = "size", [COL_HEX] = "address", [COL_NSEC] = "time", [COL_RATIO] = "ratio",
};

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

/* The report before R that has the same table of columns, or NULL. */
static const struct report *same_columns(const struct report *r)
{
	for (const struct report *const *p = reports; *p != r; p++)
		if ((*p)->cols == r->cols && (*p)->ncols == r->ncols)
			return *p;
	return NULL;
}

/* For an option that R takes only with some layouts: these, as words after it. */
static const char *layouts_of(const struct report *r, unsigned opt, char *buf, size_t size)
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
			layouts_of(r, s->report_opt, likes, sizeof(likes)));
	}
}

void help_program(FILE *out)
{
	fputs("vmcensus: memory analysis of Linux crash dumps.\n\n"
	      "usage: vmcensus [OPTIONS] [REPORT] IMAGE... [REPORT OPTIONS]\n\n"
	      "IMAGE is a dump from kdump, makedumpfile, QEMU, /proc/vmcore, LiME or AVML; name all\n"
	      "parts of a split dump. FILE@ADDRESS is raw memory that begins at that physical\n"
	      "address, - is standard input, nbd+unix:///EXPORT?socket=PATH is on an NBD server.\n"
	      "Without REPORT: ",
	      out);
	fputs(reports[0]->name, out);
	fputs(".\n\nReports (--help REPORT for details):\n", out);
	help_reports(out);
	fputs("\nCommands (--help COMMAND for details):\n", out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->about);
	fputs("\nOptions:\n", out);
	help_options(NULL, out);
	fputs("\nEXPR compares columns with = != < <= > >= ~ !~ (~: regular expression) and joins\n"
	      "comparisons with and, or, not and parentheses. Sizes take K, M, G; times s, m, h.\n"
	      "\nExit status: 0 complete, 1 failed, 2 incomplete: data is damaged or missing (counted\n"
	      "on stderr and in json), 64 wrong usage.\n",
	      out);
}

void help_columns(const struct report *r, FILE *out)
{
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		fprintf(out, "%c %-16s %-8s %s\n", c->flags & COL_SHOWN ? '*' : ' ', c->name,
			type_names[c->type], c->about);
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
	fprintf(out, "%s: %s\n\nusage: vmcensus %s IMAGE... [OPTIONS]\n\n%s\n", r->name, r->about,
		r->name, r->help);
	if (report_takes(r))
		fputs("\nOptions of this report:\n", out);
	help_options(r, out);
	help_forms(r, out);
	if (r->products)
		return;
	if (same_columns(r)) {
		fprintf(out, "\nColumns: those of %s.\n", same_columns(r)->name);
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

/* ---- man(7) ------------------------------------------------------------------ */

static void put_roff(const char *s, FILE *out)
{
	bool start = true;

	for (; *s; s++) {
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", out);
		if (*s == '\\')
			fputs("\\e", out);
		else if (*s == '-')
			fputs("\\-", out);
		else
			putc(*s, out);
		start = *s == '\n';
	}
}

/* The options of report R; NULL: of all that have rows. */
static void man_options(const struct report *r, FILE *out)
{
	const unsigned common = OPT_ROWS | OPT_BYTES | OPT_PAGES;

	for (const struct option_spec *s = option_specs; s->name; s++) {
		char likes[80];

		if (!*s->about ||
		    (r ? !(s->report_opt & report_takes(r) & ~common) : s->report_opt & ~common))
			continue;
		fputs(".TP\n", out);
		if (s->letter)
			fprintf(out, "\\fB\\-%c\\fR, ", s->letter);
		fputs("\\fB\\-\\-", out);
		put_roff(s->name, out);
		fputs("\\fR", out);
		if (s->arg)
			fprintf(out, " \\fI%s\\fR", s->arg);
		putc('\n', out);
		put_roff(s->about, out);
		put_roff(layouts_of(r, s->report_opt, likes, sizeof(likes)), out);
		putc('\n', out);
	}
}

static void man_form(const char *option, const char *name, const char *about, FILE *out)
{
	fprintf(out, ".TP\n\\fB\\-%s\\fR \\fI", option);
	put_roff(name, out);
	fputs("\\fR\n", out);
	put_roff(about, out);
	putc('\n', out);
}

static void man_forms(const struct report *r, FILE *out)
{
	for (const struct product *p = r->products; p && p->name; p++)
		man_form("f", p->name, p->about, out);
	if (r->chart) {
		fputs(".PP\nChart, \\(lq", out);
		put_roff(r->chart->title, out);
		fputs("\\(rq; \\fB\\-n\\fR: number of bars:\n", out);
	}
	for (const struct renderer *to = renderers; r->chart && to->name; to++)
		if (to->of_chart)
			man_form("f", to->name, to->about, out);
	for (const struct like *l = r->likes; l && l->name; l++)
		man_form("\\-like", l->name, l->about, out);
}

static void man_columns(const struct report *r, FILE *out)
{
	fputs(".TS\nl l l lx.\n", out);
	for (unsigned i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		fprintf(out, "%s\t\\fB%s\\fR\t%s\tT{\n", c->flags & COL_SHOWN ? "\\(bu" : "",
			c->name, type_names[c->type]);
		put_roff(c->about, out);
		fputs("\nT}\n", out);
	}
	fputs(".TE\n", out);
}

static void man_report(const struct report *r, FILE *out)
{
	fprintf(out, ".SS %s\n", r->name);
	put_roff(r->about, out);
	fputs(".\n.PP\n", out);
	put_roff(r->help, out);
	putc('\n', out);
	man_options(r, out);
	man_forms(r, out);
	if (r->products)
		return;
	if (same_columns(r)) {
		fprintf(out, ".PP\nColumns: those of \\fB%s\\fR.\n", same_columns(r)->name);
		return;
	}
	fputs(".PP\nColumns (\\(bu: shown in text):\n", out);
	man_columns(r, out);
	for (const struct report_part *p = r->parts; p && p->opt; p++) {
		fprintf(out, ".PP\nColumns with \\fB\\-\\-%s\\fR:\n", p->name);
		man_columns(p->report, out);
	}
}

void help_man(FILE *out)
{
	fputs(".SH OPTIONS\n", out);
	man_options(NULL, out);
	fputs(".SH REPORTS\n", out);
	for (const struct report *const *r = reports; *r; r++)
		man_report(*r, out);
}
