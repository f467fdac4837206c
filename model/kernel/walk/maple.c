/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Encoded node pointers (include/linux/maple_tree.h, v6.1 .. v7.3):
 *
 *     bits 8..   address of the node, 256-byte aligned
 *     bits 3..6  enum maple_type: 0 dense, 1 leaf_64, 2 range_64, 3 arange_64
 *     bit  2     always set by mt_mk_node()
 *     bit  1     set only in ma_root ("xa_is_node")
 *
 * A pivot is the inclusive end of its slot's range. A zero pivot after the first one ends
 * the data of the node, whose last range then extends to its max. The last slot of
 * range_64 and leaf_64 overlays the node's metadata, and is an entry only if all pivots
 * are in use: the same loop covers both.
 */
#include "model/kernel/walk/maple.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/issues.h"
#include "facts/layout/base.h"
#include "model/kernel/kobj.h"

#define NODE_ALIGN 256u
#define NODE_MASK (~(uint64_t)(NODE_ALIGN - 1))
#define NODE_BYTES 512		/* more than any struct maple_node */
#define DEPTH_MAX 31		/* MAPLE_HEIGHT_MAX */
#define MAPLE_NODES_MAX (1u << 22)	/* 64 million entries */

enum { MAPLE_DENSE, MAPLE_LEAF_64, MAPLE_RANGE_64, MAPLE_ARANGE_64 };

struct mwalk {
	const struct kernel *k;
	struct reader *r;
	bool (*fn)(void *arg, uint64_t entry, uint64_t first, uint64_t last);
	void *arg;
	uint64_t nodes;		/* visited */
	enum status st;		/* first damage met */
	bool stopped;		/* by fn */
};

/* xa_is_internal(): markers such as XA_ZERO_ENTRY are below 4096. */
static bool is_internal(uint64_t v)
{
	return (v & 3) == 2;
}

static void damage(struct mwalk *w, enum status st, uint64_t node, const char *what)
{
	issue_add(w->k->issues, st, "maple node", 1, "%s at %#" PRIx64, what, node);
	if (!w->st)
		w->st = st;
}

struct node_shape {
	unsigned nslots, npivots;
	uint32_t slot_off, pivot_off;
	bool leaf;
};

static bool node_shape(const struct kernel *k, unsigned type, struct node_shape *ret)
{
	bool arange = type == MAPLE_ARANGE_64;
	const struct fact *s = &k->layout.v[arange ? M_MN_A64_SLOT : M_MN_R64_SLOT];
	const struct fact *p = &k->layout.v[arange ? M_MN_A64_PIVOT : M_MN_R64_PIVOT];
	unsigned word = k->dump->word_size;

	if (type < MAPLE_LEAF_64 || type > MAPLE_ARANGE_64 || s->alt < 0 || p->alt < 0)
		return false;
	*ret = (struct node_shape){
		.nslots = s->m.count,
		.npivots = p->m.count,
		.slot_off = s->m.offset,
		.pivot_off = p->m.offset,
		.leaf = type == MAPLE_LEAF_64,
	};
	return ret->nslots && ret->npivots + 1 >= ret->nslots &&
	       ret->slot_off + ret->nslots * word <= NODE_BYTES &&
	       ret->pivot_off + ret->npivots * word <= NODE_BYTES;
}

/* A node's parent word is (parent node | slot and type bits), or (tree | 1). */
static bool parent_ok(const struct mwalk *w, const uint8_t *raw, uint64_t parent, bool root)
{
	uint64_t v = load_uint(raw + layout_offset(&w->k->layout, M_MN_PARENT),
			       w->k->dump->word_size, w->k->dump->big_endian);

	return root ? v & 1 : (v & NODE_MASK) == parent;
}

static void walk_node(struct mwalk *w, uint64_t enode, uint64_t parent, uint64_t min,
		      uint64_t max, unsigned depth);

static void visit_slot(struct mwalk *w, const struct node_shape *sh, uint64_t node, uint64_t entry,
		       uint64_t min, uint64_t max, unsigned depth)
{
	if (!sh->leaf) {
		if (entry)
			walk_node(w, entry, node, min, max, depth + 1);
		else
			damage(w, ST_CORRUPT, node, "empty slot in an inner node");
	} else if (entry && !is_internal(entry)) {
		w->stopped = !w->fn(w->arg, entry, min, max);
	}
}

static void walk_slots(struct mwalk *w, const struct node_shape *sh, const uint8_t *raw,
		       uint64_t node, uint64_t min, uint64_t max, unsigned depth)
{
	unsigned word = w->k->dump->word_size;
	bool big = w->k->dump->big_endian;

	for (unsigned i = 0; i < sh->nslots && !w->stopped; i++) {
		uint64_t hi = max;

		if (i < sh->npivots) {
			uint64_t p = load_uint(raw + sh->pivot_off + i * word, word, big);

			if (p || (!i && !min))
				hi = p;
		}
		if (hi < min || hi > max) {
			damage(w, ST_CORRUPT, node, "pivots out of order");
			return;
		}
		visit_slot(w, sh, node, load_uint(raw + sh->slot_off + i * word, word, big), min,
			   hi, depth);
		if (hi == max)
			return;
		min = hi + 1;
	}
}

static void walk_node(struct mwalk *w, uint64_t enode, uint64_t parent, uint64_t min, uint64_t max,
		      unsigned depth)
{
	uint64_t node = enode & NODE_MASK;
	uint32_t size = layout_size(&w->k->layout, S_MAPLE_NODE);
	uint8_t raw[NODE_BYTES] = { 0 };
	struct node_shape sh;
	enum status st;

	if (depth > DEPTH_MAX || ++w->nodes > MAPLE_NODES_MAX) {
		damage(w, ST_LIMIT, node, "tree too deep or too large");
		w->stopped = true;
		return;
	}
	if (!kernel_ptr_ok(w->k, node, NODE_ALIGN) || !node_shape(w->k, enode >> 3 & 0xf, &sh)) {
		damage(w, ST_CORRUPT, enode, "not a node");
		return;
	}
	st = read_kva(w->r, node, raw, size && size < NODE_BYTES ? size : NODE_ALIGN);
	if (st) {
		damage(w, st, node, "cannot read node");
		return;
	}
	if (!parent_ok(w, raw, parent, depth == 0)) {
		damage(w, ST_CORRUPT, node, "node does not name its parent");
		return;
	}
	walk_slots(w, &sh, raw, node, min, max, depth);
}

enum status maple_walk(const struct kernel *k, struct reader *r, uint64_t tree_kva,
		       bool (*fn)(void *arg, uint64_t entry, uint64_t first, uint64_t last),
		       void *arg)
{
	struct mwalk w = { .k = k, .r = r, .fn = fn, .arg = arg };
	uint64_t max = k->dump->word_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t root;
	enum status st = kmember_u64(k, r, tree_kva, M_MT_ROOT, &root);

	if (st) {
		damage(&w, st, tree_kva, "cannot read the root of the tree");
		return st;
	}
	/* above 4096 and "internal": a node; else one entry for index 0, or none */
	if (is_internal(root) && root > 4096)
		walk_node(&w, root & ~2ull, tree_kva, 0, max, 0);
	else if (root && !is_internal(root))
		fn(arg, root, 0, 0);
	return w.st;
}
