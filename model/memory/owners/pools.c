/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pools.c - memory that the kernel keeps ready: pools for DMA without sleeping (kernel/dma/pool.c),
 * bounce buffers (swiotlb), and the folios of which CPUs and tasks cut fragments of packets
 * (net/core/skbuff.c, skb_page_frag_refill()). Read in 5.10, 6.1, 6.12, 7.1; struct dma_gen_pool in 7.3.
 */
#include "facts/layout/holder.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define CHUNKS_MAX 65536u

/* N frames at physical address PA; false: they are not all in the machine's memory. */
static bool take_range(struct holding *h, struct held *o, uint64_t pa, uint64_t bytes,
		       enum page_class to)
{
	uint64_t pfn = pa >> h->k->page_shift, n = bytes >> h->k->page_shift;

	if (n > h->k->memmap.max_pfn || pfn > h->k->memmap.max_pfn - n)
		return false;
	held_frames(h, o, pfn, n, to);
	return true;
}

static void take_dma(struct holding *h, enum layout_id pool, const char *what)
{
	const struct layout *l = &h->k->layout;
	uint64_t addr, var = layout_symbol(l, pool);
	struct listwalk w;
	struct held *o;
	bool fresh;

	if (!var || !has(h->k, M_GENPOOL_CHUNKS) || !has(h->k, M_GENCHUNK_PHYS) ||
	    read_kva_word(h->r, var + layout_offset(l, M_DMA_POOL_POOL), &addr) || !addr)
		return;
	o = held_get(h, OWNER_DMA, addr, &fresh);
	o->kernel = true;
	o->what = what;
	w = listwalk_start(h->k, h->r, addr + layout_offset(l, M_GENPOOL_CHUNKS), CHUNKS_MAX);
	while (listwalk_next(&w)) {
		uint64_t chunk = w.node - layout_offset(l, M_GENCHUNK_LIST);
		uint64_t start = held_member(h, o, chunk, M_GENCHUNK_START),
			 last = held_member(h, o, chunk, M_GENCHUNK_END);

		uint64_t pa = held_member(h, o, chunk, M_GENCHUNK_PHYS), mapped;

		/* whole pages, mapped where they are */
		if (last < start ||
		    (start | pa | (last + 1)) & ((UINT64_C(1) << h->k->page_shift) - 1) ||
		    reader_kvtop(h->r, start, &mapped, NULL) || mapped != pa ||
		    !take_range(h, o, pa, last - start + 1, CLASS_DMA))
			o->incomplete = true;
	}
	o->incomplete |= w.st != ST_OK;
}

static void take_swiotlb(struct holding *h)
{
	const struct layout *l = &h->k->layout;
	uint64_t at = layout_symbol(l, Y_SWIOTLB), start = 0, end = 0;
	struct held *o;
	bool fresh;

	if (at && has(h->k, M_SWIOTLB_START)) {
		if (kmember_u64(h->k, h->r, at, M_SWIOTLB_START, &start) ||
		    kmember_u64(h->k, h->r, at, M_SWIOTLB_END, &end))
			return;
	} else if (kvar_u64(h->k, h->r, Y_SWIOTLB_START, 0, &start) ||
		   kvar_u64(h->k, h->r, Y_SWIOTLB_END, 0, &end)) {
		return;
	}
	if (!start || end <= start)
		return;
	o = held_get(h, OWNER_DMA, at ? at : layout_symbol(l, Y_SWIOTLB_START), &fresh);
	o->kernel = true;
	o->what = "bounce buffers (swiotlb)";
	o->incomplete |= !take_range(h, o, start, end - start, CLASS_SWIOTLB);
}

static void take_cpu_frags(struct holding *h, enum layout_id id, uint32_t offset, const char *what)
{
	uint64_t page = UINT64_C(1) << h->k->page_shift, var = layout_symbol(&h->k->layout, id),
		 mask = h->k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX;
	struct held *o;
	bool fresh;

	if (!has(h->k, id) || !has(h->k, M_FRAGS_MEMORY))
		return;
	o = held_get(h, OWNER_FRAGS, var, &fresh);
	o->kernel = true;
	o->what = what;
	for (uint32_t i = 0; i < h->k->ncpus; i++) {
		uint64_t kva =
			held_member(h, o, (var + h->k->percpu[i] + offset) & mask, M_FRAGS_MEMORY) &
			~(page - 1);

		if (kva)
			held_linear(h, o, kva, 1, CLASS_FRAGS);
	}
}

static void take_task_frags(struct holding *h)
{
	const struct snapshot *s = h->s;

	for (uint32_t i = 0; i < s->ntasks && has(h->k, M_TASK_FRAG); i++) {
		struct held *o;
		uint64_t page;
		bool fresh;

		if (kmember_u64(h->k, h->r, s->tasks[i].addr, M_TASK_FRAG, &page) || !page)
			continue;
		o = held_get(h, OWNER_FRAGS, s->tasks[i].addr, &fresh);
		o->what = "of a task";
		held_folio(h, o, page, CLASS_FRAGS);
		if (s->tasks[i].proc < s->nprocs)
			held_by(h, o, s->tasks[i].proc);
	}
}

void pools_walk(struct holding *h)
{
	take_dma(h, Y_DMA_POOL_DMA, "zone DMA");
	take_dma(h, Y_DMA_POOL_DMA32, "zone DMA32");
	take_dma(h, Y_DMA_POOL_NORMAL, "any zone");
	take_swiotlb(h);
	take_cpu_frags(h, Y_NETDEV_FRAGS, 0, "of CPUs, outside of NAPI");
	if (has(h->k, M_NAPI_FRAGS_PAGE))
		take_cpu_frags(h, Y_NAPI_FRAGS, layout_offset(&h->k->layout, M_NAPI_FRAGS_PAGE),
			       "of CPUs, for NAPI");
	take_task_frags(h);
}
