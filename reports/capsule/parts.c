/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.c - the reports of a capsule, with the options that it has them with. */
#include <string.h>

#include "reports/capsule/capsule.h"
#include "reports/core/list.h"

/* Those whose rows are made from one dump, and not too many to keep. */
static bool is_held(const struct report *r)
{
	return !r->products && !r->compares && !r->dump_only && !r->of_fleet && !r->statement;
}

/* With each of its options that divides or adds rows: OPTS of the Nth of them; false: no more. */
static bool with_option(const struct report *r, unsigned n, struct report_opts *opts)
{
	/* what --by alone asks for has no rows without it */
	bool always = r->opts == OPT_BY;

	*opts = (struct report_opts){ .pid = 0 };
	if (r->opts & OPT_BY) {
		opts->by = always ? r->by[n] : n ? r->by[n - 1] : NULL;
		return opts->by || (!always && !n);
	}
	opts->all = n == 1;
	return n == 0 || (n == 1 && r->opts & OPT_ALL);
}

bool capsule_part(unsigned i, struct capsule_part *ret)
{
	for (const struct report *const *r = reports; *r; r++) {
		const struct report_part *p = is_held(*r) ? (*r)->parts : NULL;

		ret->report = is_held(*r) ? *r : NULL;
		while (ret->report) {
			for (unsigned n = 0; with_option(ret->report, n, &ret->opts); n++)
				if (!i--)
					return true;
			ret->report = p && p->opt ? (p++)->report : NULL;
		}
	}
	return false;
}

bool capsule_part_merges(const struct capsule_part *p)
{
	return !p->opts.all;
}

const char *capsule_table(const struct capsule_part *p, char *buf)
{
	const struct report *r = p->report, *whole = report_find(r->name);
	const char *name = r->table ? r->table : r->name, *part = "", *with = "";

	for (const struct report_part *v = whole ? whole->parts : NULL; v && v->opt; v++)
		if (v->report == r)
			part = v->name;
	if (p->opts.by)
		with = p->opts.by;
	else if (p->opts.all)
		with = "all";
	snprintf(buf, CAPSULE_TABLE, "%s%s%s%s%s", *part ? r->name : name, *part ? "_" : "", part,
		 *with ? "_" : "", with);
	return buf;
}
