/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * list.c - walks a struct list_head, with a limit and a loop check.
 */
#include "model/kernel/walk/list.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"

struct listwalk listwalk_start(const struct kernel *k, struct reader *r, uint64_t head,
			       uint64_t budget)
{
	return (struct listwalk){ .k = k, .r = r, .head = head, .node = head, .budget = budget };
}

struct listwalk listwalk_backwards(const struct kernel *k, struct reader *r, uint64_t head,
				   uint64_t budget)
{
	struct listwalk w = listwalk_start(k, r, head, budget);

	w.backwards = true;
	return w;
}

static enum status read_links(struct listwalk *w, uint64_t node, uint64_t *ahead, uint64_t *behind)
{
	const struct layout *l = &w->k->layout;
	unsigned word = w->k->dump->word_size;
	bool big = w->k->dump->big_endian;
	uint8_t raw[16];
	uint64_t next, prev;
	enum status st = read_kva(w->r, node, raw, 2 * word);

	if (st)
		return st;
	/* list_head has been {next, prev} since 2.0; the offsets still come from types */
	next = load_uint(raw + (layout_offset(l, M_LIST_NEXT) ? word : 0), word, big);
	prev = load_uint(raw + (layout_offset(l, M_LIST_PREV) ? word : 0), word, big);
	*ahead = w->backwards ? prev : next;
	*behind = w->backwards ? next : prev;
	return ST_OK;
}

static bool end(struct listwalk *w, enum status st)
{
	w->st = st;
	return false;
}

bool listwalk_next(struct listwalk *w)
{
	uint64_t ahead, behind, unused;
	enum status st;

	if (w->st)
		return false;
	st = read_links(w, w->node, &ahead, &unused);
	if (st)
		return end(w, st);
	if (ahead == w->head && w->next_only)
		return false;
	if (ahead == w->head) {
		/* the head's other link points to the last node */
		st = read_links(w, w->head, &unused, &behind);
		return end(w, st ? st : behind == w->node ? ST_OK : ST_CORRUPT);
	}
	if (w->seen >= w->budget)
		return end(w, ST_LIMIT);
	if (!kernel_ptr_ok(w->k, ahead, w->k->dump->word_size))
		return end(w, ST_CORRUPT);
	st = read_links(w, ahead, &unused, &behind);
	if (st)
		return end(w, st);
	if (behind != w->node && !w->next_only)
		return end(w, ST_CORRUPT);
	w->node = ahead;
	w->seen++;
	return true;
}
