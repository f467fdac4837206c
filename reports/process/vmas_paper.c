/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmas_paper.c - the vmas of each process with a map of their pages: Figure 4 of the
 * USENIX 2005 paper. A page shows how often it is used by the paper's count
 * (paper_counts.h): for 2.4 its references, otherwise its mappings.
 */
#include <inttypes.h>

#include "model/memory/areas/areas.h"
#include "model/memory/areas/paper_counts.h"
#include "reports/core/common.h"
#include "reports/page/glyphs.h"
#include "reports/process/vma_rows.h"
#include "reports/render/render.h"

struct printer {
	const struct snapshot *s;
	const struct area *areas;
	struct paper_counts *counts;
	FILE *out;
};

static void put_map(struct printer *p, const struct vma *v)
{
	struct arena mem = { 0 };
	struct residency map;

	residency_init(&map, p->s, &mem);
	paper_counts_map(p->counts, v, &map);
	glyphs_print(&map, (v->end - v->start) >> p->s->k->page_shift, p->out);
	arena_release(&mem);
}

static void paper_vma(struct printer *p, const struct vma *v)
{
	const struct area *a = &p->areas[v - p->s->vmas];
	struct paper_pages n;
	char sym[AREA_SYM];

	area_sym(a->flags, sym);
	paper_counts_vma(p->counts, v, &n);
	fprintf(p->out,
		"  vsize: %4" PRIu64 ", single: %4" PRIu64 ", shared: %4" PRIu64
		", flags: %s, 0X%08" PRIX64 ", 0X%08" PRIX64 ", name: ",
		(v->end - v->start) / page_size(p->s), n.single, n.shared, sym, v->start,
		v->end - 1);
	put_text(p->out, v->name && *v->name ? v->name : "NULL");
	putc('\n', p->out);
	put_map(p, v);
}

static void put_footer(struct printer *p, const char *comm, const struct mm *mm)
{
	uint64_t page = page_size(p->s), rw, rx;
	struct paper_pages library;
	struct area_sums by;

	area_sums(p->s, p->areas, mm, &by);
	paper_counts_library_text(p->counts, p->areas, mm, &library);
	rw = area_rw(by.phys) / page;
	rx = area_rx(by.phys) / page;
	fputs("Process \"", p->out);
	put_text(p->out, comm);
	fprintf(p->out,
		"\" has %" PRIu64 " rw and %" PRIu64 " rx pages, (%" PRIu64
		" pages total)\n\tFor [",
		rw, rx, rw + rx);
	put_text(p->out, comm);
	fprintf(p->out,
		"]: %" PRIu64 " stack, %" PRIu64 " data, %" PRIu64 " .text, %" PRIu64
		" heap\n\tFor libraries: %" PRIu64 " .bss, %" PRIu64 " .data, %" PRIu64
		" .text\n\t  %" PRIu64 " are used only in this process, %" PRIu64 " are shared\n",
		by.phys[AREA_STACK] / page, by.phys[AREA_DATA] / page, by.phys[AREA_TEXT] / page,
		by.phys[AREA_HEAP] / page, by.phys[AREA_LIB_BSS] / page,
		by.phys[AREA_LIB_DATA] / page, by.phys[AREA_LIB_TEXT] / page, library.single,
		library.shared);
}

void vmas_paper(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		FILE *out)
{
	struct printer p = { .s = s, .out = out };
	struct arena mem = { 0 };

	(void)o;
	p.areas = areas_build(s, &mem);
	p.counts = paper_counts_new(s);
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct vma_row *r = table_row(t, i), *next = r + 1;
		const char *comm = r->comm ? r->comm : "?";

		if (!i || r[-1].vma->mm != r->vma->mm) {
			put_text(out, comm);
			fputs(":\n", out);
		}
		paper_vma(&p, r->vma);
		if (i + 1 == t->nrows || next->vma->mm != r->vma->mm)
			put_footer(&p, comm, &s->mms[r->vma->mm]);
	}
	paper_counts_free(p.counts);
	arena_release(&mem);
}
