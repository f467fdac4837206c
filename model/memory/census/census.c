/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census.c - classes, claims, owners, counters: in this order. */
#include "model/memory/census/census.h"

#include "model/kernel/source.h"
#include "model/memory/census/claims.h"
#include "model/memory/census/counters.h"
#include "model/memory/census/misplaced.h"
#include "model/memory/owners/holders.h"
#include "model/shared.h"

/*
 * A kmalloc() larger than the caches takes a compound page, and counts it as slab. It has a type
 * only since PGTY_large_kmalloc (in 6.17, not in 6.14). Before, compound pages without a type are
 * known to be these if the kernel's counter of slab is exactly slabs and them. A running kernel
 * changes the counter while pages are read: there it may be off by a quarter of them.
 */
static void settle_compound(const struct snapshot *s, struct reader *r, struct census *c)
{
	struct page_classes *p = c->classes;
	const uint64_t compound = p->count[CLASS_COMPOUND].pages, slab = census_slab_counted(s, r),
		       slabs = p->count[CLASS_SLAB].pages + p->count[CLASS_KMALLOC].pages,
		       found = slabs + compound, off = slab > found ? slab - found : found - slab;
	bool known = !has(s->k, E_PGTY_LARGE_KMALLOC) && slab != UINT64_MAX;

	if (known && off <= (source_has(s->k, SOURCE_CHANGES) ? compound / 4 : 0)) {
		page_classes_move(p, CLASS_COMPOUND, CLASS_KMALLOC);
		return;
	}
	page_classes_move(p, CLASS_COMPOUND, CLASS_UNKNOWN);
	/* others are among them: the counter says how many are large kmalloc, and nothing which */
	if (known && slab > slabs && slab < found)
		census_decide(c, compound, slab - slabs);
}

/* In a running kernel pages change hands while they are read. */
static void tell_conflicts(const struct snapshot *s, const struct page_classes *c)
{
	uint64_t n = source_has(s->k, SOURCE_CHANGES) ? 0 : misplaced_claims(c);

	if (n)
		issue_add(s->k->issues, ST_CORRUPT, "page", n,
			  "claimed for what they cannot be; \"check\" names them");
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
	c->unknown[CLASS_VMALLOC] = !known || !claim_vmalloc(s->k, r, &areas, c->classes);
	holders_build(s, r, mem, c->classes, &areas, &c->owners);
	claim_vmap(s->k, r, &areas, c->classes);
	settle_compound(s, r, c);
	tell_conflicts(s, c->classes);
	claim_holes(s->k, r, mem, c->classes);
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (class_is_ram((enum page_class)i))
			c->ram += c->classes->count[i].pages;
	c->present = s->machine.present;
	census_count(s, r, mem, c);
	census_tell_counters(s, c);
	reader_free(r);
	return c;
}

const struct census *census_of(const struct snapshot *s)
{
	static const struct shared_maker maker = { .make = make_census };

	return shared_view(s, SHARED_CENSUS, &maker);
}
