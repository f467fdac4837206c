/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules_claim.c - text and data of modules (kernel/module/main.c), and page_ext (mm/page_ext.c),
 * which is an array for each section.
 */
#include "model/census/claims.h"
#include "model/kmem/ksyms.h"
#include "model/kmem/origin.h"

/* The frames behind [kva, end). */
static void claim_range(const struct kernel *k, struct reader *r, struct page_classes *c,
			uint64_t kva, uint64_t end, enum page_class class)
{
	uint64_t page = UINT64_C(1) << k->page_shift, pa, left = k->memmap.max_pfn;

	for (kva &= ~(page - 1); kva < end && left--; kva += page)
		if (!reader_kvtop(r, kva, &pa, NULL))
			page_classes_claim(c, pa >> k->page_shift, class);
}

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
		claim_range(k, r, c, p.start, p.end, CLASS_MODULE);
	return true;
}

bool claim_page_ext(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	const struct memmap *m = &k->memmap;
	struct origins o;
	struct ksyms ks = { .k = k, .r = r };
	uint64_t start;

	origins_init(&o, k, r, &ks);
	if (!o.size) /* since 6.3 it is 0 until somebody wants page_ext */
		return !has(k, S_PAGE_EXT) || (has(k, Y_PAGE_EXT_SIZE) && m->sections.kva);
	for (uint64_t pfn = 0; pfn < m->max_pfn; pfn += m->sections.pages) {
		start = memmap_may_have_page(m, pfn) ? page_ext_of(&o, pfn) : 0;
		if (start)
			claim_range(k, r, c, start, start + m->sections.pages * o.size,
				    CLASS_PAGE_EXT);
	}
	return true;
}
