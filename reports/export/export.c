/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export - files for other tools: a /proc tree, a tar file, text.
 */
#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/export/products.h"

static const struct product products[] = {
	{ .name = "tvpm", .write = export_tvpm,
	  .about = "text of tasks, vmas and pages, as the collector of USENIX'05 wrote it" },
	{ .name = "proc", .write = export_proc, .dest_word = true, .dir = true,
	  .needs = NEED_MACHINE | NEED_CGROUPS,
	  .about = "a directory with the files of /proc, for smem -S, ps_mem, page-types" },
	{ .name = "smemcap", .write = export_smemcap, .dest_word = true, .needs = NEED_MACHINE,
	  .about = "a tar file as smemcap writes it, for smem -S" },
	{ 0 }
};

bool export_takes(const struct snapshot *s, struct hash *seen, int32_t pid, const char *what)
{
	if (!pid)
		return false;
	if (pid > 0 && hash_get(seen, (uint64_t)pid) == HASH_NONE) {
		hash_put(seen, (uint64_t)pid, 0);
		return true;
	}
	issue_add(s->k->issues, ST_CORRUPT, what, 1,
		  pid > 0 ? "pid %d is that of another too; this one is not exported"
			  : "pid %d is none; it is not exported",
		  pid);
	return false;
}

static enum status export_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	(void)s, (void)o, (void)t;
	return fail(diag, ST_ABSENT, "export has no rows");
}

const struct report report_export = {
	.name = "export",
	.about = "files for other tools: a /proc tree, a tar file, text",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_PID,
	.run = export_report,
	.products = products,
	.help = "This report has no rows; it writes files for other tools. \"proc DIR\" makes a\n"
		"directory that smem -S, ps_mem and readers of pagemap accept as /proc. It has, for\n"
		"each process, stat, status, statm, comm, cmdline, cgroup, maps, smaps, smaps_rollup,\n"
		"pagemap and exe; also meminfo, vmstat, swaps, version, uptime, stat, kpagecount,\n"
		"kpageflags, kpagecgroup, zoneinfo, buddyinfo, pagetypeinfo, slabinfo, vmallocinfo and\n"
		"iomem; page_owner and allocinfo where the kernel keeps them; pressure, and the files\n"
		"of control groups below cgroup. Run as root, each\n"
		"directory belongs to the user of its process. DIR must be\n"
		"new, empty, or an earlier export, which is replaced when the new one is complete.\n"
		"Values that the dump does not have are 0 or left out: docs/export.md. \"smemcap FILE\"\n"
		"is a tar file with the files that smem reads. \"tvpm\" is the text of the collector of\n"
		"Movall, Nelson and Wetzstein (USENIX 2005). That text can be used as IMAGE, for every\n"
		"report that needs no more than it has.",
};
