/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/fleet/things.h"

#include <string.h>

#include "dumpread/base/search.h"

static int thing_order(const void *pa, const void *pb)
{
	const struct thing *a = pa, *b = pb;
	int d = strcmp(a->kind, b->kind);

	return d ? d : strcmp(a->name, b->name);
}

/* How many prices each thing has, if a crash names each once; those that it names again are added to it. */
static void count(const struct fleet *f, const uint32_t *v, uint32_t n, struct thing *all)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct crashed *c = &f->v.v[v[i]];

		for (size_t j = 0; j < c->costs.n; j++) {
			struct thing *t = &all[c->costs.v[j].thing];

			if (!t->n++)
				t->class = c->costs.v[j].class;
		}
	}
}

static void fill(const struct fleet *f, const uint32_t *v, uint32_t n, struct thing *all)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct crashed *c = &f->v.v[v[i]];

		for (size_t j = 0; j < c->costs.n; j++) {
			struct thing *t = &all[c->costs.v[j].thing];

			if (t->n && t->v[t->n - 1].at == i)
				t->v[t->n - 1].bytes += c->costs.v[j].bytes;
			else
				t->v[t->n++] = (struct price){ i, c->costs.v[j].bytes };
		}
	}
}

size_t things_of(const struct fleet *f, const uint32_t *v, uint32_t n, struct arena *mem,
		 struct thing **ret)
{
	struct thing *all = *ret = arena_array(mem, struct thing, f->things.n);
	struct price *prices;
	size_t sum = 0, kept = 0;

	count(f, v, n, all);
	for (size_t i = 0; i < f->things.n; i++)
		sum += all[i].n;
	prices = arena_array(mem, struct price, sum);
	for (size_t i = 0; i < f->things.n; i++) {
		all[i].kind = f->things.v[i].kind;
		all[i].name = f->things.v[i].name;
		all[i].v = prices;
		prices += all[i].n;
		all[i].n = 0;
	}
	fill(f, v, n, all);
	for (size_t i = 0; i < f->things.n; i++)
		if (all[i].n)
			all[kept++] = all[i];
	if (kept)
		sort_array(all, kept, sizeof(*all), thing_order);
	return kept;
}
