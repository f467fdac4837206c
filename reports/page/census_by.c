/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census --by - the classes of all of RAM, divided by node, zone, migrate type, order or cgroup. */
#include "reports/page/census.h"

#include <math.h>

#include "dumpread/base/bytes.h"
#include "model/memory/census/spread.h"
#include "reports/core/common.h"

struct row {
	const char *part, *class;
	uint64_t size;
	double percent;
};

#define S COL_SHOWN

static const struct column cols[] = {
	COL(struct row, part, COL_STR, S | COL_WIDE, "",
	    "node, node and zone, migrate type, order or control group; -: none, or not known"),
	COL(struct row, class, COL_STR, S | COL_WIDE, "", "class of page frames"),
	COL(struct row, size, COL_BYTES, S | COL_TOTAL, "bytes", "RAM of this class there"),
	COL(struct row, percent, COL_RATIO, S, "%", "of RAM"),
};

static enum status by_report(const struct snapshot *s, const struct report_opts *o, struct table *t,
			     struct diag *diag)
{
	enum spread_by by = spread_named(o->by);
	VEC(struct row) rows = { 0 };
	struct spread spread;
	const struct census *c = census_of(s);
	enum status st;

	st = spread_build(s, c, by, &t->mem, &spread);
	if (st)
		fail(diag, st, "this kernel does not show the %s of a frame", o->by);
	for (uint32_t i = 0; !st && i < spread.n; i++)
		for (unsigned j = 1; j < PAGE_CLASSES; j++) {
			uint64_t pages = spread.v[i].pages[j];

			if (!pages || page_class_is(j, CF_NO_RAM))
				continue;
			*vec_push(&t->mem, &rows) = (struct row){
				.part = spread.v[i].key,
				.class = page_class_name((enum page_class)j),
				.size = pages * page_size(s),
				.percent = c->ram ? 100.0 * (double)pages / (double)c->ram : NAN,
			};
		}
	t->rows = rows.v;
	t->nrows = rows.n;
	t->row_size = sizeof(struct row);
	return st;
}

const struct report report_census_by = {
	.name = "census",
	.about = "classes of all of RAM, divided once more",
	.needs = NEED_MACHINE | NEED_VMAS | NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_BY,
	.by = spread_names,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = by_report,
};
