/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures 2 and 3 of P. Movall and others, "Linux Physical Memory Analysis" (USENIX 2005). */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/memory/areas/paper_counts.h"
#include "reports/charts/chart.h"
#include "reports/compat/like.h"
#include "reports/core/cell.h"
#include "reports/process/procs.h"
#include "reports/render/render.h"

/* In pages; its order of columns, and the name twice. */
LIKE_TEXT(paper_procs_csv)
{
	static const unsigned order[] = {
		AREA_STACK, AREA_DATA, AREA_TEXT, AREA_HEAP, AREA_LIB_BSS, AREA_LIB_DATA,
		AREA_LIB_TEXT,
	};
	uint32_t page = page_size(s);
	struct arena mem = { 0 };
	const struct area *areas = areas_build(s, &mem);
	struct paper_counts *counts = paper_counts_new(s);

	fputs("Name, RW Count, RX Count, Total, Name, Stack, .Data, .Text, Heap, Lib .bss, "
	      "Lib .data, Lib .text, Single, Multi\n",
	      out);
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct proc_row *r = table_row(t, i);
		const uint64_t *by = o->virt ? r->by.virt : r->by.phys;
		uint64_t rw = area_rw(by) / page, rx = area_rx(by) / page;
		struct paper_pages library = { 0 };

		if (r->space)
			paper_counts_library_text(counts, areas, r->space, &library);
		put_csv(out, r->comm);
		fprintf(out, ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", ", rw, rx, rw + rx);
		put_csv(out, r->comm);
		for (unsigned c = 0; c < ARRAY_LEN(order); c++)
			fprintf(out, ", %" PRIu64, by[order[c]] / page);
		fprintf(out, ", %" PRIu64 ", %" PRIu64 "\n", library.single, library.shared);
	}
	paper_counts_free(counts);
	arena_release(&mem);
}

/* Figure 3: one colour for each class, the virtual size beside the resident memory. */
static const struct chart_series series[] = {
	{ "stack", "stack", CHART_RED, "virt_stack" },
	{ "data", ".data", CHART_ORANGE, "virt_data" },
	{ "heap", "heap and .bss", CHART_YELLOW, "virt_heap" },
	{ "lib_data", "libraries' .data", CHART_PINK, "virt_lib_data" },
	{ "lib_bss", "libraries' .bss", CHART_GREEN, "virt_lib_bss" },
	{ "text", ".text", CHART_BLUE, "virt_text" },
	{ "lib_text", "libraries' .text", CHART_SKY, "virt_lib_text" },
};

const struct chart paper_procs_chart = {
	.title = "Memory of processes by class",
	.label = "comm",
	.id = "pid",
	.what = "resident memory",
	.beside = "virtual size",
	.series = series,
	.nseries = ARRAY_LEN(series),
};
