/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc_sparse.c - the pages of sparse areas, as BPF arenas have. No array names them:
 * vm_area_map_pages() (mm/vmalloc.c, e6f798225a31, v6.9) only enters them in the kernel's page
 * tables.
 */
#include "model/kernel/vmalloc/vmalloc.h"

#include "dumpread/base/bytes.h"

struct visitor {
	const struct kernel *k;
	void (*page)(void *arg, uint64_t pfn);
	void *arg;
	uint64_t pages, most;
	enum status lost;
};

static void see_pages(struct visitor *v, uint64_t pa, uint64_t n)
{
	n = min_u64(n, v->most - v->pages);
	for (uint64_t i = 0; v->page && i < n; i++)
		v->page(v->arg, (pa >> v->k->page_shift) + i);
	v->pages += n;
}

static bool see_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct visitor *v = arg;
	unsigned page_shift = v->k->page_shift;

	(void)va;
	for (unsigned i = 0; i < n; i++)
		if (pte[i].kind == PTE_PAGE)
			see_pages(v, pte[i].pa,
				  shift > page_shift ? UINT64_C(1) << (shift - page_shift) : 1);
	return v->pages < v->most;
}

static bool see_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	struct visitor *v = arg;

	(void)va;
	(void)end;
	v->lost = st;
	return true;
}

/* Where a host translates, there are no tables to walk. */
static void ask_each(struct visitor *v, struct reader *r, const struct vmalloc_area *a)
{
	uint64_t page = UINT64_C(1) << v->k->page_shift, pa;

	for (uint64_t at = 0; at < a->size && v->pages < v->most; at += page)
		if (!reader_kvtop(r, a->start + at, &pa, NULL))
			see_pages(v, pa, 1);
}

enum status vmalloc_sparse_pages(const struct kernel *k, struct reader *r,
				 const struct vmalloc_area *a, uint64_t *n,
				 void (*page)(void *arg, uint64_t pfn), void *arg)
{
	static const struct pgvisit visit = { .entries = see_entries, .lost = see_lost };
	struct visitor v = { .k = k, .page = page, .arg = arg };
	const struct paging *p;
	struct paging_env env;
	uint64_t root, start;

	/* a page may be mapped once in an area, and an area is not larger than memory needs */
	v.most = min_u64(a->size >> k->page_shift, k->dump->max_pfn);
	if (arch_kernel_paging(k->dump, &p, &env, &root, &start))
		pgwalk(r, p, &env, root, a->start, a->start + a->size, &visit, &v);
	else
		ask_each(&v, r, a);
	*n = v.pages;
	return v.lost;
}
