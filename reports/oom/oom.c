/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * oom - what the log says about running out of memory: one row per kill by the OOM killer,
 * failed or stalled allocation, or kill by a program. Its parts --tasks, --zones, --cgroups
 * show what the kernel printed beside what the dump has.
 */
#include "reports/oom/oom.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "reports/core/common.h"
#include "reports/oom/verdict_text.h"

struct row {
	uint64_t event, time, gfp, victims, tasks, zones, inferred, line;
	uint64_t victim_uid, victim_rss, anon_rss, file_rss, shmem_rss, total_vm, pgtables;
	int64_t pid, order, oom_score_adj, victim_pid, victim_adj, chosen_pid, score;
	const char *kind, *comm, *gfp_names, *constraint, *memcg, *task_memcg, *nodemask, *cpuset,
		*asker, *asker_module, *mems_allowed, *victim, *chosen, *outcome, *group, *panic, *text,
		*printed;
};

#define S COL_SHOWN
#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define INT(name, fl, about) COL(struct row, name, COL_INT, fl, "", about)
#define UINT(name, fl, about) COL(struct row, name, COL_UINT, fl, "", about)
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	UINT(event, S, "number of the event, as the parts of this report have it"),
	COL(struct row, time, COL_NSEC, S, "ns", "of its first line, since boot"),
	STR(printed, 0, "the same as a text of the log has it, without time since boot"),
	STR(kind, S, "oom kill, allocation failure or stall, killed by a program ..."),
	STR(comm, S, "name of the task that asked for memory, or of the program that killed"),
	INT(pid, S, "its thread id"),
	INT(order, S, "it asked for 2^order pages; -1: somebody asked for a kill (sysrq f)"),
	STR(gfp_names, S | COL_WIDE, "flags of the request, in the names of that release"),
	COL(struct row, gfp, COL_HEX, 0, "", "the same as a number"),
	STR(asker, 0, "function that asked, by the call trace in the log"),
	STR(asker_module, 0, "the module that it is of"),
	INT(oom_score_adj, 0, "of the task that asked (to 2.6.35: oom_adj)"),
	STR(constraint, S, "what limited the request: none, memcg, cpuset, mempolicy"),
	UINT(inferred, 0, "1: the constraint follows from other lines (before 5.0)"),
	STR(memcg, S, "control group at its limit"),
	STR(task_memcg, 0, "control group of the victim"),
	STR(nodemask, 0, "nodes that the request was limited to"),
	STR(cpuset, 0, "cpuset of the task that asked"),
	STR(mems_allowed, 0, "its nodes"),
	INT(victim_pid, S, "process that was killed"),
	STR(victim, S, "its name"),
	UINT(victim_uid, 0, "its user id"),
	BYTES(victim_rss, S, "its resident size: anon_rss, file_rss, shmem_rss"),
	BYTES(anon_rss, 0, "of victim_rss: anonymous"),
	BYTES(file_rss, 0, "of victim_rss: pages of files"),
	BYTES(shmem_rss, 0, "of victim_rss: shared memory (since 4.5)"),
	BYTES(total_vm, 0, "its virtual size"),
	BYTES(pgtables, 0, "its page tables (since 5.4)"),
	INT(victim_adj, 0, "its oom_score_adj (since 5.4)"),
	UINT(victims, 0, "processes that were killed: several with memory.oom.group"),
	INT(chosen_pid, 0, "to 5.1: process that was chosen; a child may have been killed instead"),
	STR(chosen, 0, "its name"),
	INT(score, 0, "its score, as printed"),
	STR(outcome, S | COL_WIDE, "how it ended"),
	STR(group, 0, "control group that was killed as a whole"),
	STR(panic, 0, "the panic that followed"),
	UINT(tasks, 0, "rows of the kernel's table of tasks (--tasks)"),
	UINT(zones, 0, "zones that it printed (--zones)"),
	UINT(line, 0, "number of its first line in the log (dmesg), from 0"),
	STR(text, 0, "of a kill by a program: its message"),
};

enum status oom_events(const struct snapshot *s, struct oom_log *log, struct diag *diag)
{
	*log = (struct oom_log){ 0 };
	if (!s->machine.nlog)
		return fail(diag, ST_NODATA, "%s", machine_no_log(&s->machine));
	*log = *oom_log_of(s);
	return ST_OK;
}

/* ---- the note ----------------------------------------------------------------------- */

/* Direct reclaim since boot: without an OOM kill this is what lack of memory cost. */
static const char *events_text(const struct machine *m, struct arena *mem)
{
	uint64_t stalls = machine_vmstat_sum(m, "allocstall");

	return stalls == UINT64_MAX
		       ? ""
		       : arena_printf(mem,
				      " Since boot tasks had to reclaim memory themselves %" PRIu64
				      " times (allocstall).",
				      stalls);
}

static uint64_t kills_logged(const struct oom_log *log)
{
	uint64_t n = 0;

	for (size_t i = 0; i < log->n; i++)
		if (log->v[i].kind == OOM_KILL && !log->v[i].exiting)
			n += log->v[i].victims.n + log->v[i].again;
	return n;
}

static bool is_mended(const struct oom_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		for (size_t j = 0; j < log->v[i].victims.n; j++)
			if (log->v[i].victims.v[j].mended)
				return true;
	return false;
}

const char *oom_note(const struct snapshot *s, const struct oom_log *log, struct arena *mem)
{
	const struct machine *m = &s->machine;
	uint64_t logged = kills_logged(log);
	bool counted = m->oom_kills != UINT64_MAX;
	uint64_t first = m->nlog ? m->log[0].ts / 1000000000 : 0;

	if (!log->n && m->log_alone)
		return "No kernel OOM in this log.";
	if (!log->n && (!counted || !m->oom_kills))
		return arena_printf(mem,
				    "No kernel OOM in this dump: none in the log, which begins "
				    "%" PRIu64 " s after boot%s.%s",
				    first, counted ? ", and the kernel counts none" : "",
				    events_text(m, mem));
	if (counted && m->oom_kills != logged)
		return arena_printf(mem,
				    "The kernel counts %" PRIu64
				    " kills since boot, the log has %" PRIu64 "; it begins %" PRIu64
				    " s after boot.",
				    m->oom_kills, logged, first);
	return is_mended(log)
		       ? "This kernel printed pgtables in bytes as kB (5.4.0 to 5.4.8): the size is "
			 "what it meant."
		       : NULL;
}

/* ---- rows --------------------------------------------------------------------------- */

static const char *kill_text(const struct oom_event *e, struct arena *mem)
{
	const struct oom_victim *v = e->victims.n ? &e->victims.v[0] : NULL;
	const char *reaped = !v			       ? ""
			     : v->reaped == OOM_REAPED ? ", reaped"
			     : v->reaped == OOM_UNABLE ? ", the reaper could not free it"
						       : "";

	if (e->panic)
		return v ? "killed, then panic" : "panic";
	if (e->exiting)
		return "the victim was exiting";
	if (e->no_task)
		return "nobody to kill";
	if (e->group && e->kind == OOM_KILL)
		return arena_printf(mem, "group of %zu killed%s", e->victims.n, reaped);
	return v ? arena_printf(mem, "killed%s", reaped) : "not in the log";
}

static const char *outcome_text(const struct oom_event *e, struct arena *mem)
{
	switch (e->kind) {
	case OOM_KILL: return kill_text(e, mem);
	case OOM_FAILURE: return "failed";
	case OOM_STALL: return "took long";
	case OOM_FAULT: return e->victims.n ? "killed" : "retried";
	case OOM_ANDROID:
	case OOM_PROGRAM:
	case OOM_KINDS: break;
	}
	return "killed";
}

static uint64_t victim_rss(const struct oom_victim *v)
{
	uint64_t sum = 0;
	const int64_t part[] = { v->anon_rss, v->file_rss, v->shmem_rss };

	if (v->anon_rss == OOM_UNKNOWN)
		return COL_UNKNOWN;
	for (size_t i = 0; i < ARRAY_LEN(part); i++)
		if (oom_cell_bytes(part[i], 10) != COL_UNKNOWN)
			sum += oom_cell_bytes(part[i], 12) / 4;
	return sum;
}

static void set_victim(const struct oom_event *e, struct row *r)
{
	const struct oom_victim *v = e->victims.n ? &e->victims.v[0] : &oom_no_victim;

	r->victims = e->victims.n;
	r->victim_pid = oom_cell_int(v->pid);
	r->victim = v->comm;
	r->victim_uid = oom_cell(v->uid);
	r->victim_adj = oom_cell_int(v->oom_score_adj);
	r->victim_rss = victim_rss(v);
	r->anon_rss = oom_cell_bytes(v->anon_rss, 10);
	r->file_rss = oom_cell_bytes(v->file_rss, 10);
	r->shmem_rss = oom_cell_bytes(v->shmem_rss, 10);
	r->total_vm = oom_cell_bytes(v->total_vm, 10);
	r->pgtables = oom_cell_bytes(v->tables, 10);
}

static void set_row(const struct snapshot *s, const struct oom_event *e, size_t number,
		    struct row *r, struct arena *mem)
{
	*r = (struct row){
		.event = number,
		.time = s->machine.log_by_clock ? COL_UNKNOWN : e->time,
		.printed = e->printed,
		.kind = oom_kind_text(e->kind),
		.comm = e->comm,
		.pid = oom_cell_int(e->pid),
		.order = oom_cell_int(e->order),
		.asker = e->asker,
		.asker_module = e->asker_module,
		.gfp = oom_cell(e->gfp),
		.gfp_names = e->gfp_names,
		.oom_score_adj = oom_cell_int(e->oom_score_adj),
		.constraint = oom_constraint_text(e->constraint),
		.inferred = e->inferred,
		.memcg = e->oom_memcg,
		.task_memcg = e->task_memcg,
		.nodemask = e->nodemask,
		.cpuset = e->cpuset,
		.mems_allowed = e->mems_allowed,
		.chosen_pid = oom_cell_int(e->chosen_pid),
		.chosen = e->chosen_comm,
		.score = oom_cell_int(e->chosen_score),
		.outcome = outcome_text(e, mem),
		.group = e->group,
		.panic = e->panic,
		.tasks = e->tasks.n,
		.zones = e->zones.n,
		.line = e->first_line,
		.text = e->text,
	};
	set_victim(e, r);
}

/* The verdict, above the events. */
static const char *head(const struct snapshot *s, unsigned screen, struct arena *mem)
{
	const char *text = "";
	const struct verdict *v = verdict_of(s);

	for (unsigned i = 0; i < v->n; i++)
		text = arena_printf(mem, "%s%s", text,
				    verdict_wrap(verdict_sentence(v, &v->v[i], mem), screen, mem));
	return arena_printf(mem, "VERDICT\n%s\n", text);
}

static enum status oom_report(const struct snapshot *s, const struct report_opts *o,
			      struct table *t, struct diag *diag)
{
	struct oom_log log;
	struct row *rows;
	enum status st = oom_events(s, &log, diag);

	if (st)
		return st;
	rows = arena_array(&t->mem, struct row, log.n);
	for (size_t i = 0; i < log.n; i++)
		set_row(s, &log.v[i], i + 1, &rows[i], &t->mem);
	t->rows = rows;
	t->nrows = log.n;
	t->row_size = sizeof(*rows);
	t->head = head(s, o->width, &t->mem);
	t->note = oom_note(s, &log, &t->mem);
	return ST_OK;
}

static const struct report_part parts[] = {
	{ OPT_TASKS, "tasks", &report_oom_tasks },
	{ OPT_ZONES, "zones", &report_oom_zones },
	{ OPT_CGROUPS, "cgroups", &report_oom_cgroups },
	{ OPT_VERDICT, "verdict", &report_oom_verdict },
	{ OPT_KILLS, "kills", &report_oom_kills },
	{ 0 }
};

const struct report report_oom = {
	.name = "oom",
	.about = "the OOM killer: who asked, what was missing, who was killed",
	.needs = NEED_LOG | NEED_MACHINE,
	.wants = NEED_VERDICT,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = oom_report,
	.parts = parts,
	.help = "One row for each time that memory ran out, as the log tells it, of kernels 2.4 to 7.3: a\n"
		"kill by the OOM killer, an allocation that failed or took long, and kills by programs\n"
		"(systemd-oomd, earlyoom, lmkd) whose messages reach the log. Lines that two CPUs wrote\n"
		"at the same time are told apart where the kernel notes the caller (5.1).\n"
		"\n"
		"--tasks shows the kernel's table of tasks beside the processes in the dump, --zones the\n"
		"zones with their watermarks and which of them failed the request, --cgroups the control\n"
		"groups that were at their limit.\n"
		"\n"
		"The log is text, and names in it may hold anything. Where the kernel counts its kills\n"
		"(4.13) and the log has others, a line below the table says so.",
};
