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

static uint64_t kib_of(const struct snapshot *s, const char *line)
{
	uint64_t v = machine_meminfo(&s->machine, line);

	return v == UINT64_MAX ? 0 : v >> 10;
}

static void system_lines(const struct snapshot *s, bool swap, FILE *out)
{
	uint64_t total = kib_of(s, "SwapTotal"), unused = kib_of(s, "SwapFree");
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
		fprintf(out,
			"ZRAM: %s physical used for %" PRIu64 "K in swap (%" PRIu64
			"K total swap)\n",
			taken, total - unused, total);
	fprintf(out,
		" RAM: %" PRIu64 "K total, %" PRIu64 "K free, %" PRIu64 "K buffers, %" PRIu64
		"K cached, %" PRIu64 "K shmem, %" PRIu64 "K slab\n",
		kib_of(s, "MemTotal"), kib_of(s, "MemFree"), kib_of(s, "Buffers"),
		kib_of(s, "Cached"), kib_of(s, "Shmem"), kib_of(s, "Slab"));
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
	bool swap = kib_of(s, "SwapTotal") != 0;
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
