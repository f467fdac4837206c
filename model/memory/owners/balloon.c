/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * balloon.c - what balloons of virtio have given to the hypervisor: the list of their pages
 * (drivers/virtio/virtio_balloon.c, mm/balloon.c; read in 6.1, 6.12, 7.3). The devices are found
 * on the bus "virtio", by the name of their driver (drivers/base/bus.c).
 */
#include <inttypes.h>
#include <string.h>

#include "facts/layout/holder.h"
#include "facts/layout/module.h"
#include "model/kernel/page/page_list.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define BUSES_MAX 65536u
#define DEVICES_MAX (1u << 20)
#define NAME_BYTES 32
#define UNIT_SHIFT 12		/* VIRTIO_BALLOON_PFN_SHIFT */

static bool is_named(struct holding *h, uint64_t object, enum layout_id id, const char *name)
{
	char buf[NAME_BYTES];
	uint64_t at;

	if (kmember_u64(h->k, h->r, object, id, &at) || read_kva_str(h->r, at, buf, sizeof(buf))) {
		holding_damaged(h, "name of a bus or driver", object);
		return false;
	}
	return !strcmp(buf, name);
}

static void take_pages(struct holding *h, struct held *o, uint64_t balloon)
{
	const struct kernel *k = h->k;
	uint64_t pages = 0, pfn;
	struct listwalk w;

	w = listwalk_start(k, h->r, balloon + layout_offset(&k->layout, M_VBALLOON_PAGES),
			   k->memmap.max_pfn);
	for (; page_list_next(&w, &pfn); pages++)
		held_frames(h, o, pfn, 1, CLASS_OFFLINE);
	o->incomplete |= w.st != ST_OK || pages << (k->page_shift - UNIT_SHIFT) !=
						  held_member(h, o, balloon, M_VBALLOON_SIZE);
}

static void take_device(struct holding *h, uint64_t device)
{
	uint64_t virtio = device - layout_offset(&h->k->layout, M_VIRTIO_DEVICE), balloon, driver;
	struct held *o;
	bool fresh;

	if (kmember_u64(h->k, h->r, device, M_DEVICE_DRIVER, &driver)) {
		holding_damaged(h, "virtio device", device);
		return;
	}
	if (!driver || !is_named(h, driver, M_DRIVER_NAME, "virtio_balloon"))
		return;
	balloon = holding_get(h, virtio, M_VIRTIO_PRIVATE);
	o = held_get(h, OWNER_BALLOON, balloon ? balloon : device, &fresh);
	if (!fresh)
		return;
	o->kernel = true;
	o->what = "virtio_balloon";
	if (!balloon || held_member(h, o, balloon, M_VBALLOON_DEVICE) != virtio)
		o->incomplete = true;
	else
		take_pages(h, o, balloon);
}

/* The subsys_private of the bus "virtio", 0 if there is none. */
static uint64_t virtio_bus(struct holding *h)
{
	const struct layout *l = &h->k->layout;
	struct listwalk w;
	uint64_t kset;

	if (kvar_u64(h->k, h->r, Y_BUS_KSET, 0, &kset)) {
		holding_damaged(h, "list of buses", layout_symbol(l, Y_BUS_KSET));
		return 0;
	}
	w = listwalk_start(h->k, h->r, kset + layout_offset(l, M_KSET_LIST), BUSES_MAX);
	while (listwalk_next(&w)) {
		uint64_t subsys = w.node - layout_offset(l, M_KOBJECT_ENTRY) -
				  layout_offset(l, M_SUBSYS_KOBJ);

		uint64_t bus = holding_get(h, subsys, M_SUBSYS_BUS);

		if (is_named(h, bus, M_BUS_NAME, "virtio"))
			return subsys;
	}
	if (w.st)
		issue_add(h->k->issues, w.st, "owner", 1, "list of buses");
	return 0;
}

void balloons_walk(struct holding *h)
{
	const struct layout *l = &h->k->layout;
	struct listwalk w;
	uint64_t subsys;

	if (!has(h->k, Y_BUS_KSET) || !has(h->k, M_SUBSYS_BUS) || !has(h->k, M_KNODE_BUS) ||
	    !has(h->k, M_VIRTIO_DEVICE) || !has(h->k, M_VBALLOON_PAGES) ||
	    !has(h->k, M_VBALLOON_DEVICE))
		return;
	subsys = virtio_bus(h);
	if (!subsys)
		return;
	w = listwalk_start(h->k, h->r, subsys + layout_offset(l, M_SUBSYS_DEVICES), DEVICES_MAX);
	while (listwalk_next(&w))
		take_device(h,
			    holding_get(h, w.node - layout_offset(l, M_KNODE_BUS), M_KNODE_DEVICE));
	if (w.st)
		issue_add(h->k->issues, w.st, "owner", 1, "list of virtio devices");
}
