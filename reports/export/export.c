/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export - the machine in the files of other tools, for them to read.
 */
#include "dumpread/base/bytes.h"
#include "reports/common.h"
#include "reports/export/products.h"

static const struct product products[] = {
	{ .name = "tvpm", .write = export_tvpm,
	  .about = "text of tasks, VMAs and pages, as the collector of USENIX'05 wrote it" },
	{ .name = "proc", .write = export_proc, .dest_word = true, .dir = true,
	  .needs = NEED_MACHINE | NEED_CGROUPS,
	  .about = "a directory with the files of /proc, for smem -S, ps_mem, page-types" },
	{ 0 }
};

static enum status run(const struct snapshot *s, const struct report_opts *o, struct table *t,
		       struct diag *diag)
{
	(void)s, (void)o, (void)t;
	return fail(diag, ST_ABSENT, "export has no rows");
}

const struct report report_export = {
	.name = "export",
	.about = "the machine in the files of other tools",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_PID,
	.run = run,
	.products = products,
	.help = "",
};
