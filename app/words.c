/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - prints the words of a command line, from the tables of options, reports and columns: what
   completion in a shell offers. */
#include "app/commands.h"
#include "app/help.h"
#include "app/options.h"
#include "reports/charts/chart.h"
#include "reports/render/render.h"

/* "-" stands for nothing: some shells join tabs. ABOUT has no tab. */
static void put_word(FILE *out, const char *kind, const char *of, const char *word, const char *arg,
		     const char *about)
{
	fprintf(out, "%s\t%s\t%s\t%s\t%s\n", kind, of, word, arg ? arg : "-", about);
}

/* OPTION's word that is taken by OF; a letter too. */
static void put_option(FILE *out, const char *of, const struct option_spec *s)
{
	char word[40];

	snprintf(word, sizeof(word), "--%s", s->name);
	put_word(out, "option", of, word, s->arg, s->about);
	snprintf(word, sizeof(word), "-%c", s->letter);
	if (s->letter)
		put_word(out, "option", of, word, s->arg, s->about);
}

static void put_options(FILE *out, const struct report *r)
{
	for (const struct option_spec *s = option_specs; s->name; s++)
		if (*s->about && (r ? s->report_opt & report_takes(r) : !s->report_opt))
			put_option(out, r ? r->name : "-", s);
}

static void put_columns(FILE *out, const char *of, const struct report *r)
{
	for (unsigned i = 0; !r->products && i < r->ncols; i++)
		put_word(out, "column", of, r->cols[i].name, NULL, r->cols[i].about);
}

/* What follows --format, --like and --by. */
static void put_values(FILE *out, const struct report *r)
{
	for (const struct product *p = r->products; p && p->name; p++)
		put_word(out, "--format", r->name, p->name, NULL, p->about);
	for (const struct renderer *to = renderers; to->name; to++)
		if (!r->products && (r->chart || !to->of_chart))
			put_word(out, "--format", r->name, to->name, NULL, to->about);
	for (const struct like *l = r->likes; l && l->name; l++)
		put_word(out, "--like", r->name, l->name, NULL, l->about);
	for (unsigned i = 0; report_by(r, i); i++)
		put_word(out, "--by", r->name, report_by(r, i), NULL, "what is divided by it");
}

static void put_report(FILE *out, const struct report *r)
{
	char of[60];

	put_word(out, "report", "-", r->name, NULL, r->about);
	put_options(out, r);
	put_values(out, r);
	put_columns(out, r->name, r);
	for (const struct report_part *p = r->parts; p && p->opt; p++) {
		snprintf(of, sizeof(of), "%s--%s", r->name, p->name);
		put_columns(out, of, p->report);
	}
}

static void put_command(FILE *out, const struct command *c)
{
	char word[40];

	put_word(out, "command", "-", c->name, NULL, c->about);
	for (const struct option *o = c->options; o->name; o++) {
		snprintf(word, sizeof(word), "%s%s", o->name[1] ? "--" : "-", o->name);
		put_word(out, "option", c->name, word, o->has_arg ? "ARG" : NULL,
			 "--help says more");
	}
}

void help_words(FILE *out)
{
	put_options(out, NULL);
	for (unsigned i = 0; reports[i]; i++)
		put_report(out, reports[i]);
	for (const struct command *c = commands; c->name; c++)
		put_command(out, c);
}
