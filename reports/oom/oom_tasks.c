/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oom --tasks: the kernel's table of tasks, beside the same processes in the dump. */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/choice/replay.h"
#include "model/cause/freed/freed.h"
#include "model/kernel/source.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"
#include "reports/oom/oom.h"

struct row {
	uint64_t event, uid, victim, total_vm, rss, rss_anon, rss_file, rss_shmem, swap, pgtables;
	uint64_t rss_now, swap_now, pgtables_now, pss, uss, oom_score;
	int64_t pid, oom_score_adj, badness, badness_now;
	uint64_t freed;
	const char *comm, *now, *choice;
};

#define S COL_SHOWN
#define WALK (NEED_VMAS | NEED_FRAMES | NEED_USAGE)
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, event, COL_UINT, S, "", "number of the event in oom"),
	COL(struct row, pid, COL_INT, S, "", "process id"),
	COL(struct row, uid, COL_UINT, 0, "", "user id"),
	COL(struct row, victim, COL_UINT, S, "", "1: it was killed"),
	BYTES(total_vm, 0, "log: virtual size"),
	BYTES(rss, S, "log: resident size"),
	BYTES(rss_anon, 0, "log: of rss, anonymous (since 6.8)"),
	BYTES(rss_file, 0, "log: of rss, pages of files (since 6.8)"),
	BYTES(rss_shmem, 0, "log: of rss, shared memory (since 6.8)"),
	BYTES(swap, S, "log: swap entries"),
	BYTES(pgtables, 0, "log: page tables"),
	COL(struct row, oom_score_adj, COL_INT, S, "", "log: adjustment of the score"),
	COL(struct row, badness, COL_INT, S, "pages",
	    "what the OOM killer compared, from the log's numbers; to 3.4 thousandths"),
	COL(struct row, choice, COL_STR, S, "",
	    "whom the rules choose: then, from this table; now, from the dump (last event)"),
	COL(struct row, now, COL_STR, S, "", "in the dump: alive, ended, or another process of that pid"),
	BYTES(rss_now, S, "dump: resident size by the kernel's counters"),
	BYTES(swap_now, 0, "dump: swap entries"),
	BYTES(pgtables_now, 0, "dump: page tables"),
	COL(struct row, badness_now, COL_INT, S, "pages", "dump: badness, for a request without limits"),
	COL(struct row, oom_score, COL_UINT, 0, "", "dump: /proc/PID/oom_score"),
	{ "pss", COL_BYTES, S, offsetof(struct row, pss), "bytes", "dump: proportional size", WALK, 0 },
	{ "uss", COL_BYTES, 0, offsetof(struct row, uss), "bytes",
	  "dump: memory that no other process maps", WALK, 0 },
	{ "freed", COL_BYTES, S, offsetof(struct row, freed), "bytes",
	  "dump: what its death would free (--kills; here without what it holds by descriptors)", WALK, 0 },
	COL(struct row, comm, COL_STR, S, "", "log: name"),
};

static int64_t points(const struct badness *b)
{
	return b->known && !b->unkillable ? b->points : COL_UNKNOWN_INT;
}

static bool is_victim(const struct oom_event *e, int64_t pid)
{
	/* more are only in a group, whose rows are many as well: look at the first ones */
	for (size_t i = 0; i < e->victims.n && i < 64; i++)
		if (e->victims.v[i].pid == pid)
			return true;
	return false;
}

/* What all rows share, and what is the same for those of one event. */
struct maker {
	const struct snapshot *s;
	struct freer *freer;		/* NULL: usage was not built */
	uint64_t *freed;		/* [nprocs]; COL_UNKNOWN: not asked yet */
	const struct oom_event *e;
	size_t number, last;		/* last: index of the last event with a table */
	uint64_t total;			/* pages that its tasks could use */
	struct replay then, now;
};

static uint64_t freed_of(const struct maker *m, uint32_t proc)
{
	struct freed f;

	if (m->freed[proc] == COL_UNKNOWN) {
		freed_by(m->freer, &proc, 1, &f);
		m->freed[proc] = f.exit;
	}
	return m->freed[proc];
}

static const char *choice(const struct maker *m, int64_t pid)
{
	bool then = m->then.result == REPLAY_CHOSEN && m->then.pid == pid;
	bool now = m->now.result == REPLAY_CHOSEN && m->now.pid == pid;

	return then && now ? "then, now" : then ? "then" : now ? "now" : NULL;
}

static void set_unknown(struct row *r)
{
	r->rss_now = r->swap_now = r->pgtables_now = r->pss = r->uss = COL_UNKNOWN;
	r->oom_score = r->freed = COL_UNKNOWN;
	r->badness_now = COL_UNKNOWN_INT;
}

static void set_now(const struct maker *m, const struct oom_task *t, struct row *r)
{
	const struct snapshot *s = m->s;
	uint32_t i = snapshot_proc_by_pid(s, t->pid);
	const struct proc *p = i == NONE ? NULL : &s->procs[i];
	const struct mm *mm = p ? proc_mm(s, p) : NULL;
	struct badness b;

	set_unknown(r);
	if (!(s->built & NEED_TASKS))
		return;
	r->now = !p ? "ended" : p->start_boottime > m->e->time + 1000000000 ? "another" : "alive";
	if (!p || *r->now != 'a' || r->now[1] != 'l')
		return;
	b = proc_badness(s, p, badness_total(s));
	r->badness_now = points(&b);
	r->oom_score = proc_oom_score(s, p);
	if (!mm) {
		r->now = p->mm_unread ? "alive" : "no memory left";
		return;
	}
	r->rss_now = mm_counted_rss(s, mm);
	r->swap_now = mm_counted_swap(s, mm);
	r->pgtables_now = mm->pgtables_bytes;
	if (s->built & NEED_USAGE && !mm_incomplete(s, mm)) {
		r->pss = mm->usage.pss >> PSS_SHIFT;
		r->uss = usage_uss(&mm->usage);
		r->freed = m->freer ? freed_of(m, i) : COL_UNKNOWN;
	}
}

static void set_row(const struct maker *m, const struct oom_task *t, struct row *r)
{
	unsigned shift = m->s->k->page_shift;
	struct badness b = oom_task_badness(m->s, t, m->total);

	*r = (struct row){
		.event = m->number,
		.pid = oom_cell_int(t->pid),
		.uid = oom_cell(t->uid),
		.victim = is_victim(m->e, t->pid),
		.total_vm = oom_cell_bytes(t->total_vm, shift),
		.rss = oom_cell_bytes(t->rss, shift),
		.rss_anon = oom_cell_bytes(t->rss_anon, shift),
		.rss_file = oom_cell_bytes(t->rss_file, shift),
		.rss_shmem = oom_cell_bytes(t->rss_shmem, shift),
		.swap = oom_cell_bytes(t->swapents, shift),
		.pgtables = oom_cell(t->tables_bytes),
		.oom_score_adj = oom_cell_int(t->oom_score_adj),
		.badness = points(&b),
		.choice = choice(m, t->pid),
		.comm = t->comm,
	};
	set_now(m, t, r);
}

static void set_event(struct maker *m, const struct oom_log *log, size_t i, struct arena *mem)
{
	m->e = &log->v[i];
	m->number = i + 1;
	m->total = oom_total_of(m->s, m->e, mem);
	replay_log(m->s, m->e, m->total, &m->then);
	/* the dump is that of the last one, if of any */
	m->now = (struct replay){ .result = REPLAY_NOT_POSSIBLE };
	if (i == m->last)
		replay_dump(m->s, m->e, m->total, &m->now);
}

static const char *reason_of(const struct replay *r, const struct replay_difference *d,
			     struct arena *mem)
{
	switch (d->why) {
	case REPLAY_NO_REASON: break;
	case REPLAY_KILLS_ASKER:
		return "the kernel was told to kill who asks (vm.oom_kill_allocating_task)";
	case REPLAY_KILLED_BEFORE:
		return arena_printf(mem, "%s (%" PRId64 ") was killed in event %zu, and %s",
				    r->comm, r->pid, d->before,
				    d->unable ? "the reaper gave it up" : "its memory reaped");
	case REPLAY_NOT_IN_TABLE:
		return "who was chosen is not in the table, or is a child of a row in it";
	case REPLAY_NEAR:
		return "they are within a percent; sizes move between the choice and the table";
	}
	return NULL;
}

/* How the choice by the rules and that of the log differ in event NUMBER; "" if they do not. */
static const char *difference(const struct maker *m, const struct replay_difference *d,
			      struct arena *mem)
{
	const struct replay *r = &m->then;
	const char *because = reason_of(r, d, mem), *choice;

	if (d->agrees == REPLAY_AGREES)
		return "";
	choice = r->result == REPLAY_CHOSEN
			 ? arena_printf(mem, "%s (%" PRId64 ")", r->comm, r->pid)
			 : arena_printf(mem, "nobody (of %zu)", (size_t)m->e->tasks.n);
	return arena_printf(mem, "event %zu: the rules choose %s, the log %" PRId64 "%s%s.\n",
			    (size_t)m->number, choice, d->got, because ? ": " : "",
			    because ? because : ", and no rule explains it");
}

/* Where the log names another than the rules do; and the choice in the dump. */
static const char *findings(struct maker *m, const struct oom_log *log, struct arena *mem)
{
	struct replay_difference d;
	const char *text = "";

	for (size_t i = 0; i < log->n; i++) {
		if (!log->v[i].tasks.n)
			continue;
		set_event(m, log, i, mem);
		d = replay_compare(log, i, &m->then);
		text = arena_printf(mem, "%s%s", text, difference(m, &d, mem));
	}
	switch (m->now.result) {
	case REPLAY_CHOSEN:
		return arena_printf(mem, "%sNow the OOM killer would choose %s (%" PRId64 ").",
				    text, m->now.comm, m->now.pid);
	case REPLAY_WAITS:
		return arena_printf(mem,
				    "%sNow it would wait for %s (%" PRId64 "), which is dying.",
				    text, m->now.comm, m->now.pid);
	case REPLAY_NOBODY: return arena_printf(mem, "%sNow nobody could be killed.", text);
	case REPLAY_NOT_POSSIBLE: break;
	}
	return *text ? text : NULL;
}

static void set_rows(struct maker *m, const struct oom_log *log, struct row *rows, struct table *t)
{
	if (m->s->built & NEED_USAGE && source_has(m->s->k, SOURCE_MEMORY))
		m->freer = freer_new(m->s, NULL, NULL, NULL, 0, &t->mem);
	m->freed = arena_array(&t->mem, uint64_t, m->s->nprocs);
	memset(m->freed, 0xff, m->s->nprocs * sizeof(*m->freed));
	for (size_t i = 0; i < log->n; i++)
		m->last = log->v[i].tasks.n ? i : m->last;
	for (size_t i = 0; i < log->n; i++) {
		if (log->v[i].tasks.n)
			set_event(m, log, i, &t->mem);
		for (size_t j = 0; j < log->v[i].tasks.n; j++)
			set_row(m, &log->v[i].tasks.v[j], &rows[t->nrows++]);
	}
	if (m->freer)
		freer_free(m->freer);
}

static enum status tasks_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct oom_log log;
	struct maker m = { .s = s };
	struct row *rows;
	size_t n = 0;
	enum status st = oom_events(s, &log, diag);

	(void)o;
	if (st)
		return st;
	for (size_t i = 0; i < log.n; i++)
		n += log.v[i].tasks.n;
	rows = arena_array(&t->mem, struct row, n);
	set_rows(&m, &log, rows, t);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = n	  ? findings(&m, &log, &t->mem)
		  : log.n ? "No event in the log has a table of tasks."
			  : oom_note(s, &log, &t->mem);
	return ST_OK;
}

const struct report report_oom_tasks = {
	.name = "oom",
	.about = "the kernel's table of tasks, and the same processes in the dump",
	.needs = NEED_LOG | NEED_MACHINE,
	.wants = NEED_TASKS | NEED_CGROUPS,
	.opts = OPT_TASKS,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "event,-rss,pid",
	.run = tasks_report,
};
