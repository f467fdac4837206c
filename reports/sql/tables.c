/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tables.c - the tables that a statement can name: those of capsules, and reports whose rows are too many for one. */
#include <stdio.h>

#include "reports/capsule/sql.h"
#include "reports/sql/statement.h"

/* One dump has its rows, a capsule has not, and it asks for no word. */
static bool is_of_dump(const struct report *r)
{
	return r->dump_only && !r->products && !r->compares && !r->of_fleet && !r->word;
}

bool statement_table(unsigned i, struct capsule_part *ret, char *name)
{
	struct capsule_part p;
	unsigned n = 0;

	while (capsule_part(n, &p)) {
		if (n++ != i)
			continue;
		*ret = p;
		capsule_table(&p, name);
		return true;
	}
	for (const struct report *const *r = reports; *r; r++) {
		if (!is_of_dump(*r) || n++ != i)
			continue;
		*ret = (struct capsule_part){ .report = *r };
		snprintf(name, CAPSULE_TABLE, "%s", (*r)->name);
		return true;
	}
	return false;
}

void statement_list(FILE *out)
{
	struct capsule_part p;
	char name[CAPSULE_TABLE];

	for (unsigned i = 0; statement_table(i, &p, name); i++) {
		const struct report *r = p.report;

		fprintf(out, "%s%s: %s%s\n", i ? "\n" : "", name, r->about,
			r->dump_only ? " (not of a capsule)" : "");
		fprintf(out, "  %-18s %-8s %s\n", "row", "INTEGER", "its number, from 1");
		for (unsigned c = 0; c < r->ncols; c++)
			fprintf(out, "  %-18s %-8s %s\n", r->cols[c].name,
				capsule_sql_type(&r->cols[c]), r->cols[c].about);
	}
}
