/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of procs. */
#include <string.h>

#include "model/cause/choice/badness.h"
#include "model/kernel/source.h"
#include "model/memory/areas/object_sizes.h"
#include "model/memory/areas/objects.h"
#include "model/memory/trust/attributed.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"
#include "reports/process/procs.h"

static const char *mm_note(const struct mm *mm, struct arena *mem)
{
	if (mm->reaped)
		return "emptied by the OOM reaper";
	if (mm->broken)
		return "vmas not all readable";
	if (mm->usage.lost || mm->usage.unknown)
		return "pages not all readable";
	if (!mm->users)
		return "exiting";
	if (mm->nprocs > 1)
		return arena_printf(mem, "shared by %u processes, counted once in totals",
				    mm->nprocs);
	return NULL;
}

/* The memory of FILE in the mm. */
static void set_file_usage(const struct snapshot *s, const struct mm *mm, const char *file,
			   struct proc_row *r)
{
	struct usage_sum sum = { .incomplete = mm_incomplete(s, mm) };

	for (uint32_t i = 0; i < mm->nvmas && mm->first_vma + i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[mm->first_vma + i];

		if (object_is(object_name(s, v), file))
			usage_add(&sum.u, &v->usage);
	}
	sum.order = sum.u.pss >> PSS_SHIFT;
	usage_cells_of(&r->u, &sum);
}

/* Needed by all rows under construction. */
struct maker {
	const struct snapshot *s;
	const struct report_opts *o;
	const struct area *areas;
	struct table *t;
	struct object_sizes *sizes;	/* with --file and sizes */
};

static void set_sizes(const struct maker *m, const struct mm *mm, struct proc_row *r)
{
	struct sizes sizes;

	sizes_cells_unknown(&r->z);
	if (!m->s->sizes)
		return;
	if (m->o->file)
		object_sizes_of_mm(m->sizes, mm, m->o->file, &sizes);
	else
		sizes_of_mm(m->s, mm, &sizes);
	sizes_cells_set(&r->z, &sizes);
}

static void set_areas(const struct maker *m, const struct mm *mm, struct proc_row *r)
{
	area_sums(m->s, m->areas, mm, &r->by);
	r->rw = area_rw(r->by.phys);
	r->rx = area_rx(r->by.phys);
	r->virt_rw = area_rw(r->by.virt);
	r->virt_rx = area_rx(r->by.virt);
}

static void set_counters(const struct snapshot *s, const struct mm *mm, struct proc_row *r)
{
	uint64_t peak = mm->hiwater_rss;
	const int64_t *shown = mm->counter_shown;
	int64_t now = shown[RSS_FILE] + shown[RSS_ANON] + shown[RSS_SHMEM];

	if (!source_has(s->k, SOURCE_COUNTERS)) {
		r->rss_kernel = r->rss_status = r->swap_kernel = r->rss_peak = COL_UNKNOWN;
		r->pgtables = r->locked = COL_UNKNOWN;
		return;
	}
	r->rss_kernel = mm_counted_rss(s, mm);
	r->rss_status = pages_bytes(s, now);
	r->swap_kernel = mm_counted_swap(s, mm);
	/* the kernel raises hiwater_rss only when rss is about to fall */
	if (now > 0 && peak < (uint64_t)now)
		peak = (uint64_t)now;
	r->rss_peak = peak * page_size(s);
	r->pgtables = mm->pgtables_bytes;
	r->locked = mm->locked_vm * page_size(s);
}

static void set_mm(const struct maker *m, const struct mm *mm, struct proc_row *r)
{
	const struct snapshot *s = m->s;
	struct usage_sum sum = { .order = 0 };

	usage_sum_mm(&sum, s, mm);
	usage_cells_of(&r->u, &sum);
	set_counters(s, mm, r);
	r->vsz = mm->total_vm * page_size(s);
	r->mm = mm->addr;
	r->space = mm;
	r->mm_shared = mm->nprocs;
	r->cmdline = mm->cmdline;
	r->note = mm_note(mm, &m->t->mem);
	set_areas(m, mm, r);
	if (mm->exe < s->nfiles)
		r->exe = s->files[mm->exe].path;
}

/* A kernel thread or zombie has no memory; that of an unreadable mm is unknown. */
static void set_no_mm(const struct maker *m, const struct proc *p, struct proc_row *r)
{
	struct usage_sum sum = { .order = 0 };
	uint64_t *by = (uint64_t *)&r->by;

	usage_sum_none(&sum, m->s, p);
	usage_cells_of(&r->u, &sum);
	if (!sum.incomplete)
		return;
	r->vsz = r->rss_kernel = r->rss_status = r->swap_kernel = r->rss_peak = COL_UNKNOWN;
	r->pgtables = r->locked = r->rw = r->rx = r->virt_rw = r->virt_rx = COL_UNKNOWN;
	/* struct area_sums has only counters */
	for (size_t i = 0; i < sizeof(r->by) / sizeof(*by); i++)
		by[i] = COL_UNKNOWN;
	sizes_cells_unknown(&r->z);
}

static uint64_t id(uint32_t kernel_id)
{
	return kernel_id == UINT32_MAX ? COL_UNKNOWN : kernel_id;
}

static void set_proc(const struct maker *m, const struct proc *p, struct proc_row *r)
{
	const struct snapshot *s = m->s;
	const struct task *leader = proc_leader(s, p);
	const struct mm *mm = proc_mm(s, p);

	*r = (struct proc_row){
		.pid = p->pid,
		.tid = p->pid,
		.ppid = p->ppid == PID_UNKNOWN ? COL_UNKNOWN_INT : p->ppid,
		.ns_pid = p->pidns_pid,
		.uid = id(p->uid),
		.euid = id(p->euid),
		.gid = id(p->gid),
		.comm = proc_comm(s, p),
		.state = leader ? leader->state : '\0',
		.threads = p->ntasks,
		.cpu = leader ? leader->cpu : COL_UNKNOWN,
		.oom_score_adj = p->oom_score_adj,
		.oom_score = proc_oom_score(s, p),
		.oom_victim = p->oom_victim,
		.nice = p->nice,
		.minflt = p->min_flt,
		.majflt = p->maj_flt,
		.utime = p->utime,
		.stime = p->stime,
		.start = p->start_boottime,
		.mm = COL_UNKNOWN,
	};
	if (p->cgroup < s->ncgroups)
		r->cgroup = s->cgroups[p->cgroup].path;
	if (!s->sizes)
		sizes_cells_unknown(&r->z);
	r->incomplete = incomplete_text(proc_incomplete(s, p));
	if (!mm) {
		set_no_mm(m, p, r);
		return;
	}
	set_mm(m, mm, r);
	set_sizes(m, mm, r);
	if (m->o->file)
		set_file_usage(s, mm, m->o->file, r);
}

/* A thread has its own times, faults and name; its memory is that of its process. */
static void set_thread(const struct task *task, struct proc_row *r)
{
	r->tid = task->pid;
	r->comm = task->comm;
	r->state = task->state;
	r->cpu = task->cpu;
	r->minflt = task->min_flt;
	r->majflt = task->maj_flt;
	r->utime = task->utime;
	r->stime = task->stime;
	r->start = task->start_boottime;
}

static bool maps_file(const struct snapshot *s, const struct mm *mm, const char *file)
{
	for (uint32_t i = 0; mm && i < mm->nvmas && mm->first_vma + i < s->nvmas; i++)
		if (object_is(object_name(s, &s->vmas[mm->first_vma + i]), file))
			return true;
	return false;
}

/* The paper's table begins with the idle task, and has no other kernel threads. */
static bool proc_wanted(const struct snapshot *s, const struct proc *p, const struct report_opts *o)
{
	if (o->file)
		return maps_file(s, proc_mm(s, p), o->file);
	return !p->kthread || o->kernel_threads || o->pid || (!p->pid && like_is(o, "paper"));
}

/* The threads of a process, after its row. Only the first row has sizes. */
static void add_threads(const struct snapshot *s, const struct proc *p, struct proc_row *row,
			struct table *t)
{
	struct proc_row *rows = t->rows;

	for (uint32_t j = 0; j < p->ntasks; j++) {
		if (p->first_task + j < s->ntasks)
			set_thread(&s->tasks[p->first_task + j], row);
		rows[t->nrows++] = *row;
		sizes_cells_unknown(&row->z);
	}
}

enum status procs_report(const struct snapshot *s, const struct report_opts *o, struct table *t,
			 struct diag *diag)
{
	uint32_t first, end;
	size_t n = 0;
	struct proc_row *rows;
	struct maker m = { .s = s, .o = o, .t = t };
	enum status st = procs_range(s, o, diag, &first, &end);

	if (st)
		return st;
	m.areas = areas_build(s, &t->mem);
	if (o->file && s->sizes)
		m.sizes = object_sizes_new(s, o->sysroot,
					   first + 1 == end ? s->procs[first].mm : NONE, &t->mem);
	for (uint32_t i = first; i < end; i++)
		if (proc_wanted(s, &s->procs[i], o))
			n += o->threads ? s->procs[i].ntasks : 1;
	t->rows = rows = arena_array(&t->mem, struct proc_row, n);
	t->row_size = sizeof(*rows);
	t->total_key = offsetof(struct proc_row, mm);
	t->incomplete = offsetof(struct proc_row, incomplete);
	if (!o->pid && !o->file)
		t->note = attributed_text(s, &t->mem);
	for (uint32_t i = first; i < end; i++) {
		const struct proc *p = &s->procs[i];
		struct proc_row row;

		if (!proc_wanted(s, p, o))
			continue;
		set_proc(&m, p, &row);
		if (o->threads)
			add_threads(s, p, &row, t);
		else
			rows[t->nrows++] = row;
	}
	object_sizes_free(m.sizes);
	if (o->file && !t->nrows)
		return fail(diag, ST_ABSENT,
			    "no process maps %.200s; \"files\" lists the mapped files", o->file);
	return ST_OK;
}
