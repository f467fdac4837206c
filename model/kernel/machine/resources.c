/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resources.c - the resource tree, as in /proc/iomem.
 */
#include "model/kernel/machine/resources.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"

/* Far more than any machine has; it limits the cost of a hostile tree. */
#define RESOURCES_MAX (1u << 16)
#define DEPTH_MAX 16
#define NAME_BYTES 128

struct walker {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct resources *rs;
	unsigned left;		/* resources that may still be read */
	unsigned nameless;	/* whose names could not be read */
};

struct resource {
	uint64_t start, end, child, sibling;
	const char *name;
};

/* The part [start, end] of WITHIN. */
static void add_span(struct walker *w, uint64_t start, uint64_t end,
		     const struct resource_span *within)
{
	if (within->name && start <= end)
		*vec_push(w->mem, &w->rs->v) =
			(struct resource_span){ start, end, within->name, within->ram };
}

static enum status read_one(struct walker *w, uint64_t addr, struct resource *ret)
{
	char name[NAME_BYTES];
	enum status st = ST_CORRUPT;
	struct kobj o;
	uint64_t text;

	if (!kernel_ptr_ok(w->k, addr, 4))
		return st;
	kobj_init(&o, w->k, S_RESOURCE);
	st = kobj_read(&o, w->r, addr);
	if (!st) {
		*ret = (struct resource){
			.start = kobj_u64(&o, M_RES_START),
			.end = kobj_u64(&o, M_RES_END),
			.child = kobj_u64(&o, M_RES_CHILD),
			.sibling = kobj_u64(&o, M_RES_SIBLING),
		};
		text = kobj_u64(&o, M_RES_NAME);
		if (text && read_kva_str(w->r, text, name, sizeof(name)))
			w->nameless++;
		else if (text && *name)
			ret->name = arena_strdup(w->mem, name);
	}
	kobj_release(&o);
	return st;
}

/*
 * The resources from FIRST on, which divide ALL. They ascend, so a list cannot be a circle. arm64
 * shows each piece of RAM that was reserved at boot, as "reserved".
 */
static enum status walk_resources(struct walker *w, uint64_t first, const struct resource_span *all,
				  unsigned depth)
{
	uint64_t lo = all->start, hi = all->end;
	struct resource one;

	for (uint64_t addr = first; addr; addr = one.sibling) {
		enum status st = !w->left-- || depth > DEPTH_MAX ? ST_LIMIT
								 : read_one(w, addr, &one);
		struct resource_span span;

		if (!st && (one.start < lo || one.end > hi || one.end < one.start))
			st = ST_CORRUPT;
		if (st)
			return st;
		*vec_push(w->mem, &w->rs->lines) =
			(struct resource_line){ one.start, one.end, one.name, depth };
		if (one.start > lo)
			add_span(w, lo, one.start - 1, all);
		span = (struct resource_span){ one.start, one.end, one.name,
					       all->ram || resource_is_ram(one.name) };
		st = walk_resources(w, one.child, &span, depth + 1);
		if (st)
			return st;
		if (one.end == hi)
			return one.sibling ? ST_CORRUPT : ST_OK;
		lo = one.end + 1;
	}
	add_span(w, lo, hi, all);
	return ST_OK;
}

void resources_read(const struct kernel *k, struct reader *r, struct arena *mem,
		    struct resources *ret)
{
	struct walker w = { .k = k, .r = r, .mem = mem, .rs = ret, .left = RESOURCES_MAX };
	uint64_t root = layout_symbol(&k->layout, Y_IOMEM_RESOURCE);
	struct resource all;
	enum status st;

	*ret = (struct resources){ .v = { 0 } };
	if (!root || !has(k, S_RESOURCE) || !has(k, M_RES_CHILD) || !has(k, M_RES_SIBLING))
		return;
	st = read_one(&w, root, &all);
	if (!st)
		st = walk_resources(&w, all.child,
				    &(struct resource_span){ all.start, all.end, NULL, false }, 0);
	ret->whole = !st && !w.nameless;
	ret->torn = !ret->whole;
	if (st)
		issue_add(k->issues, st, "resource tree", 1, "after %zu ranges", ret->v.n);
	if (w.nameless)
		issue_add(k->issues, ST_NODATA, "resource tree", w.nameless,
			  "ranges without their names");
}

void resources_shown(const struct snapshot *s, struct arena *mem, struct resources *ret)
{
	struct reader *r = kernel_reader(s->k);

	*ret = (struct resources){ .v = { 0 } };
	if (r)
		resources_read(s->k, r, mem, ret);
	reader_free(r);
}

const struct resource_span *resource_at(const struct resources *rs, uint64_t addr, size_t *at)
{
	while (*at < rs->v.n && rs->v.v[*at].end < addr)
		++*at;
	return *at < rs->v.n && rs->v.v[*at].start <= addr ? &rs->v.v[*at] : NULL;
}
