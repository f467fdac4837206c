/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The groups of diff: lines of meminfo by subject, and each group as a table of its own. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/cell.h"
#include "reports/machine/diff.h"
#include "reports/render/render.h"

static const struct {
	const char *name, *title;
	const char *lines;		/* of meminfo, between blanks */
} groups[DIFF_GROUPS] = {
	[DIFF_PROCESSES] = { "processes", "PROCESSES, pss in KiB", NULL },
	[DIFF_PROGRAMS] = { "programs", "PROGRAMS, pss in KiB", NULL },
	[DIFF_OBJECTS] = { "objects", "OBJECTS, pss in KiB", NULL },
	[DIFF_MEMORY] = { "memory", "MEMORY, KiB",
			  " MemTotal MemFree MemAvailable CommitLimit Committed_AS CmaTotal CmaFree"
			  " Unaccepted HighTotal HighFree LowTotal LowFree Balloon " },
	[DIFF_USER] = { "process memory", "MEMORY OF PROCESSES, KiB",
			" AnonPages Mapped Shmem Active Inactive Active(anon) Inactive(anon)"
			" Unevictable Mlocked " },
	[DIFF_CACHE] = { "page cache", "PAGE CACHE, KiB",
			 " Cached Buffers Active(file) Inactive(file) Dirty Writeback WritebackTmp"
			 " NFS_Unstable " },
	[DIFF_SWAP] = { "swap", "SWAP, KiB",
			" SwapTotal SwapFree SwapCached Zswap Zswapped " },
	[DIFF_KERNEL] = { "kernel", "MEMORY OF THE KERNEL, KiB",
			  " Slab SReclaimable SUnreclaim KReclaimable KernelStack ShadowCallStack"
			  " PageTables SecPageTables Percpu VmallocTotal VmallocUsed VmallocChunk"
			  " Bounce Quicklists GPUActive GPUReclaim " },
	[DIFF_HUGE] = { "huge pages", "HUGE PAGES, KiB",
			" AnonHugePages ShmemHugePages ShmemPmdMapped FileHugePages FilePmdMapped"
			" Hugetlb Hugepagesize DirectMap4k DirectMap64k DirectMap1M DirectMap2M"
			" DirectMap4M DirectMap1G " },
	[DIFF_CLASSES] = { "classes", "CLASSES OF PAGE FRAMES, KiB", NULL },
	[DIFF_OTHER] = { "other", "OTHER COUNTERS, KiB", NULL },
};

const char *diff_group_name(enum diff_group group)
{
	return groups[group].name;
}

enum diff_group diff_line(const char *name, unsigned *line)
{
	char word[48];

	*line = 0;
	snprintf(word, sizeof(word), " %s ", name);
	for (int g = 0; g < DIFF_GROUPS; g++) {
		const char *at = groups[g].lines ? strstr(groups[g].lines, word) : NULL;

		if (at) {
			*line = (unsigned)(at - groups[g].lines);
			return (enum diff_group)g;
		}
	}
	return DIFF_OTHER;
}

/* With its sign, because the column shows growth. */
static void put_growth(FILE *out, int64_t bytes, int width)
{
	int64_t kib = bytes / 1024;

	if (bytes == COL_UNKNOWN_INT)
		fprintf(out, "%*s", width, "-");
	else
		fprintf(out, kib ? "%+*" PRId64 : "%*" PRId64, width, kib);
}

static void put_percent(FILE *out, double percent)
{
	if (isnan(percent))
		fprintf(out, "%9s", "-");
	else
		fprintf(out, "%+9.1f", percent);
}

static void put_row(const struct diff_row *r, FILE *out)
{
	if (r->of == DIFF_PROCESSES)
		fprintf(out, "%8" PRId64 "  ", r->pid);
	else
		fputs("  ", out);
	fprintf(out, "%-6s%12" PRIu64 "%12" PRIu64, r->change, r->before >> 10, r->after >> 10);
	put_growth(out, r->delta, 12);
	put_percent(out, r->percent);
	if (r->of < DIFF_MEMORY) {
		put_growth(out, r->uss_delta, 12);
		put_growth(out, r->swap_delta, 13);
	}
	fputs("  ", out);
	put_text(out, r->name);
	putc('\n', out);
}

static void put_head(enum diff_group g, FILE *out)
{
	fprintf(out, "%s\n%s%-6s%12s%12s%12s%9s", groups[g].title,
		g == DIFF_PROCESSES ? "     PID  " : "  ", "CHANGE", "BEFORE", "AFTER", "GROWTH",
		"%");
	fprintf(out, "%s  NAME\n", g < DIFF_MEMORY ? "  USS GROWTH  SWAP GROWTH" : "");
}

void diff_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
	       FILE *out)
{
	const char *gap = "";

	(void)s;
	(void)o;
	for (int g = 0; g < DIFF_GROUPS; g++) {
		bool any = false;

		for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
			const struct diff_row *r = table_row(t, i);

			if ((int)r->of != g)
				continue;
			if (!any) {
				fputs(gap, out);
				put_head(r->of, out);
			}
			any = true;
			gap = "\n";
			put_row(r, out);
		}
	}
	if (t->note)
		fprintf(out, "%s%s\n", gap, t->note);
}
