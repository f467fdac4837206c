/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kexec.c - a kernel that kexec loaded and that waits for its start (kernel/kexec_core.c; types of 6.1, 6.12, 7.3).
 * Its pages are in a list of addresses with marks in the low bits, which goes on from page to page; those that
 * start it, in a list by their struct pages. That of a crash kernel is in the memory kept for it.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/holder.h"
#include "facts/layout/page.h"
#include "model/kernel/page/page_list.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define ENTRY_NEXT (1u << 1)	/* IND_INDIRECTION: the page where the list goes on */
#define ENTRY_DONE (1u << 2)
#define ENTRY_SOURCE (1u << 3)	/* a page of it; IND_DESTINATION is where it will be */
#define ORDER_MAX 10u		/* of one allocation */
#define SEGMENTS_MAX 64u	/* KEXEC_SEGMENT_MAX is 16 */

/* Those of one allocation follow each other; the first has its order in page->private. */
static void take_control(struct holding *h, struct held *o, uint64_t image)
{
	const struct kernel *k = h->k;
	uint64_t pfn, order;
	struct listwalk w;

	w = listwalk_start(k, h->r, image + layout_offset(&k->layout, M_KIMAGE_CONTROL),
			   k->memmap.max_pfn);
	while (page_list_next(&w, &pfn)) {
		order = held_member(h, o, page_list_page(&w), M_PAGE_PRIVATE);
		if (order > ORDER_MAX || !holding_budget(h, o, UINT64_C(1) << order)) {
			o->incomplete = true;
			return;
		}
		held_frames(h, o, pfn, UINT64_C(1) << order, CLASS_KEXEC);
	}
	o->incomplete |= w.st != ST_OK;
}

/* Each page is in the list once, with at most one entry of its destination: a longer one is damaged. */
static void take_entries(struct holding *h, struct held *o, uint64_t head)
{
	const struct kernel *k = h->k;
	uint32_t word = k->dump->word_size;
	uint64_t entry = head, at = 0, pa;
	uint8_t raw[8];

	for (uint64_t n = 0; n < 2 * k->memmap.max_pfn && holding_budget(h, o, 1); n++) {
		if (!entry || entry & ENTRY_DONE)
			return;
		if (!at && !(entry & ENTRY_NEXT))
			break;
		pa = entry >> k->page_shift << k->page_shift;
		if (entry & (ENTRY_NEXT | ENTRY_SOURCE))
			held_frames(h, o, pa >> k->page_shift, 1, CLASS_KEXEC);
		at = entry & ENTRY_NEXT ? pa : at + word;
		if (read_pa(h->r, at, raw, word))
			break;
		entry = load_uint(raw, word, k->dump->big_endian);
	}
	o->incomplete = true;
}

void kexec_walk(struct holding *h)
{
	const struct kernel *k = h->k;
	const struct member *cma = &k->layout.v[M_KIMAGE_CMA].m;
	uint64_t image, page;
	struct held *o;
	bool fresh;

	if (!has(k, Y_KEXEC_IMAGE) || !has(k, M_KIMAGE_HEAD) || !has(k, M_KIMAGE_CONTROL) ||
	    !has(k, M_PAGE_LRU) || !has(k, M_PAGE_PRIVATE))
		return;
	if (kvar_u64(k, h->r, Y_KEXEC_IMAGE, 0, &image)) {
		holding_damaged(h, "kexec_image", layout_symbol(&k->layout, Y_KEXEC_IMAGE));
		return;
	}
	if (!image)
		return;
	o = held_get(h, OWNER_KEXEC, image, &fresh);
	o->kernel = true;
	o->what = "the kernel to start next";
	held_memory(h, o, image);
	take_control(h, o, image);
	take_entries(h, o, held_member(h, o, image, M_KIMAGE_HEAD));
	/* segments that lie where they will be */
	for (uint32_t i = 0; has(k, M_KIMAGE_CMA) && i < cma->count && i < SEGMENTS_MAX; i++)
		o->incomplete |=
			read_kva_word(h->r, image + cma->offset + i * cma->stride, &page) || page;
}
