/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zonetest.c - watermarks, reserves and free blocks of a zone, against the request. */
#include "model/cause/event/zonetest.h"

#include <stdlib.h>
#include <string.h>

static bool names(const struct oom_event *e, const char *flag)
{
	return e->gfp_names && strstr(e->gfp_names, flag);
}

static bool is_node_zone(const struct oom_zone *a, const char *name, int64_t node)
{
	return a->node == node && !strcmp(a->name, name);
}

/* Place of zone NAME among those of NODE, -1: there is none. */
static int zone_place(const struct oom_event *e, const char *name, int64_t node)
{
	int at = 0;

	for (size_t i = 0; i < e->zones.n; i++) {
		if (is_node_zone(&e->zones.v[i], name, node))
			return at;
		at += e->zones.v[i].node == node;
	}
	return -1;
}

/*
 * The entry of lowmem_reserve[] for this request, pages: that of the highest zone it could
 * use. Zones without pages are not printed; their entries are as that of the zone before.
 */
static int64_t reserve_of(const struct oom_event *e, const struct oom_zone *z)
{
	const char *highest = names(e, "__GFP_DMA32")			     ? "DMA32"
			      : names(e, "__GFP_DMA") || names(e, "GFP_DMA") ? "DMA"
									     : "Normal";
	int at = zone_place(e, highest, z->node);
	bool high = names(e, "HIGH") || names(e, "MOVABLE");

	if (!z->nreserve)
		return 0;
	/* no zone above those of the kernel: the last entry is for all */
	if (at < 0 ||
	    (!strcmp(highest, "Normal") && (high || zone_place(e, "HighMem", z->node) < 0)))
		at = (int)z->nreserve - 1;
	return z->reserve[at < (int)z->nreserve ? at : (int)z->nreserve - 1];
}

/* Could the request take from this zone at all? */
static bool zone_allowed(const struct oom_event *e, const struct oom_zone *z)
{
	if (!strcmp(z->name, "Movable"))
		return names(e, "MOVABLE") != 0;
	if (!strcmp(z->name, "HighMem"))
		return names(e, "HIGH") != 0;
	if (names(e, "__GFP_DMA32"))
		return !strncmp(z->name, "DMA", 3);
	if (names(e, "__GFP_DMA"))
		return !strcmp(z->name, "DMA");
	return true;
}

static int64_t kib_of(const struct oom_zone *z, const char *key)
{
	int64_t v = oom_pair(&z->pairs, key);

	/* more than any machine has: products below stay in 64 bits */
	return v < 0 || v >> 50 ? OOM_UNKNOWN : v;
}

static int64_t or_0(int64_t v)
{
	return v == OOM_UNKNOWN ? 0 : v;
}

/* Free KiB that the request may use. */
static int64_t usable(const struct oom_event *e, const struct oom_zone *z)
{
	int64_t held = kib_of(z, "free_highatomic"), v = kib_of(z, "free");

	if (v == OOM_UNKNOWN)
		return v;
	v -= or_0(held == OOM_UNKNOWN ? kib_of(z, "reserved_highatomic") : held);
	if (!names(e, "MOVABLE"))
		v -= or_0(kib_of(z, "free_cma"));
	return v;
}

/* Order of the largest free block, -1: none, -2: not printed. */
static int largest(const struct oom_zone *z)
{
	int order = z->norders ? -1 : -2;

	for (unsigned i = 0; i < z->norders; i++)
		if (z->blocks[i] > 0)
			order = (int)i;
	return order;
}

static enum zone_result result_of(const struct oom_event *e, const struct oom_zone *z,
				  unsigned page_shift, struct zone_test *t)
{
	unsigned shift = page_shift - 10;
	int64_t min = kib_of(z, "min"), order = e->order < 0 ? 0 : e->order, need, have;

	if (t->usable == OOM_UNKNOWN || min == OOM_UNKNOWN || order > 20 ||
	    e->constraint == OOM_MEMCG)
		return ZONE_NOT_KNOWN;
	if (!zone_allowed(e, z))
		return ZONE_NOT_ALLOWED;
	/* it must have more than the mark after all but the last page were taken */
	need = (min >> shift) + t->reserve;
	have = (t->usable >> shift) - ((INT64_C(1) << order) - 1);
	t->lacking = have > need ? 0 : need - have + 1;
	if (t->lacking)
		return ZONE_BELOW_MIN;
	if (order && t->largest > -2 && t->largest < order)
		return ZONE_NO_BLOCK;
	return e->kind == OOM_KILL && or_0(kib_of(z, "high")) > t->usable ? ZONE_BELOW_HIGH
									  : ZONE_ENOUGH;
}

void zone_test(const struct oom_event *e, const struct oom_zone *z, unsigned page_shift,
	       struct zone_test *ret)
{
	*ret = (struct zone_test){ .lacking = OOM_UNKNOWN,
				   .reserve = reserve_of(e, z),
				   .usable = usable(e, z),
				   .largest = largest(z) };
	ret->result = result_of(e, z, page_shift, ret);
}

bool oom_node_in(const char *list, int64_t node)
{
	while (*list) {
		char *end;
		long long from = strtoll(list, &end, 10), to = from;

		if (end == list)
			return false;
		if (*end == '-') {
			list = end + 1;
			to = strtoll(list, &end, 10);
		}
		if (node >= from && node <= to)
			return true;
		list = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return false;
}
