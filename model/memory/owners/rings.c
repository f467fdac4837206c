/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rings.c - rings that the kernel shares with a process: io_uring (io_uring/io_uring.c, memmap.c;
 * fs/io_uring.c in 5.10) and perf (kernel/events/ring_buffer.c). Read in 5.10, 6.1, 6.12, 7.2.
 * Pages that the process gave are its own.
 */
#include "facts/layout/holder.h"
#include "model/memory/owners/holding.h"

#define RING_PAGES (1u << 24)

static bool is_page(const struct holding *h, uint64_t kva)
{
	return !(kva & ((UINT64_C(1) << h->k->page_shift) - 1));
}

/* Addresses of pages in linear memory. */
static void take_addresses(struct holding *h, struct held *o, uint64_t array, uint64_t n,
			   enum page_class to)
{
	uint32_t word = h->k->dump->word_size;
	uint64_t kva;

	if (n > RING_PAGES) {
		o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; array && i < n; i++) {
		if (!read_kva_word(h->r, array + i * word, &kva) && kva && is_page(h, kva))
			held_linear(h, o, kva, 1, to);
		else
			o->incomplete = true;
	}
}

/* ---- io_uring -------------------------------------------------------------------------------- */

static void take_region(struct holding *h, struct held *o, enum layout_id id)
{
	uint64_t region = o->object + layout_offset(&h->k->layout, id);

	if (has(h->k, id))
		held_page_array(h, o, held_member(h, o, region, M_REGION_PAGES),
				held_member(h, o, region, M_REGION_NR_PAGES), CLASS_URING);
}

/* To 6.13: a folio at RING, or, if there is one, an array of pages. */
static void take_ring(struct holding *h, struct held *o, enum layout_id ring, enum layout_id pages,
		      enum layout_id n)
{
	uint64_t array = held_member(h, o, o->object, pages),
		 kva = held_member(h, o, o->object, ring),
		 count = array ? held_member(h, o, o->object, n) : 0;

	o->incomplete |= array && !count;
	if (array)
		held_page_array(h, o, array, count, CLASS_URING);
	else if (kva)
		held_linear(h, o, kva, 1, CLASS_URING);
}

/* Pages that the process registered: its own, unless it has unmapped them. */
static void take_buffer(struct holding *h, struct held *o, uint64_t buf)
{
	uint32_t step = layout_size(&h->k->layout, S_BIO_VEC);
	uint64_t n = held_member(h, o, buf, M_UBUF_NR), page;
	uint64_t at = buf + layout_offset(&h->k->layout, M_UBUF_BVEC);

	if (!step || n > RING_PAGES || !holding_budget(h, o, n)) {
		o->incomplete = true;
		return;
	}
	held_memory(h, o, buf);
	for (uint64_t i = 0; i < n; i++, at += step)
		if (kmember_u64(h->k, h->r, at, M_BVEC_PAGE, &page))
			o->incomplete = true;
		else if (page)
			held_folio(h, o, page, CLASS_URING);
}

static void take_buffers(struct holding *h, struct held *o)
{
	bool table = has(h->k, M_URING_BUF_TABLE) && has(h->k, M_RSRC_NODES);
	uint64_t at = o->object + (table ? layout_offset(&h->k->layout, M_URING_BUF_TABLE) : 0);
	uint64_t n = held_member(h, o, at, table ? M_RSRC_NR : M_URING_NR_BUFS),
		 array = held_member(h, o, at, table ? M_RSRC_NODES : M_URING_BUFS), buf;
	uint32_t word = h->k->dump->word_size;

	if (!has(h->k, M_UBUF_NR) || !has(h->k, M_UBUF_BVEC) || !has(h->k, M_BVEC_PAGE))
		return;
	if (n > RING_PAGES) {
		o->incomplete = true;
		return;
	}
	for (uint64_t i = 0; array && i < n; i++) {
		if (read_kva_word(h->r, array + i * word, &buf)) {
			o->incomplete = true;
			continue;
		}
		if (table && buf)
			buf = held_member(h, o, buf, M_RSRC_BUF);
		if (kernel_ptr_ok(h->k, buf, word))
			take_buffer(h, o, buf);
		else if (buf)
			o->incomplete = true;
	}
}

void uring_read(struct holding *h, struct held *o)
{
	held_memory(h, o, o->object);
	take_buffers(h, o);
	if (has(h->k, M_URING_RING_REGION)) {
		take_region(h, o, M_URING_RING_REGION);
		take_region(h, o, M_URING_SQ_REGION);
		take_region(h, o, M_URING_PARAM_REGION);
		return;
	}
	take_ring(h, o, M_URING_RINGS, M_URING_RING_PAGES, M_URING_NR_RING_PAGES);
	take_ring(h, o, M_URING_SQES, M_URING_SQE_PAGES, M_URING_NR_SQE_PAGES);
}

/* ---- perf ------------------------------------------------------------------------------------ */

/* With CONFIG_PERF_USE_VMALLOC all data pages are one area. */
void perf_read(struct holding *h, struct held *o)
{
	uint64_t user = held_member(h, o, o->object, M_PERF_USER_PAGE),
		 n = held_member(h, o, o->object, M_PERF_NR_PAGES),
		 aux = held_member(h, o, o->object, M_PERF_NR_AUX);

	o->what = arena_printf(h->mem, "ring of %llu pages, %llu of AUX", (unsigned long long)n,
			       (unsigned long long)aux);
	held_memory(h, o, o->object);
	if (holding_area(h, user)) {
		held_memory(h, o, user);
	} else {
		o->incomplete |= !is_page(h, user);
		if (user)
			held_linear(h, o, user, 1, CLASS_PERF);
		take_addresses(h, o, o->object + layout_offset(&h->k->layout, M_PERF_DATA_PAGES), n,
			       CLASS_PERF);
	}
	take_addresses(h, o, held_member(h, o, o->object, M_PERF_AUX_PAGES), aux, CLASS_PERF);
}
