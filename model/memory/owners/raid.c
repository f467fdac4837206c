/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * raid.c - stripes that arrays of RAID 4, 5 and 6 keep (drivers/md/raid5.c; types of 6.1, 6.12, 7.3): a page for
 * each device. Those that were ever used are in a hash table; those that are not in use, on one of some lists.
 */
#include "facts/layout/module.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define DEVICES_MAX 4096u	/* of an array: as many as one page of a superblock has room for */
#define LISTS_MAX 64u		/* NR_STRIPE_HASH_LOCKS is 8 */

struct array {
	struct holding *h;
	struct held *o;
	uint64_t conf, devices;
	struct hash stripes;	/* found */
};

/* A page of its own, also where it writes from that of a bio (R5_SkipCopy). */
static void take_device(const struct array *a, uint64_t device)
{
	struct holding *h = a->h;
	uint64_t page = held_member(h, a->o, device, M_R5DEV_PAGE),
		 own = held_member(h, a->o, device, M_R5DEV_OWN);
	const struct fact *skip = &h->k->layout.v[E_R5_SKIP_COPY];

	if (own)
		held_folio(h, a->o, own, CLASS_STRIPES);
	if (has(h->k, E_R5_SKIP_COPY) && (uint64_t)skip->value < 64 &&
	    held_member(h, a->o, device, M_R5DEV_FLAGS) >> skip->value & 1)
		return;
	if (page && page != own)
		held_folio(h, a->o, page, CLASS_STRIPES);
}

static bool take_stripe(struct array *a, uint64_t stripe)
{
	const struct layout *l = &a->h->k->layout;
	uint64_t device = stripe + layout_offset(l, M_STRIPE_DEVICES);

	if (held_member(a->h, a->o, stripe, M_STRIPE_CONF) != a->conf) {
		a->o->incomplete = true;
		return false;
	}
	if (hash_get(&a->stripes, stripe) != HASH_NONE)
		return true;
	if (!holding_budget(a->h, a->o, a->devices))
		return false;
	hash_put(&a->stripes, stripe, 0);
	held_memory(a->h, a->o, stripe);
	for (uint64_t i = 0; i < a->devices; i++)
		take_device(a, device + i * layout_size(l, S_R5DEV));
	return true;
}

static void take_list(struct array *a, uint64_t head)
{
	const struct kernel *k = a->h->k;
	struct listwalk w = listwalk_start(k, a->h->r, head, k->memmap.max_pfn);

	while (listwalk_next(&w) && holding_budget(a->h, a->o, 1))
		if (!take_stripe(a, w.node - layout_offset(&k->layout, M_STRIPE_LIST)))
			return;
	a->o->incomplete |= w.st != ST_OK;
}

/* Its chains begin in one page, and end with NULL. */
static void take_hash(struct array *a)
{
	const struct kernel *k = a->h->k;
	uint32_t word = k->dump->word_size;
	uint64_t table = held_member(a->h, a->o, a->conf, M_R5_HASH), node;

	if (!table)
		return;
	held_memory(a->h, a->o, table);
	for (uint64_t at = 0; at < UINT64_C(1) << k->page_shift; at += word) {
		if (read_kva_word(a->h->r, table + at, &node)) {
			a->o->incomplete = true;
			return;
		}
		while (node && holding_budget(a->h, a->o, 1)) {
			if (!take_stripe(a, node - layout_offset(&k->layout, M_STRIPE_HASH)))
				break;
			if (read_kva_word(a->h->r, node, &node)) {
				a->o->incomplete = true;
				break;
			}
		}
	}
}

/* What each CPU has to compute parity with. */
static void take_cpus(struct array *a)
{
	const struct kernel *k = a->h->k;
	uint64_t var = held_member(a->h, a->o, a->conf, M_R5_CPUS), at,
		 mask = k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX;

	for (uint32_t i = 0; var && i < k->ncpus; i++) {
		at = held_member(a->h, a->o, (var + k->percpu[i]) & mask, M_R5CPU_PAGE);
		if (at)
			held_folio(a->h, a->o, at, CLASS_STRIPES);
		at = held_member(a->h, a->o, (var + k->percpu[i]) & mask, M_R5CPU_SCRIBBLE);
		if (at)
			held_memory(a->h, a->o, at);
	}
}

/* The stripes must be as many as it counts. */
static void take_conf(struct array *a)
{
	const struct member *lists = &a->h->k->layout.v[M_R5_INACTIVE].m;

	held_memory(a->h, a->o, a->conf);
	a->devices = held_member(a->h, a->o, a->conf, M_R5_DEVICES);
	if (a->devices > DEVICES_MAX) {
		a->o->incomplete = true;
		return;
	}
	take_hash(a);
	for (uint32_t i = 0; i < lists->count && i < LISTS_MAX; i++)
		take_list(a, a->conf + lists->offset + (uint64_t)i * lists->stride);
	a->o->incomplete |= a->stripes.n != held_member(a->h, a->o, a->conf, M_R5_STRIPES);
	take_cpus(a);
}

/* Are the members of the types there that the walk needs? */
static bool is_known(const struct kernel *k)
{
	return has(k, M_DISK_PRIVATE) && has(k, M_MD_DISK) && has(k, M_MD_LEVEL) &&
	       has(k, M_MD_PRIVATE) && has(k, M_R5_ARRAY) && has(k, M_R5_HASH) &&
	       has(k, M_R5_INACTIVE) && has(k, M_R5_STRIPES) && has(k, M_R5_DEVICES) &&
	       has(k, M_STRIPE_HASH) && has(k, M_STRIPE_LIST) && has(k, M_STRIPE_CONF) &&
	       has(k, M_STRIPE_DEVICES) && has(k, M_R5DEV_PAGE) && layout_size(&k->layout, S_R5DEV);
}

void raid_read(struct holding *h, uint64_t disk, const char *name)
{
	struct array a = { .h = h, .stripes = { .mem = h->mem } };
	uint64_t mddev, level, of;
	bool fresh;

	if (!is_known(h->k))
		return;
	if (kmember_u64(h->k, h->r, disk, M_DISK_PRIVATE, &mddev) ||
	    kmember_u64(h->k, h->r, mddev, M_MD_DISK, &of) ||
	    kmember_u64(h->k, h->r, mddev, M_MD_LEVEL, &level) ||
	    kmember_u64(h->k, h->r, mddev, M_MD_PRIVATE, &a.conf) || of != disk) {
		holding_damaged(h, "array of the disk", disk);
		return;
	}
	if (level < 4 || level > 6 || !a.conf)
		return;
	a.o = held_get(h, OWNER_RAID, a.conf, &fresh);
	if (!fresh)
		return;
	a.o->kernel = true;
	a.o->what = arena_strdup(h->mem, name);
	if (held_member(h, a.o, a.conf, M_R5_ARRAY) == mddev)
		take_conf(&a);
	else
		a.o->incomplete = true;
}
