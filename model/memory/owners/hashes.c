/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hashes.c - hash tables that the kernel makes at boot once it has a page allocator
 * (alloc_large_system_hash(): whole pages, or vmalloc()). Read in 5.10, 6.1, 6.12, 7.3.
 */
#include "facts/layout/holder.h"
#include "model/memory/owners/holding.h"

#define NONE_ID LAYOUT_COUNT
#define ENTRIES_MAX (UINT64_C(1) << 32)

struct table {
	const char *what;
	enum layout_id var;		/* the variable: a pointer to the table, or a struct */
	enum layout_id pointer;		/* member of the struct; NONE_ID: the variable itself */
	enum layout_id last;		/* member or variable, 4 bytes: number of the last entry */
	bool count;			/* no: the number of entries */
	enum layout_id entry[3];	/* parts of an entry, by their types; none: see bytes */
	uint32_t bytes;			/* of an entry; 0: a word */
};

static const struct table tables[] = {
	{ "mounts", Y_MOUNT_HASH, NONE_ID, Y_MOUNT_HASH_MASK, false, { NONE_ID }, 0 },
	{ "mount points", Y_MOUNTPOINT_HASH, NONE_ID, Y_MOUNTPOINT_HASH_MASK, false, { NONE_ID }, 0 },
	{ "IP identifiers", Y_IP_IDENTS, NONE_ID, Y_IP_IDENTS_MASK, false, { NONE_ID }, 8 },
	{ "TCP connections", Y_TCP_HASH, M_TCP_EHASH, M_TCP_EHASH_MASK, false,
	  { S_TCP_EHASH, NONE_ID }, 0 },
	{ "TCP ports", Y_TCP_HASH, M_TCP_BHASH, M_TCP_BHASH_SIZE, true, { S_TCP_BHASH, NONE_ID }, 0 },
	{ "TCP listeners", Y_TCP_HASH, M_TCP_LHASH, M_TCP_LHASH_MASK, false,
	  { S_TCP_LHASH, NONE_ID }, 0 },
	{ "UDP sockets", Y_UDP_TABLE, M_UDP_HASH, M_UDP_MASK, false,
	  { S_UDP_SLOT, S_UDP_SLOT, NONE_ID }, 0 },
};

/* Entries of T, a power of two; 0: not known. */
static uint64_t entries(const struct holding *h, const struct table *t)
{
	uint64_t var = layout_symbol(&h->k->layout, t->var), n;

	if (t->pointer == NONE_ID ? kvar_u64(h->k, h->r, t->last, 4, &n)
				  : kmember_u64(h->k, h->r, var, t->last, &n))
		return 0;
	n += !t->count;
	return n & (n - 1) || n > ENTRIES_MAX || n > h->k->memmap.max_pfn << h->k->page_shift ? 0
											      : n;
}

/* Bytes of an entry; 0: not known. Ports have a second table behind the first (28044fc1d495, v6.1);
   UDP has two slots, or three of which one is of another type (dab78a1745ab, v6.13). */
static uint64_t entry_size(const struct kernel *k, const struct table *t)
{
	uint64_t sum = 0;

	if (t->entry[0] == NONE_ID)
		return t->bytes ? t->bytes : k->dump->word_size;
	for (unsigned i = 0; t->entry[i] != NONE_ID; i++) {
		if (!has(k, t->entry[i]))
			return 0;
		sum += layout_size(&k->layout, t->entry[i]);
	}
	if (t->pointer == M_TCP_BHASH && has(k, M_TCP_BHASH2))
		return sum * 2;
	if (t->pointer == M_UDP_HASH && has(k, S_UDP_MAIN_SLOT))
		return sum + layout_size(&k->layout, S_UDP_MAIN_SLOT);
	return sum;
}

static void take_table(struct holding *h, const struct table *t)
{
	uint64_t at, pa, n, bytes, page = UINT64_C(1) << h->k->page_shift;
	struct held *o;
	bool fresh;

	if (!has(h->k, t->var) || (t->pointer != NONE_ID && !has(h->k, t->pointer)))
		return;
	if (t->pointer == NONE_ID ? kvar_u64(h->k, h->r, t->var, 0, &at)
				  : kmember_u64(h->k, h->r, layout_symbol(&h->k->layout, t->var),
						t->pointer, &at))
		at = 0;
	if (!has(h->k, t->last) || !entry_size(h->k, t)) /* the types of this kernel do not tell */
		return;
	n = entries(h, t);
	bytes = n * entry_size(h->k, t);
	o = held_get(h, OWNER_HASH, layout_symbol(&h->k->layout, t->var) + t->pointer, &fresh);
	o->kernel = true;
	o->what = t->what;
	/* such a table has at least a page, unless the command line wants less */
	o->incomplete |= bytes < page;
	if (vmalloc_at(h->areas, at))
		held_memory(h, o, at);
	else if (!holding_allocated(h, at) || at & (page - 1) || reader_kvtop(h->r, at, &pa, NULL))
		o->incomplete = true;
	else
		held_frames(h, o, pa >> h->k->page_shift, (bytes + page - 1) >> h->k->page_shift,
			    CLASS_HASH);
}

void hashes_walk(struct holding *h)
{
	for (unsigned i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		take_table(h, &tables[i]);
}
