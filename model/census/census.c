/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census.c - classes, claims, counters: in this order. */
#include "model/census/census.h"

#include "model/census/claims.h"
#include "model/census/counters.h"

struct census *census_build(const struct snapshot *s, struct arena *mem)
{
	struct census *c = arena_array(mem, struct census, 1);
	struct reader *r = kernel_reader(s->k);

	c->classes = page_classes_build(s->k, false);
	c->unknown[CLASS_MEMMAP] = !claim_memmap(s->k, r, c->classes);
	c->unknown[CLASS_PERCPU] = !claim_percpu(s->k, r, c->classes);
	c->unknown[CLASS_STACK] = !claim_stacks(s, r, c->classes);
	c->unknown[CLASS_TABLES_OWN] = !claim_tables(s, r, c->classes);
	c->unknown[CLASS_FREE_CPU] = !claim_free_on_cpus(s, r, mem, c->classes);
	c->unknown[CLASS_VMALLOC] = !claim_vmalloc(s, r, mem, c->classes);
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (class_is_ram((enum page_class)i))
			c->ram += c->classes->count[i].pages;
	c->present = s->machine.present;
	census_count(s, mem, c);
	reader_free(r);
	return c;
}

void census_free(struct census *c)
{
	page_classes_free(c->classes);
	c->classes = NULL;
}
