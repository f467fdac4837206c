/* SPDX-License-Identifier: GPL-3.0-or-later */
/* man.c - prints what the manual pages take from the tables of options, reports and columns: man(7). */
#include <string.h>

#include "app/help.h"
#include "app/options.h"
#include "reports/charts/chart.h"
#include "reports/core/list.h"
#include "reports/render/render.h"

enum room {
	ROOM_process,
	ROOM_file,
	ROOM_page,
	ROOM_machine,
	ROOM_kernel,
	ROOM_oom,
	ROOM_fleet,
	ROOM_export,
	ROOMS
};

/* A page of reports: vmcensus-NAME(1). */
static const struct {
	const char *name, *about;
} rooms[ROOMS] = {
	[ROOM_process] = { "process", "memory of processes, users and control groups" },
	[ROOM_file] = { "file", "memory of files, their sections and symbols" },
	[ROOM_page] = { "page", "what each page frame and slot of swap is used for" },
	[ROOM_machine] = { "machine", "the machine, its crash and its configuration; two dumps compared" },
	[ROOM_kernel] = { "kernel", "memory of the kernel itself" },
	[ROOM_oom] = { "oom", "why memory ran out, and what the OOM killer did" },
	[ROOM_fleet] = { "fleet", "capsules, and fleets of many dumps" },
	[ROOM_export] = { "export", "a web page, and the files of other tools" },
};

/* The page of each of reports[]. */
static const enum room room_of[] = {
#define R(name, room) ROOM_##room,
#include "reports/core/reports.def"
#undef R
};

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
		put_roff(help_layouts(r, s->report_opt, likes, sizeof(likes)), out);
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
			c->name, column_words[c->type]);
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
	if (r->products || r->statement)
		return;
	if (help_same_columns(r)) {
		fprintf(out, ".PP\nColumns: those of \\fB%s\\fR.\n", help_same_columns(r)->name);
		return;
	}
	fputs(".PP\nColumns (\\(bu: shown in text):\n", out);
	man_columns(r, out);
	for (const struct report_part *p = r->parts; p && p->opt; p++) {
		fprintf(out, ".PP\nColumns with \\fB\\-\\-%s\\fR:\n", p->name);
		man_columns(p->report, out);
	}
}

static void man_index(FILE *out)
{
	fputs(".SH REPORTS\nEach page describes its reports and their columns.\n", out);
	for (unsigned m = 0; m < ROOMS; m++) {
		fprintf(out, ".SS \\fBvmcensus\\-%s\\fR(1): %s\n", rooms[m].name, rooms[m].about);
		for (unsigned i = 0; reports[i]; i++) {
			if (room_of[i] != m)
				continue;
			fprintf(out, ".TP\n.B %s\n", reports[i]->name);
			put_roff(reports[i]->about, out);
			putc('\n', out);
		}
	}
}

static void man_room(enum room m, FILE *out)
{
	fprintf(out,
		"'\\\" t\n.TH VMCENSUS\\-%s 1 \"\" \"vmcensus\" \"User Commands\"\n.SH NAME\n"
		"vmcensus\\-%s \\- %s\n.SH SYNOPSIS\n.B vmcensus\n"
		"\\fIREPORT\\fR \\fIIMAGE\\fR... [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
		"Reports of\n.BR vmcensus (1),\nwhich has the options that all take, and what the "
		"numbers mean.\n.SH REPORTS\n",
		rooms[m].name, rooms[m].name, rooms[m].about);
	for (unsigned i = 0; reports[i]; i++)
		if (room_of[i] == m)
			man_report(reports[i], out);
	fputs(".SH SEE ALSO\n.BR vmcensus (1)\n", out);
}

bool help_man(const char *page, FILE *out)
{
	if (!strcmp(page, "vmcensus")) {
		fputs(".SH OPTIONS\n", out);
		man_options(NULL, out);
		man_index(out);
		return true;
	}
	for (unsigned m = 0; m < ROOMS; m++)
		if (!strcmp(rooms[m].name, page)) {
			man_room((enum room)m, out);
			return true;
		}
	return false;
}
