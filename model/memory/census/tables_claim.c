/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables_claim.c - page tables whose struct pages do not say so. Tables of PTEs have a page type
 * since 1d40a5ea01d5 (v4.18), of PMDs since b2b29d6d0119 (v5.10), the others since about 6.14.
 * The kernel's own were made in part before there was a page allocator.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/census.h"
#include "facts/layout/mm.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/source.h"
#include "model/kernel/walk/list.h"
#include "model/memory/census/claims.h"

#define RESERVE_MAX 512u	/* tables in reserve of one PMD table: one for each entry */
#define RESERVE_MM_MAX (1u << 24)

struct tables_claim {
	const struct kernel *k;
	struct reader *r;
	struct page_classes *c;
	uint64_t root;
	unsigned lowest;		/* level of the lowest tables to look for */
	bool marked;			/* tables of PTEs have a page type */
	bool two_roots;			/* page-table isolation: a root is a pair of pages */
	enum layout_id reserve;		/* where tables in reserve hang; M_MM_PGD: none */
	bool lost;
};

/* What lies below a table that cannot be read has other tables, perhaps. */
static bool table_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	struct tables_claim *t = arg;

	(void)va, (void)end;
	if (st == ST_ABSENT)
		return true;
	t->lost = true;
	if (!source_has(t->k, SOURCE_CHANGES))
		issue_add(t->k->issues, st, "page table", 1,
			  "below them the census finds no tables");
	return true;
}

/* Tables of the lowest level are claimed, and not read: nothing lies below them. */
static enum status claim_kernel_table(void *arg, uint64_t pa, unsigned level, uint64_t va)
{
	struct tables_claim *t = arg;

	(void)va;
	page_classes_claim(t->c, pa >> t->k->page_shift, CLASS_TABLES_OWN);
	return level ? ST_OK : ST_ABSENT;
}

static bool claim_kernel_tables(struct tables_claim *t)
{
	static const struct pgvisit visit = { .enter = claim_kernel_table, .lost = table_lost };
	const struct paging *p;
	struct paging_env env;
	uint64_t root, start;

	if (!arch_kernel_paging(t->k->dump, &p, &env, &root, &start))
		return false;
	pgwalk(t->r, p, &env, root, start, UINT64_MAX, &visit, t);
	/* what a process sees of the kernel has a root of its own, behind the other: KAISER made 256
	   tables below it, pti_clone_pgtable() as many as it needs (arch/x86/mm/pti.c) */
	if (t->two_roots)
		pgwalk(t->r, p, &env, root + (UINT64_C(1) << t->k->page_shift), start, UINT64_MAX,
		       &visit, t);
	return true;
}

/* ---- tables of processes ----------------------------------------------------------------- */

/*
 * The tables in reserve that hang on the pointer to a struct page at OBJECT: a ring through
 * page.lru without a head (pgtable_trans_huge_deposit(), e3ebcf643811, v3.8).
 */
static void claim_reserve(struct tables_claim *t, uint64_t object, enum layout_id id, unsigned max)
{
	uint32_t lru = layout_offset(&t->k->layout, M_PAGE_LRU);
	struct listwalk w;
	uint64_t first, pfn;

	if (kmember_u64(t->k, t->r, object, id, &first)) {
		t->lost = true;
		return;
	}
	if (!first)
		return;
	w = listwalk_start(t->k, t->r, first + lru, max);
	do {
		if (!memmap_page_pfn(&t->k->memmap, w.node - lru, &pfn)) {
			t->lost = true;
			return;
		}
		page_classes_claim(t->c, pfn, CLASS_TABLES);
	} while (listwalk_next(&w));
	t->lost |= w.st != ST_OK;
}

static enum status claim_user_table(void *arg, uint64_t pa, unsigned level, uint64_t va)
{
	struct tables_claim *t = arg;
	uint64_t pfn = pa >> t->k->page_shift, page;

	(void)va;
	if (pa == t->root)
		return ST_OK;
	page_classes_claim(t->c, pfn, level ? CLASS_TABLES_OWN : CLASS_TABLES);
	if (level == 1 && t->reserve == M_PAGE_PMD_HUGE_PTE) {
		page = memmap_page_kva(&t->k->memmap, pfn);
		if (page)
			claim_reserve(t, page, M_PAGE_PMD_HUGE_PTE, RESERVE_MAX);
	}
	return level > t->lowest ? ST_OK : ST_ABSENT;
}

static void claim_user_tables(struct tables_claim *t, const struct mm *mm)
{
	static const struct pgvisit visit = { .enter = claim_user_table, .lost = table_lost };
	const struct kernel *k = t->k;

	t->root = mm->pgd_pa;
	pgwalk(t->r, k->paging, &k->env, t->root, 0, k->arch->user_end(k->dump), &visit, t);
	if (t->reserve == M_MM_PMD_HUGE_PTE)
		claim_reserve(t, mm->addr, M_MM_PMD_HUGE_PTE, RESERVE_MM_MAX);
}

/* struct page may have the member though the mm is used. */
static enum layout_id reserve_of(const struct kernel *k, bool marked)
{
	if (!marked && has(k, M_MM_PMD_HUGE_PTE))
		return M_MM_PMD_HUGE_PTE;
	return !marked && has(k, M_PAGE_PMD_HUGE_PTE) ? M_PAGE_PMD_HUGE_PTE : M_MM_PGD;
}

/*
 * Is frame PFN the rest of a block of pages? Only its first page has a reference
 * (prep_new_page()). With the configuration for it every root is a pair in 4.15 to 6.14 and RHEL 7;
 * in 4.4, 4.9 and later ones (pgd_allocation_order()) only if isolation is on.
 */
static bool goes_on(const struct tables_claim *t, const struct pagefmt *fmt, uint64_t pfn)
{
	uint64_t kva = memmap_page_kva(&t->k->memmap, pfn);
	uint8_t raw[STRUCT_PAGE_MAX];

	return kva && !read_kva(t->r, kva, raw, fmt->size) && !page_refcount(fmt, raw);
}

/*
 * Pages of a root: on ppc64 with pages of 4 KiB that of a process has 64 KiB (RADIX_PGD_INDEX_SIZE,
 * radix__pgd_alloc(), v4.7).
 */
static uint64_t root_pages(const struct tables_claim *t)
{
	const struct paging *p = t->k->paging;
	unsigned top = p ? p->nlevels - 1u : 0;
	uint64_t bytes = p ? (uint64_t)p->entry_size[top] << p->bits[top] : 0;

	return max_u64(bytes >> t->k->page_shift, 1) * (t->two_roots ? 2 : 1);
}

static void claim_root(struct tables_claim *t, const struct pagefmt *fmt, uint64_t pgd_pa)
{
	uint64_t pfn = pgd_pa >> t->k->page_shift, n = root_pages(t);

	if (!pgd_pa || page_classes_claim(t->c, pfn, CLASS_TABLES_OWN) != CLAIM_TAKEN)
		return;
	for (uint64_t i = 1; i < n && goes_on(t, fmt, pfn + i); i++)
		page_classes_claim(t->c, pfn + i, CLASS_TABLES_OWN);
}

bool claim_tables(const struct snapshot *s, struct reader *r, struct page_classes *c, bool *counted)
{
	const struct kernel *k = s->k;
	struct tables_claim t = { .k = k, .r = r, .c = c };
	struct pagefmt fmt;
	bool own;

	pagefmt_init(&fmt, k);
	t.two_roots = k->arch && k->arch->two_roots && has(k, k->arch->two_roots);
	t.marked = fmt.type_table != 0;
	t.reserve = reserve_of(k, t.marked);
	if (t.marked)
		t.lowest = kernel_rule(k, RULE_PMD_TABLES_MARKED) ? 2 : 1;
	for (uint32_t i = 0; i < s->nmms; i++)
		claim_root(&t, &fmt, s->mms[i].pgd_pa);
	own = claim_kernel_tables(&t) && !t.lost;
	t.lost = false;
	for (uint32_t i = 0; i < s->nmms && k->arch && k->paging; i++)
		if (s->mms[i].pgd_pa)
			claim_user_tables(&t, &s->mms[i]);
		else
			t.lost = true;
	*counted = t.marked || !t.lost;
	return own && !t.lost;
}
