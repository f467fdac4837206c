/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thrash - did the machine wait for pages that it had given up shortly before, of files or of
 * anonymous memory, and whose? With an earlier dump (--earlier): rates.
 */
#include <math.h>

#include "dumpread/base/bytes.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"
#include "reports/machine/thrash_text.h"

#define P COL_SHOWN

/* ---- the evidence ---------------------------------------------------------------------- */

struct row {
	const char *section, *name, *unit, *about;
	uint64_t value;
	double rate, percent;
};

static const struct column cols[] = {
	COL(struct row, section, COL_STR, P, "", "answer, pressure, refaults, faults ..."),
	COL(struct row, name, COL_STR, P, "", "of the line of /proc/vmstat, where it is one"),
	COL(struct row, value, COL_UINT, P, "", "between the dumps, or since boot; lists: now"),
	COL(struct row, unit, COL_STR, P, "", "of value: pages, us, or nothing"),
	COL(struct row, rate, COL_RATIO, P, "", "value per second of that time"),
	COL(struct row, percent, COL_RATIO, P, "percent", "of an average"),
	COL(struct row, about, COL_STR, P | COL_WIDE, "", "what it is; the answer"),
};

static const char *const answers[] = { "unknown", "no", "yes" };
static const char *const ofs[] = { "unknown", "nothing", "files", "anonymous memory",
				   "files and anonymous memory" };
static const char *const certainties[] = { "weak", "fair", "strong" };

static struct row text_row(const char *name, const char *text)
{
	return (struct row){ .section = "answer",
			     .name = name,
			     .value = COL_UNKNOWN,
			     .rate = NAN,
			     .percent = NAN,
			     .about = text };
}

static struct row number_row(const char *name, uint64_t v, const char *about)
{
	return (struct row){ .section = "tasks",
			     .name = name,
			     .value = v,
			     .rate = NAN,
			     .percent = NAN,
			     .about = about };
}

static void set_row(const struct thrash_figure *f, struct row *r)
{
	bool percent = f->unit == THRASH_PERCENT100;

	*r = (struct row){
		.section = f->section,
		.name = f->name,
		.about = thrash_about(f->name),
		.rate = f->rate,
		.unit = f->unit == THRASH_PAGES ? "pages"
			: f->unit == THRASH_US	? "us"
						: "",
		.value = percent ? COL_UNKNOWN : f->value,
		.percent = percent ? (double)f->value / 100 : NAN,
	};
}

static enum status thrash_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	struct thrash th;
	struct row *rows;

	(void)diag;
	thrash_read(s, o->before, &t->mem, &th);
	rows = arena_array(&t->mem, struct row, th.figures.n + 6);
	rows[t->nrows++] = text_row("thrashing", answers[th.answer]);
	rows[t->nrows++] = text_row("of", ofs[th.of]);
	rows[t->nrows++] = text_row("certainty", certainties[th.certainty]);
	rows[t->nrows++] = text_row("why", thrash_reason_text(&th.reason, &t->mem));
	rows[t->nrows++] =
		number_row("stalled", th.stalled, "tasks that waited for memory at that moment");
	rows[t->nrows++] = number_row("blocked", th.blocked, "tasks in state D");
	for (size_t i = 0; i < th.figures.n; i++)
		set_row(&th.figures.v[i], &rows[t->nrows++]);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	if (o->before && !(th.seconds > 0))
		t->note = "The other dump is not an earlier one of this boot: it is not used.";
	return ST_OK;
}

/* ---- who suffered ------------------------------------------------------------------------ */

struct task_row {
	int64_t pid;
	const char *comm;
	uint64_t maj_flt, min_flt, stalled, blocked, swap, delay[4];
	double rate;
};

#define DELAY(i, name, about) \
	COL_AS(struct task_row, delay[i], name, COL_NSEC, 0, "ns", about " (delay accounting)")

static const struct column task_cols[] = {
	COL(struct task_row, pid, COL_INT, P, "", "process"),
	COL(struct task_row, maj_flt, COL_UINT, P | COL_TOTAL, "",
	    "page faults that had to read: between the dumps, or since its start"),
	COL(struct task_row, rate, COL_RATIO, P, "", "the same per second"),
	COL(struct task_row, min_flt, COL_UINT, P | COL_TOTAL, "", "other page faults"),
	COL(struct task_row, stalled, COL_UINT, P | COL_TOTAL, "",
	    "threads that waited for memory at that moment"),
	COL(struct task_row, blocked, COL_UINT, P | COL_TOTAL, "", "threads in state D"),
	COL(struct task_row, swap, COL_BYTES, P, "bytes", "swapped out memory, by its counter"),
	DELAY(0, "swapin", "time waited for swap"),
	DELAY(1, "reclaim", "time in reclaim"),
	DELAY(2, "thrashing", "time waited for pages that had just been reclaimed"),
	DELAY(3, "block_io", "time waited for block devices"),
	COL(struct task_row, comm, COL_STR, P, "", "name"),
};

static double per_second(const struct snapshot *s, const struct thrash *th, const struct proc *p,
			 uint64_t n)
{
	double since = (double)s->machine.uptime - (double)p->start_boottime;
	double over = th->seconds > 0 ? th->seconds : since / 1e9;

	return n == UINT64_MAX || p->start_boottime == UINT64_MAX || over <= 0 ? NAN
									       : (double)n / over;
}

static void set_task(const struct snapshot *s, const struct thrash *th, uint32_t i,
		     struct task_row *r)
{
	const struct proc *p = &s->procs[i];
	const struct thrash_proc *tp = &th->procs[i];
	const struct mm *mm = proc_mm(s, p);

	*r = (struct task_row){
		.pid = p->pid,
		.comm = proc_comm(s, p),
		.maj_flt = tp->maj_flt,
		.min_flt = tp->min_flt,
		.rate = per_second(s, th, p, tp->maj_flt),
		.stalled = tp->known_stalled ? tp->stalled : COL_UNKNOWN,
		.blocked = tp->blocked,
		.swap = mm ? mm_counted_swap(s, mm) : COL_UNKNOWN,
	};
	for (unsigned d = 0; d < ARRAY_LEN(r->delay); d++)
		r->delay[d] = tp->delay[d];
}

static enum status tasks_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct thrash th;
	struct task_row *rows;

	(void)diag;
	thrash_read(s, o->before, &t->mem, &th);
	rows = arena_array(&t->mem, struct task_row, s->nprocs);
	for (uint32_t i = 0; i < s->nprocs; i++)
		if (!s->procs[i].kthread || th.procs[i].stalled || th.procs[i].blocked)
			set_task(s, &th, i, &rows[t->nrows++]);
	t->rows = rows;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

static const struct report report_thrash_tasks = {
	.name = "thrash",
	.about = "processes that waited for memory",
	.needs = NEED_TASKS | NEED_MACHINE,
	.opts = OPT_TASKS | OPT_EARLIER,
	.cols = task_cols,
	.ncols = ARRAY_LEN(task_cols),
	.sort = "-stalled,-maj_flt,pid",
	.run = tasks_report,
};

static const struct report_part parts[] = {
	{ OPT_TASKS, "tasks", &report_thrash_tasks },
	{ 0 }
};

const struct report report_thrash = {
	.name = "thrash",
	.about = "did the machine wait for pages that it had just given up, and who suffered",
	.needs = NEED_TASKS | NEED_MACHINE,
	.opts = OPT_EARLIER,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = thrash_report,
	.parts = parts,
	.help = "The answer, and the figures that it comes from: pressure (PSI, 4.20), refaults (pages\n"
		"that were read again after they were reclaimed), faults, swap, reclaim, and the lists of\n"
		"pages. --tasks shows the processes: major faults, threads that waited for memory or are\n"
		"in state D, swapped out memory, and delays if delay accounting is on.\n"
		"\n"
		"One dump has counters since boot, which do not tell when something happened: certainty\n"
		"is weak, unless nothing happened at all. Averages of pressure are fair. With --earlier,\n"
		"a dump of the same boot, figures are those of the time between the two, and certainty\n"
		"is strong where there is pressure. Thrashing is \"yes\" if tasks waited for memory 30 % of\n"
		"the time, or all of them at once 10 %, and pages were read again; \"no\" below 1 %.\n"
		"Waits for disks count if processes that wait had most of the major faults, and these\n"
		"read again what had been given up: the kernel takes only active pages for memory.",
};
