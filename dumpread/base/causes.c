/* SPDX-License-Identifier: GPL-3.0-or-later */
/* causes.c - a list of causes, each of them once. */
#include "dumpread/base/causes.h"

#include <stdio.h>
#include <string.h>

const struct cause *cause_find(const struct causes *c, enum cause_id id)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->v[i].id == id)
			return &c->v[i];
	return NULL;
}

void cause_add(struct causes *c, enum cause_id id, uint64_t n, uint64_t of, const char *name)
{
	struct cause *to = (struct cause *)cause_find(c, id);

	if (!to) {
		if (c->n == CAUSES_MAX)
			return;
		to = &c->v[c->n++];
		*to = (struct cause){ .id = id };
	}
	/* what is known of a whole file replaces what is not */
	if (!to->of != !of) {
		to->n = of ? n : to->n;
		to->of = of ? of : to->of;
	} else {
		to->n += n;
		to->of += of;
	}
	if (name)
		snprintf(to->name, sizeof(to->name), "%s", name);
}

void cause_table(struct causes *c, const char *table, uint64_t n, uint64_t of)
{
	const struct cause *was = cause_find(c, CAUSE_TABLE);
	char name[sizeof(was->name)];

	if (was && strstr(was->name, table))
		snprintf(name, sizeof(name), "%s", was->name);
	else
		snprintf(name, sizeof(name), "%.100s%s%s", was ? was->name : "", was ? " and " : "",
			 table);
	cause_add(c, CAUSE_TABLE, n, of, name);
}
