/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thrash.c - counters of reclaim, of refaults and of swap, pressure, and who waits.
 *
 * A refault is a page that is read again after it was reclaimed (mm/workingset.c, v3.15; of
 * anonymous memory v5.9). Time waited for memory is what PSI counts as "memory"
 * (Documentation/accounting/psi.rst): in direct reclaim, for a refault, for swap.
 */
#include "model/cause/thrash/thrash.h"

#include <math.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "facts/layout/pressure.h"
#include "model/cause/thrash/waiting.h"
#include "model/kernel/kobj.h"

#define NSEC 1e9
/* Percent of the time: from here on it is thrashing, and below it is not. psi.rst calls long
   times of "full" thrashing; systemd-oomd and oomd act at 10 to 60 percent. */
#define FULL_YES 10.0
#define SOME_YES 30.0
#define SOME_NO 1.0
#define AGE_MAX 20.0		/* seconds: older averages are of another time */

static const struct source_line {
	const char *section, *name;
	enum thrash_unit unit;
} lines[] = {
#define COUNTER(section, name, unit, about) { section, name, unit },
#include "model/cause/thrash/figures.def"
};

struct reading {
	const struct snapshot *s, *before;
	struct arena *mem;
	struct thrash *t;
};

/* ---- counters -------------------------------------------------------------------------- */

/* What happened between the dumps, or since boot. UINT64_MAX: not counted. */
static uint64_t between(uint64_t now, uint64_t then)
{
	if (now == UINT64_MAX || then == UINT64_MAX)
		return UINT64_MAX;
	return now > then ? now - then : 0;
}

static uint64_t happened(const struct reading *rd, const char *name)
{
	return between(machine_vmstat(&rd->s->machine, name),
		       rd->before ? machine_vmstat(&rd->before->machine, name) : 0);
}

static double span(const struct thrash *t)
{
	return t->seconds > 0 ? t->seconds : t->uptime;
}

static void add(struct reading *rd, const struct source_line *l, uint64_t value, bool rate)
{
	double over = span(rd->t);

	*vec_push(rd->mem, &rd->t->figures) = (struct thrash_figure){
		.section = l->section,
		.name = l->name,
		.unit = l->unit,
		.value = value,
		.rate = rate && over > 0 && value != UINT64_MAX ? (double)value / over : NAN,
	};
}

static void add_counters(struct reading *rd)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		bool level = !strcmp(lines[i].section, "lists");
		uint64_t v = level ? machine_vmstat(&rd->s->machine, lines[i].name)
				   : happened(rd, lines[i].name);

		if (v != UINT64_MAX)
			add(rd, &lines[i], v, !level);
	}
}

/* The stalls of allocations are a line for each zone (allocstall_normal ...) since v4.8. */
static void add_stalls(struct reading *rd)
{
	static const struct source_line l = { "reclaim", "allocstall", THRASH_COUNT };
	uint64_t v = between(machine_vmstat_sum(&rd->s->machine, l.name),
			     rd->before ? machine_vmstat_sum(&rd->before->machine, l.name) : 0);

	if (v != UINT64_MAX)
		add(rd, &l, v, true);
}

/* ---- pressure ---------------------------------------------------------------------------- */

static void add_percent(struct reading *rd, const char *name, uint64_t avg)
{
	const struct source_line l = { "pressure", name, THRASH_PERCENT100 };

	add(rd, &l, psi_percent100(avg), false);
}

static double percent_of(const struct reading *rd, const struct psi *then, enum psi_state st)
{
	const struct thrash *t = rd->t;
	uint64_t waited = t->psi.total[st] - min_u64(t->psi.total[st], then->total[st]);

	if (!t->psi.has[st])
		return NAN;
	return t->seconds > 0 ? (double)waited / NSEC / t->seconds * 100
			      : (double)t->psi.avg[st][0] / 2048;
}

static void add_pressure(struct reading *rd)
{
	static const struct source_line some = { "pressure", "some_total", THRASH_US };
	static const struct source_line full = { "pressure", "full_total", THRASH_US };
	struct thrash *t = rd->t;
	struct psi then = { .known = false };
	const struct psi *p = &t->psi;
	uint64_t a, b;

	t->some = t->full = t->io_some = t->io_full = t->psi_age = NAN;
	if (!psi_of_machine(rd->s->k, &t->psi) || !p->has[PSI_MEMORY_SOME] ||
	    !p->has[PSI_MEMORY_FULL] || (rd->before && !psi_of_machine(rd->before->k, &then)))
		return;
	if (p->updated && t->uptime * NSEC >= (double)p->updated)
		t->psi_age = t->uptime - (double)p->updated / NSEC;
	add_percent(rd, "some_avg10", p->avg[PSI_MEMORY_SOME][0]);
	add_percent(rd, "some_avg60", p->avg[PSI_MEMORY_SOME][1]);
	add_percent(rd, "some_avg300", p->avg[PSI_MEMORY_SOME][2]);
	add_percent(rd, "full_avg10", p->avg[PSI_MEMORY_FULL][0]);
	add_percent(rd, "full_avg60", p->avg[PSI_MEMORY_FULL][1]);
	add_percent(rd, "full_avg300", p->avg[PSI_MEMORY_FULL][2]);
	a = p->total[PSI_MEMORY_SOME] -
	    min_u64(p->total[PSI_MEMORY_SOME], then.total[PSI_MEMORY_SOME]);
	b = p->total[PSI_MEMORY_FULL] -
	    min_u64(p->total[PSI_MEMORY_FULL], then.total[PSI_MEMORY_FULL]);
	add(rd, &some, a / 1000, true);
	add(rd, &full, b / 1000, true);
	t->some = percent_of(rd, &then, PSI_MEMORY_SOME);
	t->full = percent_of(rd, &then, PSI_MEMORY_FULL);
	t->io_some = percent_of(rd, &then, PSI_IO_SOME);
	t->io_full = percent_of(rd, &then, PSI_IO_FULL);
}

/* ---- who waits ----------------------------------------------------------------------------- */

static const enum layout_id delays[4] = { M_DELAY_SWAPIN, M_DELAY_RECLAIM, M_DELAY_THRASH,
					  M_DELAY_BLKIO };

static void add_delays(const struct kernel *k, struct reader *r, const struct task *t,
		       struct thrash_proc *p)
{
	uint64_t at = 0, v;

	if (!has(k, M_TASK_DELAYS) || kmember_u64(k, r, t->addr, M_TASK_DELAYS, &at) || !at ||
	    !kernel_ptr_ok(k, at, k->dump->word_size))
		return;
	for (unsigned i = 0; i < ARRAY_LEN(delays); i++)
		if (has(k, delays[i]) && !kmember_u64(k, r, at, delays[i], &v))
			p->delay[i] = (p->delay[i] == UINT64_MAX ? 0 : p->delay[i]) + v;
}

static void read_tasks(struct reading *rd)
{
	const struct snapshot *s = rd->s;
	struct reader *r = kernel_reader(s->k);
	bool psi = rd->t->psi.known, all = psi;
	struct thrash *t = rd->t;

	t->stalled = t->blocked = 0;
	for (uint32_t i = 0; i < s->ntasks; i++) {
		const struct task *task = &s->tasks[i];
		struct thrash_proc *p = task->proc < s->nprocs ? &t->procs[task->proc] : NULL;
		int stalled = psi ? task_is_stalled(s->k, r, task) : -1;

		all &= stalled >= 0;
		t->stalled += stalled > 0;
		t->blocked += task->state == 'D';
		if (!p)
			continue;
		p->known_stalled |= stalled >= 0;
		p->stalled += stalled > 0;
		p->blocked += task->state == 'D';
		if (r)
			add_delays(s->k, r, task, p);
	}
	if (!all)
		t->stalled = UINT64_MAX;
	reader_free(r);
}

/* The same process in the earlier dump: by pid and time of its start. */
static void read_faults(struct reading *rd)
{
	const struct snapshot *s = rd->s, *before = rd->before;
	struct hash at = { .mem = rd->mem };

	for (uint32_t i = 0; before && i < before->nprocs; i++)
		if (before->procs[i].pid > 0)
			hash_put(&at, (uint64_t)before->procs[i].pid, i);
	for (uint32_t i = 0; i < s->nprocs; i++) {
		const struct proc *p = &s->procs[i], *q = NULL;
		struct thrash_proc *tp = &rd->t->procs[i];
		uint32_t j = before && p->pid > 0 ? hash_get(&at, (uint64_t)p->pid) : HASH_NONE;

		if (j != HASH_NONE && before->procs[j].start_boottime == p->start_boottime)
			q = &before->procs[j];
		*tp = (struct thrash_proc){ .maj_flt = p->maj_flt, .min_flt = p->min_flt };
		for (unsigned d = 0; d < ARRAY_LEN(tp->delay); d++)
			tp->delay[d] = UINT64_MAX;
		if (!q || p->maj_flt == UINT64_MAX || q->maj_flt == UINT64_MAX)
			continue;
		tp->maj_flt -= min_u64(tp->maj_flt, q->maj_flt);
		tp->min_flt -= min_u64(tp->min_flt, q->min_flt);
	}
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Where nothing counts refaults (before 3.15), major faults less those of swap are of files. */
static enum thrash_of what_of(const struct reading *rd, uint64_t *sum)
{
	uint64_t anon = happened(rd, "workingset_refault_anon"), in = happened(rd, "pswpin");
	uint64_t file = happened(rd, "workingset_refault_file"), major = happened(rd, "pgmajfault");

	if (file == UINT64_MAX)
		file = happened(rd, "workingset_refault");
	if (anon == UINT64_MAX)
		anon = in;
	if (file == UINT64_MAX && major != UINT64_MAX && in != UINT64_MAX)
		file = major > in ? major - in : 0;
	*sum = UINT64_MAX;
	if (file == UINT64_MAX || anon == UINT64_MAX)
		return THRASH_OF_UNKNOWN;
	*sum = anon + file;
	return !*sum		  ? THRASH_OF_NONE
	       : anon / 4 >= file ? THRASH_OF_ANON
	       : file / 4 >= anon ? THRASH_OF_FILES
				  : THRASH_OF_BOTH;
}

#define MAJOR 100u		/* faults: fewer tell nothing */
#define SOME_RECLAIM 0.01	/* percent: memory is being reclaimed */

/* Have the processes that sleep in D now most of the major faults? */
static bool faulters_wait(const struct reading *rd)
{
	uint64_t all = 0, waiting = 0;

	for (uint32_t i = 0; i < rd->s->nprocs; i++) {
		const struct thrash_proc *p = &rd->t->procs[i];

		if (p->maj_flt == UINT64_MAX)
			continue;
		all += p->maj_flt;
		waiting += p->blocked ? p->maj_flt : 0;
	}
	return all && waiting >= all - waiting;
}

/*
 * The wait for a page that comes back is counted as one for memory only if the page was active
 * when it was given up (PG_workingset, 1899ad18c607, v4.20). Else it is a wait for the disk: it is
 * thrashing if that is long, while memory is reclaimed, and most major faults read again what was
 * given up.
 */
static bool waits_for_disk(const struct reading *rd, uint64_t again)
{
	const struct thrash *t = rd->t;
	uint64_t major = happened(rd, "pgmajfault");

	if (isnan(t->io_full) || !(t->io_full >= FULL_YES || t->io_some >= SOME_YES) ||
	    t->some < SOME_RECLAIM)
		return false;
	return major != UINT64_MAX && major >= MAJOR && again != UINT64_MAX && again >= major / 2 &&
	       faulters_wait(rd);
}

/* What the answer comes from. */
static struct thrash_reason reason(const struct thrash *t, enum thrash_why why)
{
	bool disks = why == THRASH_WHY_DISKS;

	return (struct thrash_reason){ .why = why,
				       .of = t->of,
				       .two = t->seconds > 0,
				       .some = disks ? t->io_some : t->some,
				       .full = disks ? t->io_full : t->full };
}

static enum thrash_answer by_pressure(const struct thrash *t)
{
	if (t->full >= FULL_YES || t->some >= SOME_YES)
		return THRASH_YES;
	return t->some < SOME_NO ? THRASH_NO : THRASH_UNKNOWN;
}

static void decide(struct reading *rd)
{
	struct thrash *t = rd->t;
	uint64_t again;
	bool two = t->seconds > 0, old = !two && t->psi_age > AGE_MAX, known = !isnan(t->full);

	t->of = what_of(rd, &again);
	t->certainty = two && known ? THRASH_STRONG : known && !old ? THRASH_FAIR : THRASH_WEAK;
	if (again == 0) {
		t->answer = THRASH_NO;
		t->certainty = THRASH_STRONG;
		t->reason = reason(t, THRASH_WHY_NOTHING);
	} else if (known && !old && t->full < FULL_YES && t->some < SOME_YES &&
		   waits_for_disk(rd, again)) {
		t->answer = THRASH_YES;
		t->reason = reason(t, THRASH_WHY_DISKS);
	} else if (known && !old) {
		t->answer = by_pressure(t);
		if (t->answer == THRASH_YES && t->stalled && t->stalled != UINT64_MAX)
			t->certainty = THRASH_STRONG;
		t->reason = reason(t, THRASH_WHY_MEMORY);
	} else {
		t->reason = reason(t, old ? THRASH_WHY_OLD : THRASH_WHY_NO_PRESSURE);
	}
}

/* Is BEFORE of the same boot, and earlier? Uptimes and the first process tell. */
static bool is_earlier(const struct snapshot *before, const struct snapshot *s)
{
	uint32_t a = snapshot_proc_by_pid(before, 1), b = snapshot_proc_by_pid(s, 1);

	return before->machine.uptime && before->machine.uptime < s->machine.uptime && a != NONE &&
	       b != NONE && before->procs[a].start_boottime == s->procs[b].start_boottime;
}

void thrash_read(const struct snapshot *s, const struct snapshot *before, struct arena *mem,
		 struct thrash *ret)
{
	struct reading rd = { .s = s, .mem = mem, .t = ret };

	*ret = (struct thrash){ .uptime = (double)s->machine.uptime / NSEC };
	if (before && is_earlier(before, s)) {
		rd.before = before;
		ret->seconds = (double)(s->machine.uptime - before->machine.uptime) / NSEC;
	}
	ret->procs = arena_array(mem, struct thrash_proc, s->nprocs);
	add_pressure(&rd);
	add_counters(&rd);
	add_stalls(&rd);
	read_faults(&rd);
	read_tasks(&rd);
	decide(&rd);
}
