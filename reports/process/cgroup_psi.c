/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cgroups --psi: the share of time in which tasks waited, of the machine and of each group. */
#include <math.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/machine/psi.h"
#include "reports/core/common.h"
#include "reports/process/cgroup_parts.h"

struct row {
	const char *path;
	double avg[PSI_STATES][3];
	uint64_t total[PSI_STATES];	/* us */
};

#define P COL_SHOWN
#define STATE(state, name, fl, about)                                                          \
	COL_AS(struct row, avg[state][0], name "_avg10", COL_RATIO, fl, "percent",             \
	       about ", over 10 s"),                                                           \
	COL_AS(struct row, avg[state][1], name "_avg60", COL_RATIO, fl, "percent", "over 60 s"), \
	COL_AS(struct row, avg[state][2], name "_avg300", COL_RATIO, fl, "percent",            \
	       "over 300 s"),                                                                  \
	COL_AS(struct row, total[state], name "_total", COL_UINT, fl, "us", "since boot, us")

static const struct column cols[] = {
	STATE(PSI_MEMORY_SOME, "some", P, "percent of time in which a task waited for memory"),
	STATE(PSI_MEMORY_FULL, "full", P, "percent of time in which all tasks waited for memory"),
	STATE(PSI_IO_SOME, "io_some", 0, "percent of time in which a task waited for I/O"),
	STATE(PSI_IO_FULL, "io_full", 0, "percent of time in which all tasks waited for I/O"),
	STATE(PSI_CPU_SOME, "cpu_some", 0, "percent of time in which a task waited for a CPU"),
	STATE(PSI_CPU_FULL, "cpu_full", 0, "percent of time in which all tasks did"),
	STATE(PSI_IRQ_FULL, "irq_full", 0, "percent of time that interrupts took"),
	COL(struct row, path, COL_STR, P, "", "path of the group; machine: /proc/pressure"),
};

static void set_row(const struct psi *p, const char *path, struct row *r)
{
	r->path = path;
	for (unsigned i = 0; i < PSI_STATES; i++) {
		for (unsigned w = 0; w < 3; w++)
			r->avg[i][w] = p->has[i] ? (double)p->avg[i][w] / 2048 : NAN;
		r->total[i] = p->has[i] ? p->total[i] / 1000 : COL_UNKNOWN;
	}
}

static enum status psi_report(const struct snapshot *s, const struct report_opts *o,
			      struct table *t, struct diag *diag)
{
	struct row *rows;
	struct psi p, *of;

	(void)o;
	if (!psi_of_machine(s->k, &p))
		return fail(diag, ST_ABSENT, "this image shows no pressure (PSI)");
	of = psi_of_cgroups(s, &t->mem);
	rows = arena_array(&t->mem, struct row, s->ncgroups + 1);
	set_row(&p, "machine", &rows[t->nrows++]);
	for (uint32_t i = 0; i < s->ncgroups; i++)
		if (of[i].known)
			set_row(&of[i], s->cgroups[i].path, &rows[t->nrows++]);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

const struct report report_cgroups_psi = {
	.name = "cgroups",
	.about = "pressure of the machine and of control groups",
	.needs = NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_PSI,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = psi_report,
};
