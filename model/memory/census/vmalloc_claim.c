/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc_claim.c - the pages of vmalloc areas. An area that was allocated has the array of its
 * pages; of one that only maps pages (vmap(), DMA), and of a sparse one, the kernel's page
 * tables show them.
 */
#include "dumpread/base/bytes.h"
#include "model/kernel/kobj.h"
#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/census/claims.h"

#define CHUNK 64u
#define AREA_PUT_PAGES 0x200	/* VM_MAP_PUT_PAGES: b944afc9d64d (v5.10) */

struct areas {
	const struct kernel *k;
	struct reader *r;
	struct page_classes *c;
	uint64_t left;			/* pages that areas may still name */
};

/* The pages of an area by its array; false: not all are readable. */
static bool claim_array(struct areas *a, const struct vmalloc_area *v)
{
	const struct dump *d = a->k->dump;
	uint8_t raw[CHUNK * 8];
	uint64_t pfn;

	for (uint64_t i = 0; i < v->npages; i += CHUNK) {
		uint64_t n = min_u64(CHUNK, v->npages - i);

		if (a->left < n ||
		    read_kva(a->r, v->pages + i * d->word_size, raw, (size_t)n * d->word_size))
			return false;
		a->left -= n;
		for (uint64_t j = 0; j < n; j++)
			if (memmap_page_pfn(&a->k->memmap,
					    load_uint(raw + j * d->word_size, d->word_size,
						      d->big_endian),
					    &pfn))
				page_classes_claim(a->c, pfn, CLASS_VMALLOC);
	}
	return true;
}

static void claim_page(void *arg, uint64_t pfn)
{
	struct areas *a = arg;

	if (!a->left)
		return;
	a->left--;
	page_classes_claim(a->c, pfn, CLASS_VMALLOC);
}

/* The pages that an area maps, by the kernel's page tables. */
static void claim_mapped(struct areas *a, const struct vmalloc_area *v)
{
	uint64_t page = UINT64_C(1) << a->k->page_shift, pa;

	for (uint64_t at = 0; at < v->size && a->left; at += page, a->left--)
		if (!reader_kvtop(a->r, v->start + at, &pa, NULL))
			page_classes_claim(a->c, pa >> a->k->page_shift, CLASS_VMAP);
}

static struct areas start(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	return (struct areas){ .k = k, .r = r, .c = c, .left = 4 * k->memmap.max_pfn };
}

bool claim_vmalloc(const struct kernel *k, struct reader *r, const struct vmalloc *areas,
		   struct page_classes *c)
{
	struct areas a = start(k, r, c);
	uint64_t lost = 0, n;

	for (uint32_t i = 0; i < areas->n; i++) {
		const struct vmalloc_area *v = &areas->v[i];

		if (v->kind == AREA_OF_VM && v->flags & (AREA_ALLOC | AREA_PUT_PAGES) && v->pages)
			lost += !claim_array(&a, v);
		else if (v->kind == AREA_OF_VM && v->flags & AREA_SPARSE)
			lost += vmalloc_sparse_pages(k, r, v, &n, claim_page, &a) != ST_OK;
	}
	if (lost)
		issue_add(k->issues, ST_NODATA, "vmalloc area", lost,
			  "areas whose pages are not readable");
	return !lost;
}

/* After claim_vmalloc(): a page may be allocated by one area and mapped by another. */
void claim_vmap(const struct kernel *k, struct reader *r, const struct vmalloc *areas,
		struct page_classes *c)
{
	struct areas a = start(k, r, c);

	for (uint32_t i = 0; i < areas->n; i++) {
		const struct vmalloc_area *v = &areas->v[i];

		if (v->kind == AREA_RAM ||
		    (v->kind == AREA_OF_VM && v->flags & (AREA_MAP | AREA_DMA_COHERENT)))
			claim_mapped(&a, v);
	}
}
