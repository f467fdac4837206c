/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine.c - reads the machine as a whole: counters, swap areas, log, panic.
 */
#include "model/kernel/machine/machine.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

static bool mask_has(const struct system *y, enum layout_id mask, uint32_t cpu)
{
	unsigned bits = 8 * y->k->dump->word_size;
	uint64_t at = layout_symbol(&y->k->layout, mask) + cpu / bits * (bits / 8), word;

	return has(y->k, mask) && !read_kva_word(y->r, at, &word) && word >> cpu % bits & 1;
}

/* A CPU that a panic stopped is not online any more (stop_this_cpu(), arch/x86). */
bool cpu_was_online(const struct system *y, uint32_t cpu)
{
	if (!has(y->k, Y_CPU_ONLINE))
		return true; /* uniprocessor */
	return mask_has(y, Y_CPU_ONLINE, cpu) ||
	       (crashed_cpu(y) >= 0 && mask_has(y, Y_CPU_PRESENT, cpu));
}

/* Bits of the mask of online CPUs that are also possible; 0: unknown. */
static uint32_t online_cpus(const struct system *y)
{
	uint64_t mask = layout_symbol(&y->k->layout, Y_CPU_ONLINE), word;
	unsigned bits = 8 * y->k->dump->word_size;
	uint32_t n = 0;

	if (!mask) /* uniprocessor, or its name was lost */
		return y->k->cpus_possible == 1;
	if (y->k->ncpus != y->k->cpus_possible)
		return 0;
	for (uint32_t i = 0; i < y->k->ncpus; i++) {
		uint32_t cpu = y->k->possible[i];

		if (read_kva_word(y->r, mask + cpu / bits * (bits / 8), &word))
			return 0;
		n += word >> cpu % bits & 1;
	}
	return n;
}

/* Tasks that the OOM killer has killed since boot: an event counter, one per CPU. */
static uint64_t oom_kills(const struct system *y)
{
	const struct fact *f = &y->k->layout.v[M_VM_EVENTS];
	uint64_t base = layout_symbol(&y->k->layout, Y_VM_EVENT_STATES), sum = 0, v;
	int64_t i = layout_enum(&y->k->layout, E_OOM_KILL, -1);

	if (!has(y->k, Y_VM_EVENT_STATES) || f->alt < 0 || i < 0 || i >= f->m.count)
		return UNKNOWN;
	base += f->m.offset + (uint64_t)i * f->m.stride;
	for (uint32_t c = 0; c < y->k->ncpus; c++) {
		if (read_kva_word(y->r, base + y->k->percpu[c], &v))
			return UNKNOWN;
		sum += v;
	}
	return sum;
}

static int64_t pending(const struct system *y, int64_t pages)
{
	return pages == INT64_MIN ? pages : pages * (int64_t)dump_page_size(y->k->dump);
}

static void read_pending(struct system *y)
{
	int64_t anon = pending(y, anon_pending(y));
	int64_t file = pending(y, counter_pending(y, E_NR_FILE_MAPPED));

	y->m->shmem_on_cpus = pending(y, counter_pending(y, E_NR_SHMEM));
	y->m->mapped_on_cpus = anon == INT64_MIN || file == INT64_MIN ? INT64_MIN : anon + file;
}

/* avenrun[], in 1 << FSHIFT = 2048 (include/linux/sched/loadavg.h). */
static void read_load(const struct system *y)
{
	uint64_t addr = layout_symbol(&y->k->layout, Y_AVENRUN);

	for (unsigned i = 0; i < ARRAY_LEN(y->m->load); i++)
		if (!addr || read_kva_word(y->r, addr + i * y->k->dump->word_size, &y->m->load[i]))
			y->m->load[i] = UNKNOWN;
}

/* A pointer; formerly an array, whose first letters are no kernel address. */
static const char *boot_args(const struct system *y)
{
	uint64_t addr = layout_symbol(&y->k->layout, Y_COMMAND_LINE), at;
	char buf[4096];

	if (!addr || read_kva_word(y->r, addr, &at))
		return NULL;
	if (read_kva_str(y->r, kernel_ptr_ok(y->k, at, 1) ? at : addr, buf, sizeof(buf)))
		return NULL;
	buf[strcspn(buf, "\n")] = '\0';
	return *buf ? arena_strdup(y->mem, buf) : NULL;
}

void machine_build(struct snapshot *s, struct reader *r)
{
	struct system y = { .k = s->k, .r = r, .mem = &s->mem, .m = &s->machine };

	y.m->present = nodes_present(&y);
	y.m->cpus_possible = s->k->cpus_possible;
	y.m->cpus_online = online_cpus(&y);
	y.m->oom_kills = oom_kills(&y);
	read_clock(&y);
	read_panic_task(&y);
	read_swaps(&y);
	read_meminfo(&y);
	read_pending(&y);
	read_vmstat(&y);
	y.m->banner = read_banner(&y);
	read_load(&y);
	y.m->boot_args = boot_args(&y);
}
