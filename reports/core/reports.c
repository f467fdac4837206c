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
	return opts | OPT_ROWS;
}

const char *const *report_by(const struct report *r)
{
	const char *const *by = r->by;

	for (const struct report_part *p = r->parts; !by && p && p->opt; p++)
		by = report_by(p->report);
	return by;
}

const struct chart *report_chart(const struct report *r, const struct report_opts *o)
{
	const struct like *l = report_like(r, o);

	return l && l->chart ? l->chart : r->chart;
}
