/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules_claim.c - text and data of modules (kernel/module/main.c), and page_ext (mm/page_ext.c) or
 * page_cgroup (mm/page_cgroup.c), of which each section has an array.
 */
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "model/kernel/kobj.h"
#include "model/kernel/module/ksyms.h"
#include "model/kernel/origin/origin.h"
#include "model/memory/census/claims.h"

#define PAGE_CGROUP_MAX 64u	/* bytes; 16 to 40 */

bool claim_modules(const struct kernel *k, struct reader *r, struct arena *mem,
		   struct page_classes *c)
{
	struct ksyms ks;
	struct module_part p;
	uint32_t module = 0, part = 0;

	if (!has(k, Y_MODULES) || !has(k, M_MODULE_LIST))
		return false;
	ksyms_init(&ks, k, r, mem);
	while (ksyms_module_part(&ks, &module, &part, &p))
		claim_kva(k, r, c, p.start, p.end, CLASS_MODULE);
	return true;
}

/* A section keeps the address that the element of frame 0 would have (lookup_page_cgroup()). */
static bool claim_page_cgroup(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	const struct memmap *m = &k->memmap;
	uint64_t size = layout_size(&k->layout, S_PAGE_CGROUP), at, base;
	bool whole = true;

	if (!size || size > PAGE_CGROUP_MAX || !m->sections.kva)
		return false;
	for (uint64_t pfn = 0; pfn < m->max_pfn; pfn += m->sections.pages) {
		at = memmap_may_have_page(m, pfn) ? memmap_section_kva(m, r, pfn) : 0;
		if (!at)
			continue;
		if (kmember_u64(k, r, at, M_SECTION_PAGE_CGROUP, &base))
			whole = false;
		else if (base)
			claim_kva(k, r, c, base + pfn * size,
				  base + (pfn + m->sections.pages) * size, CLASS_PAGE_EXT);
	}
	return whole;
}

bool claim_page_ext(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	const struct memmap *m = &k->memmap;
	struct origins o;
	struct ksyms ks = { .k = k, .r = r };
	uint64_t start;

	if (has(k, M_SECTION_PAGE_CGROUP))
		return claim_page_cgroup(k, r, c);
	origins_init(&o, k, r, &ks);
	if (!o.size) /* since 6.3 it is 0 until somebody wants page_ext */
		return !has(k, S_PAGE_EXT) || (has(k, Y_PAGE_EXT_SIZE) && m->sections.kva);
	for (uint64_t pfn = 0; pfn < m->max_pfn; pfn += m->sections.pages) {
		start = memmap_may_have_page(m, pfn) ? page_ext_of(&o, pfn) : 0;
		if (start)
			claim_kva(k, r, c, start, start + m->sections.pages * o.size,
				  CLASS_PAGE_EXT);
	}
	return true;
}
