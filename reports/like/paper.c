/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figure 2 of P. Movall and others, "Linux Physical Memory Analysis" (USENIX 2005). */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "reports/cell.h"
#include "reports/like/like.h"
#include "reports/procs/procs.h"
#include "reports/render/render.h"

/* In pages; its order of columns, and the name twice. */
LIKE_TEXT(paper_procs_csv)
{
	static const unsigned order[] = {
		AREA_STACK, AREA_DATA, AREA_TEXT, AREA_HEAP, AREA_LIB_BSS, AREA_LIB_DATA,
		AREA_LIB_TEXT,
	};
	uint32_t page = page_size(s);

	fputs("Name, RW Count, RX Count, Total, Name, Stack, .Data, .Text, Heap, Lib .bss, "
	      "Lib .data, Lib .text, Single, Multi\n", out);
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct proc_row *r = table_row(t, i);
		const uint64_t *by = o->virt ? r->by.virt : r->by.phys;
		uint64_t rw = area_rw(by) / page, rx = area_rx(by) / page;

		put_csv(out, r->comm);
		fprintf(out, ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", ", rw, rx, rw + rx);
		put_csv(out, r->comm);
		for (unsigned c = 0; c < ARRAY_LEN(order); c++)
			fprintf(out, ", %" PRIu64, by[order[c]] / page);
		fprintf(out, ", %" PRIu64 ", %" PRIu64 "\n", r->by.lib_single / page,
			r->by.lib_multi / page);
	}
}
