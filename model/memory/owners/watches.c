/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * watches.c - files that wait for others: epoll (fs/eventpoll.c), inotify and fanotify (fs/notify/). What they
 * watch are objects of slabs. Types read in 6.1 and 7.3, sources in 6.12.
 */
#include "facts/layout/holder.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define WATCHES_MAX (1u << 26)
#define WAITS_MAX 64u		/* of a watched file: a wait queue or two */

static void take_item(void *arg, struct held *o, uint64_t item)
{
	struct holding *h = arg;
	const struct layout *l = &h->k->layout;
	struct listwalk w;
	uint64_t wait;

	held_memory(h, o, item);
	if (has(h->k, M_EPWAIT_NEXT)) {
		wait = held_member(h, o, item, M_EPITEM_WAITS);
		for (unsigned i = 0; wait && i < WAITS_MAX; i++) {
			held_memory(h, o, wait);
			wait = held_member(h, o, wait, M_EPWAIT_NEXT);
		}
	} else if (has(h->k, M_EPITEM_WAITS) && has(h->k, M_EPWAIT_LINK)) {
		w = listwalk_start(h->k, h->r, item + layout_offset(l, M_EPITEM_WAITS), WAITS_MAX);
		while (listwalk_next(&w))
			held_memory(h, o, w.node - layout_offset(l, M_EPWAIT_LINK));
		o->incomplete |= w.st != ST_OK;
	}
}

void epoll_read(struct holding *h, struct held *o)
{
	held_memory(h, o, o->object);
	if (has(h->k, M_EPOLL_TREE) && has(h->k, M_EPITEM_NODE))
		held_tree(h, o, held_member(h, o, o->object, M_EPOLL_TREE),
			  layout_offset(&h->k->layout, M_EPITEM_NODE), take_item);
}

/*
 * A mark is the first member of what inotify and fanotify keep of a file. Its file has a connector to its
 * marks, which goes with the last of them (fsnotify_put_mark()): with this one if it has no other.
 */
static void take_mark(struct holding *h, struct held *o, uint64_t mark)
{
	uint64_t connector = held_member(h, o, mark, M_FSN_CONNECTOR), first;

	held_memory(h, o, mark);
	if (!connector || !has(h->k, M_FSN_CONNECTOR_FIRST) || !has(h->k, M_FSN_MARK_NEXT))
		return;
	first = held_member(h, o, connector, M_FSN_CONNECTOR_FIRST);
	o->incomplete |= !holding_mapped(h, first);
	if (first - mark == layout_offset(&h->k->layout, M_FSN_MARK_NEXT) &&
	    !held_member(h, o, mark, M_FSN_MARK_NEXT))
		held_memory(h, o, connector);
}

void watches_read(struct holding *h, struct held *o)
{
	const struct layout *l = &h->k->layout;
	struct listwalk w;

	held_memory(h, o, o->object);
	if (!has(h->k, M_FSN_MARKS) || !has(h->k, M_FSN_MARK_LIST))
		return;
	w = listwalk_start(h->k, h->r, o->object + layout_offset(l, M_FSN_MARKS), WATCHES_MAX);
	while (listwalk_next(&w) && holding_budget(h, o, 1))
		take_mark(h, o, w.node - layout_offset(l, M_FSN_MARK_LIST));
	o->incomplete |= w.st != ST_OK;
}
