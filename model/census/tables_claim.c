/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables_claim.c - page tables whose struct pages do not say so: the roots of mms (until about
 * 6.14), and the kernel's own, of which many were made before there was a page allocator.
 */
#include "model/census/claims.h"

struct kernel_tables {
	const struct kernel *k;
	struct page_classes *c;
};

/* Tables of the lowest level are claimed, and not read: nothing lies below them. */
static enum status claim_table(void *arg, uint64_t pa, unsigned level, uint64_t va)
{
	struct kernel_tables *t = arg;

	(void)va;
	page_classes_claim(t->c, pa >> t->k->page_shift, CLASS_TABLES_OWN);
	return level ? ST_OK : ST_ABSENT;
}

static bool claim_kernel_tables(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	struct kernel_tables t = { .k = k, .c = c };
	struct pgvisit visit = { .enter = claim_table };
	const struct paging *p;
	struct paging_env env;
	uint64_t root, start;

	if (!arch_kernel_paging(k->dump, &p, &env, &root, &start))
		return false;
	pgwalk(r, p, &env, root, start, UINT64_MAX, &visit, &t);
	return true;
}

bool claim_tables(const struct snapshot *s, struct reader *r, struct page_classes *c)
{
	const struct kernel *k = s->k;
	bool pair = k->arch && k->arch->two_roots && has(k, k->arch->two_roots);

	for (uint32_t i = 0; i < s->nmms; i++) {
		uint64_t pfn = s->mms[i].pgd_pa >> k->page_shift;

		if (s->mms[i].pgd_pa &&
		    page_classes_claim(c, pfn, CLASS_TABLES_OWN) == CLAIM_TAKEN && pair)
			page_classes_claim(c, pfn + 1, CLASS_TABLES_OWN);
	}
	return claim_kernel_tables(k, r, c);
}
