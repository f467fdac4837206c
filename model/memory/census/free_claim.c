/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * free_claim.c - free pages that CPUs keep: the lists of each zone and CPU (mm/page_alloc.c,
 * struct per_cpu_pages). Their struct pages show nothing.
 *
 * One list for each migrate type to 5.12; since 44042b449872 (v5.14) one for each order up to
 * PAGE_ALLOC_COSTLY_ORDER and type, and one or two of huge pages after them (order_to_pindex()).
 */
#include "model/memory/census/claims.h"

#include <inttypes.h>

#include "facts/layout/census.h"
#include "facts/layout/kmem.h"
#include "model/kernel/attempt.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/page_list.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/zone/zones.h"

#define COSTLY_ORDER 3u		/* PAGE_ALLOC_COSTLY_ORDER */
#define LIST "per-CPU list of free pages"
#define ENTRIES_MAX (1u << 24)	/* of one list; pcp->high is far below */

struct pcp {
	struct kernel *k;
	struct reader *r;
	struct page_classes *c;
	VEC(struct census_cpu_list) off;
	struct arena *mem;
	uint32_t ntypes;		/* MIGRATE_PCPTYPES */
	uint32_t nlists;
	unsigned huge_order;		/* of the lists behind those of small orders */
};

static unsigned order_of_list(const struct pcp *p, uint32_t i)
{
	unsigned order = i / p->ntypes;

	return order <= COSTLY_ORDER ? order : p->huge_order;
}

/* The blocks of PAGES pages that W reaches; false: the list is broken after w->seen blocks. */
static bool claim_blocks(const struct pcp *p, struct listwalk *w, uint64_t pages)
{
	uint64_t pfn;

	while (page_list_next(w, &pfn))
		for (uint64_t i = 0; i < pages; i++)
			page_classes_claim(p->c, pfn + i, CLASS_FREE_CPU);
	return !w->st;
}

/*
 * The pages of list NO at HEAD, which are added to *LISTED. The pages after a break are reached
 * from the end. On a running machine a CPU takes pages from the head, and gives them back there.
 */
static bool claim_list(const struct pcp *p, uint64_t head, uint32_t no, uint64_t *listed)
{
	const uint64_t pages = UINT64_C(1) << order_of_list(p, no);
	struct listwalk w, back;
	struct attempt a;

	attempt_begin(&a, p->k, p->r);
	do {
		w = listwalk_start(p->k, p->r, head, ENTRIES_MAX);
		if (claim_blocks(p, &w, pages))
			continue;
		issue_add(p->k->issues, w.st, LIST, 1, "after %" PRIu64 " pages", w.seen * pages);
		back = listwalk_backwards(p->k, p->r, head, ENTRIES_MAX);
		claim_blocks(p, &back, pages);
	} while (attempt_again(&a, LIST));
	*listed += w.seen * pages;
	return !w.st;
}

static void compare_count(struct pcp *p, const struct zone *z, uint32_t cpu, uint64_t listed)
{
	for (uint32_t i = 0; i < z->ncpus; i++)
		if (z->cpu[i].cpu == cpu && z->cpu[i].count != (int64_t)listed)
			*vec_push(p->mem, &p->off) =
				(struct census_cpu_list){ z->name, cpu, z->cpu[i].count, listed };
}

static bool claim_zone(struct pcp *p, const struct zone *z)
{
	const struct member *m = &p->k->layout.v[M_PCP_LISTS].m;
	uint64_t at, listed;
	bool whole = true, all;

	for (uint32_t cpu = 0; cpu < p->k->ncpus; cpu++) {
		enum status st = zone_of_cpu(p->k, p->r, z->addr, M_ZONE_PCP, cpu, &at);

		if (st == ST_ABSENT)
			continue;
		if (st)
			return false;
		at += layout_offset(&p->k->layout, M_PAGESET_PCP) + m->offset;
		listed = 0;
		all = true;
		for (uint32_t i = 0; i < p->nlists; i++)
			all &= claim_list(p, at + (uint64_t)i * m->stride, i, &listed);
		if (all)
			compare_count(p, z, p->k->possible[cpu], listed);
		whole &= all;
	}
	return whole;
}

bool claim_free_on_cpus(const struct snapshot *s, struct reader *r, struct arena *mem,
			struct census *c)
{
	struct kernel *k = s->k;
	struct pcp p = { .k = k, .r = r, .c = c->classes, .mem = mem };
	struct zones zs;
	bool whole = true;

	if (!has(k, M_PCP_LISTS) || !has(k, M_ZONE_PCP) || zones_build(s, mem, 0, &zs))
		return false;
	p.nlists = k->layout.v[M_PCP_LISTS].m.count;
	p.ntypes = (uint32_t)layout_enum(&k->layout, E_PCP_TYPES, 3);
	p.huge_order = zs.block_order;
	if (!p.ntypes || p.nlists > CPU_LISTS_MAX)
		return false;
	for (uint32_t i = 0; i < zs.n; i++)
		whole &= !zs.v[i].present || claim_zone(&p, &zs.v[i]);
	c->cpu_lists = p.off.v;
	c->ncpu_lists = (uint32_t)p.off.n;
	return whole;
}
