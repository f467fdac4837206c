/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipe.c - the pages that wait in a pipe: those of its used slots, and the spare ones that it
 * keeps (fs/pipe.c, read in 2.6.32, 5.4, 5.10, 6.1, 6.12, 7.2). Pages that were spliced into it are
 * their file's.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/holder.h"
#include "model/memory/owners/holding.h"

#define SLOTS_MAX (1u << 20)	/* pipe_max_size of root: 2 GiB of pages of 4 KiB are 2^19 */

struct used {
	uint64_t bufs, first, n, slots;
};

/* The slots: an array of its own, before 35f3d14dbbc5 (v2.6.35) inside the pipe. */
static bool read_slots(struct holding *h, uint64_t pipe, struct used *u)
{
	const struct member *m = &h->k->layout.v[M_PIPE_BUFS].m;

	if (m->is_array) {
		u->bufs = pipe + m->offset;
		u->slots = m->count;
	} else if (kmember_u64(h->k, h->r, pipe, M_PIPE_SLOTS, &u->slots) ||
		   kmember_u64(h->k, h->r, pipe, M_PIPE_BUFS, &u->bufs)) {
		return false;
	}
	return u->slots && u->slots <= SLOTS_MAX && !(u->slots & (u->slots - 1));
}

/* Which slots are used; head and tail are as wide as the kernel has them, and wrap. */
static bool read_used(struct holding *h, uint64_t pipe, struct used *u)
{
	uint64_t head;
	unsigned bits;

	if (!read_slots(h, pipe, u))
		return false;
	if (!has(h->k, M_PIPE_HEAD))
		return !kmember_u64(h->k, h->r, pipe, M_PIPE_FIRST, &u->first) &&
		       !kmember_u64(h->k, h->r, pipe, M_PIPE_USED, &u->n) && u->n <= u->slots;
	if (kmember_u64(h->k, h->r, pipe, M_PIPE_HEAD, &head) ||
	    kmember_u64(h->k, h->r, pipe, M_PIPE_TAIL, &u->first))
		return false;
	bits = 8 * h->k->layout.v[M_PIPE_HEAD].m.size;
	u->n = (head - u->first) & (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
	return u->n <= u->slots;
}

static void take_spare(struct holding *h, struct held *o)
{
	const struct member *m = &h->k->layout.v[M_PIPE_SPARE].m;
	uint32_t n = m->is_array ? m->count : 1, word = h->k->dump->word_size;
	uint64_t page;

	for (uint32_t i = 0; has(h->k, M_PIPE_SPARE) && i < n; i++)
		if (!read_kva_word(h->r, o->object + m->offset + (uint64_t)i * word, &page) && page)
			held_folio(h, o, page, CLASS_PIPE);
}

void pipe_read(struct holding *h, struct held *o)
{
	uint32_t size = layout_size(&h->k->layout, S_PIPE_BUFFER);
	struct used u = { .n = 0 };
	uint64_t page;

	if (!size || !read_used(h, o->object, &u)) {
		o->incomplete = true;
		return;
	}
	held_memory(h, o, o->object);
	if (!h->k->layout.v[M_PIPE_BUFS].m.is_array)
		held_memory(h, o, u.bufs);
	for (uint64_t i = 0; i < u.n; i++) {
		uint64_t slot = u.bufs + ((u.first + i) & (u.slots - 1)) * size;

		if (kmember_u64(h->k, h->r, slot, M_PIPE_BUFFER_PAGE, &page))
			o->incomplete = true;
		else if (page)
			held_folio(h, o, page, CLASS_PIPE);
	}
	take_spare(h, o);
}
