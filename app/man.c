/* SPDX-License-Identifier: GPL-3.0-or-later */
/* man.c - prints what the manual pages take from the tables of options, reports and columns: man(7). */
#include <string.h>

#include "app/help.h"
#include "app/options.h"
#include "reports/charts/chart.h"
#include "reports/core/list.h"
#include "reports/render/render.h"

/* A page of reports: vmcensus-NAME(1). Each report is on one page. */
static const struct room {
	const char *name, *about;
	const struct report *reports[10];
} rooms[] = {
	{ "process", "memory of processes, users and control groups",
	  { &report_procs, &report_programs, &report_users, &report_cgroups, &report_tasks,
	    &report_vmas, &report_smaps, &report_maps, &report_alerts } },
	{ "file", "memory of files, their sections and symbols",
	  { &report_files, &report_sections, &report_symbols, &report_units, &report_total,
	    &report_cache, &report_shm } },
	{ "page", "what each page frame and slot of swap is used for",
	  { &report_census, &report_pages, &report_swap, &report_check } },
	{ "machine", "the machine, its crash and its configuration; two dumps compared",
	  { &report_summary, &report_dmesg, &report_panic, &report_config, &report_thrash,
	    &report_diff, &report_costs, &report_layout } },
	{ "kernel", "memory of the kernel itself",
	  { &report_zones, &report_numa, &report_slab, &report_vmalloc, &report_stacks,
	    &report_hugetlb, &report_pagetables } },
	{ "oom", "why memory ran out, and what the OOM killer did", { &report_oom } },
	{ "fleet", "capsules, and fleets of many dumps",
	  { &report_id, &report_capsule, &report_fleet, &report_clusters, &report_regress,
	    &report_leaks } },
	{ "export", "a web page, and the files of other tools", { &report_html, &report_export } },
	{ NULL, NULL, { NULL } },
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
			c->name, help_types[c->type]);
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
	for (const struct room *m = rooms; m->name; m++) {
		fprintf(out, ".SS \\fBvmcensus\\-%s\\fR(1): %s\n", m->name, m->about);
		for (unsigned i = 0; m->reports[i]; i++) {
			fprintf(out, ".TP\n.B %s\n", m->reports[i]->name);
			put_roff(m->reports[i]->about, out);
			putc('\n', out);
		}
	}
}

static void man_room(const struct room *m, FILE *out)
{
	fprintf(out,
		"'\\\" t\n.TH VMCENSUS\\-%s 1 \"\" \"vmcensus\" \"User Commands\"\n.SH NAME\n"
		"vmcensus\\-%s \\- %s\n.SH SYNOPSIS\n.B vmcensus\n"
		"\\fIREPORT\\fR \\fIIMAGE\\fR... [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
		"Reports of\n.BR vmcensus (1),\nwhich has the options that all take, and what the "
		"numbers mean.\n.SH REPORTS\n",
		m->name, m->name, m->about);
	for (unsigned i = 0; m->reports[i]; i++)
		man_report(m->reports[i], out);
	fputs(".SH SEE ALSO\n.BR vmcensus (1)\n", out);
}

bool help_man(const char *page, FILE *out)
{
	const struct room *m = rooms;

	if (!strcmp(page, "vmcensus")) {
		fputs(".SH OPTIONS\n", out);
		man_options(NULL, out);
		man_index(out);
		return true;
	}
	while (m->name && strcmp(m->name, page))
		m++;
	if (m->name)
		man_room(m, out);
	return m->name;
}
