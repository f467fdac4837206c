/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * total - total memory of each program and library, each frame once: its text, and the
 * data and .bss of all processes. Memory that belongs to no file has rows of its own, so
 * that the sum is the memory of all processes. In the USENIX 2005 paper this is Figure 6,
 * which counts data once for each process; the note is Figure 8.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/memory/areas/units.h"
#include "model/memory/trust/incomplete.h"
#include "model/memory/trust/verify.h"
#include "reports/charts/chart.h"
#include "reports/core/common.h"
#include "reports/core/usage_cols.h"
#include "reports/render/render.h"

struct row {
	const char *name, *incomplete;
	uint64_t number, executable, uses;
	uint64_t text, data, bss, rest, total, mapped;
	uint64_t virt_text, virt_data, virt_bss, virt_rest, virt_total;
	unsigned parts;			/* enum incomplete */
	/* pages as Figure 6 counts them: text once, data and bss in each process */
	struct { uint64_t text, data, bss; } paper;
};

#define SIZE(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define SUM (COL_SHOWN | COL_TOTAL)

static const struct column cols[] = {
	COL(struct row, number, COL_UINT, 0, "", "order in which it is first found"),
	COL(struct row, executable, COL_UINT, 0, "",
	    "1: a program or library; 0: other memory"),
	COL(struct row, uses, COL_UINT, COL_SHOWN, "", "processes that map it"),
	SIZE(text, SUM, "code and constants; each frame counts once, also in the next columns"),
	SIZE(data, SUM, "initialized data of all processes"),
	SIZE(bss, SUM, "zeroed data of a library, of all processes"),
	SIZE(rest, COL_TOTAL, "memory of no program or library"),
	SIZE(total, SUM, "text, data, bss and rest: distinct frames, each counted in only one row"),
	COL_AS(struct row, total, "frames", COL_BYTES, COL_TOTAL, "bytes", "the same as total"),
	SIZE(mapped, SUM, "resident memory of each process, added up: a shared frame counts in each"),
	SIZE(virt_text, COL_TOTAL, "virtual size of text, once"),
	SIZE(virt_data, COL_TOTAL, "virtual size of data, sum over all processes"),
	SIZE(virt_bss, COL_TOTAL, "virtual size of bss, sum over all processes"),
	SIZE(virt_rest, COL_TOTAL, "virtual size of rest"),
	SIZE(virt_total, SUM, "virtual size, counted like total"),
	COL(struct row, name, COL_STR, COL_SHOWN, "",
	    "file, or [stack], [heap], [anon], [file] ... of all processes"),
	U_INCOMPLETE(struct row),
};

struct maker {
	const struct snapshot *s;
	struct row *rows;
	uint32_t *of_file;		/* index in rows + 1 */
	uint32_t of_rest[AREA_CLASSES];
	uint32_t n;
	uint64_t page;
};

static struct row *total_row(struct maker *m, uint32_t *slot, const char *name, bool executable)
{
	if (!*slot) {
		m->rows[m->n] =
			(struct row){ .name = name, .number = m->n, .executable = executable };
		*slot = ++m->n;
	}
	return &m->rows[*slot - 1];
}

/* Adds U, with a virtual size of VIRT bytes, to the columns that every row has. */
static void add_unit(struct maker *m, struct row *r, const struct unit *u, uint64_t virt)
{
	r->total += unit_cost(u) * m->page;
	r->mapped += u->mapped * m->page;
	r->virt_total += virt;
	r->parts |= u->incomplete;
	r->incomplete = incomplete_text(r->parts);
}

static void add_part(struct maker *m, const struct unit *u)
{
	struct row *r = total_row(m, &m->of_file[u->file], unit_name(m->s, u), true);
	bool text = u->class == AREA_TEXT || u->class == AREA_LIB_TEXT;
	uint64_t cost = unit_cost(u) * m->page, virt = (text ? u->virt : u->virt_all) * m->page;

	r->uses = max_u64(r->uses, u->nprocs);
	add_unit(m, r, u, virt);
	if (text) {
		r->text += cost;
		r->virt_text += virt;
		r->paper.text += u->frames;
	} else if (u->class == AREA_LIB_BSS) {
		r->bss += cost;
		r->virt_bss += virt;
		r->paper.bss += u->mapped;
	} else {
		r->data += cost;
		r->virt_data += virt;
		r->paper.data += u->mapped;
	}
}

static void add_rest(struct maker *m, const struct unit *u)
{
	static const char *const names[AREA_CLASSES] = {
		[AREA_STACK] = "[stack]", [AREA_HEAP] = "[heap]", [AREA_ANON] = "[anon]",
		[AREA_FILE] = "[file]", [AREA_SHMEM] = "[shmem]", [AREA_HUGETLB] = "[hugetlb]",
		[AREA_OTHER] = "[other]", [AREA_NONE] = "[none]",
	};
	const char *name = u->class < AREA_CLASSES && names[u->class] ? names[u->class] : "[anon]";
	struct row *r = total_row(m, &m->of_rest[u->class], name, false);

	/* many units, of one process or of many: no telling how many different ones */
	r->uses = COL_UNKNOWN;
	add_unit(m, r, u, u->virt_all * m->page);
	r->rest = r->total;
	r->virt_rest = r->virt_total;
}

/* Part of the program's or library's own row? The paper leaves heaps and gaps out. */
static bool is_part(const struct unit *u)
{
	return u->code && u->file != NONE && u->class != AREA_HEAP && u->class != AREA_NONE;
}

static uint64_t user_frames(const struct snapshot *s)
{
	return s->verify->mapped;
}

static enum status total_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .page = page_size(s) };
	struct unit_list us;

	if (o->virt && !o->like)
		return fail(diag, ST_ABSENT,
			    "--virtual goes with --paper; here the columns "
			    "virt_text, virt_data, virt_bss, virt_total are virtual sizes");
	units_build(s, areas_build(s, &t->mem),
		    o->like ? UNITS_CODE | UNITS_FILES | UNITS_REST : UNITS_COSTS, &t->mem, &us);
	m.rows = arena_array(&t->mem, struct row, (size_t)s->nfiles + AREA_CLASSES);
	m.of_file = arena_array(&t->mem, uint32_t, s->nfiles);
	for (uint32_t i = 0; i < us.n; i++)
		if (is_part(&us.v[i]))
			add_part(&m, &us.v[i]);
	for (uint32_t i = 0; i < us.n; i++)
		if (!is_part(&us.v[i]))
			add_rest(&m, &us.v[i]);
	t->rows = m.rows;
	t->nrows = m.n;
	t->row_size = sizeof(struct row);
	t->incomplete = offsetof(struct row, incomplete);
	t->note = arena_printf(&t->mem, "User space pages: %" PRIu64, user_frames(s));
	return ST_OK;
}

/* ---- the paper's ---------------------------------------------------------------------- */

/* Figure 6 is a graph. These are its numbers in pages, in the form of Figure 2. */
static void paper_csv(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		      FILE *out)
{
	uint64_t page = page_size(s);

	fputs("Name, Total, .Text, .Data, .bss\n", out);
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct row *r = table_row(t, i);

		if (!r->executable)
			continue;
		put_csv(out, r->name);
		fprintf(out, ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
			o->virt ? r->virt_total / page
				: r->paper.text + r->paper.data + r->paper.bss,
			o->virt ? r->virt_text / page : r->paper.text,
			o->virt ? r->virt_data / page : r->paper.data,
			o->virt ? r->virt_bss / page : r->paper.bss);
	}
}

static void total_paper(const struct snapshot *s, const struct report_opts *o,
			const struct table *t, FILE *out)
{
	paper_csv(s, o, t, out);
	fprintf(out, "%s\n", t->note);
}

static const struct chart_series series[] = {
	{ "text", ".text", CHART_BLUE, "virt_text" },
	{ "data", ".data of all processes", CHART_ORANGE, "virt_data" },
	{ "bss", ".bss of all processes", CHART_GREEN, "virt_bss" },
	{ "rest", "of no program or library", CHART_GREY, "virt_rest" },
};

static const struct chart chart = {
	.title = "Memory of programs and libraries",
	.label = "name",
	.what = "distinct frames",
	.beside = "virtual size",
	.series = series,
	.nseries = ARRAY_LEN(series),
};

static const struct like likes[] = {
	{ .name = "paper",
	  .about = "pages of Figure 6 of the USENIX 2005 paper, comma separated",
	  .sort = "number", .text = total_paper, .csv = paper_csv, .opts = OPT_VIRTUAL },
	{ 0 }
};

const struct report report_total = {
	.name = "total",
	.about = "total memory of each program and library",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_FOUND,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-total,number",
	.run = total_report,
	.likes = likes,
	.chart = &chart,
	.help = "One row for each program and library: its text, and the data and .bss in all\n"
		"processes that use it. Memory of processes has its own rows, [stack] and so on:\n"
		"stacks, heaps (with the program's .bss), other anonymous memory, and files that no\n"
		"process maps executable. Each frame counts once, in the row where it is first found.\n"
		"So the sum of total is the memory of all processes; the note below repeats it in\n"
		"pages. mapped counts a shared frame in each process. A row is marked if one of its\n"
		"processes is incomplete.\n"
		"\n"
		"--paper prints programs and libraries in pages, comma separated, and counts data\n"
		"and .bss in each process, as Figure 6 does; with --virtual, their virtual size.",
};
