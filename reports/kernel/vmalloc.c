/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc - areas that vmalloc(), vmap() and ioremap() made: one row per caller, with --all one
 * per area.
 */
#include "model/kernel/vmalloc/vmalloc.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"

struct row {
	const char *kind, *caller, *module, *at;
	uint64_t areas, size, memory, address, phys, flags;
};

#define P COL_SHOWN

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, P, "",
	    "vmalloc, vmap, ioremap, dma, sparse, ram (vm_map_ram), lazy (unmapped)"),
	COL(struct row, areas, COL_UINT, P | COL_TOTAL, "", "areas"),
	COL(struct row, size, COL_BYTES, P | COL_TOTAL, "bytes",
	    "addresses, with the guard page of each area"),
	COL(struct row, memory, COL_BYTES, P | COL_TOTAL, "bytes",
	    "pages that the area names, or that a sparse one maps; those of vmap belong to others too"),
	COL(struct row, address, COL_HEX, 0, "", "of an area: where it starts (--all)"),
	COL(struct row, phys, COL_HEX, 0, "", "of ioremap: physical address (--all)"),
	COL(struct row, flags, COL_HEX, 0, "", "of an area: VM_* of its vm_struct (--all)"),
	COL(struct row, module, COL_STR, P, "", "module of the caller; -: the kernel itself"),
	COL(struct row, caller, COL_STR, P, "", "function that asked for it"),
	COL(struct row, at, COL_STR, 0, "", "of an area: the place in the caller (--all)"),
};

struct maker {
	const struct snapshot *s;
	struct table *t;
	VEC(struct row) rows;
	struct hash by_caller;
};

static const char *kind(const struct vmalloc_area *a)
{
	static const struct {
		uint64_t flag;
		const char *name;
	} kinds[] = {
		{ AREA_IOREMAP, "ioremap" },  { AREA_SPARSE, "sparse" }, { AREA_ALLOC, "vmalloc" },
		{ AREA_DMA_COHERENT, "dma" }, { AREA_MAP, "vmap" },
	};

	if (a->kind != AREA_OF_VM)
		return a->kind == AREA_LAZY ? "lazy" : a->kind == AREA_RAM ? "ram" : "ending";
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (a->flags & kinds[i].flag)
			return kinds[i].name;
	return "other";
}

static const char *caller(const struct vmalloc_area *a, struct arena *mem)
{
	if (!a->caller)
		return NULL;
	return a->sym.name ? a->sym.name : arena_printf(mem, "%#" PRIx64, a->caller);
}

static struct row *row_of(struct maker *m, const struct vmalloc_area *a, bool all)
{
	const char *name = caller(a, &m->t->mem), *module = a->sym.module;
	uint64_t key = hash_str(arena_printf(&m->t->mem, "%s %s %s", kind(a), name ? name : "",
					     module ? module : ""));
	uint32_t i = all ? HASH_NONE : hash_get(&m->by_caller, key);
	struct row *r;

	if (i != HASH_NONE)
		return &m->rows.v[i];
	hash_put(&m->by_caller, key, (uint32_t)m->rows.n);
	r = vec_push(&m->t->mem, &m->rows);
	*r = (struct row){ .kind = kind(a),
			   .caller = name,
			   .module = module,
			   .address = COL_UNKNOWN,
			   .phys = COL_UNKNOWN,
			   .flags = COL_UNKNOWN };
	return r;
}

static void add_area(struct maker *m, const struct vmalloc_area *a, bool all)
{
	struct row *r = row_of(m, a, all);

	r->areas++;
	r->size += a->size;
	r->memory += (a->npages + a->mapped) << m->s->k->page_shift;
	if (!all)
		return;
	r->address = a->start;
	if (a->flags & AREA_IOREMAP)
		r->phys = a->phys;
	if (a->kind == AREA_OF_VM)
		r->flags = a->flags;
	if (a->sym.name)
		r->at = arena_printf(&m->t->mem, "%s+%#" PRIx64 "/%#" PRIx64, a->sym.name,
				     a->sym.offset, a->sym.size);
}

static enum status vmalloc_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .t = t, .by_caller.mem = &t->mem };
	struct vmalloc va;

	if (vmalloc_build(s, &t->mem, &va))
		return fail(diag, ST_ABSENT, "this image does not show its vmalloc areas");
	for (uint32_t i = 0; i < va.n; i++)
		add_area(&m, &va.v[i], o->all);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	return ST_OK;
}

const struct report report_vmalloc = {
	.name = "vmalloc",
	.about = "areas of vmalloc, vmap and ioremap, by caller",
	.needs = NEED_KERNEL,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-memory,-size,caller,address",
	.run = vmalloc_report,
	.help = "One row for each function, and kind of area, that areas of the kernel's address\n"
		"space were made for; --all has one row for each area. Only vmalloc owns its pages:\n"
		"those of vmap belong to their maker, and ioremap has none. Names come from the\n"
		"kernel's own symbol table in the dump (kallsyms) and from those of its modules;\n"
		"without them the caller is an address.",
};
