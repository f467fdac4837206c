/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * procs - one row a process: what it costs, and what the kernel's own counters
 * said. With --threads one row a thread.
 */
#include "model/capture/capture.h"
#include "reports/common.h"
#include "reports/usage_cols.h"

struct row {
	int64_t pid, tid, ppid, ns_pid;
	uint64_t uid, euid, gid;
	const char *comm;
	char state;
	uint64_t threads, cpu;
	struct usage_cells u;
	uint64_t vsz, rss_kernel, rss_status, swap_kernel, rss_peak, pgtables, locked;
	int64_t oom_score_adj, nice;
	uint64_t oom_victim;
	uint64_t minflt, majflt, utime, stime, start;
	const char *cgroup, *exe, *cmdline, *note;
	uint64_t mm, mm_shared;
};

#define P COL_SHOWN
#define PT (COL_SHOWN | COL_THREADS)
#define TOT COL_ONCE
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define NS(name, fl, about) COL(struct row, name, COL_NSEC, fl, "ns", about)

static const struct column cols[] = {
	COL(struct row, pid, COL_INT, PT, "", "process id, as the initial pid namespace counts"),
	COL(struct row, tid, COL_INT, COL_THREADS, "",
	    "thread id; the process id without --threads"),
	COL(struct row, ppid, COL_INT, 0, "", "process id of the parent"),
	COL(struct row, ns_pid, COL_INT, 0, "", "process id in its own pid namespace"),
	COL(struct row, uid, COL_UINT, P, "", "real user id"),
	COL(struct row, euid, COL_UINT, 0, "", "effective user id"),
	COL(struct row, gid, COL_UINT, 0, "", "real group id"),
	COL(struct row, state, COL_CHAR, PT, "", "state, as ps prints it"),
	COL(struct row, threads, COL_UINT, P | COL_TOTAL, "", "threads"),
	COL(struct row, cpu, COL_UINT, COL_THREADS, "", "CPU it ran on last"),
	U_PSS(struct row, P | TOT),
	U_USS(struct row, P | TOT),
	U_RSS(struct row, PT | TOT),
	U_SWAP(struct row, P | TOT),
	U_SWAP_PSS(struct row, P | TOT),
	U_ANON(struct row, P | TOT),
	U_FILE(struct row, P | TOT),
	U_SHMEM(struct row, P | TOT),
	BYTES(vsz, TOT, "address space as the kernel counts it (total_vm)"),
	U_PSS_ANON(struct row, TOT), U_PSS_FILE(struct row, TOT), U_PSS_SHMEM(struct row, TOT),
	U_PSS_DIRTY(struct row, TOT), U_PSS_LOCKED(struct row, TOT),
	U_SHARED_CLEAN(struct row, TOT), U_SHARED_DIRTY(struct row, TOT),
	U_PRIVATE_CLEAN(struct row, TOT), U_PRIVATE_DIRTY(struct row, TOT),
	U_REFERENCED(struct row, TOT), U_LAZYFREE(struct row, TOT), U_KSM(struct row, TOT),
	U_HUGE(struct row, TOT), U_ANON_HUGE(struct row, TOT), U_SHMEM_HUGE(struct row, TOT),
	U_FILE_HUGE(struct row, TOT), U_SHARED_HUGETLB(struct row, TOT),
	U_PRIVATE_HUGETLB(struct row, TOT), U_SWAP_PTES(struct row, TOT),
	U_SPECIAL(struct row, TOT), U_LOST(struct row, TOT), U_UNKNOWN(struct row, TOT),
	BYTES(rss_kernel, TOT, "rss by the kernel's counters, all CPUs' shares added"),
	BYTES(rss_status, TOT, "rss as /proc/PID/status would have said (VmRSS)"),
	BYTES(swap_kernel, TOT, "swap entries by the kernel's counter"),
	BYTES(rss_peak, 0, "largest rss so far (VmHWM)"),
	BYTES(pgtables, TOT, "page tables (VmPTE)"),
	BYTES(locked, TOT, "locked by mlock (VmLck)"),
	COL(struct row, oom_score_adj, COL_INT, P, "",
	    "what is added to its badness for the OOM killer"),
	COL(struct row, oom_victim, COL_UINT, 0, "", "1: chosen by the OOM killer"),
	COL(struct row, nice, COL_INT, 0, "", "nice value"),
	COL(struct row, minflt, COL_UINT, COL_THREADS | COL_TOTAL, "", "minor faults"),
	COL(struct row, majflt, COL_UINT, COL_THREADS | COL_TOTAL, "", "major faults"),
	NS(utime, COL_THREADS, "time in user mode"),
	NS(stime, COL_THREADS, "time in the kernel"),
	NS(start, 0, "start, since boot"),
	COL(struct row, mm, COL_HEX, 0, "", "address of its mm_struct"),
	COL(struct row, mm_shared, COL_UINT, 0, "", "processes that share this mm (1: its own)"),
	COL(struct row, note, COL_STR, 0, "", "what is special about its memory"),
	COL(struct row, cgroup, COL_STR, 0, "", "control group"),
	COL(struct row, exe, COL_STR, 0, "", "path of the program"),
	COL(struct row, cmdline, COL_STR, 0, "", "arguments, where the dump holds them"),
	COL(struct row, comm, COL_STR, PT, "", "name of the task"),
};

static int64_t counter(const int64_t *c)
{
	return c[RSS_FILE] + c[RSS_ANON] + c[RSS_SHMEM];
}

static const char *note(const struct mm *mm, struct arena *mem)
{
	if (mm->reaped)
		return "emptied by the OOM reaper";
	if (mm->broken)
		return "mappings not all readable";
	if (mm->usage.lost || mm->usage.unknown)
		return "pages not all readable";
	if (!mm->users)
		return "exiting";
	if (mm->nprocs > 1)
		return arena_printf(mem, "shared by %u processes, counted once in totals",
				    mm->nprocs);
	return NULL;
}

static void set_counters(const struct snapshot *s, const struct mm *mm, struct row *r)
{
	uint64_t peak = mm->hiwater_rss;
	int64_t now = counter(mm->counter_shown);

	if (s->k->capture && !s->k->capture->module) {
		r->rss_kernel = r->rss_status = r->swap_kernel = r->rss_peak = COL_UNKNOWN;
		r->pgtables = r->locked = COL_UNKNOWN;
		return;
	}
	r->rss_kernel = pages_bytes(s, counter(mm->counter));
	r->rss_status = pages_bytes(s, now);
	r->swap_kernel = pages_bytes(s, mm->counter[RSS_SWAP]);
	/* the kernel raises hiwater_rss only when rss is about to fall */
	if (now > 0 && peak < (uint64_t)now)
		peak = (uint64_t)now;
	r->rss_peak = peak * page_size(s);
	r->pgtables = mm->pgtables_bytes;
	r->locked = mm->locked_vm * page_size(s);
}

static void set_mm(const struct snapshot *s, const struct mm *mm, struct row *r,
		   struct table *t)
{
	usage_cells_set(&r->u, &mm->usage);
	set_counters(s, mm, r);
	r->vsz = mm->total_vm * page_size(s);
	r->mm = mm->addr;
	r->mm_shared = mm->nprocs;
	r->cmdline = mm->cmdline;
	r->note = note(mm, &t->mem);
	if (mm->exe < s->nfiles)
		r->exe = s->files[mm->exe].path;
}

static uint64_t id(uint32_t kernel_id)
{
	return kernel_id == UINT32_MAX ? COL_UNKNOWN : kernel_id;
}

static void set_proc(const struct snapshot *s, const struct proc *p, struct row *r,
		     struct table *t)
{
	const struct task *leader = proc_leader(s, p);
	const struct mm *mm = proc_mm(s, p);

	*r = (struct row){
		.pid = p->pid, .tid = p->pid, .ppid = p->ppid, .ns_pid = p->pidns_pid,
		.uid = id(p->uid), .euid = id(p->euid), .gid = id(p->gid),
		.comm = proc_comm(s, p),
		.state = leader ? leader->state : '\0',
		.threads = p->ntasks,
		.cpu = leader ? leader->cpu : COL_UNKNOWN,
		.oom_score_adj = p->oom_score_adj,
		.oom_victim = p->oom_victim,
		.nice = p->nice,
		.minflt = p->min_flt, .majflt = p->maj_flt,
		.utime = p->utime, .stime = p->stime, .start = p->start_boottime,
		.mm = COL_UNKNOWN,
	};
	if (p->cgroup < s->ncgroups)
		r->cgroup = s->cgroups[p->cgroup].path;
	if (mm)
		set_mm(s, mm, r, t);
}

/* A thread has times, faults and a name of its own; memory is its process's. */
static void set_thread(const struct task *task, struct row *r)
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

static bool wanted(const struct proc *p, const struct report_opts *o)
{
	return !p->kthread || o->kernel_threads || o->pid;
}

static enum status run(const struct snapshot *s, const struct report_opts *o, struct table *t,
		       struct diag *diag)
{
	uint32_t first, end;
	size_t n = 0;
	struct row *rows;
	enum status st = procs_range(s, o, diag, &first, &end);

	if (st)
		return st;
	for (uint32_t i = first; i < end; i++)
		if (wanted(&s->procs[i], o))
			n += o->threads ? s->procs[i].ntasks : 1;
	t->rows = rows = arena_array(&t->mem, struct row, n);
	t->row_size = sizeof(*rows);
	t->total_key = offsetof(struct row, mm);
	for (uint32_t i = first; i < end; i++) {
		const struct proc *p = &s->procs[i];
		struct row row;

		if (!wanted(p, o))
			continue;
		set_proc(s, p, &row, t);
		if (!o->threads)
			rows[t->nrows++] = row;
		for (uint32_t j = 0; o->threads && j < p->ntasks; j++) {
			if (p->first_task + j < s->ntasks)
				set_thread(&s->tasks[p->first_task + j], &row);
			rows[t->nrows++] = row;
		}
	}
	return ST_OK;
}

const struct report report_procs = {
	.name = "procs",
	.about = "what each process costs: pss, uss, rss, swap",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.wants = NEED_CGROUPS,
	.opts = OPT_PID | OPT_THREADS | OPT_KERNEL,
	.cols = cols,
	.ncols = sizeof(cols) / sizeof(cols[0]),
	.sort = "-pss,pid,tid",
	.run = run,
	.help = "One row for each process, by its proportional set size. Processes that share\n"
		"one address space (vfork, CLONE_VM) each show all of it; totals count it once,\n"
		"and mm_shared says how many they are. --threads gives a row for each thread,\n"
		"whose memory is that of its process. --kernel adds kernel threads.",
};
