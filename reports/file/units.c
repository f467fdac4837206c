/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * units - one row for each part of a program or library, over all processes
 * that map it: Figure 5 of the USENIX 2005 paper.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/memory/areas/units.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"
#include "reports/core/usage_cols.h"
#include "reports/page/glyphs.h"
#include "reports/render/render.h"

struct row {
	const char *flags, *class, *name, *incomplete;
	uint64_t number, uses, offset, virt, resident, frames, cost, mapped, copies;
	const struct unit *unit;
};

#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define SIZE(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, number, COL_UINT, 0, "", "order in which it is first found"),
	COL(struct row, uses, COL_UINT, COL_SHOWN, "", "processes that map it"),
	STR(flags, COL_SHOWN, "S stack, X of the program, r w x, B .bss or heap"),
	STR(class, COL_SHOWN, "text, data, heap, lib_text, lib_data, lib_bss, none, file ..."),
	SIZE(offset, 0, "where it begins in the file; 0 for .bss"),
	COL_AS(struct row, virt, "virtual", COL_BYTES, COL_SHOWN, "bytes",
	       "virtual size of its largest vma"),
	SIZE(resident, COL_SHOWN, "of virtual: pages resident in at least one process"),
	SIZE(frames, COL_SHOWN, "memory: distinct frames of these vmas"),
	SIZE(cost, COL_SHOWN | COL_TOTAL, "of frames: those in no row with a lower number"),
	SIZE(mapped, COL_SHOWN | COL_TOTAL, "sum of the resident pages of each process"),
	SIZE(copies, COL_SHOWN | COL_TOTAL, "of mapped: private copies, not pages of the file"),
	STR(name, COL_SHOWN, "file"),
	U_INCOMPLETE(struct row),
};

static struct row make_row(const struct snapshot *s, const struct unit *u, uint32_t number,
			   struct arena *mem)
{
	uint64_t page = page_size(s);
	char sym[AREA_SYM];

	area_sym(u->flags, sym);
	return (struct row){
		.number = number,
		.uses = u->nprocs,
		.flags = arena_strdup(mem, sym),
		.class = area_class_name(u->class),
		.name = unit_name(s, u),
		.offset = u->offset * page,
		.virt = u->virt * page,
		.resident = u->resident * page,
		.frames = u->frames * page,
		.cost = unit_cost(u) * page,
		.mapped = u->mapped * page,
		.copies = u->copies * page,
		.unit = u,
		.incomplete = incomplete_text(u->incomplete),
	};
}

static enum status units_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	unsigned what = UNITS_CODE | (o->all ? UNITS_FILES : 0) | (o->like ? UNITS_MAPS : 0);
	struct unit_list *us = arena_alloc(&t->mem, sizeof(*us));
	struct row *rows;

	(void)diag;
	units_build(s, areas_build(s, &t->mem), what, &t->mem, us);
	t->rows = rows = arena_array(&t->mem, struct row, us->n);
	t->row_size = sizeof(*rows);
	t->incomplete = offsetof(struct row, incomplete);
	for (uint32_t i = 0; i < us->n; i++)
		if (us->v[i].file != NONE && (us->v[i].code || o->all))
			rows[t->nrows++] = make_row(s, &us->v[i], i, &t->mem);
	return ST_OK;
}

/* The blanks are the paper's. */
static void units_paper(const struct snapshot *s, const struct report_opts *o,
			const struct table *t, FILE *out)
{
	(void)s;
	(void)o;
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct row *r = table_row(t, i);
		const struct unit *u = r->unit;

		if (i)
			putc('\n', out);
		put_text(out, r->name);
		fprintf(out,
			" is used %" PRIu64 " times with %" PRIu64 " virtual pages  and %" PRIu64
			" resident pages and flags %s has the following map:\n",
			r->uses, u->virt, u->resident, r->flags);
		glyphs_print(&u->map, u->virt, out);
	}
}

static const struct like likes[] = {
	{ .name = "paper",
	  .about = "a map of the pages of each unit: Figure 5 of the USENIX 2005 paper",
	  .sort = "number", .text = units_paper },
	{ 0 }
};

const struct report report_units = {
	.name = "units",
	.about = "programs and libraries by part, over all processes",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-frames,number",
	.run = units_report,
	.likes = likes,
	.help = "One row for each executable unit: a part of an executable file - text, constants,\n"
		"data, .bss - over all processes that map it at the same offset with the same access.\n"
		"resident counts the pages that are resident in at least one process; virtual minus\n"
		"resident is memory that no process touched. copies are private pages: normal for\n"
		"data; for text they are the cost of relocations. --all adds files that no process\n"
		"maps executable.\n"
		"\n"
		"--paper draws the pages, 64 per line: '.' not resident, '1' to '9' the number of\n"
		"mms that have that page, '#' ten or more.",
};
