/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source: mm/vmalloc.c, read in 5.10, 6.1, 6.12, 7.2: s_show(), vmalloc_info_show().
 */
#include "reports/export/vmalloc_text.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"

static void put_pointer(const struct vmalloc_shown *x, uint64_t addr, FILE *out)
{
	const struct pointer_print *p = &x->pointers;

	if (p->how == POINTERS_NO_KEY)
		fprintf(out, "0x%*s", (int)p->width,
			p->width == 16 ? "(____ptrval____)" : "(ptrval)");
	else
		fprintf(out, "0x%0*" PRIx64, (int)p->width, pointer_print(p, addr));
}

static void put_caller(const struct vmalloc_area *a, FILE *out)
{
	if (!a->caller)
		return;
	if (!a->sym.name) {
		fprintf(out, " 0x%" PRIx64, a->caller);
		return;
	}
	fprintf(out, " %s+0x%" PRIx64 "/0x%" PRIx64, a->sym.name, a->sym.offset, a->sym.size);
	if (a->sym.module)
		fprintf(out, " [%s]", a->sym.module);
}

static void put_flags(const struct vmalloc_shown *x, const struct vmalloc_area *a, FILE *out)
{
	static const struct {
		uint64_t flag;
		const char *text;
	} flags[] = {
		{ AREA_IOREMAP, " ioremap" }, { AREA_SPARSE, " sparse" },
		{ AREA_ALLOC, " vmalloc" },   { AREA_MAP, " vmap" },
		{ AREA_USER, " user" },	      { AREA_DMA_COHERENT, " dma-coherent" },
	};

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (a->flags & flags[i].flag)
			fputs(flags[i].text, out);
	if (a->pages && vmalloc_at(&x->areas, a->pages))
		fputs(" vpages", out);
}

static void put_area(const struct vmalloc_shown *x, uint32_t i, FILE *out)
{
	const struct vmalloc_area *a = &x->areas.v[i];

	put_pointer(x, a->start, out);
	fputc('-', out);
	put_pointer(x, a->start + a->size, out);
	fprintf(out, " %7" PRIu64, a->size);
	if (a->kind != AREA_OF_VM) {
		fputs(a->kind == AREA_LAZY ? " unpurged vm_area\n" : " vm_map_ram\n", out);
		return;
	}
	put_caller(a, out);
	if (a->npages)
		fprintf(out, " pages=%" PRIu64, a->npages);
	if (a->phys)
		fprintf(out, " phys=0x%0*" PRIx64, 2 * (int)x->areas.phys_bytes, a->phys);
	put_flags(x, a, out);
	for (uint32_t n = 0; x->by_node && x->by_node[i] && n < x->nnodes; n++)
		if (x->by_node[i][n] && !(a->flags & AREA_UNINITIALIZED))
			fprintf(out, " N%" PRId32 "=%" PRIu64, x->node_id[n], x->by_node[i][n]);
	fputc('\n', out);
}

/* An area that is being made: until 6.1 without its nodes, later not at all. */
void write_vmallocinfo(const struct snapshot *s, const struct vmalloc_shown *x, FILE *out)
{
	bool skips = kernel_rule(s->k, RULE_VMALLOC_RAM_MARKED);

	for (uint32_t i = 0; i < x->areas.n; i++)
		if (x->areas.v[i].kind != AREA_ENDING &&
		    !(skips && x->areas.v[i].flags & AREA_UNINITIALIZED))
			put_area(x, i, out);
}
