/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * procrank.c - Android's procrank (libmeminfo/tools/procrank.cpp).
 *
 * Its Swap counts page-table entries and no shmem. PSwap divides a slot by its references;
 * USwap has the slots with one reference. Shares are exact here. procrank divides each
 * page's size in integers, and takes slots of two areas for one.
 */
#include <inttypes.h>
#include <string.h>

#include "model/memory/trust/incomplete.h"
#include "reports/compat/like.h"

#define K6 "%6sK  "

static struct number kib_of(const struct snapshot *s, const char *line)
{
	return kib_number(meminfo_bytes(s, line));
}

static void system_lines(const struct snapshot *s, bool swap, FILE *out)
{
	uint64_t total = meminfo_bytes(s, "SwapTotal"), unused = meminfo_bytes(s, "SwapFree");
	uint64_t pool = machine_zsmalloc(&s->machine);
	const char *taken = "0K";
	char text[32];
	bool zram = false;

	for (uint32_t i = 0; i < s->machine.nswaps; i++)
		zram |= s->machine.swaps[i].path && strstr(s->machine.swaps[i].path, "/zram");
	/* each pool is in structures of a module, without types; all have a counter */
	if (zram && pool == UINT64_MAX) {
		taken = "?";
	} else if (zram) {
		snprintf(text, sizeof(text), "%" PRIu64 "K", pool * page_size(s) >> 10);
		taken = text;
	}
	if (swap)
		fprintf(out, "ZRAM: %s physical used for %sK in swap (%sK total swap)\n", taken,
			kib_number(total == COL_UNKNOWN || unused == COL_UNKNOWN ? COL_UNKNOWN
										 : total - unused)
				.text,
			kib_number(total).text);
	fprintf(out, " RAM: %sK total, %sK free, %sK buffers, %sK cached, %sK shmem, %sK slab\n",
		kib_of(s, "MemTotal").text, kib_of(s, "MemFree").text, kib_of(s, "Buffers").text,
		kib_of(s, "Cached").text, kib_of(s, "Shmem").text, kib_of(s, "Slab").text);
}

static void proc_line(const struct snapshot *s, const struct proc *p, const struct sums *u,
		      bool swap, struct arena *mem, FILE *out)
{
	fprintf(out, "%5d  %7sK  " K6 K6 K6, p->pid, kib_number(u->size).text,
		kib_number(u->rss).text, kib_number(u->pss).text, kib_number(u->uss).text);
	if (swap)
		fprintf(out, K6 K6 K6, kib_number(u->swap_ptes).text, kib_number(u->swap_pss).text,
			kib_number(u->swap_uss).text);
	put_field(out, proc_command(s, p, mem), 0, 0);
	putc('\n', out);
}

static void totals(const struct sums *u, bool swap, FILE *out)
{
	static const char rule[] = "------";

	fprintf(out, "%5s  %8s  %7s  %7s  %7s  ", "", "", "", rule, rule);
	if (swap)
		fprintf(out, "%7s  %7s  %7s  ", rule, rule, rule);
	fprintf(out, "%s\n%5s  %8s  %7s  " K6 K6, rule, "", "", "", kib_number(u->pss).text,
		kib_number(u->uss).text);
	if (swap)
		fprintf(out, K6 K6 K6, kib_number(u->swap_ptes).text, kib_number(u->swap_pss).text,
			kib_number(u->swap_uss).text);
	fputs("TOTAL\n\n", out);
}

LIKE_TEXT(procrank_text)
{
	bool swap = meminfo_bytes(s, "SwapTotal") != 0;
	struct sums sum = { 0 };
	struct arena mem = { 0 };

	(void)o;
	fprintf(out, "%5s  %8s  %7s  %7s  %7s  ", "PID", "Vss", "Rss", "Pss", "Uss");
	if (swap)
		fprintf(out, "%7s  %7s  %7s  ", "Swap", "PSwap", "USwap");
	fputs("cmdline\n", out);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct proc *p = row_proc(s, t, i);
		const struct mm *mm = p ? proc_mm(s, p) : NULL;
		struct usage_cells cells;
		struct sums u = { 0 };

		if (!mm || !mm->nvmas)
			continue;
		usage_cells_set(&cells, &mm->usage);
		usage_cells_forget(&cells, mm_incomplete(s, mm));
		sums_add(&u, &cells, SUMS_BYTES);
		proc_line(s, p, &u, swap, &mem, out);
		/* a shared mm is memory once, however many processes show it */
		if (mm->nprocs < 2 || &s->procs[mm->owner] == p)
			sums_add(&sum, &cells, SUMS_BYTES);
	}
	totals(&sum, swap, out);
	system_lines(s, swap, out);
	arena_release(&mem);
}
