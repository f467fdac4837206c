/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tasks - one row per task: its state, what it waits for, which lock it holds, and its kernel
 * stack. --groups: one row per stack.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/cause/thrash/waiting.h"
#include "reports/core/common.h"

#define P COL_SHOWN

struct row {
	int64_t pid, tid;
	const char *comm, *function, *why, *lock, *stack, *how;
	char state;
	uint64_t cpu, stalled, maj_flt, min_flt, frames, addr;
};

static const struct column cols[] = {
	COL(struct row, tid, COL_INT, P, "", "task: process or thread"),
	COL(struct row, pid, COL_INT, 0, "", "process"),
	COL(struct row, state, COL_CHAR, P, "", "as ps prints it"),
	COL(struct row, cpu, COL_UINT, 0, "", "CPU that it ran on last"),
	COL(struct row, stalled, COL_UINT, P, "", "1: it waited for memory, as PSI counts"),
	COL(struct row, why, COL_STR, P, "", "of memory: what it waits for, by its stack"),
	COL(struct row, lock, COL_STR, P, "", "mmap_lock: writes, reads (the last who came), waits"),
	COL(struct row, maj_flt, COL_UINT, 0, "", "page faults that had to read"),
	COL(struct row, min_flt, COL_UINT, 0, "", "other page faults"),
	COL(struct row, function, COL_STR, P, "", "innermost, less those of the scheduler (wchan)"),
	COL(struct row, how, COL_STR, 0, "",
	    "of stack: whole, cut, guessed, running, none or not in the dump"),
	COL(struct row, frames, COL_UINT, 0, "", "of the stack, with those of the scheduler"),
	COL(struct row, addr, COL_HEX, 0, "", "task_struct"),
	COL(struct row, comm, COL_STR, P, "", "name"),
	COL(struct row, stack, COL_STR, COL_WIDE, "",
	    "calls, innermost first, less those of the scheduler; ?: unreliable"),
};

struct group {
	uint64_t key, tasks, stalled, blocked;
	const char *why, *stack, *comms;
	int64_t tid;
	unsigned ncomms;
};

static const struct column group_cols[] = {
	COL(struct group, tasks, COL_UINT, P | COL_TOTAL, "", "tasks with this stack"),
	COL(struct group, blocked, COL_UINT, P | COL_TOTAL, "", "of them in state D"),
	COL(struct group, stalled, COL_UINT, P | COL_TOTAL, "", "that waited for memory, as PSI counts"),
	COL(struct group, why, COL_STR, P, "", "of memory: what they wait for"),
	COL(struct group, tid, COL_INT, P, "", "one of them"),
	COL(struct group, comms, COL_STR, P, "", "their names, the first four"),
	COL(struct group, stack, COL_STR, P | COL_WIDE, "",
	    "calls, innermost first, less those of the scheduler; ?: unreliable"),
};

static const char *lock_text(enum mmlock l)
{
	static const char *const texts[] = { "", "writes", "reads", "waits (write)",
					     "waits (read)" };

	return texts[l];
}

static const char *wait_for_text(enum wait_for why)
{
	static const char *const texts[] = {
		[WAIT_UNKNOWN] = NULL, [WAIT_NOTHING_OF_MEMORY] = "",
		[WAIT_OOM] = "oom killer", [WAIT_MEMCG] = "limit of control group",
		[WAIT_RECLAIM] = "reclaim", [WAIT_COMPACTION] = "compaction",
		[WAIT_SWAP] = "page from swap", [WAIT_FILE] = "page of a file",
		[WAIT_MMAP_LOCK] = "mmap_lock",
	};

	return texts[why];
}

static const char *how_text(enum kstack_state st)
{
	static const char *const texts[] = { "whole",	"cut",	"guessed",
					     "running", "none", "not in the dump" };

	return texts[st];
}

static uint64_t stalled_cell(const struct waiting *w)
{
	return w->stalled < 0 ? COL_UNKNOWN : (uint64_t)w->stalled;
}

static void set_row(const struct task *t, const struct waiting *w, struct row *r)
{
	*r = (struct row){
		.tid = t->pid,
		.pid = t->tgid,
		.comm = t->comm,
		.state = t->state,
		.cpu = t->cpu,
		.maj_flt = t->maj_flt,
		.min_flt = t->min_flt,
		.addr = t->addr,
		.function = w->function,
		.why = wait_for_text(w->why),
		.lock = lock_text(w->lock),
		.stack = w->stack,
		.how = how_text(w->state),
		.frames = w->nframes,
		.stalled = stalled_cell(w),
	};
}

static enum status waits(const struct snapshot *s, struct table *t, struct waiting **ret,
			 struct diag *diag)
{
	if (waiting_read(s, &t->mem, ret))
		return fail(diag, ST_ABSENT, "this image does not show kernel stacks");
	return ST_OK;
}

static enum status tasks_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct waiting *w;
	struct row *rows;
	enum status st = waits(s, t, &w, diag);

	if (st)
		return st;
	rows = arena_array(&t->mem, struct row, s->ntasks);
	for (uint32_t i = 0; i < s->ntasks; i++)
		if (!o->pid || s->tasks[i].tgid == o->pid)
			set_row(&s->tasks[i], &w[i], &rows[t->nrows++]);
	if (o->pid && !t->nrows)
		return fail(diag, ST_ABSENT, "no process %d in this dump", o->pid);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

static void add_name(struct group *g, const char *comm, struct arena *mem)
{
	if (g->comms && strstr(g->comms, comm))
		return;
	if (g->ncomms++ < 4)
		g->comms = g->comms ? arena_printf(mem, "%s %s", g->comms, comm)
				    : arena_strdup(mem, comm);
}

static void add_task(struct group *g, const struct task *t, const struct waiting *w,
		     struct arena *mem)
{
	g->tasks++;
	g->blocked += t->state == 'D';
	g->stalled += w->stalled > 0;
	add_name(g, t->comm, mem);
}

static enum status groups_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	struct waiting *w;
	struct hash at = { .mem = &t->mem };
	struct group *rows;
	enum status st = waits(s, t, &w, diag);

	if (st)
		return st;
	rows = arena_array(&t->mem, struct group, s->ntasks);
	for (uint32_t i = 0; i < s->ntasks; i++) {
		/* tasks without a stack are one group for each reason */
		uint64_t key = w[i].key ? w[i].key : 1 + (uint64_t)w[i].state;
		uint32_t g;

		if (o->pid && s->tasks[i].tgid != o->pid)
			continue;
		g = hash_get(&at, key);
		if (g == HASH_NONE) {
			g = (uint32_t)t->nrows++;
			hash_put(&at, key, g);
			rows[g] = (struct group){
				.why = wait_for_text(w[i].why),
				.tid = s->tasks[i].pid,
				.stack = w[i].stack ? w[i].stack : how_text(w[i].state),
			};
		}
		add_task(&rows[g], &s->tasks[i], &w[i], &t->mem);
	}
	t->rows = rows;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

static const struct report report_tasks_groups = {
	.name = "tasks",
	.about = "kernel stacks, with the tasks that have them",
	.needs = NEED_TASKS,
	.opts = OPT_GROUPS | OPT_PID,
	.cols = group_cols,
	.ncols = ARRAY_LEN(group_cols),
	.sort = "-stalled,-blocked,-tasks,tid",
	.run = groups_report,
};

static const struct report_part parts[] = {
	{ OPT_GROUPS, "groups", &report_tasks_groups },
	{ 0 }
};

const struct report report_tasks = {
	.name = "tasks",
	.about = "what each task waits for, and its kernel stack",
	.needs = NEED_TASKS,
	.opts = OPT_PID,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = tasks_report,
	.parts = parts,
	.help = "One row for each task, kernel threads too. On x86-64 the stack is unwound by the tables\n"
		"that the kernel has for itself (ORC, 4.14), on PowerPC and where the kernel has frame\n"
		"pointers (4.9) by the chain of frames. Elsewhere, and where such a step is missing, a\n"
		"return address that lies on the stack is marked with \"?\": the call may have ended. A\n"
		"task that ran on a CPU has a stack if the dump has the registers of that CPU, which kdump\n"
		"notes; else it is unknown.\n"
		"\n"
		"why tells what a task waits for of memory: the oom killer, reclaim, compaction, the limit\n"
		"of a control group, a page from swap or of a file, mmap_lock. --groups has one row for\n"
		"each stack, and the tasks that have it.",
};
