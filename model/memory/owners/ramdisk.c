/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ramdisk.c - what was written to disks in memory, /dev/ramN (drivers/block/brd.c; types of 6.1, 6.12, 7.3): a page
 * for each that was written, in a radix tree, which the xarray is as well.
 */
#include "facts/layout/module.h"
#include "model/kernel/walk/xarray.h"
#include "model/memory/owners/holding.h"

struct ramdisk {
	struct holding *h;
	struct held *o;
	uint64_t pages;			/* found */
};

static bool take_page(void *arg, const struct xa_entry *e)
{
	struct ramdisk *d = arg;

	held_folio(d->h, d->o, e->value, CLASS_RAMDISK);
	d->pages++;
	return holding_budget(d->h, d->o, 1);
}

/* The pages must be as many as it counts. */
static void take_pages(struct ramdisk *d, uint64_t brd)
{
	const struct kernel *k = d->h->k;

	if (xarray_walk(k, d->h->r, brd + layout_offset(&k->layout, M_BRD_PAGES), 0, UINT64_MAX,
			take_page, d))
		d->o->incomplete = true;
	if (has(k, M_BRD_COUNT))
		d->o->incomplete |= d->pages != held_member(d->h, d->o, brd, M_BRD_COUNT);
}

void ramdisk_read(struct holding *h, uint64_t disk, const char *name)
{
	struct ramdisk d = { .h = h };
	uint64_t brd, of;
	bool fresh;

	if (!has(h->k, M_DISK_PRIVATE) || !has(h->k, M_BRD_DISK) || !has(h->k, M_BRD_PAGES))
		return;
	if (kmember_u64(h->k, h->r, disk, M_DISK_PRIVATE, &brd) ||
	    kmember_u64(h->k, h->r, brd, M_BRD_DISK, &of) || of != disk) {
		holding_damaged(h, "ram disk", disk);
		return;
	}
	d.o = held_get(h, OWNER_RAMDISK, brd, &fresh);
	if (!fresh)
		return;
	d.o->kernel = true;
	d.o->what = arena_strdup(h->mem, name);
	held_memory(h, d.o, brd);
	take_pages(&d, brd);
}
