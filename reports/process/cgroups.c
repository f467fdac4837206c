/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cgroups - one row per control group, parents before children: its charges by the
 * kernel's counters, and the memory that its processes map.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/cgroup/memcg.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"
#include "reports/core/usage_cols.h"
#include "reports/process/cgroup_parts.h"

struct row {
	const char *path, *name;	/* name: indented by depth */
	uint64_t depth, dying;
	uint64_t usage, swap, max, low, high, swap_max, peak;
	uint64_t stat[MEMCG_STATS], event[MEMCG_EVENTS], slab, working_set;
	uint64_t procs, all_procs;
	struct usage_cells u;		/* its own processes */
	uint64_t all_pss, all_uss, all_rss, all_swap;
	struct usage_sum own, all;
	const char *incomplete;		/* own processes and those below */
};

#define CHARGED(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define STAT(which, name, fl, about) \
	COL_AS(struct row, stat[MEMCG_STAT_##which], name, COL_BYTES, fl, "bytes", about)
#define EVENT(which, name, fl, about) \
	COL_AS(struct row, event[MEMCG_EVENT_##which], name, COL_UINT, fl, "", about)
#define P COL_SHOWN

static const struct column cols[] = {
	CHARGED(usage, P, "charged to it and all below it (memory.current)"),
	CHARGED(working_set, P, "usage less inactive_file, as kubelet evicts by"),
	CHARGED(swap, P, "charged swap (memory.swap.current)"),
	CHARGED(max, P, "limit (memory.max)"),
	CHARGED(high, 0, "throttled above (memory.high)"),
	CHARGED(low, 0, "protected below (memory.low)"),
	CHARGED(swap_max, 0, "limit of swap (memory.swap.max)"),
	CHARGED(peak, 0, "highest charge so far (memory.peak)"),
	STAT(ANON, "anon", P, "of usage: anonymous pages (memory.stat, as are the next)"),
	STAT(FILE, "file", P, "pages of files, tmpfs and shared memory included"),
	STAT(SHMEM, "shmem", P, "of file: tmpfs, memfd, SysV, shared anonymous"),
	STAT(KERNEL, "kernel", P, "kernel memory that is charged"),
	CHARGED(slab, 0, "slab objects"),
	STAT(SLAB_RECLAIMABLE, "slab_reclaimable", 0, "of slab: dentries, inodes ..."),
	STAT(SLAB_UNRECLAIMABLE, "slab_unreclaimable", 0, "of slab: the rest"),
	STAT(KERNEL_STACK, "kernel_stack", 0, "kernel stacks"),
	STAT(PAGETABLES, "pagetables", 0, "page tables"),
	STAT(SEC_PAGETABLES, "sec_pagetables", 0, "page tables of virtual machines"),
	STAT(PERCPU, "percpu", 0, "per-CPU memory"),
	STAT(SOCK, "sock", 0, "network buffers"),
	STAT(VMALLOC, "vmalloc", 0, "vmalloc memory"),
	STAT(ZSWAP, "zswap", 0, "memory of compressed pages"),
	STAT(ZSWAPPED, "zswapped", 0, "size of these pages before compression"),
	STAT(FILE_MAPPED, "file_mapped", 0, "of file: mapped by processes"),
	STAT(FILE_DIRTY, "file_dirty", 0, "of file: not yet written"),
	STAT(FILE_WRITEBACK, "file_writeback", 0, "of file: being written"),
	STAT(SWAPCACHED, "swapcached", 0, "in memory and also in swap"),
	STAT(INACTIVE_ANON, "inactive_anon", 0, "anonymous pages, tmpfs included, not used lately"),
	STAT(ACTIVE_ANON, "active_anon", 0, "anonymous pages, tmpfs included, used lately"),
	STAT(INACTIVE_FILE, "inactive_file", P, "pages of files not used lately: taken first"),
	STAT(ACTIVE_FILE, "active_file", 0, "pages of files used lately"),
	STAT(UNEVICTABLE, "unevictable", 0, "locked or pinned pages"),
	EVENT(LOW, "low_events", 0, "reclaims although below low (memory.events)"),
	EVENT(HIGH, "high_events", 0, "times throttled above high"),
	EVENT(MAX, "max_events", 0, "times at the limit"),
	EVENT(OOM, "oom_events", 0, "times that reclaim did not get below the limit"),
	EVENT(OOM_KILL, "oom_kill", P, "processes killed by the OOM killer"),
	COL(struct row, dying, COL_UINT, P, "", "1: removed, but still referenced"),
	COL(struct row, procs, COL_UINT, P | COL_TOTAL, "", "processes in it"),
	U_PSS(struct row, P | COL_TOTAL), U_USS(struct row, COL_TOTAL),
	U_RSS(struct row, COL_TOTAL),
	COL_AS(struct row, u.swap, "swap_mapped", COL_BYTES, COL_TOTAL, "bytes",
	       "swapped out memory of its processes"),
	U_SWAP_PSS(struct row, COL_TOTAL),
	COL(struct row, all_procs, COL_UINT, 0, "", "processes in it and all below it"),
	COL(struct row, all_pss, COL_BYTES, P, "bytes", "pss of these"),
	COL(struct row, all_uss, COL_BYTES, 0, "bytes", "uss of these"),
	COL(struct row, all_rss, COL_BYTES, 0, "bytes", "rss of these"),
	COL(struct row, all_swap, COL_BYTES, 0, "bytes", "swapped out memory of these"),
	COL(struct row, depth, COL_UINT, 0, "", "levels below the root"),
	COL(struct row, path, COL_STR, 0, "", "path in its hierarchy"),
	COL(struct row, name, COL_STR, P, "", "last part of the path, indented by depth"),
	U_INCOMPLETE(struct row),
};

static uint64_t bytes_of(const struct snapshot *s, uint64_t pages)
{
	return pages == UINT64_MAX ? COL_UNKNOWN : pages * page_size(s);
}

/* The root has no memory.current; mem_cgroup_usage() adds up these two for it. */
static uint64_t usage_of(const struct snapshot *s, const struct cgroup *g, const struct memcg *m)
{
	uint64_t anon = m->stat[MEMCG_STAT_ANON], file = m->stat[MEMCG_STAT_FILE];

	if (!g->memory)
		return COL_UNKNOWN;
	if (g->parent == NONE && anon != UINT64_MAX && file != UINT64_MAX)
		return anon + file;
	return bytes_of(s, g->usage);
}

/* cAdvisor's setMemoryStats(), which kubelet asks: 0 if less is used than the counter says. */
static uint64_t working_set_of(const struct row *r)
{
	uint64_t inactive = r->stat[MEMCG_STAT_INACTIVE_FILE];

	if (r->usage == COL_UNKNOWN || inactive == UINT64_MAX)
		return COL_UNKNOWN;
	return r->usage > inactive ? r->usage - inactive : 0;
}

static void set_charged(const struct snapshot *s, const struct cgroup *g, const struct memcg *m,
			struct row *r)
{
	uint64_t a = m->stat[MEMCG_STAT_SLAB_RECLAIMABLE];
	uint64_t b = m->stat[MEMCG_STAT_SLAB_UNRECLAIMABLE];

	r->usage = usage_of(s, g, m);
	r->swap = g->memory ? bytes_of(s, g->swap) : COL_UNKNOWN;
	r->max = bytes_of(s, g->max);
	r->low = bytes_of(s, m->low);
	r->high = bytes_of(s, m->high);
	r->swap_max = bytes_of(s, m->swap_max);
	r->peak = bytes_of(s, m->peak);
	memcpy(r->stat, m->stat, sizeof(r->stat));
	memcpy(r->event, m->event, sizeof(r->event));
	r->working_set = working_set_of(r);
	r->slab = a == UINT64_MAX || b == UINT64_MAX ? COL_UNKNOWN : a + b;
}

static void set_name(const struct snapshot *s, const struct cgroup *g, struct row *rows, uint32_t i,
		     struct arena *mem)
{
	struct row *r = &rows[i];
	const char *slash = strrchr(g->path, '/');
	unsigned indent;

	(void)s;
	r->depth = g->parent < i ? rows[g->parent].depth + 1 : 0;
	indent = r->depth > 64 ? 128 : (unsigned)r->depth * 2;
	r->path = g->path;
	r->dying = g->dying;
	r->name = arena_printf(mem, "%*s%s", (int)indent, "",
			       slash && slash[1] && r->depth ? slash + 1 : g->path);
}

static void add_procs(const struct snapshot *s, struct row *rows)
{
	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct proc *p = &s->procs[i];
		const struct mm *mm = proc_mm(s, p);

		if (p->cgroup >= s->ncgroups || p->kthread)
			continue;
		rows[p->cgroup].procs++;
		/* a shared mm costs once, in the group of its first process */
		if (!mm)
			usage_sum_none(&rows[p->cgroup].own, s, p);
		else if (mm->nprocs < 2 || mm->owner == i)
			usage_sum_mm(&rows[p->cgroup].own, s, mm);
	}
}

static void set_mapped(struct row *r)
{
	struct usage_cells all;

	usage_cells_of(&r->u, &r->own);
	usage_cells_of(&all, &r->all);
	r->all_pss = all.pss;
	r->all_uss = all.uss;
	r->all_rss = all.rss;
	r->all_swap = all.swap;
	r->incomplete = incomplete_text(r->all.incomplete);
}

static void sum_up(const struct snapshot *s, struct row *rows)
{
	for (uint32_t i = s->ncgroups; i-- > 0;) {
		struct row *r = &rows[i];
		uint32_t up = s->cgroups[i].parent;

		usage_sum_add(&r->all, &r->own);
		r->all_procs += r->procs;
		if (up < i) {
			usage_sum_add(&rows[up].all, &r->all);
			rows[up].all_procs += r->all_procs;
		}
		set_mapped(r);
	}
}

static enum status cgroups_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct row *rows = arena_array(&t->mem, struct row, s->ncgroups);
	struct memcg *m = memcgs_read(s, &t->mem);

	(void)o;
	(void)diag;
	for (uint32_t i = 0; i < s->ncgroups; i++) {
		set_name(s, &s->cgroups[i], rows, i, &t->mem);
		set_charged(s, &s->cgroups[i], &m[i], &rows[i]);
	}
	add_procs(s, rows);
	sum_up(s, rows);
	t->rows = rows;
	t->nrows = s->ncgroups;
	t->row_size = sizeof(*rows);
	t->incomplete = offsetof(struct row, incomplete);
	return ST_OK;
}

static const struct report_part parts[] = {
	{ OPT_LIMITS, "limits", &report_cgroups_limits },
	{ OPT_EVENTS, "events", &report_cgroups_events },
	{ OPT_PSI, "psi", &report_cgroups_psi },
	{ OPT_DYING, "dying", &report_cgroups_dying },
	{ 0 }
};

const struct report report_cgroups = {
	.name = "cgroups",
	.about = "tree of control groups: charged memory, mapped memory",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_CGROUPS,
	.of_sizes = true,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = cgroups_report,
	.parts = parts,
	.help = "One row for each group that the memory controller knows, and each group of a\n"
		"process. Removed groups that are still referenced are included. Charged memory is\n"
		"the kernel's count for the group and all groups below it, plus the counts that are\n"
		"still per CPU. A page is charged to the group that touched it first. pss, uss and rss\n"
		"count the memory that the group's own processes map; all_pss includes the groups\n"
		"below. Charged and mapped memory may differ. As in the kernel, the root's usage is\n"
		"anon plus file. working_set is what kubelet and cAdvisor call so: tmpfs and shared memory\n"
		"are in it, slab too. With MGLRU a page is inactive by its generation alone, so that\n"
		"working_set may fall without any page being touched.\n"
		"\n"
		"--limits shows what each group may have and how much is left up to the nearest limit,\n"
		"its own or of a group above it; \"-\" is no limit, or none in that hierarchy. --events\n"
		"counts what happened at the limits. --psi is the share of time in which tasks waited, as\n"
		"the kernel last averaged it; it does so every 2 s. --dying lists groups that were removed\n"
		"and are still referenced, with what is charged to them: pages keep a group, and since 5.9\n"
		"slab objects do not, because they go to the group above.",
};
