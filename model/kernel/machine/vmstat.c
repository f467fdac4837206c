/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of /proc/vmstat (mm/vmstat.c, vmstat_start()): counters of zones, of NUMA
 * placement, of nodes, limits of writeback, events. The kernel's own table of names,
 * vmstat_text[], is in the dump, so no list of names is needed here; events begin at
 * "pgpgin". The limits of writeback are left out: the kernel computes them when asked.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/proc.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

#define NAME_MAX_BYTES 64

struct vmstat {
	const struct system *y;
	struct counters c;
	int64_t nnuma, nevents;
	uint64_t at;			/* in vmstat_text[] */
};

const char *vmstat_name(const struct system *y, uint64_t at)
{
	uint64_t table = layout_symbol(&y->k->layout, Y_VMSTAT_TEXT), addr;
	char buf[NAME_MAX_BYTES];

	if (!table || read_kva_word(y->r, table + at * y->k->dump->word_size, &addr) || !addr ||
	    read_kva_str(y->r, addr, buf, sizeof(buf)) ||
	    buf[strspn(buf, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return NULL;
	return arena_strdup(y->mem, buf);
}

static void add_line(struct vmstat *v, uint64_t value)
{
	struct machine *m = v->y->m;
	const char *name = vmstat_name(v->y, v->at++);

	if (name && *name)
		m->vmstat[m->nvmstat++] = (struct zone_count){ name, value };
}

/* Counted in pages since 69473e5de873 (v5.12), but printed in huge pages. */
bool counts_huge_pages(const struct system *y, uint64_t item)
{
	static const enum layout_id items[] = {
		E_NR_ANON_THPS, E_NR_SHMEM_THPS, E_NR_SHMEM_PMDMAPPED, E_NR_FILE_THPS,
		E_NR_FILE_PMDMAPPED,
	};
	const struct kernel *k = y->k;

	for (size_t i = 0; has(k, E_NR_SWAPCACHE) && i < ARRAY_LEN(items); i++)
		if (has(k, items[i]) && (uint64_t)layout_enum(&k->layout, items[i], -1) == item)
			return true;
	return false;
}

static void add_node(struct vmstat *v)
{
	for (unsigned i = 0; i < v->c.nnode; i++)
		add_line(v, v->c.node[i] >>
				    (counts_huge_pages(v->y, i) ? v->y->k->paging->bits[0] : 0));
}

static void add_numa(struct vmstat *v)
{
	uint64_t base = layout_symbol(&v->y->k->layout, Y_VM_NUMA_EVENT), value;
	unsigned word = v->y->k->dump->word_size;

	for (int64_t i = 0; base && i < v->nnuma; i++) {
		if (read_kva_word(v->y->r, base + (uint64_t)i * word, &value))
			value = 0;
		add_line(v, value);
	}
}

/* The sum over all CPUs of event I. */
static uint64_t event(const struct vmstat *v, int64_t i)
{
	const struct kernel *k = v->y->k;
	const struct fact *f = &k->layout.v[M_VM_EVENTS];
	uint64_t addr = layout_symbol(&k->layout, Y_VM_EVENT_STATES) + f->m.offset +
			(uint64_t)i * f->m.stride,
		 sum = 0, value;

	for (uint32_t c = 0; c < k->ncpus; c++)
		if (!read_kva_word(v->y->r, addr + k->percpu[c], &value))
			sum += value;
	return sum;
}

static void add_events(struct vmstat *v)
{
	const struct fact *f = &v->y->k->layout.v[M_VM_EVENTS];
	const char *name = NULL;

	if (!has(v->y->k, Y_VM_EVENT_STATES) || f->alt < 0)
		return;
	/* a few lines that are no counters come before them */
	for (unsigned i = 0; i < 8; i++, v->at++) {
		name = vmstat_name(v->y, v->at);
		if (!name || !strcmp(name, "pgpgin"))
			break;
	}
	for (int64_t i = 0; name && i < v->nevents && i < f->m.count; i++)
		/* the first two, pgpgin and pgpgout, are sectors: printed in KiB */
		add_line(v, event(v, i) / (i < 2 ? 2 : 1));
}

void read_vmstat(struct system *y)
{
	const struct layout *l = &y->k->layout;
	struct vmstat v = { .y = y };

	counters_read(y, &v.c);
	v.nnuma = has(y->k, Y_VM_NUMA_EVENT) ? layout_enum(l, E_NR_VM_NUMA_EVENTS, 0) : 0;
	v.nevents = layout_enum(l, E_NR_VM_EVENTS, 0);
	if (!has(y->k, Y_VMSTAT_TEXT) || !v.c.nzone || v.nnuma > STAT_ITEMS_MAX || v.nevents < 0 ||
	    v.nevents > STAT_ITEMS_MAX)
		return;
	y->m->vmstat = arena_array(y->mem, struct zone_count, 4 * STAT_ITEMS_MAX);
	for (unsigned i = 0; i < v.c.nzone; i++)
		add_line(&v, v.c.zone[i]);
	add_numa(&v);
	add_node(&v);
	add_events(&v);
}

const char *read_banner(const struct system *y)
{
	uint64_t addr = layout_symbol(&y->k->layout, Y_LINUX_BANNER);
	char buf[512];

	if (!addr || read_kva_str(y->r, addr, buf, sizeof(buf)) ||
	    strncmp(buf, "Linux version ", 14))
		return NULL;
	buf[strcspn(buf, "\n")] = '\0';
	return arena_strdup(y->mem, buf);
}
