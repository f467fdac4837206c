/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: fs/proc/{meminfo,version,uptime,stat}.c, mm/vmstat.c, swap_show() of
 * mm/swapfile.c, read in 5.10 ... 7.3.
 */
#include "reports/export/machine_text.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

/* Digits of a figure, at least: show_val_kb() has 8, what is printed by itself 5. */
static int digits(const char *name)
{
	bool by_itself = !strncmp(name, "HugePages_", 10) || !strcmp(name, "HardwareCorrupted") ||
			 !strcmp(name, "EarlyMemtestBad");

	return by_itself ? 5 : 8;
}

/* After a label of N characters: figures end in one column. Those of architectures have four. */
static int blanks(const char *name, int n)
{
	int left = 24 - digits(name) - n;

	if (!strncmp(name, "DirectMap", 9))
		return 4;
	return left > 0 ? left : 0;
}

/* A line whose value could not be read is left out; 0 would be wrong. */
static void write_meminfo(const struct snapshot *s, FILE *out)
{
	const struct machine *m = &s->machine;

	for (uint32_t i = 0; i < m->nmeminfo; i++) {
		const char *name = m->meminfo[i].name;
		uint64_t v = m->meminfo[i].value;
		bool counted;
		int n;

		if (v == UINT64_MAX)
			continue;
		counted = !strncmp(name, "HugePages_", 10);
		n = fprintf(out, "%s:", name);
		fprintf(out, "%*s%*" PRIu64 "%s\n", blanks(name, n), "", digits(name),
			counted ? v : v >> 10, counted ? "" : " kB");
	}
}

static void write_vmstat(const struct snapshot *s, FILE *out)
{
	for (uint32_t i = 0; i < s->machine.nvmstat; i++)
		fprintf(out, "%s %" PRIu64 "\n", s->machine.vmstat[i].name,
			s->machine.vmstat[i].value);
}

/* seq_file_path(swap, file, " \t\n\\") */
static int put_path(FILE *out, const char *path)
{
	int n = 0;

	for (; *path; path++)
		if (strchr(" \t\n\\", *path))
			n += fprintf(out, "\\%03o", (unsigned char)*path);
		else
			n += putc(*path, out) != EOF;
	return n;
}

static void write_swaps(const struct snapshot *s, FILE *out)
{
	/* one more tab since 6f793940ad31 (v5.7), for wider numbers */
	static const struct era wide = { V(5, 7), 0 };
	const char *tab = in_era(s->k, wide) ? "\t" : "";
	uint64_t page = page_size(s);

	fprintf(out, "Filename\t\t\t\tType\t\tSize%s\tUsed%s\tPriority\n", tab, tab);
	for (uint32_t i = 0; i < s->machine.nswaps; i++) {
		const struct swap_area *a = &s->machine.swaps[i];
		uint64_t size = a->pages * page >> 10, used = a->used * page >> 10;
		int n;

		if (!a->active)
			continue;
		n = put_path(out, a->path ? a->path : "?");
		fprintf(out, "%*s%s\t%" PRIu64 "\t%s%" PRIu64 "\t%s%d\n", n < 40 ? 40 - n : 1, " ",
			a->blockdev ? "partition" : "file\t", size, size < 10000000 ? tab : "",
			used, used < 10000000 ? tab : "", a->prio);
	}
}

static void write_version(const struct snapshot *s, FILE *out)
{
	if (s->machine.banner)
		fprintf(out, "%s\n", s->machine.banner);
	else
		fprintf(out, "Linux version %s (unknown) %s\n", s->k->release, s->k->uts_version);
}

/* The idle times of CPUs are not summed up here: 0. */
static void write_uptime(const struct snapshot *s, FILE *out)
{
	uint64_t ns = s->machine.uptime;

	fprintf(out, "%" PRIu64 ".%02" PRIu64 " 0.00\n", ns / NSEC_PER_SEC,
		ns % NSEC_PER_SEC / (NSEC_PER_SEC / 100));
}

/* Times of CPUs are 0; tools come for btime. */
static void write_stat(const struct snapshot *s, FILE *out)
{
	const struct machine *m = &s->machine;
	int64_t boot = m->crash_time - (int64_t)(m->uptime / NSEC_PER_SEC);
	uint32_t running = 0, blocked = 0;

	for (uint32_t i = 0; i < s->ntasks; i++) {
		running += s->tasks[i].state == 'R' && s->tasks[i].pid;
		blocked += s->tasks[i].state == 'D';
	}
	fputs("cpu  0 0 0 0 0 0 0 0 0 0\n", out);
	for (uint32_t i = 0; i < s->k->ncpus; i++)
		fprintf(out, "cpu%" PRIu32 " 0 0 0 0 0 0 0 0 0 0\n", s->k->possible[i]);
	fprintf(out,
		"ctxt 0\nbtime %" PRId64 "\nprocesses %" PRIu32 "\nprocs_running %" PRIu32
		"\nprocs_blocked %" PRIu32 "\n",
		m->crash_time && boot > 0 ? boot : 0, s->ntasks, running, blocked);
}

void write_osrelease(const struct snapshot *s, FILE *out)
{
	fprintf(out, "%s\n", s->k->release);
}

const struct machine_file machine_files[] = {
	{ "meminfo", write_meminfo },
	{ "vmstat", write_vmstat },
	{ "swaps", write_swaps },
	{ "version", write_version },
	{ "uptime", write_uptime },
	{ "stat", write_stat },
	{ NULL, NULL }
};

const struct machine_file *machine_file(const char *name)
{
	const struct machine_file *f = machine_files;

	while (f->name && strcmp(f->name, name))
		f++;
	return f;
}
