/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reports.c - the table of reports.
 */
#include <string.h>

#include "reports/core/list.h"

const struct report *const reports[] = {
#define R(name, room) &report_##name,
#include "reports/core/reports.def"
#undef R
	NULL
};

const struct report *report_find(const char *name)
{
	for (const struct report *const *r = reports; *r; r++)
		if (!strcmp((*r)->name, name))
			return *r;
	return NULL;
}

const struct like *report_like(const struct report *r, const struct report_opts *o)
{
	for (const struct like *l = o->like ? r->likes : NULL; l && l->name; l++)
		if (!strcmp(l->name, o->like))
			return l;
	return NULL;
}

unsigned report_takes(const struct report *r)
{
	unsigned opts = r->opts;

	if (r->likes)
		opts |= OPT_LIKE;
	for (const struct like *l = r->likes; l && l->name; l++)
		opts |= l->opts | (strcmp(l->name, "paper") ? 0 : OPT_PAPER);
	for (const struct report_part *p = r->parts; p && p->opt; p++)
		opts |= p->opt | report_takes(p->report);
	if (r->products)
		return opts;
	for (unsigned i = 0; i < r->ncols; i++)
		if (r->cols[i].type == COL_BYTES || r->cols[i].type == COL_DELTA)
			opts |= OPT_BYTES | OPT_PAGES;
	return opts | (r->statement ? OPT_TOP : OPT_ROWS);
}

/* Does a part of R before END have this word too? */
static bool is_repeated(const struct report *r, const struct report_part *end, const char *word)
{
	for (const struct report_part *p = r->parts; p != end; p++)
		for (unsigned i = 0; p->report->by && p->report->by[i]; i++)
			if (!strcmp(p->report->by[i], word))
				return true;
	return false;
}

const char *report_by(const struct report *r, unsigned n)
{
	for (unsigned i = 0; r->by && r->by[i]; i++)
		if (!n--)
			return r->by[i];
	for (const struct report_part *p = r->parts; p && p->opt; p++)
		for (unsigned i = 0; p->report->by && p->report->by[i]; i++)
			if (!is_repeated(r, p, p->report->by[i]) && !n--)
				return p->report->by[i];
	return NULL;
}

const struct chart *report_chart(const struct report *r, const struct report_opts *o)
{
	const struct like *l = report_like(r, o);

	return l && l->chart ? l->chart : r->chart;
}
