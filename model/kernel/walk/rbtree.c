/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbtree.c - see rbtree.h. */
#include "model/kernel/walk/rbtree.h"

#include "facts/layout/holder.h"
#include "model/kernel/kobj.h"

struct rbwalk rbwalk_start(const struct kernel *k, struct reader *r, uint64_t root, uint64_t budget)
{
	return (struct rbwalk){
		.k = k, .r = r, .waiting = { root }, .n = root != 0, .budget = budget
	};
}

static void fails(struct rbwalk *w, enum status st)
{
	if (!w->st)
		w->st = st;
}

static void push(struct rbwalk *w, uint64_t node, enum layout_id side)
{
	uint64_t child;
	enum status st = kmember_u64(w->k, w->r, node, side, &child);

	if (st)
		fails(w, st);
	else if (child && w->n == RB_DEPTH)
		fails(w, ST_LIMIT);
	else if (child)
		w->waiting[w->n++] = child;
}

bool rbwalk_next(struct rbwalk *w, uint64_t *node)
{
	while (w->n) {
		uint64_t at = w->waiting[--w->n];

		if (!w->budget) {
			fails(w, ST_LIMIT);
			return false;
		}
		w->budget--;
		if (!kernel_ptr_ok(w->k, at, w->k->dump->word_size)) {
			fails(w, ST_CORRUPT);
			continue;
		}
		push(w, at, M_RB_RIGHT);
		push(w, at, M_RB_LEFT);
		*node = at;
		return true;
	}
	return false;
}
