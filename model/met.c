/* SPDX-License-Identifier: GPL-3.0-or-later */
/* met.c - the parts of a build that met an issue, in their order. */
#include "model/met.h"

#include <stdlib.h>

#include "dumpread/base/heap.h"

void met_begin(const struct snapshot *s, struct issues_part *part)
{
	issues_begin_part(s->k->issues, part);
}

static struct met *add(struct snapshot *s, unsigned runs_for, unsigned depends)
{
	struct met *m = heap_array(struct met, 1), **last = &s->met;

	issues_init(&m->issues);
	m->runs_for = runs_for;
	m->depends = depends;
	while (*last)
		last = &(*last)->next;
	*last = m;
	return m;
}

bool met_end(struct snapshot *s, struct issues_part *part, unsigned runs_for, unsigned depends)
{
	struct issues *own = heap_array(struct issues, 1);
	bool met;

	issues_init(own);
	issues_end_part(s->k->issues, part, own);
	met = own->n;
	if (met)
		issues_copy(&add(s, runs_for, depends)->issues, own);
	issues_release(own);
	free(own);
	return met;
}

void met_depends(struct snapshot *s, unsigned runs_for, unsigned depends)
{
	add(s, runs_for, depends);
}

void met_free(struct snapshot *s)
{
	for (struct met *m = s->met, *next; m; m = next) {
		next = m->next;
		issues_release(&m->issues);
		free(m);
	}
	s->met = NULL;
}

bool met_alike(const struct snapshot *s, unsigned built)
{
	for (const struct met *m = s->met; m; m = m->next)
		if (m->runs_for & built && (m->depends & built) != (m->depends & s->built))
			return false;
	return true;
}

uint64_t met_by(const struct snapshot *s, unsigned built, struct issues *is)
{
	uint64_t sum = 0;

	for (struct met *m = s->met; m; m = m->next) {
		if (!(m->runs_for & built))
			continue;
		sum += issues_total(&m->issues);
		if (is)
			issues_copy(is, &m->issues);
	}
	return sum;
}
