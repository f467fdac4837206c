/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swap_use.c - counts the references of page tables to each swap slot.
 */
#include "model/memory/usage/swap_use.h"

#include "model/kernel/page/swap.h"
#include "model/kernel/source.h"

#define SLOTS_MAX (UINT64_C(1) << 32)	/* of an area: 16 TiB; more is damage */
#define UNREAD_MAX (1u << 20)		/* after so many, the rest is counted as lost */

static void add_slot(struct swap_use *u, const struct swap_slot *slot)
{
	u->used += slot->used;
	u->cached += slot->used && slot->cached;
	u->cache_only += slot->used && slot->cached && !slot->count;
	u->shmem += slot->shmem;
}

static void scan(const struct snapshot *s, const struct swaps *w, struct reader *r, unsigned type,
		 struct swap_use *u)
{
	struct swap_cursor c;
	uint64_t max = w->file[type].max;

	if (max > SLOTS_MAX) {
		issue_add(s->k->issues, ST_LIMIT, "swap area", 1, "type %u: %llu slots", type,
			  (unsigned long long)max);
		return;
	}
	swap_cursor_init(&c, w, r);
	for (uint64_t i = 0; i < max && u->unread < UNREAD_MAX; i++) {
		struct swap_slot slot;

		u->slots++;
		if (swap_slot_read(&c, type, i, &slot))
			add_slot(u, &slot);
		else
			u->unread++;
	}
	swap_cursor_release(&c);
	if (u->unread)
		issue_add(s->k->issues, ST_NODATA, "swap slot", u->unread, "of type %u", type);
}

struct swap_use *swap_uses(const struct snapshot *s, struct arena *mem)
{
	struct swap_use *v = arena_array(mem, struct swap_use, s->machine.nswaps);
	struct swaps w;
	struct reader *r;

	if (!source_has(s->k, SOURCE_MEMORY) || !s->machine.nswaps)
		return v;
	r = reader_new(s->k->dump);
	swaps_init(&w, s->k, r);
	for (uint32_t i = 0; i < s->machine.nswaps; i++)
		if (s->machine.swaps[i].type < SWAP_TYPES)
			scan(s, &w, r, s->machine.swaps[i].type, &v[i]);
	reader_free(r);
	return v;
}
