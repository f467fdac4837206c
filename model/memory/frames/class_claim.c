/* SPDX-License-Identifier: GPL-3.0-or-later */
/* class_claim.c - frames that are moved to another class, and marks. */
#include "model/memory/frames/classes.h"

void page_class_move(struct page_classes *c, uint8_t *b, enum page_class to)
{
	struct class_counts *from = &c->count[*b & BYTE_CLASS];
	bool mapped = *b & BYTE_MAPPED;

	from->pages--;
	from->mapped -= mapped;
	c->count[to].pages++;
	c->count[to].mapped += mapped;
	*b = (uint8_t)(to | (*b & (BYTE_MARK | BYTE_MAPPED)));
}

void page_classes_move(struct page_classes *c, enum page_class from, enum page_class to)
{
	for (uint64_t no = 0; no < c->nchunks && c->count[from].pages; no++)
		for (uint64_t i = 0; c->chunk[no] && i < FRAME_CHUNK; i++)
			if ((c->chunk[no][i] & BYTE_CLASS) == from)
				page_class_move(c, &c->chunk[no][i], to);
}

static void conflict(struct page_classes *c, uint64_t pfn, enum page_class is, enum page_class to)
{
	if (!c->conflict[is][to].frames++)
		c->conflict[is][to].pfn = pfn;
}

bool page_classes_mark(struct page_classes *c, uint64_t pfn)
{
	return page_classes_own(c, pfn) || page_class_at(c, pfn) == CLASS_NONE;
}

bool page_classes_own(struct page_classes *c, uint64_t pfn)
{
	if (page_class_at(c, pfn) == CLASS_NONE || page_class_marked(c, pfn))
		return false;
	*page_class_place(c, pfn) |= BYTE_MARK;
	return true;
}

void page_classes_unmark(struct page_classes *c)
{
	for (uint64_t no = 0; no < c->nchunks; no++)
		for (uint64_t i = 0; c->chunk[no] && i < FRAME_CHUNK; i++)
			c->chunk[no][i] &= (uint8_t)~BYTE_MARK;
}

bool page_classes_refine(struct page_classes *c, uint64_t pfn, enum page_class from,
			 enum page_class to)
{
	if (page_class_at(c, pfn) != from)
		return false;
	page_class_move(c, page_class_place(c, pfn), to);
	return true;
}

enum claim_result page_classes_claim(struct page_classes *c, uint64_t pfn, enum page_class to)
{
	enum page_class from = page_class_at(c, pfn);

	if (from == CLASS_NONE)
		return CLAIM_NONE;
	if (from == CLASS_HOLE) {
		conflict(c, pfn, from, to);
		return CLAIM_NONE;
	}
	if (from == to) {
		conflict(c, pfn, from, to);
		return CLAIM_OWN;
	}
	if (from != CLASS_UNKNOWN && from != CLASS_BOOT && from != CLASS_COMPOUND &&
	    from != CLASS_UNREAD) {
		conflict(c, pfn, from, to);
		return CLAIM_OTHER;
	}
	if (page_class_mapped(c, pfn) && page_class_is(to, CF_PRIVATE))
		conflict(c, pfn, from, to);
	page_class_move(c, page_class_place(c, pfn), to);
	return CLAIM_TAKEN;
}
