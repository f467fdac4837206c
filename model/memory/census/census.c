/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census.c - classes, claims, owners, counters: in this order. */
#include "model/memory/census/census.h"

#include "facts/layout/kmem.h"
#include "model/kernel/source.h"
#include "model/memory/census/claims.h"
#include "model/memory/census/counters.h"
#include "model/memory/census/misplaced.h"
#include "model/memory/owners/holders.h"
#include "model/shared.h"

/* In a running kernel pages change hands while they are read. */
static void tell_conflicts(const struct snapshot *s, const struct page_classes *c)
{
	uint64_t n = source_has(s->k, SOURCE_CHANGES) ? 0 : misplaced_claims(c);

	if (n)
		issue_add(s->k->issues, ST_CORRUPT, "page", n,
			  "claimed for what they cannot be; \"check\" names them");
}

static uint64_t pages_of_ram(const struct page_classes *c)
{
	uint64_t pages = 0;

	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (!page_class_is(i, CF_NO_RAM))
			pages += c->count[i].pages;
	return pages;
}

/* The resource tree tells holes, image, crash kernel and other reserved frames apart: without all of it they are
   not, and RAM is what the nodes count. */
static void without_resources(struct census *c)
{
	c->ram = c->present;
	c->unknown[CLASS_IMAGE] = c->unknown[CLASS_CRASH] = true;
	c->unknown[CLASS_BOOT] = c->unknown[CLASS_TABLES_OWN] = true;
}

static void *make_census(const struct snapshot *s, struct arena *mem)
{
	struct census *c = arena_array(mem, struct census, 1);
	struct reader *r = kernel_reader(s->k);
	struct vmalloc areas = { 0 };
	bool known = !vmalloc_build(s, mem, &areas), counted;

	c->classes = page_classes_of(s);
	c->unknown[CLASS_MEMMAP] = !claim_memmap(s->k, r, c->classes);
	c->unknown[CLASS_PERCPU] = !claim_percpu(s->k, r, c->classes);
	c->unknown[CLASS_STACK] = !claim_stacks(s, r, c->classes);
	c->unknown[CLASS_FREE_CPU] = !claim_free_on_cpus(s, r, mem, c);
	c->unknown[CLASS_TABLES_OWN] = !claim_tables(s, r, c->classes, &counted);
	c->unknown[CLASS_TABLES] = !counted;
	c->unknown[CLASS_MODULE] = !claim_modules(s->k, r, mem, c->classes);
	c->unknown[CLASS_PAGE_EXT] = !claim_page_ext(s->k, r, c->classes);
	c->unknown[CLASS_KFENCE] = !claim_kfence(s->k, r, c->classes);
	c->unknown[CLASS_DEPOT] = !claim_depot(s->k, r, c->classes);
	c->unknown[CLASS_VMALLOC] = !known || !claim_vmalloc(s->k, r, &areas, c->classes);
	/* stacks in areas of vmalloc (VMAP_STACK) that are not claimed count there */
	c->unknown[CLASS_VMALLOC] |= c->unknown[CLASS_STACK] && has(s->k, M_TASK_STACK_VM);
	holders_build(s, r, mem, c->classes, &areas, &c->owners);
	claim_vmap(s->k, r, &areas, c->classes);
	census_settle(s, r, c);
	tell_conflicts(s, c->classes);
	c->present = s->machine.present;
	if (claim_holes(s->k, r, mem, c->classes))
		c->ram = pages_of_ram(c->classes);
	else
		without_resources(c);
	census_count(s, r, mem, c);
	census_tell_counters(s, c);
	census_doubt_empty(s->k, c);
	reader_free(r);
	return c;
}

const struct census *census_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { .make = make_census };

	return shared_view(s, SHARED_CENSUS, &maker);
}
