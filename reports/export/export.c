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
	issue_add(s->k->issues, ST_CORRUPT, what, 1, pid > 0 ?
		  "pid %d is that of another too; this one is not exported" :
		  "pid %d is none; it is not exported", pid);
	return false;
}

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
	.help = "No rows: files for other tools. \"proc DIR\" makes a directory that smem -S,\n"
		"ps_mem and readers of pagemap take for /proc: for each process stat, status,\n"
		"statm, comm, cmdline, cgroup, maps, smaps, smaps_rollup, pagemap and exe;\n"
		"meminfo, vmstat, swaps, version, uptime, stat, kpagecount and kpageflags. As\n"
		"root the directories belong to the users of their processes. DIR must be new\n"
		"or empty, or an export, which is replaced when all is written. What a dump does\n"
		"not tell is 0 or left out: docs/export.md. \"smemcap FILE\" is a tar file with what smem\n"
		"reads of these. \"tvpm\" is the text of the collector of Movall, Nelson and\n"
		"Wetzstein (USENIX 2005); such a text is also taken for IMAGE, by every report\n"
		"that needs no more than it has.",
};
