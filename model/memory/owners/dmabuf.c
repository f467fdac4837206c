/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dmabuf.c - buffers of dma-buf by the processes that have them. Who made one knows its pages: the system heap
 * (drivers/dma-buf/heaps/system_heap.c, read in 6.12) has a table of them. Those of udmabuf are of a memfd.
 */
#include "facts/layout/file.h"
#include "facts/layout/holder.h"
#include "model/memory/owners/holding.h"

#define NAME_BYTES 64
#define ENTRIES_MAX (1u << 24)
#define SG_CHAIN UINT64_C(1)	/* of scatterlist.page_link: include/linux/scatterlist.h */
#define SG_END UINT64_C(2)

static void take_entry(struct holding *h, struct held *o, uint64_t page, uint64_t bytes)
{
	uint64_t pfn, size = UINT64_C(1) << h->k->page_shift;

	if (!memmap_page_pfn(&h->k->memmap, page, &pfn) || bytes / size > h->k->memmap.max_pfn) {
		o->incomplete = true;
		return;
	}
	held_frames(h, o, pfn, (bytes + size - 1) / size, CLASS_DMABUF);
}

static void take_table(struct holding *h, struct held *o, uint64_t table)
{
	uint32_t step = layout_size(&h->k->layout, S_SCATTERLIST);
	uint64_t at = held_member(h, o, table, M_SGT_LIST),
		 n = held_member(h, o, table, M_SGT_COUNT), link;

	if (!step || n > ENTRIES_MAX || !has(h->k, M_SG_LENGTH)) {
		o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; i < n && at && !o->incomplete; at += step) {
		link = held_member(h, o, at, M_SG_LINK);
		if (link & SG_CHAIN) {
			at = (link & ~(SG_CHAIN | SG_END)) - step;
			i += !holding_budget(h, o, 1);
			continue;
		}
		take_entry(h, o, link & ~(SG_CHAIN | SG_END), held_member(h, o, at, M_SG_LENGTH));
		i++;
		if (link & SG_END)
			break;
	}
}

static const char *text_at(struct holding *h, uint64_t at, char buf[NAME_BYTES])
{
	return at && !read_kva_str(h->r, at, buf, NAME_BYTES) ? buf : "";
}

void dmabuf_read(struct holding *h, struct held *o)
{
	char by[NAME_BYTES], name[NAME_BYTES];
	uint64_t ops = held_member(h, o, o->object, M_DMABUF_OPS),
		 private = held_member(h, o, o->object, M_DMABUF_PRIVATE);

	o->what = arena_printf(h->mem, "%llu bytes by %s %s",
			       (unsigned long long)held_member(h, o, o->object, M_DMABUF_SIZE),
			       text_at(h, holding_get(h, o->object, M_DMABUF_EXPORTER), by),
			       text_at(h, holding_get(h, o->object, M_DMABUF_NAME), name));
	held_memory(h, o, o->object);
	/* who made it, and so what it has, is told by its operations */
	o->incomplete |= !holding_mapped(h, ops);
	if (ops && ops == layout_symbol(&h->k->layout, Y_SYSTEM_HEAP_OPS) &&
	    has(h->k, M_HEAP_TABLE) && has(h->k, M_SGT_LIST) && has(h->k, M_SG_LINK))
		take_table(h, o, private + layout_offset(&h->k->layout, M_HEAP_TABLE));
}
