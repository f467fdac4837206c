/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagetables - page tables by mm: as the kernel counts them, and as the walk met them.
 */
#include <inttypes.h>
#include <math.h>

#include "dumpread/base/bytes.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"

struct row {
	int64_t pid;
	const char *comm, *incomplete;
	uint64_t counted, found, rss, size;
	double share;
};

#define P COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, pid, COL_INT, P, "", "first process that uses the mm"),
	BYTES(counted, P | COL_TOTAL, "page tables as the kernel counts them (VmPTE), without roots"),
	BYTES(found, P | COL_TOTAL, "page tables that the walk met below the root"),
	BYTES(rss, P, "resident memory"),
	BYTES(size, 0, "virtual size"),
	COL(struct row, share, COL_RATIO, P, "", "counted divided by rss: high if memory is sparse"),
	COL(struct row, comm, COL_STR, P, "", "name of the process"),
	COL(struct row, incomplete, COL_STR, 0, "", "what of the mm could not be read"),
};

static const char *tables_note(const struct snapshot *s, const struct row *rows, size_t n,
			       struct arena *mem)
{
	uint64_t counted = machine_meminfo(&s->machine, "PageTables"), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].counted == COL_UNKNOWN ? 0 : rows[i].counted;
	if (counted == UINT64_MAX)
		return NULL;
	return arena_printf(mem,
			    "counted %" PRIu64 " KiB, all page tables %" PRIu64
			    " KiB (PageTables); difference %+" PRId64
			    " KiB: it counts the levels that its release counts",
			    sum >> 10, counted >> 10,
			    (int64_t)(counted >> 10) - (int64_t)(sum >> 10));
}

static void set_row(const struct snapshot *s, const struct mm *mm, const struct proc *p,
		    struct row *r)
{
	*r = (struct row){
		.pid = p->pid,
		.comm = proc_comm(s, p),
		.counted = mm->pgtables_bytes,
		.found = mm->usage.table_bytes,
		.rss = mm->usage.rss,
		.size = mm->usage.size,
		.share = mm->usage.rss ? (double)mm->pgtables_bytes / (double)mm->usage.rss : NAN,
		.incomplete = incomplete_text(mm_incomplete(s, mm)),
	};
}

static enum status pagetables_report(const struct snapshot *s, const struct report_opts *o,
				     struct table *t, struct diag *diag)
{
	struct row *rows = arena_array(&t->mem, struct row, s->nmms);
	size_t n = 0;

	(void)o;
	(void)diag;
	for (uint32_t i = 0; i < s->nmms; i++)
		if (s->mms[i].owner < s->nprocs)
			set_row(s, &s->mms[i], &s->procs[s->mms[i].owner], &rows[n++]);
	t->rows = rows;
	t->nrows = n;
	t->row_size = sizeof(struct row);
	t->incomplete = offsetof(struct row, incomplete);
	t->note = tables_note(s, rows, n, &t->mem);
	return ST_OK;
}

const struct report report_pagetables = {
	.name = "pagetables",
	.about = "page tables of each mm",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_MACHINE,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-counted,pid",
	.run = pagetables_report,
	.help = "One row for each mm. counted is the kernel's number, found what the walk over its\n"
		"page tables met: the kernel also counts tables that it keeps for splitting huge\n"
		"pages, and those that map nothing. The line below compares the sum with the kernel's\n"
		"counter of all page tables. That one has tables of PTEs, and of other levels by\n"
		"release and CPU; VmPTE has all levels but the root, and\n"
		"with five levels the one below it.",
};
