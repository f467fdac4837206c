/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpus.c - the possible CPUs, and where each has its per-CPU data. */
#include "model/kernel/cpus.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/issues.h"
#include "model/kernel/kobj.h"

#define CPUS_MAX 8192u		/* NR_CPUS of the largest configurations */

static bool cpu_bit(const struct kernel *k, const uint8_t *mask, uint32_t cpu)
{
	unsigned word = k->dump->word_size, bits = 8 * word;

	return load_uint(mask + cpu / bits * word, word, k->dump->big_endian) >> cpu % bits & 1;
}

/* No CPU is possible, says the mask, or none has an offset. One ran: that is CPU 0, as a rule. */
static void take_boot_cpu(struct kernel *k, struct reader *r, uint64_t offsets)
{
	k->ncpus = 1;
	k->possible[0] = 0;
	if (read_kva_word(r, offsets, &k->percpu[0]))
		k->percpu[0] = 0;
	issue_add(k->issues, ST_CORRUPT, "cpu mask", 1,
		  "no possible CPU has per-CPU data: CPU 0 is taken for the only one");
}

/*
 * Without the mask, or the offsets: 1 of a uniprocessor kernel. 0, unknown, of one that says "SMP" in
 * its version (scripts/mkcompile_h, later init/Makefile): its names were lost, or it is older than both.
 */
static uint32_t count_without_mask(struct kernel *k)
{
	if (!strstr(k->uts_version, " SMP"))
		return 1;
	if (k->dump->kallsyms_lost)
		issue_add(k->issues, k->dump->kallsyms_lost, "cpu mask", 1,
			  "the symbols of the possible CPUs were lost: one CPU is looked at");
	return 0;
}

void cpus_read(struct kernel *k, struct reader *r)
{
	uint64_t mask_kva = layout_symbol(&k->layout, Y_CPU_POSSIBLE);
	uint64_t offsets = layout_symbol(&k->layout, Y_PER_CPU_OFFSET), ids = CPUS_MAX;
	unsigned word = k->dump->word_size;
	uint8_t mask[CPUS_MAX / 8] = { 0 };

	k->percpu = arena_array(&k->dump->mem, uint64_t, 1);
	k->possible = arena_array(&k->dump->mem, uint32_t, 1);
	k->ncpus = 1;
	if (!offsets || !mask_kva) { /* per-CPU data is where its symbol says */
		k->cpus_possible = count_without_mask(k);
		return;
	}
	if (!kvar_u64(k, r, Y_NR_CPU_IDS, 4, &ids) && (!ids || ids > CPUS_MAX))
		ids = CPUS_MAX;
	/* the mask ends with nr_cpu_ids: the bytes after it are another variable */
	if (read_kva(r, mask_kva, mask, (ids + 8 * word - 1) / (8 * word) * word)) {
		issue_add(k->issues, ST_NODATA, "cpu mask", 1, "cannot read the possible CPUs");
		return;
	}
	k->percpu = arena_array(&k->dump->mem, uint64_t, ids);
	k->possible = arena_array(&k->dump->mem, uint32_t, ids);
	k->ncpus = 0;
	for (uint32_t cpu = 0; cpu < ids; cpu++) {
		uint64_t off;

		if (!cpu_bit(k, mask, cpu))
			continue;
		k->cpus_possible++;
		if (read_kva_word(r, offsets + (uint64_t)cpu * word, &off)) {
			issue_add(k->issues, ST_NODATA, "per-cpu offset", 1, "CPU %u", cpu);
			continue;
		}
		k->possible[k->ncpus] = cpu;
		k->percpu[k->ncpus++] = off;
	}
	if (!k->ncpus)
		take_boot_cpu(k, r, offsets);
}
