// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of format.h. */
#include <linux/mm.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>
#include <linux/vmstat.h>

#include "census.h"

static u64 node_pages(enum node_stat_item item)
{
	return (u64)global_node_page_state(item) << PAGE_SHIFT;
}

static void fill_totals(struct vmc_header *h)
{
	struct sysinfo si;

	si_meminfo(&si);
	h->total[VMC_MEMTOTAL] = (u64)si.totalram * si.mem_unit;
	h->total[VMC_MEMFREE] = (u64)si.freeram * si.mem_unit;
	h->total[VMC_SHMEM] = (u64)si.sharedram * si.mem_unit;
	h->total[VMC_BUFFERS] = (u64)si.bufferram * si.mem_unit;
	h->total[VMC_ANON] = node_pages(NR_ANON_MAPPED);
	h->total[VMC_FILE_MAPPED] = node_pages(NR_FILE_MAPPED);
	h->total[VMC_FILE] = node_pages(NR_FILE_PAGES);
	h->total[VMC_PAGETABLES] = 0;
}

static void put_header(struct census *c)
{
	struct vmc_header h = {
		.magic = { 'V', 'M', 'C', 'E', 'N', 'S', 'U', 'S' },
		.order = VMC_ORDER, .version = VMC_VERSION, .bytes = sizeof(h),
		.word = sizeof(long), .page_shift = PAGE_SHIFT,
		.time = ktime_get_real_seconds(), .uptime = ktime_get_boottime_ns(),
	};

	fill_totals(&h);
	strscpy(h.release, init_utsname()->release, sizeof(h.release));
	strscpy(h.build, init_utsname()->version, sizeof(h.build));
	strscpy(h.machine, init_utsname()->machine, sizeof(h.machine));
	strscpy(h.nodename, init_utsname()->nodename, sizeof(h.nodename));
	census_put(c, &h, sizeof(h));
}

/* A record of SIZE bytes, which begins with struct vmc_rec, and TEXT after it. */
static void put(struct census *c, void *record, u32 type, size_t size, const char *text)
{
	static const char zeros[8];
	size_t len = text ? strlen(text) : 0, pad = text ? 8 - len % 8 : 0;
	struct vmc_rec *rec = record;

	rec->type = type;
	rec->bytes = size + len + pad;
	census_put(c, record, size);
	census_put(c, text, len);
	census_put(c, zeros, pad);
}

static void binary_task(struct census *c, const struct vmc_task *t)
{
	struct vmc_task r = *t;

	put(c, &r, VMC_TASK, sizeof(r), NULL);
}

static void binary_mm(struct census *c, const struct vmc_mm *m, const char *exe)
{
	struct vmc_mm r = *m;

	put(c, &r, VMC_MM, sizeof(r), exe);
}

static void binary_vma(struct census *c, const struct vmc_vma *v, const char *name)
{
	struct vmc_vma r = *v;

	put(c, &r, VMC_VMA, sizeof(r), name);
}

static void binary_pages(struct census *c, const struct vmc_run *run, unsigned int n)
{
	struct vmc_pages r = { { VMC_PAGES, sizeof(r) + n * sizeof(*run) } };

	census_put(c, &r, sizeof(r));
	census_put(c, run, n * sizeof(*run));
}

static void binary_end(struct census *c)
{
	struct vmc_end r = c->sums;

	put(c, &r, VMC_END, sizeof(r), NULL);
}

const struct census_form census_binary = {
	.name = "vmcensus", .begin = put_header, .task = binary_task,
	.mm = binary_mm, .vma = binary_vma, .pages = binary_pages, .end = binary_end,
};
