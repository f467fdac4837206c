/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * procs - one row a process: what it costs, and what the kernel's own counters
 * said. With --threads one row a thread; with --file what one file costs in each.
 */
#include <inttypes.h>
#include <string.h>

#include "model/objects.h"
#include "reports/cell.h"
#include "reports/charts/chart.h"
#include "reports/common.h"
#include "reports/exmap/sizes_cols.h"
#include "reports/render/render.h"
#include "reports/usage_cols.h"

struct row {
	int64_t pid, tid, ppid, ns_pid;
	uint64_t uid, euid, gid;
	const char *comm;
	char state;
	uint64_t threads, cpu;
	struct usage_cells u;
	struct sizes_cells z;
	uint64_t vsz, rss_kernel, rss_status, swap_kernel, rss_peak, pgtables, locked;
	int64_t oom_score_adj, nice;
	uint64_t oom_victim;
	uint64_t minflt, majflt, utime, stime, start;
	const char *cgroup, *exe, *cmdline, *note;
	uint64_t mm, mm_shared;
};

#define P COL_SHOWN
#define PT (COL_SHOWN | COL_THREADS)
#define PTF (PT | COL_FILE)
#define TOT COL_ONCE
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)
#define NS(name, fl, about) COL(struct row, name, COL_NSEC, fl, "ns", about)

static const struct column cols[] = {
	COL(struct row, pid, COL_INT, PTF, "", "process id, as the initial pid namespace counts"),
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
	Z_COLUMNS(struct row, COL_TOTAL | COL_FILE),
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
	COL(struct row, comm, COL_STR, PTF, "", "name of the task"),
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

/* What FILE costs in the address space. */
static void set_file(const struct snapshot *s, const struct mm *mm, const char *file,
		     struct row *r)
{
	struct usage sum = { 0 };

	for (uint32_t i = 0; i < mm->nvmas && mm->first_vma + i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[mm->first_vma + i];

		if (object_is(object_name(s, v), file))
			usage_add(&sum, &v->usage);
	}
	usage_cells_set(&r->u, &sum);
}

static void set_sizes(const struct snapshot *s, const struct mm *mm, const char *file,
		      struct row *r)
{
	struct sizes sizes;

	sizes_cells_unknown(&r->z);
	if (!s->sizes)
		return;
	sizes_of_mm(s, mm, file, &sizes);
	sizes_cells_set(&r->z, &sizes);
}

static void set_mm(const struct snapshot *s, const struct mm *mm, struct row *r,
		   struct table *t)
{
	uint64_t peak = mm->hiwater_rss;
	int64_t now = counter(mm->counter_shown);

	usage_cells_set(&r->u, &mm->usage);
	r->vsz = mm->total_vm * page_size(s);
	r->rss_kernel = pages_bytes(s, counter(mm->counter));
	r->rss_status = pages_bytes(s, now);
	r->swap_kernel = pages_bytes(s, mm->counter[RSS_SWAP]);
	/* the kernel raises hiwater_rss only when rss is about to fall */
	if (now > 0 && peak < (uint64_t)now)
		peak = (uint64_t)now;
	r->rss_peak = peak * page_size(s);
	r->pgtables = mm->pgtables_bytes;
	r->locked = mm->locked_vm * page_size(s);
	r->mm = mm->addr;
	r->mm_shared = mm->nprocs;
	r->cmdline = mm->cmdline;
	r->note = note(mm, &t->mem);
	if (mm->exe < s->nfiles)
		r->exe = s->files[mm->exe].path;
}

static void set_proc(const struct snapshot *s, const struct proc *p,
		     const struct report_opts *o, struct row *r, struct table *t)
{
	const struct task *leader = proc_leader(s, p);
	const struct mm *mm = proc_mm(s, p);

	*r = (struct row){
		.pid = p->pid, .tid = p->pid, .ppid = p->ppid, .ns_pid = p->pidns_pid,
		.uid = p->uid, .euid = p->euid, .gid = p->gid,
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
	if (!s->sizes)
		sizes_cells_unknown(&r->z);
	if (!mm)
		return;
	set_mm(s, mm, r, t);
	set_sizes(s, mm, o->file, r);
	if (o->file)
		set_file(s, mm, o->file, r);
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

static bool maps_file(const struct snapshot *s, const struct mm *mm, const char *file)
{
	for (uint32_t i = 0; mm && i < mm->nvmas && mm->first_vma + i < s->nvmas; i++)
		if (object_is(object_name(s, &s->vmas[mm->first_vma + i]), file))
			return true;
	return false;
}

static bool wanted(const struct snapshot *s, const struct proc *p, const struct report_opts *o)
{
	if (o->file)
		return maps_file(s, proc_mm(s, p), o->file);
	return !p->kthread || o->kernel_threads || o->pid;
}

/* The threads of a process, after its row: sizes stand once, in the first. */
static void add_threads(const struct snapshot *s, const struct proc *p, struct row *row,
			struct table *t)
{
	struct row *rows = t->rows;

	for (uint32_t j = 0; j < p->ntasks; j++) {
		if (p->first_task + j < s->ntasks)
			set_thread(&s->tasks[p->first_task + j], row);
		rows[t->nrows++] = *row;
		sizes_cells_unknown(&row->z);
	}
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
		if (wanted(s, &s->procs[i], o))
			n += o->threads ? s->procs[i].ntasks : 1;
	t->rows = rows = arena_array(&t->mem, struct row, n);
	t->row_size = sizeof(*rows);
	t->total_key = offsetof(struct row, mm);
	for (uint32_t i = first; i < end; i++) {
		const struct proc *p = &s->procs[i];
		struct row row;

		if (!wanted(s, p, o))
			continue;
		set_proc(s, p, o, &row, t);
		if (o->threads)
			add_threads(s, p, &row, t);
		else
			rows[t->nrows++] = row;
	}
	if (o->file && !t->nrows)
		return fail(diag, ST_ABSENT, "no process maps %.200s; \"files\" lists what is mapped",
			    o->file);
	return ST_OK;
}

static const struct chart_series series[] = {
	{ "pss_anon", "anonymous", CHART_BLUE, "anon" },
	{ "pss_file", "files", CHART_ORANGE, "file" },
	{ "pss_shmem", "shared memory", CHART_GREEN, "shmem" },
	{ "swap_pss", "swap", CHART_PINK, "swap" },
};

/* Proportional sizes, because these add up. */
static const struct chart chart = {
	.title = "Memory of processes",
	.label = "comm",
	.id = "pid",
	.what = "pss and swap_pss",
	.beside = "rss and swap",
	.series = series,
	.nseries = sizeof(series) / sizeof(series[0]),
};

static void text_like_exmap(const struct snapshot *s, const struct report_opts *o,
			    const struct table *t, FILE *out)
{
	(void)s;
	(void)o;
	fprintf(out, "PID\t%s\tCMD\n", sizes_names_like_exmap);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct row *r = table_row(t, i);
		const char *cmd = r->cmdline && *r->cmdline ? r->cmdline : "[nocmdline]";

		if (r->mm == COL_UNKNOWN)
			continue;
		fprintf(out, "%" PRId64 "\t", r->pid);
		sizes_like_exmap(&r->z, out);
		put_text_len(out, cmd, strcspn(cmd, " "));
		putc('\n', out);
	}
}

static const struct like likes[] = {
	{ .name = "exmap", .about = "exmtool procs", .sort = "pid", .text = text_like_exmap,
	  .needs = NEED_SIZES },
	{ .name = NULL }
};

const struct report report_procs = {
	.name = "procs",
	.about = "what each process costs: pss, uss, rss, swap",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_CGROUPS,
	.opts = OPT_PID | OPT_THREADS | OPT_KERNEL | OPT_FILE | OPT_LIKE,
	.cols = cols,
	.ncols = sizeof(cols) / sizeof(cols[0]),
	.sort = "-pss,pid,tid",
	.run = run,
	.chart = &chart,
	.likes = likes,
	.help = "One row for each process, by its proportional set size. Processes that share\n"
		"one address space (vfork, CLONE_VM) each show all of it; totals count it once,\n"
		"and mm_shared says how many they are. --threads gives a row for each thread,\n"
		"whose memory is that of its process. --kernel adds kernel threads.\n"
		"--file NAME shows the processes that map a file (its path, or what is behind the\n"
		"last slash; or [heap], [stack], [anon] ...), and of their memory that file's alone.\n"
		"vm ... writable are the sizes of exmap (see files); they take another pass over all\n"
		"page tables, when asked for. With --threads they stand in the first row of each\n"
		"process.",
};
