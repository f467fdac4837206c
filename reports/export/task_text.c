/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: fs/proc/array.c (do_task_stat(), proc_pid_status(), proc_pid_statm()),
 * fs/proc/task_mmu.c (task_mem(), task_statm()), read in 5.10 ... 7.3. Values that a dump
 * does not hold are 0, as for a reader without privilege; docs/export.md lists them.
 */
#include "reports/export/task_text.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/cause/choice/badness.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"
#include "reports/export/numa_text.h"
#include "reports/export/status_text.h"
#include "reports/process/vma_rows.h"

#define NSEC_TICK 10000000u	/* USER_HZ is 100 */

static const struct report_opts one = { .pid = 1 };	/* no headers between processes */

/* ---- stat ------------------------------------------------------------------------ */

static void put_uint(FILE *out, uint64_t v)
{
	fprintf(out, " %" PRIu64, v);
}

static void put_int(FILE *out, int64_t v)
{
	fprintf(out, " %" PRId64, v);
}

static uint64_t rss_pages(const struct mm *mm)
{
	int64_t n = 0;

	for (int c = 0; mm && c < RSS_COUNTERS; c++)
		n += c == RSS_SWAP ? 0 : mm->counter_approx[c];
	return n > 0 ? (uint64_t)n : 0;
}

static void put_memory(const struct task_text *x, FILE *out)
{
	const struct mm *mm = x->mm;

	put_uint(out, mm ? mm->total_vm * page_size(x->s) : 0);
	put_uint(out, rss_pages(mm));
	put_uint(out, x->d.rss_limit);
	put_uint(out, mm ? mm->start_code : 0);
	put_uint(out, mm ? mm->end_code : 0);
	put_uint(out, mm ? mm->start_stack : 0);
	fputs(" 0 0", out); /* esp and eip: only for a dying task */
}

static void put_signals(const struct task_text *x, const struct task *t, FILE *out)
{
	/* until 54354c6a9f7f (v5.16) fs/proc finds the channel by a stack walk */
	static const struct era by_state = { V(5, 16), 0 }, group_code = { V(5, 17), 0 };
	bool asleep = in_era(x->s->k, by_state) && t && t->state != 'R' && x->p->ntasks < 2;

	put_uint(out, x->d.pending & 0x7fffffff);
	put_uint(out, x->d.blocked & 0x7fffffff);
	put_uint(out, x->d.ignored & 0x7fffffff);
	put_uint(out, x->d.caught & 0x7fffffff);
	put_uint(out, asleep);
	fputs(" 0 0", out);
	put_int(out, x->d.exit_signal);
	put_uint(out, t ? t->cpu : 0);
	put_uint(out, x->d.rt_priority);
	put_uint(out, x->d.policy);
	fputs(" 0", out); /* delay accounting */
	put_uint(out, x->d.gtime / NSEC_TICK);
	put_uint(out, x->d.cgtime / NSEC_TICK);
	if (x->mm) {
		const uint64_t v[] = { x->mm->start_data, x->mm->end_data, x->mm->start_brk,
				       x->mm->arg_start,  x->mm->arg_end,  x->mm->env_start,
				       x->mm->env_end };

		for (size_t i = 0; i < ARRAY_LEN(v); i++)
			put_uint(out, v[i]);
	} else {
		fputs(" 0 0 0 0 0 0 0", out);
	}
	put_int(out, in_era(x->s->k, group_code) && x->d.group_exit ? x->d.group_exit_code
								    : x->d.exit_code);
}

static void write_stat(const struct task_text *x, FILE *out)
{
	const struct proc *p = x->p;
	const struct task *t = proc_leader(x->s, p);

	/* the name unescaped: only status escapes it */
	fprintf(out, "%d (%s) %c %d %d %d %" PRIu32 " %d %" PRIu32, p->pid, x->d.name,
		t && t->state ? t->state : '?', p->ppid, x->d.pgrp, x->d.session, x->d.tty,
		x->d.tty_pgrp, t ? t->flags : 0);
	put_uint(out, known_or_0(p->min_flt));
	put_uint(out, x->d.cmin_flt);
	put_uint(out, known_or_0(p->maj_flt));
	put_uint(out, x->d.cmaj_flt);
	put_uint(out, known_or_0(p->utime) / NSEC_TICK);
	put_uint(out, known_or_0(p->stime) / NSEC_TICK);
	put_uint(out, x->d.cutime / NSEC_TICK);
	put_uint(out, x->d.cstime / NSEC_TICK);
	put_int(out, x->d.prio - MAX_RT_PRIO);
	put_int(out, p->nice);
	put_uint(out, p->ntasks);
	fputs(" 0", out);
	put_uint(out, p->start_boottime / NSEC_TICK);
	put_memory(x, out);
	put_signals(x, t, out);
	putc('\n', out);
}

/* ---- the small ones ---------------------------------------------------------------- */

static uint64_t pages(int64_t n)
{
	return n > 0 ? (uint64_t)n : 0;
}

static void write_statm(const struct task_text *x, FILE *out)
{
	const struct mm *mm = x->mm;
	uint64_t shared, page = page_size(x->s), text;

	if (!mm) {
		fputs("0 0 0 0 0 0 0\n", out);
		return;
	}
	shared = pages(mm->counter_shown[RSS_FILE]) + pages(mm->counter_shown[RSS_SHMEM]);
	text = ((mm->end_code + page - 1) & ~(page - 1)) - (mm->start_code & ~(page - 1));
	fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " 0 %" PRIu64 " 0\n",
		mm->total_vm, shared + pages(mm->counter_shown[RSS_ANON]), shared, text / page,
		mm->data_vm + mm->stack_vm);
}

static void write_comm(const struct task_text *x, FILE *out)
{
	fprintf(out, "%s\n", x->d.name);
}

/*
 * If the arguments of a process are not in the dump, its program stands for them: tools
 * take a process without arguments for a kernel thread.
 */
static void write_cmdline(const struct task_text *x, FILE *out)
{
	const struct mm *mm = x->mm;
	const char *exe = mm && mm->exe < x->s->nfiles ? x->s->files[mm->exe].path : NULL;

	if (!mm)
		return;
	if (mm->args)
		fwrite(mm->args, 1, mm->nargs, out);
	else if (mm->arg_end > mm->arg_start)
		fprintf(out, "%s%c", exe ? exe : proc_comm(x->s, x->p), '\0');
}

static void write_cgroup(const struct task_text *x, FILE *out)
{
	const struct snapshot *s = x->s;
	const struct cgroup_line *line;
	struct arena mem = { 0 };
	unsigned n = process_shown_cgroups(x->shown, x->p, &mem, &line);

	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%" PRId32 ":%s:%s\n", line[i].id, line[i].controllers, line[i].path);
	if (!n)
		fprintf(out, "0::%s\n",
			x->p->cgroup < s->ncgroups && s->cgroups[x->p->cgroup].path
				? s->cgroups[x->p->cgroup].path
				: "/");
	arena_release(&mem);
}

static void write_oom_adj(const struct task_text *x, FILE *out)
{
	fprintf(out, "%d\n", x->p->oom_score_adj);
}

static void write_oom_score(const struct task_text *x, FILE *out)
{
	fprintf(out, "%" PRIu64 "\n", proc_oom_score(x->s, x->p));
}

static bool has_oom_score(const struct task_text *x)
{
	return proc_oom_score(x->s, x->p) != UINT64_MAX;
}

static void write_smaps(const struct task_text *x, FILE *out)
{
	smaps_text(x->s, &one, &x->rows, out);
}

static void write_maps(const struct task_text *x, FILE *out)
{
	maps_text(x->s, &one, &x->rows, out);
}

static void write_rollup(const struct task_text *x, FILE *out)
{
	smaps_rollup_text(x->s, x->mm, out);
}

static bool has_rollup(const struct task_text *x)
{
	return x->mm && x->mm->nvmas && kernel_rule(x->s->k, RULE_SMAPS_ROLLUP);
}

static bool has_numa(const struct task_text *x)
{
	return has_numa_maps(x->s, x->shown, x->mm);
}

static void write_numa(const struct task_text *x, FILE *out)
{
	write_numa_maps(x->s, x->shown, x->p, x->mm, out);
}

/* ---- all of them ---------------------------------------------------------------------- */

const struct task_file task_files[] = {
	{ "stat", NULL, write_stat },
	{ "status", NULL, write_status },
	{ "statm", NULL, write_statm },
	{ "comm", NULL, write_comm },
	{ "cmdline", NULL, write_cmdline },
	{ "cgroup", NULL, write_cgroup },
	{ "oom_score_adj", NULL, write_oom_adj },
	{ "oom_score", has_oom_score, write_oom_score },
	{ "maps", NULL, write_maps },
	{ "smaps", NULL, write_smaps },
	{ "smaps_rollup", has_rollup, write_rollup },
	{ "numa_maps", has_numa, write_numa },
	{ NULL, NULL, NULL }
};

const struct task_file *task_file(const char *name)
{
	const struct task_file *f = task_files;

	while (f->name && strcmp(f->name, name))
		f++;
	return f;
}

enum status task_rows(const struct snapshot *s, const struct report_opts *o, struct table *all,
		      struct diag *diag)
{
	return vma_rows(s, o, ROWS_EACH_PROC | ROWS_GATE, all, diag);
}

void task_text_set(struct task_text *x, const struct snapshot *s, struct process_shown *shown,
		   const struct proc *p, const struct table *all)
{
	size_t lo, hi;

	*x = (struct task_text){ .s = s, .p = p, .shown = shown, .mm = proc_mm(s, p) };
	process_shown_details(shown, p, &x->d);
	/* processes come in the order of s->procs, as rows do */
	lo = search_first(all->nrows, mid, ((const struct vma_row *)table_row(all, mid))->proc < p);
	for (hi = lo; hi < all->nrows; hi++)
		if (((const struct vma_row *)table_row(all, hi))->proc != p)
			break;
	x->rows = (struct table){ .rows = (char *)all->rows + lo * all->row_size,
				  .row_size = all->row_size,
				  .nrows = hi - lo };
}
