/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oom --tasks: the kernel's table of tasks, beside the same processes in the dump. */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/oom/badness.h"
#include "model/views/incomplete.h"
#include "reports/core/common.h"
#include "reports/oom/oom.h"

struct row {
	uint64_t event, uid, victim, total_vm, rss, rss_anon, rss_file, rss_shmem, swap, pgtables;
	uint64_t rss_now, swap_now, pgtables_now, pss, uss, oom_score;
	int64_t pid, oom_score_adj, badness, badness_now;
	const char *comm, *now;
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
	COL(struct row, now, COL_STR, S, "", "in the dump: alive, ended, or another process of that pid"),
	BYTES(rss_now, S, "dump: resident size by the kernel's counters"),
	BYTES(swap_now, 0, "dump: swap entries"),
	BYTES(pgtables_now, 0, "dump: page tables"),
	COL(struct row, badness_now, COL_INT, S, "pages", "dump: badness, for a request without limits"),
	COL(struct row, oom_score, COL_UINT, 0, "", "dump: /proc/PID/oom_score"),
	{ "pss", COL_BYTES, S, offsetof(struct row, pss), "bytes", "dump: proportional size", WALK, 0 },
	{ "uss", COL_BYTES, 0, offsetof(struct row, uss), "bytes",
	  "dump: memory that no other process maps", WALK, 0 },
	COL(struct row, comm, COL_STR, S, "", "log: name"),
};

/* Pages that the tasks of event E could use; 0: not known. */
static uint64_t total_of(const struct snapshot *s, const struct oom_event *e)
{
	uint64_t all = badness_total(s), swap = machine_meminfo(&s->machine, "SwapTotal");
	uint64_t limit = 0, more = 0;

	if (e->constraint == OOM_NONE)
		return all;
	if (e->constraint != OOM_MEMCG || swap == COL_UNKNOWN)
		return 0;
	/* mem_cgroup_get_max(): memory, and swap as far as there is any */
	for (size_t i = 0; i < e->usages.n; i++) {
		const struct oom_usage *u = &e->usages.v[i];
		uint64_t bytes = oom_cell_bytes(u->limit, 10);

		if (bytes == COL_UNKNOWN)
			bytes = INT64_MAX;
		if (!strcmp(u->what, "memory"))
			limit = bytes;
		else if (!strcmp(u->what, "swap"))
			more = bytes;
		else if (!strcmp(u->what, "memory+swap"))
			more = bytes > limit ? bytes - limit : 0;
	}
	return limit ? (limit + min_u64(more, swap)) >> s->k->page_shift : 0;
}

static int64_t points(const struct badness *b)
{
	return b->known && !b->unkillable ? b->points : COL_UNKNOWN_INT;
}

static int64_t log_badness(const struct snapshot *s, const struct oom_task *t, uint64_t total)
{
	const struct rules *rules = &s->k->rules;
	struct badness_of of = {
		.rss = (uint64_t)t->rss,
		.swap = t->swapents < 0 ? 0 : (uint64_t)t->swapents,
		.tables = t->tables_bytes < 0 ? 0 : (uint64_t)t->tables_bytes >> s->k->page_shift,
		.oom_score_adj = (int)t->oom_score_adj,
	};
	struct badness b;

	/* to 4.16 it depends on CAP_SYS_ADMIN, which is not in the table */
	if (t->rss < 0 || t->oom_score_adj < -1000 || t->oom_score_adj > 1000 || t->pid == 1 ||
	    rules->on[RULE_OOM_ADMIN_30] || rules->on[RULE_OOM_ADMIN_PERCENT])
		return COL_UNKNOWN_INT;
	b = badness_compute(rules, &of, total);
	return points(&b);
}

static bool is_victim(const struct oom_event *e, int64_t pid)
{
	/* more are only in a group, whose rows are many as well: look at the first ones */
	for (size_t i = 0; i < e->victims.n && i < 64; i++)
		if (e->victims.v[i].pid == pid)
			return true;
	return false;
}

static void set_unknown(struct row *r)
{
	r->rss_now = r->swap_now = r->pgtables_now = r->pss = r->uss = r->oom_score = COL_UNKNOWN;
	r->badness_now = COL_UNKNOWN_INT;
}

static void set_now(const struct snapshot *s, const struct oom_event *e, const struct oom_task *t,
		    struct row *r)
{
	uint32_t i = t->pid < 0 || t->pid > INT32_MAX ? NONE
						      : snapshot_proc_by_pid(s, (int32_t)t->pid);
	const struct proc *p = i == NONE ? NULL : &s->procs[i];
	const struct mm *mm = p ? proc_mm(s, p) : NULL;
	struct badness b;

	set_unknown(r);
	r->now = !p ? "ended" : p->start_boottime > e->time + 1000000000 ? "another" : "alive";
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
	r->swap_now = pages_bytes(s, mm->counter[RSS_SWAP]);
	r->pgtables_now = mm->pgtables_bytes;
	if (s->built & NEED_USAGE && !mm_incomplete(s, mm)) {
		r->pss = mm->usage.pss >> PSS_SHIFT;
		r->uss = usage_uss(&mm->usage);
	}
}

static void set_row(const struct snapshot *s, const struct oom_event *e, size_t number,
		    const struct oom_task *t, struct row *r)
{
	unsigned shift = s->k->page_shift;

	*r = (struct row){
		.event = number,
		.pid = oom_cell_int(t->pid),
		.uid = oom_cell(t->uid),
		.victim = is_victim(e, t->pid),
		.total_vm = oom_cell_bytes(t->total_vm, shift),
		.rss = oom_cell_bytes(t->rss, shift),
		.rss_anon = oom_cell_bytes(t->rss_anon, shift),
		.rss_file = oom_cell_bytes(t->rss_file, shift),
		.rss_shmem = oom_cell_bytes(t->rss_shmem, shift),
		.swap = oom_cell_bytes(t->swapents, shift),
		.pgtables = oom_cell(t->tables_bytes),
		.oom_score_adj = oom_cell_int(t->oom_score_adj),
		.badness = log_badness(s, t, total_of(s, e)),
		.comm = t->comm,
	};
	set_now(s, e, t, r);
}

static enum status tasks_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct oom_log log;
	struct row *rows;
	size_t n = 0;
	enum status st = oom_events(s, t, &log, diag);

	(void)o;
	if (st)
		return st;
	for (size_t i = 0; i < log.n; i++)
		n += log.v[i].tasks.n;
	rows = arena_array(&t->mem, struct row, n);
	for (size_t i = 0; i < log.n; i++)
		for (size_t j = 0; j < log.v[i].tasks.n; j++)
			set_row(s, &log.v[i], i + 1, &log.v[i].tasks.v[j], &rows[t->nrows++]);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	t->note = n	  ? NULL
		  : log.n ? "No event in the log has a table of tasks."
			  : oom_note(s, &log, &t->mem);
	return ST_OK;
}

const struct report report_oom_tasks = {
	.name = "oom",
	.about = "the kernel's table of tasks, and the same processes in the dump",
	.needs = NEED_LOG | NEED_MACHINE | NEED_TASKS,
	.opts = OPT_TASKS,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "event,-rss,pid",
	.run = tasks_report,
};
