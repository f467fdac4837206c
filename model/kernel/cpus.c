/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpus.c - the possible CPUs, and where each has its per-CPU data. */
#include "model/kernel/cpus.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/issues.h"
#include "facts/layout/base.h"
#include "facts/layout/census.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"

#define CPUS_MAX 8192u		/* NR_CPUS of the largest configurations */

/*
 * The possible CPUs, and the offset of each. mm/percpu.c has both a second time (pcpu_setup_first_chunk()): the unit
 * of memory of each CPU, and where it begins behind that of the first; setup_per_cpu_areas() adds BASE to it.
 */
struct cpus {
	struct kernel *k;
	struct reader *r;
	uint32_t ids;			/* CPUs have numbers below it */
	bool counted;			/* it is nr_cpu_ids */
	uint64_t offsets;		/* __per_cpu_offset[]; 0: unknown */
	uint8_t mask[CPUS_MAX / 8];
	bool masked;			/* it is known, and not empty */
	bool units;			/* the following is known */
	uint64_t unit_map, unit_offsets; /* int and unsigned long [nr_cpu_ids] */
	uint64_t base;			/* pcpu_base_addr - __per_cpu_start */
	uint32_t by_unit;		/* offsets that only its unit told */
};

/* Without nr_cpu_ids as many as there are units, which are no fewer than CPUs; else as the shortest mask has. */
static void count_ids(struct cpus *c)
{
	uint64_t n;

	c->counted = !kvar_u64(c->k, c->r, Y_NR_CPU_IDS, 4, &n) && n && n <= CPUS_MAX;
	if (!c->counted && (kvar_u64(c->k, c->r, Y_PCPU_UNITS, 4, &n) || !n || n > CPUS_MAX))
		n = 8 * c->k->dump->word_size;
	c->ids = (uint32_t)n;
}

static void find_units(struct cpus *c)
{
	const struct kernel *k = c->k;
	unsigned word = k->dump->word_size;
	uint64_t first;

	if (!c->counted || !has(k, Y_PCPU_START) || kvar_u64(k, c->r, Y_PCPU_BASE, 0, &first) ||
	    kvar_u64(k, c->r, Y_PCPU_UNIT_MAP, 0, &c->unit_map) ||
	    kvar_u64(k, c->r, Y_PCPU_UNIT_OFFSETS, 0, &c->unit_offsets))
		return;
	c->base = first - layout_symbol(&k->layout, Y_PCPU_START);
	c->units = kernel_ptr_ok(k, first, word) && kernel_ptr_ok(k, c->unit_map, 4) &&
		   kernel_ptr_ok(k, c->unit_offsets, word);
}

static bool cpu_bit(const struct cpus *c, uint32_t cpu)
{
	unsigned word = c->k->dump->word_size, bits = 8 * word;

	return load_uint(c->mask + cpu / bits * word, word, c->k->dump->big_endian) >> cpu % bits &
	       1;
}

static void read_mask(struct cpus *c)
{
	uint64_t kva = layout_symbol(&c->k->layout, Y_CPU_POSSIBLE);
	unsigned word = c->k->dump->word_size;

	/* the mask ends with nr_cpu_ids: the bytes after it are another variable */
	if (!kva || read_kva(c->r, kva, c->mask, (c->ids + 8 * word - 1) / (8 * word) * word))
		return;
	for (uint32_t cpu = 0; cpu < c->ids && !c->masked; cpu++)
		c->masked = cpu_bit(c, cpu);
}

/* UINT_MAX instead of a unit: the CPU is not possible. */
static bool is_possible(const struct cpus *c, uint32_t cpu)
{
	uint64_t unit;

	if (c->masked)
		return cpu_bit(c, cpu);
	return !read_kva_uint(c->r, c->unit_map + 4 * (uint64_t)cpu, 4, &unit) &&
	       unit != UINT32_MAX;
}

static bool offset_of(struct cpus *c, uint32_t cpu, uint64_t *ret)
{
	unsigned word = c->k->dump->word_size;
	uint64_t at = (uint64_t)cpu * word;

	if (c->offsets && !read_kva_word(c->r, c->offsets + at, ret))
		return true;
	if (!c->units || read_kva_word(c->r, c->unit_offsets + at, ret))
		return false;
	*ret += c->base;
	if (word == 4)
		*ret = (uint32_t)*ret;
	c->by_unit++;
	return true;
}

static void read_cpus(struct cpus *c)
{
	struct kernel *k = c->k;

	k->percpu = arena_array(&k->dump->mem, uint64_t, c->ids);
	k->possible = arena_array(&k->dump->mem, uint32_t, c->ids);
	k->ncpus = 0;
	for (uint32_t cpu = 0; cpu < c->ids; cpu++) {
		if (!is_possible(c, cpu))
			continue;
		k->cpus_possible++;
		k->possible[k->ncpus] = cpu;
		if (offset_of(c, cpu, &k->percpu[k->ncpus]))
			k->ncpus++;
		else
			issue_add(k->issues, ST_NODATA, "per-cpu offset", 1, "CPU %u", cpu);
	}
	if (!c->masked && k->cpus_possible)
		issue_add(k->issues, ST_NODATA, "cpu mask", 1,
			  "the possible CPUs are those that have a unit of per-CPU memory");
	if (c->by_unit)
		issue_add(k->issues, ST_NODATA, "per-cpu offset", c->by_unit,
			  "told by the unit of per-CPU memory");
}

/* No CPU is possible, says the mask, or none has an offset. One ran: that is CPU 0, as a rule. */
static void take_boot_cpu(const struct cpus *c)
{
	struct kernel *k = c->k;

	k->ncpus = 1;
	k->possible[0] = 0;
	if (!c->offsets || read_kva_word(c->r, c->offsets, &k->percpu[0]))
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
	struct cpus c = { .k = k, .r = r };

	c.offsets = layout_symbol(&k->layout, Y_PER_CPU_OFFSET);
	k->percpu = arena_array(&k->dump->mem, uint64_t, 1);
	k->possible = arena_array(&k->dump->mem, uint32_t, 1);
	k->ncpus = 1;
	count_ids(&c);
	find_units(&c);
	if (!c.units && (!c.offsets || !has(k, Y_CPU_POSSIBLE))) {
		/* per-CPU data is where its symbol says */
		k->cpus_possible = count_without_mask(k);
		return;
	}
	read_mask(&c);
	if (c.masked || c.units)
		read_cpus(&c);
	if (!k->cpus_possible || !k->ncpus)
		take_boot_cpu(&c);
}
