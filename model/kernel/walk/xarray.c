/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xarray.c - trees of pages, read-only. Three shapes:
 *
 *     since   root                    node tag       value    sibling slot
 *     4.20    xarray.xa_head          (v & 3) == 2   v & 1    (v & 3) == 2, v < 64 << 2
 *     4.7     radix_tree_root.rnode   (v & 3) == 1   v & 2    node tag, points into the
 *                                                             slots of its own node
 *     2.6     rnode and a height      bit 0 of rnode v & 2    none
 *
 * (include/linux/xarray.h, include/linux/radix-tree.h.) A node is believed
 * when it is a kernel pointer and its shift is less than its parent's, which
 * bounds the depth; a budget of nodes that memory can hold bounds the rest.
 */
#include "model/kernel/walk/xarray.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"

#define SLOTS_MAX 64		/* XA_CHUNK_SIZE; 16 with CONFIG_BASE_SMALL */
#define SIBLING_END (SLOTS_MAX << 2)
#define NODE_MIN 4096		/* internal entries below are not pointers */

enum shape { SHAPE_XARRAY, SHAPE_RADIX_SHIFT, SHAPE_RADIX_HEIGHT, SHAPE_NONE };

struct tree {
	const struct kernel *k;
	struct reader *r;
	enum shape shape;
	unsigned word, nslots, chunk_shift;
	uint32_t slots_off, shift_off;
	uint64_t first, last;
	uint64_t budget;		/* nodes that may still be read */
	bool (*fn)(void *arg, const struct xa_entry *e);
	void *arg;
	enum status st;			/* the worst error met */
};

struct node {
	uint64_t addr, base;		/* index of its first slot */
	unsigned shift;
	uint64_t slot[SLOTS_MAX];
};

static void damaged(struct tree *t, enum status st, uint64_t addr)
{
	t->st = st;
	issue_add(t->k->issues, st, "xarray node", 1, "at %#" PRIx64, addr);
}

static void tree_init(struct tree *t, const struct kernel *k, struct reader *r)
{
	const struct layout *l = &k->layout;
	enum layout_id slots = M_RADIX_NODE_SLOTS, size = S_RADIX_NODE;

	*t = (struct tree){ .k = k, .r = r, .word = k->dump->word_size };
	t->shape = SHAPE_RADIX_HEIGHT;
	if (has(k, M_XA_HEAD)) {
		t->shape = SHAPE_XARRAY;
		slots = M_XA_NODE_SLOTS;
		size = S_XA_NODE;
		t->shift_off = layout_offset(l, M_XA_NODE_SHIFT);
	} else if (has(k, M_RADIX_NODE_SHIFT)) {
		t->shape = SHAPE_RADIX_SHIFT;
		t->shift_off = layout_offset(l, M_RADIX_NODE_SHIFT);
	}
	t->slots_off = layout_offset(l, slots);
	t->nslots = l->v[slots].m.count;
	if (!has(k, slots) || t->nslots < 2 || t->nslots > SLOTS_MAX ||
	    (t->nslots & (t->nslots - 1)))
		t->shape = SHAPE_NONE;
	else
		t->chunk_shift = (unsigned)__builtin_ctz(t->nslots);
	t->budget = (k->dump->max_pfn << k->dump->page_shift) /
		    (layout_size(l, size) ? layout_size(l, size) : SLOTS_MAX);
}

/* ---- entries ----------------------------------------------------------------- */

static bool is_node(const struct tree *t, uint64_t v)
{
	switch (t->shape) {
	case SHAPE_XARRAY: return (v & 3) == 2 && v > NODE_MIN;
	case SHAPE_RADIX_SHIFT: return (v & 3) == 1;
	default: return false; /* the height decides, not the entry */
	}
}

static uint64_t node_addr(uint64_t v)
{
	return v & ~UINT64_C(3);
}

static bool is_sibling(const struct tree *t, const struct node *n, uint64_t v)
{
	uint64_t off;

	if (t->shape == SHAPE_XARRAY)
		return (v & 3) == 2 && v < SIBLING_END;
	if (t->shape != SHAPE_RADIX_SHIFT || (v & 3) != 1)
		return false;
	off = node_addr(v) - (n->addr + t->slots_off);
	return off < (uint64_t)t->nslots * t->word;
}

static unsigned sibling_slot(const struct tree *t, const struct node *n, uint64_t v)
{
	if (t->shape == SHAPE_XARRAY)
		return (unsigned)(v >> 2);
	return (unsigned)((node_addr(v) - (n->addr + t->slots_off)) / t->word);
}

/* Neither pointer nor value: XA_RETRY_ENTRY, XA_ZERO_ENTRY and their like. */
static bool is_marker(const struct tree *t, uint64_t v)
{
	return t->shape == SHAPE_XARRAY && (v & 3) == 2;
}

static bool emit(struct tree *t, uint64_t v, uint64_t index, unsigned order)
{
	bool value = v & (t->shape == SHAPE_XARRAY ? 1 : 2);
	struct xa_entry e = { .index = index, .order = order, .value = v, .is_value = value };

	/* an exceptional entry has its value above two bits, a value entry above one */
	if (value && t->shape != SHAPE_XARRAY)
		e.value = v >> 2 << 1 | 1;
	return t->fn(t->arg, &e);
}

/* xas_get_order(): a run of siblings doubles it. */
static unsigned entry_order(const struct tree *t, const struct node *n, unsigned i)
{
	unsigned order = 0;

	while (i + (1u << order) < t->nslots && is_sibling(t, n, n->slot[i + (1u << order)]))
		order++;
	return order + n->shift;
}

/* ---- nodes ------------------------------------------------------------------- */

static bool read_node(struct tree *t, struct node *n)
{
	uint8_t raw[SLOTS_MAX * 8], shift;
	enum status st = ST_CORRUPT;

	if (!t->budget)
		st = ST_LIMIT;
	else if (kernel_ptr_ok(t->k, n->addr, t->word))
		st = read_kva(t->r, n->addr + t->slots_off, raw, (size_t)t->nslots * t->word);
	if (!st && t->shape != SHAPE_RADIX_HEIGHT) {
		st = read_kva(t->r, n->addr + t->shift_off, &shift, 1);
		n->shift = shift;
	}
	if (!st && n->shift > 63)
		st = ST_CORRUPT;
	if (st) {
		damaged(t, st, n->addr);
		return false;
	}
	t->budget--;
	for (unsigned i = 0; i < t->nslots; i++)
		n->slot[i] = load_uint(raw + i * t->word, t->word, t->k->dump->big_endian);
	return true;
}

/* Last index below slot I, clipped. */
static uint64_t slot_end(const struct node *n, uint64_t index, unsigned order)
{
	uint64_t last = index + (order > 63 ? UINT64_MAX : (UINT64_C(1) << order) - 1);

	return last < n->base ? UINT64_MAX : last;
}

static bool walk_node(struct tree *t, struct node *n, unsigned above);

static bool walk_slot(struct tree *t, const struct node *n, unsigned i)
{
	uint64_t v = n->slot[i], index = n->base + ((uint64_t)i << n->shift);
	unsigned order;

	if (is_sibling(t, n, v) || !v)
		return true;
	if (is_node(t, v) || (t->shape == SHAPE_RADIX_HEIGHT && n->shift)) {
		struct node child = { .addr = node_addr(v),
				      .base = index,
				      .shift = n->shift - t->chunk_shift };

		if (slot_end(n, index, n->shift) < t->first || index > t->last)
			return true;
		return walk_node(t, &child, n->shift);
	}
	if (is_marker(t, v))
		return true;
	order = entry_order(t, n, i);
	if (slot_end(n, index, order) < t->first || index > t->last)
		return true;
	return emit(t, v, index, order);
}

/* First slot of N to look at: that of t->first, or its canonical slot. */
static unsigned first_slot(const struct tree *t, const struct node *n)
{
	uint64_t i = 0;

	if (t->first > n->base)
		i = (t->first - n->base) >> n->shift;
	if (i >= t->nslots)
		return t->nslots;
	if (is_sibling(t, n, n->slot[i]))
		i = min_u64(i, sibling_slot(t, n, n->slot[i]));
	return (unsigned)i;
}

/* ABOVE: shift of the parent; depth is bounded by its decrease. */
static bool walk_node(struct tree *t, struct node *n, unsigned above)
{
	if (!read_node(t, n))
		return true;
	if (n->shift >= above) {
		damaged(t, ST_CORRUPT, n->addr);
		return true;
	}
	for (unsigned i = first_slot(t, n); i < t->nslots; i++) {
		uint64_t index = n->base + ((uint64_t)i << n->shift);

		if (index > t->last || index < n->base)
			break;
		if (!walk_slot(t, n, i))
			return false;
	}
	return true;
}

/* Before 4.7 the root says how high the tree is; 0: the root is the entry. */
static bool root_height(struct tree *t, uint64_t root_kva, struct node *n)
{
	uint64_t height = 0;
	enum status st = kmember_u64(t->k, t->r, root_kva, M_RADIX_HEIGHT, &height);

	if (st || height > 64 / t->chunk_shift + 1) {
		damaged(t, st ? st : ST_CORRUPT, root_kva);
		return false;
	}
	n->shift = height ? (unsigned)(height - 1) * t->chunk_shift : 0;
	return height != 0;
}

enum status xarray_walk_within(const struct kernel *k, struct reader *r, uint64_t xa_kva,
			       uint64_t first, uint64_t last,
			       bool (*fn)(void *arg, const struct xa_entry *e), void *arg,
			       uint64_t *budget)
{
	struct node top = { 0 };
	struct tree t;
	uint64_t head, given;
	enum status st;

	tree_init(&t, k, r);
	if (t.shape == SHAPE_NONE)
		return ST_ABSENT;
	t.budget = given = min_u64(t.budget, *budget);
	t.first = first;
	t.last = last;
	t.fn = fn;
	t.arg = arg;
	st = kmember_u64(k, r, xa_kva, t.shape == SHAPE_XARRAY ? M_XA_HEAD : M_RADIX_RNODE, &head);
	if (st) {
		damaged(&t, st, xa_kva);
		return st;
	}
	if (!head)
		return ST_OK;
	top.addr = node_addr(head);
	if (t.shape == SHAPE_RADIX_HEIGHT ? root_height(&t, xa_kva, &top) : is_node(&t, head))
		walk_node(&t, &top, 64);
	else if (!t.st && first == 0 && !is_marker(&t, head))
		emit(&t, head, 0, 0);
	*budget -= given - t.budget;
	return t.st;
}

enum status xarray_walk(const struct kernel *k, struct reader *r, uint64_t xa_kva, uint64_t first,
			uint64_t last, bool (*fn)(void *arg, const struct xa_entry *e), void *arg)
{
	uint64_t budget = UINT64_MAX;

	return xarray_walk_within(k, r, xa_kva, first, last, fn, arg, &budget);
}
